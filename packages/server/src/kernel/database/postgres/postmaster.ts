import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { missingAsUndefined } from '../../storage/files.js';
import { commandLine, isAlive } from '../../storage/processes.js';

/** Contents of `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  /** Folder of the unix socket. */
  readonly socketFolder: string;
}

/**
 * The server that runs on the cluster folder, or `undefined`. Another program that got the same process id is
 * recognised, because its command line does not name the folder.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const found = await readPidFile(cluster);
  if (found === undefined || !(await isServerOf(found.pid, cluster))) return undefined;
  return found;
}

/** True when `postmaster.pid` names a process that is not a server of this cluster: the file may be removed. */
export async function isPidFileStale(cluster: string): Promise<boolean> {
  const found = await readPidFile(cluster);
  return found !== undefined && !(await isServerOf(found.pid, cluster));
}

/** `postmaster.pid`: line 1 the process, line 5 the socket folder. */
async function readPidFile(cluster: string): Promise<Postmaster | undefined> {
  const content = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(missingAsUndefined);
  const lines = (content ?? '').split('\n');
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 ? { pid, socketFolder: lines[4] ?? '' } : undefined;
}

async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const command = await commandLine(pid);
  return command.includes('postgres') && (command.includes(cluster) || command.includes(await realpath(cluster)));
}
