import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PresentationProblem } from '../reading/problem.js';
import type { TextInventory } from '../reading/text-inventory.js';
import { layOutFonts, type OfficeFonts } from './fonts.js';
import { findProgram, openSandbox, programPath, type Sandbox } from './sandbox.js';

/** LibreOffice as a converter. */
export interface Office {
  /** Such as `7.4`. */
  readonly version: string;
  /** Strength of its sandbox. */
  readonly strength: Sandbox['strength'];
  /**
   * Converts a presentation in `folder`: to a PDF without its hidden slides, where emoji are blanks of the font
   * `BLANK_EMOJI`, or to another format. `text` of a PDF decides which fonts are there. @returns the path of the result.
   * Throws {@link PresentationProblem} when LibreOffice cannot read the file or exceeds its time or memory, and the
   * signal's reason on abort. All its processes have ended afterwards.
   */
  convert(job: {
    path: string;
    kind: string;
    to: 'pdf' | 'odp' | 'ppt';
    folder: string;
    fonts: OfficeFonts;
    text?: TextInventory | undefined;
    signal: AbortSignal;
  }): Promise<string>;
}

/** Shown wherever LibreOffice is missing. */
export const HOW_TO_INSTALL_OFFICE =
  'Install LibreOffice on the worker (Debian and Ubuntu: apt-get install libreoffice-impress) to see the pages as they were designed.';

/** A hundred dense pages take about 40 s on one core; conversions that take longer do not end. */
const DEADLINE_MS = 180_000;

/** LibreOffice reserves about 1 GB of address space and needs 300 MB for a typical deck. */
const LIMITS = { memoryBytes: 4 * 1024 ** 3, cpuSeconds: DEADLINE_MS / 1000, fileBytes: 1_000_000_000 } as const;

const OPTIONS = ['headless', 'invisible', 'norestore', 'nolockcheck', 'nodefault', 'nofirststartwizard', 'nologo'].map(
  (name) => `--${name}`,
);

/** Settings of LibreOffice below `org.openoffice.`, with their values. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Linked pictures and videos are not loaded, neither from the network nor from this machine's files.
  'Office.Common/Security/Scripting/BlockUntrustedRefererLinks': 'true',
  'Office.Common/Security/Scripting/DisableMacrosExecution': 'true',
  'Office.Common/Security/Scripting/MacroSecurityLevel': '3',
  'Office.Common/Security/Scripting/DisableActiveContent': 'true',
  'Office.Common/Security/Scripting/CheckDocumentEvents': 'false',
  'Office.Java/VirtualMachine/Enable': 'false',
  'Office.Common/Misc/FirstRun': 'false',
  'Office.Common/Misc/CrashReport': 'false',
  // Any remaining network access is sent to a closed port.
  'Inet/Settings/ooInetProxyType': '1',
  'Inet/Settings/ooInetHTTPProxyName': '127.0.0.1',
  'Inet/Settings/ooInetHTTPProxyPort': '9',
  'Inet/Settings/ooInetHTTPSProxyName': '127.0.0.1',
  'Inet/Settings/ooInetHTTPSProxyPort': '9',
  'Inet/Settings/ooInetNoProxy': '',
};

/** Path of LibreOffice's command; `undefined` when it is not installed. */
export async function findOffice(): Promise<string | undefined> {
  return (await findProgram('soffice')) ?? findProgram('libreoffice');
}

/** `undefined` when LibreOffice is not installed. */
export async function openOffice(): Promise<Office | undefined> {
  const program = await findOffice();
  if (program === undefined) return undefined;
  const sandbox = await openSandbox();
  const said = await run([program, '--version'], { home: tmpdir() });
  return {
    version: / (\d+\.\d+)/.exec(said)?.[1] ?? '0',
    strength: sandbox.strength,
    async convert({ path, kind, to, folder, fonts, text, signal }) {
      const home = join(folder, 'office');
      // A fresh profile, so that no state passes between jobs.
      await mkdir(join(home, 'profile', 'user'), { recursive: true });
      await writeFile(join(home, 'profile', 'user', 'registrymodifications.xcu'), settingsFile());
      const fontSettings = await layOutFonts(home, fonts, text);
      // Its extension decides which filter is tried first, so it is that of the detected type.
      const source = join(home, `deck.${kind}`);
      await copyFile(path, source);
      const profile = `-env:UserInstallation=${pathToFileURL(join(home, 'profile')).href}`;
      const command = [program, profile, ...OPTIONS, '--convert-to', to, '--outdir', join(home, 'out'), source];
      const output = await run(sandbox.wrap(command, { folder: home, ...LIMITS }), { home, fontSettings, signal });
      const result = join(home, 'out', `deck.${to}`);
      // Its exit code is 0 even when nothing was converted.
      const isMade = await stat(result).then(
        ({ size }) => size > 0,
        () => false,
      );
      if (!isMade) {
        throw new PresentationProblem('LibreOffice could not convert the presentation.', { cause: new Error(output) });
      }
      const converted = join(folder, `deck.${to}`);
      await copyFile(result, converted);
      await rm(home, { recursive: true, force: true });
      return converted;
    },
  };
}

function settingsFile(): string {
  const items = Object.entries(SETTINGS).map(([path, value]) => {
    const at = path.lastIndexOf('/');
    return `<item oor:path="/org.openoffice.${path.slice(0, at)}"><prop oor:name="${path.slice(at + 1)}" oor:op="fuse"><value>${value}</value></prop></item>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">${items.join('\n')}</oor:items>
`;
}

/** Runs the command in its own process group, which is ended as a whole. @returns its output. */
async function run(
  [program = '', ...rest]: readonly string[],
  { home, fontSettings, signal }: { home: string; fontSettings?: string; signal?: AbortSignal },
): Promise<string> {
  signal?.throwIfAborted();
  const child = spawn(program, rest, {
    cwd: home,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without our own environment, which contains keys and passwords.
    env: {
      ...{ PATH: programPath(), HOME: home, TMPDIR: home, LANG: 'C.UTF-8', SAL_USE_VCLPLUGIN: 'svp' },
      ...(fontSettings !== undefined && { FONTCONFIG_FILE: fontSettings }),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output = (output + part).slice(-4000);
    });
  }
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const stop = AbortSignal.any([deadline, ...(signal === undefined ? [] : [signal])]);
  const kill = (): void => killGroup(child.pid);
  stop.addEventListener('abort', kill);
  try {
    await once(child, 'close');
  } finally {
    stop.removeEventListener('abort', kill);
    // The starter may have ended while the office process still runs.
    kill();
  }
  signal?.throwIfAborted();
  if (!deadline.aborted) return output;
  throw new PresentationProblem(`LibreOffice did not finish within ${DEADLINE_MS / 1000} s and was stopped.`);
}

function killGroup(group: number | undefined): void {
  try {
    if (group !== undefined) process.kill(-group, 'SIGKILL');
  } catch (error) {
    // The whole group has already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
