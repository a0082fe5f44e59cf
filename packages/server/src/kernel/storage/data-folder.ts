import { access, chmod, constants, mkdir } from 'node:fs/promises';
import { OperatorError } from '../operator-error.js';

/**
 * Makes the data folder when it is missing and checks that it can be written.
 * @throws OperatorError with one sentence for the operator.
 */
export async function ensureDataFolder(path: string): Promise<void> {
  try {
    const made = await mkdir(path, { recursive: true });
    // Started as root, PostgreSQL runs as another user that must pass through, but need not look around.
    if (made !== undefined && process.getuid?.() === 0) await chmod(path, 0o711);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new OperatorError(
      `The data folder ${path} is not writable (${(cause as NodeJS.ErrnoException).code}); set FIGUREHEAD_DATA to one that is.`,
      {
        cause,
      },
    );
  }
}
