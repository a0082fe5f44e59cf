import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../kernel/config/config.js';

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

/** Programs and their libraries, fonts and settings, without user data and without settings that contain keys. */
const SYSTEM_PLACES = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix', '/snap'],
  ...['/var/cache/fontconfig', '/var/lib/libreoffice', '/etc/fonts', '/etc/libreoffice', '/etc/alternatives'],
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/localtime', '/etc/passwd'],
];

/** Program folders from this process's PATH. */
export function programPath(): string {
  return childEnvironment({}).PATH ?? '/usr/bin:/bin';
}

/** Path of a command; `undefined` when it is missing. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of programPath().split(delimiter).filter(Boolean)) {
    if (await succeeds(access(join(folder, name), constants.X_OK))) return join(folder, name);
  }
  return undefined;
}

/** Tests by trying: containers often have the programs but not the permission. */
export async function openSandbox(): Promise<Sandbox> {
  const hasLimits = await works(['prlimit', '--', 'true']);
  const limits = ({ memoryBytes, cpuSeconds, fileBytes }: Confinement): string[] =>
    hasLimits
      ? ['prlimit', `--as=${memoryBytes}`, `--cpu=${cpuSeconds}`, `--fsize=${fileBytes}`, '--core=0', '--']
      : [];
  const levels: readonly (readonly [Sandbox['strength'], (folder: string) => string[]])[] = [
    ['full', bubble],
    ['network', () => ['unshare', '--net', '--']],
    ['network', () => ['unshare', '--user', '--map-current-user', '--net', '--']],
  ];
  for (const [strength, start] of levels) {
    if (!(await works([...start('/tmp'), 'true']))) continue;
    return { strength, wrap: (command, job) => [...start(job.folder), ...limits(job), ...command] };
  }
  return { strength: hasLimits ? 'limits' : 'none', wrap: (command, job) => [...limits(job), ...command] };
}

function bubble(folder: string): string[] {
  return [
    'bwrap',
    ...SYSTEM_PLACES.flatMap((one) => ['--ro-bind-try', one, one]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--bind', folder, folder, '--chdir', folder],
    ...['--unshare-all', '--die-with-parent', '--new-session', '--'],
  ];
}

function works([program = '', ...rest]: readonly string[]): Promise<boolean> {
  return succeeds(promisify(execFile)(program, rest, { timeout: 5000 }));
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
