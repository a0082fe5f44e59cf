import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { containerOf } from '@figurehead/contract/document/codec';
import {
  checkFonts,
  type ParsedDocument,
  parseDocument,
  type RenderedFiles,
  type RenderProgress,
  renderDocument,
} from '@figurehead/media';
import { isBuiltIn } from '../features/avatars/offline.js';
import { commandSigner, signRendered } from '../features/renders/credentials/offline.js';
import { explained, RenderProblem, sourceOf } from '../features/renders/offline.js';
import { OperatorError } from '../kernel/operator-error.js';
import { writeWhole } from '../kernel/storage/files.js';
import { jsonOption, notice, print, type Registration, readConfig } from './command.js';
import { offlineResources } from './offline-engine.js';
import { openOfflineSpeech } from './offline-speech.js';
import { requireWritable, unwritable } from './output-path.js';
import { fillRows, type RenderOrder, type SourceDocument } from './template-rows.js';

/** Steps of the progress bar. */
const BAR_STEPS = 1000;

interface RenderFlags {
  readonly output: string;
  readonly data?: string;
  readonly extras?: boolean;
  readonly json?: boolean;
}

/** `figurehead render FILE.json -o OUT.mp4`: a video document becomes a video, or one for each row of a table, without a server. */
export const registerRender: Registration = (command) => {
  command
    .requiredOption(
      '-o, --output <file>',
      'output video, .mp4, or .webm for VP9, AV1 and transparent videos; with --data a name with {{placeholders}}',
    )
    .option(
      '--data <table>',
      'render a video for each row of a CSV or .xlsx file, whose first line names the placeholders',
    )
    .option(
      '--extras',
      'also write .vtt, .srt, .jpg, .webp and, if the document wants one, .gif files next to the video',
    )
    .addOption(jsonOption())
    .action(async (file: string, flags: RenderFlags) => {
      const template = await readDocument(file);
      const orders =
        flags.data === undefined
          ? [{ document: template, output: flags.output }]
          : await fillRows(template, flags.data, flags.output);
      const written = flags.data === undefined ? 'nothing was written.' : 'films that were finished before stay.';
      const interrupted = new AbortController();
      const stop = () => interrupted.abort(new OperatorError(`The rendering was interrupted; ${written}`));
      // A terminal and the program's launcher (bin/figurehead.js) may both pass on the same signal, the second one after the
      // end of the rendering: the listeners stay until the process ends.
      process.on('SIGINT', stop).on('SIGTERM', stop);
      for (const order of orders) {
        const { output } = order;
        const { durationSeconds, report } = await renderFile(file, order, { ...flags, signal: interrupted.signal });
        const { frames, contentHash } = report;
        print(flags.json, { file: output, durationSeconds, frames, contentHash }, [
          `${output}: ${durationSeconds.toFixed(2)} s, ${frames} frames`,
        ]);
      }
    });
};

async function renderFile(
  file: string,
  order: RenderOrder,
  { signal, ...flags }: RenderFlags & { signal: AbortSignal },
): Promise<RenderedFiles> {
  const parsed = parseDocument(order.document);
  const output = resolve(order.output);
  requireFittingName(parsed, output);
  await requireWritable(output);
  const config = readConfig();
  const speech = openOfflineSpeech(config);
  const folder = await mkdtemp(join(tmpdir(), 'figurehead-'));
  const bar = flags.json === true ? undefined : await openBar();
  try {
    const resources = offlineResources(config, speech, { folder: dirname(resolve(file)), output: folder, signal });
    const onProgress = (progress: RenderProgress) => {
      bar?.show(progress);
      // No speech is needed from here on, and the voice threads hold 140 MB. A failure to end them is reported below.
      if (progress.stage === 'drawing') void speech.close().catch(() => undefined);
    };
    const files = await explained(() => renderDocument({ ...parsed, resources, output: folder, signal, onProgress }));
    const isOurs = (code: string) => isBuiltIn(config, code);
    const made = { title: order.document.name, source: sourceOf(parsed.document, isOurs), consents: [] };
    await signRendered(files, made, await commandSigner(config));
    signal.throwIfAborted();
    await place(files.video, output);
    if (flags.extras === true) {
      const stem = output.slice(0, output.length - extname(output).length);
      await place(files.vtt, `${stem}.vtt`);
      await place(files.srt, `${stem}.srt`);
      await place(files.thumbnailJpeg, `${stem}.jpg`);
      await place(files.thumbnailWebp, `${stem}.webp`);
      if (files.gif !== undefined) await place(files.gif, `${stem}.gif`);
    }
    bar?.done();
    const warnings = parsed.problems.filter(({ level }) => level === 'warning');
    for (const { path, message } of [...warnings, ...checkFonts(parsed.document, await resources.fonts())]) {
      notice(`Warning: ${path}: ${message}`);
    }
    return files;
  } catch (error) {
    bar?.stop();
    if (!(error instanceof RenderProblem)) throw error;
    throw new OperatorError(
      `${file} cannot be rendered as ${order.output}.\n${error.problems.map((p) => `  ${p.field}: ${p.message}`).join('\n')}`,
      { cause: error },
    );
  } finally {
    await speech.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Players go by the extension: a WebM file named `.mp4` does not play. */
function requireFittingName({ document }: ParsedDocument, output: string): void {
  const { codec } = document.data;
  const { extension } = containerOf(codec);
  if (extname(output).toLowerCase() === `.${extension}`) return;
  throw new OperatorError(`A video in ${codec} needs a .${extension} file; the output is ${output}.`);
}

async function readDocument(file: string): Promise<SourceDocument> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new OperatorError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  });
  let parsed: unknown;
  try {
    // Windows' shell writes files in UTF-16; the decoder leaves out byte order marks.
    parsed = JSON.parse(new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes));
  } catch (cause) {
    throw new OperatorError(`${file} is not JSON: ${(cause as Error).message}`, { cause });
  }
  const { name, slides, data } = (parsed ?? {}) as Partial<Record<keyof SourceDocument, unknown>>;
  if (!Array.isArray(slides)) throw new OperatorError(`${file} must be a video document with an array "slides".`);
  return { name: typeof name === 'string' ? name : basename(file, extname(file)), slides, data };
}

/**
 * Moves a file into place; across file systems by a copy next to the target and a rename, so it is complete when it
 * appears.
 */
async function place(from: string, to: string): Promise<void> {
  await writeWhole(to, (part) => copyFile(from, part)).catch((cause: unknown) => {
    throw unwritable(to, cause);
  });
}

interface Bar {
  show(progress: RenderProgress): void;
  /** Updates the progress bar. */
  done(): void;
  stop(): void;
}

async function openBar(): Promise<Bar> {
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    format: '{bar} {percentage} % | {stage} | {eta_formatted} left',
    hideCursor: true,
    stream: process.stderr,
  });
  bar.start(BAR_STEPS, 0, { stage: 'validating' });
  return {
    show: ({ stage, progress }) => bar.update(Math.round(progress * BAR_STEPS), { stage }),
    done: () => {
      bar.update(BAR_STEPS, { stage: 'done' });
      bar.stop();
    },
    stop: () => bar.stop(),
  };
}
