import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PresentationProblem } from '../reading/problem.js';
import { layOutFonts, type OfficeFonts } from './fonts.js';
import { writeOfficeProfile } from './profile.js';
import { findProgram, openSandbox, programPath, type Sandbox } from './sandbox.js';

/** LibreOffice as a converter. */
export interface Office {
  /** Such as `7.4`. */
  readonly version: string;
  /** Strength of its sandbox. */
  readonly strength: Sandbox['strength'];
  /**
   * Converts a presentation in `folder`: to a PDF without its hidden slides, where emoji are blanks of the font
   * `BLANK_EMOJI`, or to OpenDocument. @returns the path of the result. Throws {@link PresentationProblem} when LibreOffice cannot read the file or exceeds its time or memory, and the
   * signal's reason on abort. All its processes have ended afterwards.
   */
  convert(job: {
    path: string;
    kind: 'pptx' | 'odp' | 'ppt';
    to: 'pdf' | 'odp' | 'ppt';
    folder: string;
    fonts: OfficeFonts;
    signal: AbortSignal;
  }): Promise<string>;
}

/** Shown wherever LibreOffice is missing. */
export const HOW_TO_INSTALL_OFFICE =
  'Install LibreOffice on the worker (Debian and Ubuntu: apt-get install libreoffice-impress) to see the pages as they were designed.';

/** A hundred dense pages take about 40 s on one core; conversions that take longer do not end. */
const DEADLINE_MS = 180_000;

/** Address space: LibreOffice reserves about 1 GB and needs 300 MB for a typical deck. */
const MEMORY_BYTES = 4 * 1024 ** 3;

const PROGRAMS = ['soffice', 'libreoffice'];

/** Path of LibreOffice's command; `undefined` when it is not installed. */
export async function findOffice(): Promise<string | undefined> {
  for (const name of PROGRAMS) {
    const found = await findProgram(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `undefined` when LibreOffice is not installed. */
export async function openOffice(): Promise<Office | undefined> {
  const program = await findOffice();
  if (program === undefined) return undefined;
  const sandbox = await openSandbox();
  const version = await versionOf(program);
  return {
    version,
    strength: sandbox.strength,
    async convert({ path, kind, to, folder, fonts, signal }) {
      const place = join(folder, 'office');
      const profile = join(place, 'profile');
      await mkdir(join(place, 'out'), { recursive: true });
      await writeOfficeProfile(profile);
      const fontSettings = await layOutFonts(place, fonts);
      // The extension decides which filter is tried first, so it is derived from the detected type instead of the file
      // name.
      const source = join(place, `deck.${kind}`);
      await copyFile(path, source);
      const command = [
        program,
        `-env:UserInstallation=${pathToFileURL(profile).href}`,
        ...[
          '--headless',
          '--invisible',
          '--norestore',
          '--nolockcheck',
          '--nodefault',
          '--nofirststartwizard',
          '--nologo',
        ],
        ...['--convert-to', to, '--outdir', join(place, 'out'), source],
      ];
      const limits = {
        folder: place,
        memoryBytes: MEMORY_BYTES,
        cpuSeconds: DEADLINE_MS / 1000,
        fileBytes: 1_000_000_000,
      };
      const output = await runOffice(sandbox.wrap(command, limits), { home: place, fontSettings, signal });
      const result = join(place, 'out', `deck.${to}`);
      // Its exit code is 0 even when nothing was converted.
      const size = await stat(result).then(
        (info) => info.size,
        () => 0,
      );
      if (size === 0) {
        throw new PresentationProblem('LibreOffice could not convert the presentation.', { cause: new Error(output) });
      }
      const converted = join(folder, `deck.${to}`);
      await copyFile(result, converted);
      await rm(place, { recursive: true, force: true });
      return converted;
    },
  };
}

/** `7.4` of `LibreOffice 7.4.7.2 40(Build:2)`. */
async function versionOf(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-office-'));
  try {
    const said = await runOffice([program, '--version'], { home: folder, signal: new AbortController().signal });
    return / (\d+\.\d+)/.exec(said)?.[1] ?? '0';
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the command in its own process group, which is ended as a whole. @returns its output. */
async function runOffice(
  command: readonly string[],
  { home, fontSettings, signal }: { home: string; fontSettings?: string; signal: AbortSignal },
): Promise<string> {
  signal.throwIfAborted();
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, {
    cwd: home,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without our own environment, which contains keys and passwords.
    env: {
      ...{ PATH: programPath(), HOME: home, TMPDIR: home, LANG: 'C.UTF-8', SAL_USE_VCLPLUGIN: 'svp' },
      ...(fontSettings === undefined ? {} : { FONTCONFIG_FILE: fontSettings }),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      output = (output + part.toString('utf8')).slice(-4000);
    });
  }
  const kill = (): void => killGroup(child);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, DEADLINE_MS);
  signal.addEventListener('abort', kill);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => resolve());
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    // The starter may have ended while the office process still runs.
    kill();
  }
  signal.throwIfAborted();
  if (isLate)
    throw new PresentationProblem(`LibreOffice did not finish within ${DEADLINE_MS / 1000} s and was stopped.`);
  return output;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // The whole group has already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
