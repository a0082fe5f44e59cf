import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { missing } from './model.js';

/** In the folder of a network. */
const FILE = 'load.json';

/** A copied folder brings the load of another machine with it. */
function machine(): string {
  return cpus()[0]?.model ?? process.arch;
}

/** Processor seconds for a second of a network's speech; `undefined` before it was measured on this machine. @param folder of the network. */
export async function loadOf(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(missing);
  const kept: unknown = text && JSON.parse(text);
  if (typeof kept !== 'object' || kept === null || !('machine' in kept) || !('load' in kept)) return undefined;
  return kept.machine === machine() && typeof kept.load === 'number' ? kept.load : undefined;
}

/** Keeps a measured load; on a full or read-only disk it is measured again. */
export async function keepLoad(folder: string, load: number): Promise<void> {
  const own = join(folder, `${FILE}.${process.pid}`);
  try {
    await writeFile(own, JSON.stringify({ machine: machine(), load }));
    await rename(own, join(folder, FILE));
  } catch (error) {
    // The voice speaks all the same.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    await rm(own, { force: true }).catch(() => undefined);
  }
}
