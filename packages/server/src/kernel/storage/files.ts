import { randomUUID } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';

/** For `.catch` of a file operation: `undefined` where there is no such file or folder. Throws every other failure. */
export function missingAsUndefined(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}

/** True for a file or folder that exists. */
export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(missingAsUndefined)) !== undefined;
}

/** Makes a file that appears whole: readers, also other processes, see nothing of it before `make` has written the part that it is given. */
export async function writeWhole(file: string, make: (part: string) => Promise<unknown>): Promise<void> {
  const part = `${file}.${randomUUID().slice(0, 8)}.part`;
  try {
    await make(part);
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}
