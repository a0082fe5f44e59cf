import { readdir, readFile, readlink } from 'node:fs/promises';
import { commandLine } from '../kernel/storage/processes.js';

/** Command line of a role, however it was started. */
const STREAM_HOST = /\bstart --role streams\b/;

/**
 * True when our stream host holds the UDP port. False also when this cannot be determined: on other systems, or for
 * processes of other users.
 */
export async function isOurStreamHost(port: number): Promise<boolean> {
  const inodes = (await Promise.all([inodesOf('/proc/net/udp', port), inodesOf('/proc/net/udp6', port)])).flat();
  if (inodes.length === 0) return false;
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  for (const pid of (await entries('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (!STREAM_HOST.test(await commandLine(Number(pid)))) continue;
    for (const descriptor of await entries(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(nothing);
      if (target !== undefined && sockets.has(target)) return true;
    }
  }
  return false;
}

/**
 * Inodes of the sockets on the port. In proc_net_udp the second column is `ADDRESS:PORT` in hexadecimal, the tenth the
 * inode.
 */
async function inodesOf(table: string, port: number): Promise<string[]> {
  const lines = ((await readFile(table, 'utf8').catch(nothing)) ?? '').split('\n').slice(1);
  return lines.flatMap((line) => {
    const [, local, , , , , , , , inode] = line.trim().split(/\s+/);
    return inode !== undefined && Number.parseInt(local?.split(':')[1] ?? '', 16) === port ? [inode] : [];
  });
}

async function entries(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(nothing)) ?? [];
}

/** Processes may end meanwhile, and those of other users are not readable. */
function nothing(): undefined {
  return undefined;
}
