import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../kernel/config/config.js';

const run = promisify(execFile);

/** Resources of a sandboxed program. */
export interface Confinement {
  /** The only writable folder, and with namespaces the only visible data. */
  readonly folder: string;
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  /** Maximum size of a written file, bytes. */
  readonly fileBytes: number;
}

/** The strongest available sandbox of this machine. */
export interface Sandbox {
  /** `full`: own file system, processes and network; `network`: no network; `limits`: memory and time only. */
  readonly strength: 'full' | 'network' | 'limits' | 'none';
  /** Wraps `command` in the sandbox. */
  wrap(command: readonly string[], confinement: Confinement): string[];
}

/** Folders of programs and their libraries, fonts and settings, without user data. */
const SYSTEM_FOLDERS = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix', '/snap'],
  ...['/var/cache/fontconfig', '/var/lib/libreoffice'],
  // Only the settings that LibreOffice and its libraries read, because others contain keys.
  ...['fonts', 'libreoffice', 'alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'passwd'].map(
    (name) => `/etc/${name}`,
  ),
];

/** Program folders from this process's PATH. */
export function programPath(): string {
  return childEnvironment({}).PATH ?? '/usr/bin:/bin';
}

/** Path of a command; `undefined` when it is missing. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of programPath().split(delimiter)) {
    if (folder === '') continue;
    const file = join(folder, name);
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return undefined;
}

/** Tests by trying: containers often have the programs but not the permission. */
export async function openSandbox(): Promise<Sandbox> {
  const prlimit = await findProgram('prlimit');
  const bwrap = await findProgram('bwrap');
  const unshare = await findProgram('unshare');
  const limits = ({ memoryBytes, cpuSeconds, fileBytes }: Confinement): string[] =>
    prlimit === undefined
      ? []
      : [prlimit, `--as=${memoryBytes}`, `--cpu=${cpuSeconds}`, `--fsize=${fileBytes}`, '--core=0', '--'];

  if (bwrap !== undefined && (await works([bwrap, ...bubble('/tmp'), '--', 'true']))) {
    return {
      strength: 'full',
      wrap: (command, confinement) => [bwrap, ...bubble(confinement.folder), '--', ...limits(confinement), ...command],
    };
  }
  for (const flags of [['--net'], ['--user', '--map-current-user', '--net']]) {
    if (unshare === undefined || !(await works([unshare, ...flags, '--', 'true']))) continue;
    return {
      strength: 'network',
      wrap: (command, confinement) => [unshare, ...flags, '--', ...limits(confinement), ...command],
    };
  }
  return {
    strength: prlimit === undefined ? 'none' : 'limits',
    wrap: (command, confinement) => [...limits(confinement), ...command],
  };
}

function bubble(folder: string): string[] {
  return [
    ...SYSTEM_FOLDERS.flatMap((one) => ['--ro-bind-try', one, one]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--bind', folder, folder, '--chdir', folder],
    ...['--unshare-all', '--die-with-parent', '--new-session'],
  ];
}

async function works(command: readonly string[]): Promise<boolean> {
  const [program = '', ...rest] = command;
  return run(program, rest, { timeout: 5000 }).then(
    () => true,
    () => false,
  );
}
