import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../config.js';

const run = promisify(execFile);

/** What a confined program may use. */
export interface Confinement {
  /** The only folder it may write to, and the only data it sees where namespaces are available. */
  readonly folder: string;
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  /** Largest file it may write, bytes. */
  readonly fileBytes: number;
}

/** How far programs can be confined on this machine. */
export interface Sandbox {
  /** `full`: own file system, processes and network; `network`: no network; `limits`: memory and time only. */
  readonly strength: 'full' | 'network' | 'limits' | 'none';
  /** The command that runs `command` confined. */
  wrap(command: readonly string[], confinement: Confinement): string[];
}

/** Where programs and their libraries, fonts and settings lie; data of users does not. */
const SYSTEM_FOLDERS = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix', '/snap'],
  ...['/var/cache/fontconfig', '/var/lib/libreoffice'],
  // Of the settings only those that LibreOffice and its libraries read: others hold keys.
  ...['fonts', 'libreoffice', 'alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'passwd'].map(
    (name) => `/etc/${name}`,
  ),
];

/** Folders of programs, as this process got them. */
export function programPath(): string {
  return childEnvironment({}).PATH ?? '/usr/bin:/bin';
}

/** The file that a command's name means; `undefined` when there is none. */
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

/** Finds out by trying: containers often have the programs but not the permission. */
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
