import { access, chmod, constants, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../operator-error.js';
import { ensureFolder, missingAsUndefined } from './files.js';

/**
 * Creates the data folder when it is missing, checks that it is writable, and removes other users' permissions from it
 * and its contents, also those left by an older version.
 * @throws OperatorError with one sentence for the operator.
 */
export async function ensureDataFolder(path: string): Promise<void> {
  try {
    await ensureFolder(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    // When started as root, PostgreSQL runs as another user that must traverse the folder, but need not list it.
    await tighten(path, process.getuid?.() === 0 ? 0o711 : 0o700);
    for (const name of await readdir(path)) await tighten(join(path, name), 0o700);
  } catch (cause) {
    throw new OperatorError(
      `The data folder ${path} is not writable (${(cause as NodeJS.ErrnoException).code}); set FIGUREHEAD_DATA to one that is.`,
      {
        cause,
      },
    );
  }
}

/**
 * Reduces the permissions of a file or folder to `mode`. Files of another user, such as PostgreSQL's home, are left
 * alone.
 */
async function tighten(path: string, mode: number): Promise<void> {
  const info = await lstat(path).catch(missingAsUndefined);
  // Undefined: another process has removed it meanwhile.
  if (info === undefined || info.isSymbolicLink() || info.uid !== process.getuid?.()) return;
  if ((info.mode & 0o777 & ~mode) !== 0) await chmod(path, info.mode & mode);
}
