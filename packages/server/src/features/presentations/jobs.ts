import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LONGEST_TEXT, type Slide } from '@figurehead/contract';
import { openFonts } from '@figurehead/media';
import type { Job, Kernel } from '../../kernel/contract.js';
import { LAST_TRY, QUEUES } from '../../kernel/jobs/definitions.js';
import { type Watch, watchClaim } from '../../kernel/jobs/watch.js';
import { readBrand } from '../brands/index.js';
import { type ClipConverter, fontFilesOf, openClipConverter } from '../library/index.js';
import { lockVideo, presentSummary, writeVideo } from '../videos/index.js';
import { enqueueCallbacks } from '../webhooks/index.js';
import { IMPORT_QUEUE, type ImportJob } from './imports.js';
import type { Conversion } from './office/conversion.js';
import { type Office, openOffice } from './office/office.js';
import { PresentationProblem } from './reading/problem.js';
import * as store from './store.js';
import { choosePageVoices, type Speakers } from './voice-choice.js';

/** The last attempt of the queue only cleans up after three dead workers. */
const { attempts: ATTEMPTS } = QUEUES.presentations;

/** Links in slides must be valid as long as the document: a hundred years, in seconds. */
const PAGE_LINK_SECONDS = 100 * 365 * 24 * 3600;

/** Dependencies of a worker's imports. */
export interface ImportWork {
  readonly speakers: Speakers;
  /** Finds LibreOffice; tests omit it. Called once. */
  readonly office?: () => Promise<Office | undefined>;
}

/** Takes imports from the queue, one at a time, until the kernel closes. */
export async function workOnImports(kernel: Kernel, { speakers, office = openOffice }: ImportWork): Promise<void> {
  const found = await office();
  const clips = openClipConverter();
  kernel.log.info({ libreOffice: found?.version, sandbox: found?.strength }, 'presentations are imported');
  await kernel.queue.work<ImportJob>(IMPORT_QUEUE, { concurrency: 1, ready: () => kernel.disk.hasSpace() }, (job) =>
    runImport(kernel, { speakers, office: found, clips }, job),
  );
}

interface Tools {
  readonly speakers: Speakers;
  readonly clips: ClipConverter;
  readonly office: Office | undefined;
}

async function runImport(kernel: Kernel, tools: Tools, job: Job<ImportJob>): Promise<void> {
  const row = await store.claimImport(kernel.db, job.data.importId);
  if (row === undefined) return;
  const log = kernel.log.child({ importId: row.id, videoId: row.videoId, attempt: row.attempt });
  const fail = (message: string) =>
    endWith(kernel, row, { state: 'failed', changes: { status: 'error', error: message } });
  if (job.attempt >= ATTEMPTS) {
    await fail(`The import was interrupted ${ATTEMPTS - 1} times and was abandoned.`);
    return;
  }
  const watch = watchClaim(kernel, {
    outer: job.signal,
    heartbeat: (latest) => store.heartbeat(kernel.db, row, latest),
  });
  const started = performance.now();
  try {
    const { slides, data } = await convertClaimed(kernel, tools, { row, signal: watch.signal, report: watch.report });
    await endWith(kernel, row, { state: 'done', changes: { status: 'draft', error: null, slides, data } });
    log.info(
      { pages: slides.length, kind: row.request.kind, ms: Math.round(performance.now() - started) },
      'a presentation was imported',
    );
  } catch (error) {
    // A stopping process leaves its import to another one; a lost claim or a deleted video ends silently.
    if (job.signal.aborted) throw error;
    if (watch.signal.aborted) await endWith(kernel, row, { state: 'cancelled', changes: {} });
    else if (error instanceof PresentationProblem) {
      log.info({ err: error }, 'a presentation could not be imported');
      await fail(error.message);
    } else {
      if (job.attempt < LAST_TRY) throw error;
      log.error({ err: error }, 'an import failed');
      await fail('The presentation could not be imported: an internal error.');
    }
  } finally {
    await watch.stop();
  }
  await kernel.objects.delete(store.sourceKey(row));
}

/** One transaction for the video's state and the import's; a video deleted meanwhile stays as it is. */
async function endWith(
  kernel: Kernel,
  row: store.ImportRow,
  { state, changes }: { state: store.ImportEnd; changes: Parameters<typeof writeVideo>[2] },
): Promise<void> {
  await kernel.transaction(async (tx) => {
    // Videos are locked before imports everywhere, to avoid deadlocks.
    const video = await lockVideo(tx, row.videoId);
    const isWanted = video !== undefined && !video.deleted && video.status === 'importing';
    const now = new Date(kernel.clock.now());
    const isOurs = await store.endImport(tx, row, { state: isWanted ? state : 'cancelled', now });
    if (!isOurs || !isWanted) return;
    const ended = await writeVideo(tx, row.videoId, { ...changes, updatedAt: now });
    const { callbackUrl } = row.request;
    const outcome = {
      workspaceId: row.workspaceId,
      event: state === 'done' ? ('video_imported' as const) : ('video_error' as const),
      error: state === 'done' ? null : (ended.error ?? ''),
      video: presentSummary(ended, kernel.objects),
    };
    await enqueueCallbacks(tx, outcome, callbackUrl === undefined ? [] : [callbackUrl]);
  });
}

async function convertClaimed(
  kernel: Kernel,
  { speakers, office, clips }: Tools,
  { row, signal, report }: { row: store.ImportRow; signal: AbortSignal; report: Watch['report'] },
): Promise<{ slides: Slide[]; data: Record<string, unknown> }> {
  const { request, workspaceId, id } = row;
  const { kind, editable, strict, avatar } = request;
  const linkOf = (key: string): string => kernel.objects.link(key, PAGE_LINK_SECONDS);
  return kernel.temporary.within(`import-${id}-${row.attempt}-`, async (folder) => {
    const path = join(folder, `source.${kind}`);
    const source = await kernel.objects.get(store.sourceKey(row));
    if (source === undefined) throw new PresentationProblem('The uploaded file no longer exists. Upload it again.');
    await pipeline(source.body, createWriteStream(path), { signal });
    const own = await fontFilesOf(kernel, workspaceId);
    const cacheFolder = join(kernel.config.dataDir, 'cache', 'office-fonts');
    // Loads the codecs of pictures, which a host of streams does without.
    const { convertPresentation } = await import('./office/conversion.js');
    const conversion = await convertPresentation({
      ...{ path, kind, editable, strict, folder, signal, office },
      hasAvatar: avatar !== undefined,
      // Shipped families and the workspace's own.
      fonts: { own, cacheFolder, open: () => openFonts(own) },
      onProgress: report,
      async keep(name, { bytes, contentType }) {
        const key = store.importPrefix(row) + name;
        await kernel.objects.put(key, bytes, contentType);
        return linkOf(key);
      },
      async keepFilm(name, file) {
        const out = `${file}.converted`;
        const made = await clips.convert({ file, out, type: 'video' }, { workspaceId, signal });
        if ('refusal' in made) {
          kernel.log.info({ importId: id, name, refusal: made.refusal }, 'a film of a presentation was left out');
          return undefined;
        }
        const key = `${store.importPrefix(row)}${name}.${made.extension}`;
        await kernel.objects.putFile(key, out, made.contentType);
        return { src: linkOf(key), seconds: made.durationSeconds };
      },
    });
    return await compose(kernel, speakers, { row, conversion });
  });
}

/** Slides with their speakers, and the video's settings with warnings for its owner. */
async function compose(
  kernel: Kernel,
  speakers: Speakers,
  { row: { request, workspaceId }, conversion }: { row: store.ImportRow; conversion: Conversion },
): Promise<{ slides: Slide[]; data: Record<string, unknown> }> {
  const notes = conversion.pages.map((page) => page.notes);
  const brand = await readBrand(kernel, speakers.avatars, workspaceId);
  const chosen = await choosePageVoices(kernel, speakers, { workspaceId, speaker: request, notes, brand });
  const { avatar } = request;
  const warnings = [...conversion.warnings, ...chosen.warnings];
  for (const [index, text] of notes.entries()) {
    if (text.length <= LONGEST_TEXT) continue;
    warnings.push(`The notes of slide ${index + 1} were cut after ${LONGEST_TEXT} characters.`);
  }
  const slides = conversion.pages.map(
    ({ canvas, notes, title, transition, duration }, index): Slide => ({
      id: index + 1,
      ...(title !== '' && { title }),
      speech: notes.slice(0, LONGEST_TEXT),
      ...chosen.pages[index],
      voiceType: 'text',
      avatar: avatar === undefined ? null : { code: avatar },
      canvas,
      animation: null,
      hasAvatar: avatar !== undefined,
      ...(transition != null && { transition }),
      ...(duration !== undefined && { duration }),
    }),
  );
  const presentation = { file: request.filename, kind: request.kind, pages: slides.length, warnings };
  return { slides, data: { ...conversion.data, presentation } };
}
