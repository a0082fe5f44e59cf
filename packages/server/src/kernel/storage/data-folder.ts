import { access, chmod, constants, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../operator-error.js';
import { missingAsUndefined } from './files.js';

/**
 * Makes the data folder when it is missing, checks that it can be written, and takes the rights of other users away from it and from
 * what is in it, also where an older version left them.
 * @throws OperatorError with one sentence for the operator.
 */
export async function ensureDataFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    // Started as root, PostgreSQL runs as another user that must pass through, but need not look around.
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

/** Leaves a file or folder only the rights in `mode`. What belongs to another user, such as PostgreSQL's home, is that user's own. */
async function tighten(path: string, mode: number): Promise<void> {
  const info = await lstat(path).catch(missingAsUndefined);
  // Undefined: another process has removed it meanwhile.
  if (info === undefined || info.isSymbolicLink() || info.uid !== process.getuid?.()) return;
  if ((info.mode & 0o777 & ~mode) !== 0) await chmod(path, info.mode & mode);
}
