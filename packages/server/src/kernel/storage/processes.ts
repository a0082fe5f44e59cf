import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** True while a process with this id runs. A zombie, which a careless init may never reap, does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return process.platform !== 'linux' || statFields(pid)[0] !== 'Z';
}

/** Command line of a process, arguments separated by spaces; empty when it has ended. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    return readFile(`/proc/${pid}/cmdline`, 'utf8').then(
      (content) => content.replaceAll('\0', ' '),
      () => '',
    );
  }
  return ask(pid, 'command');
}

/** A text that distinguishes a process from a later one with the same id; empty when it has ended. */
export async function startOf(pid: number): Promise<string> {
  // Field 22 of proc_pid_stat(5): clock ticks between boot and start.
  if (process.platform === 'linux') return statFields(pid)[19] ?? '';
  return ask(pid, 'lstart');
}

async function ask(pid: number, column: string): Promise<string> {
  return run('ps', ['-o', `${column}=`, '-p', String(pid)]).then(
    (result) => result.stdout.trim(),
    () => '',
  );
}

/**
 * Fields of proc_pid_stat(5) from the third on; the second is a name that may contain any character. A process that has
 * ended looks like a zombie.
 */
function statFields(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return ['Z'];
    throw error;
  }
}
