import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** For `.catch` of a file operation: returns `undefined` when the file or folder does not exist. Throws any other error. */
export function missingAsUndefined(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}

/** True for a file or folder that exists. */
export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(missingAsUndefined)) !== undefined;
}

/** True when the error, or one of its causes, is that the disk or the user's share of it is full. */
export function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || isOutOfSpace(error.cause);
}

/** Creates a file atomically: readers in any process see it only after `make` has written its temporary file. */
export async function writeWhole(file: string, make: (part: string) => Promise<unknown>): Promise<void> {
  const part = `${file}.${randomUUID().slice(0, 8)}.part`;
  try {
    await make(part);
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

/** Creates a folder that a person named, and those above it. Node's own `recursive` never ends where a file system refuses with ENOENT, such as `/proc`. */
export async function ensureFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const above = dirname(path);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || (await isThere(above))) throw error;
    await ensureFolder(above);
    await ensureFolder(path);
  }
}
