import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { OperatorError } from '../kernel/operator-error.js';

/** Checks that an output path is writable before the work starts. Throws an OperatorError. */
export async function requireWritable(path: string): Promise<void> {
  const output = resolve(path);
  const folder = dirname(output);
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) throw new OperatorError(`${output} cannot be written: the folder ${folder} does not exist.`);
  if (!found.isDirectory()) throw new OperatorError(`${output} cannot be written: ${folder} is not a folder.`);
  const existing = await stat(output).catch(() => undefined);
  if (existing?.isDirectory()) throw new OperatorError(`${output} cannot be written: it is a folder.`);
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new OperatorError(`${output} cannot be written: the folder ${folder} is write-protected.`, { cause });
  });
}

/** The system's message about a file that could not be written, without temporary paths. */
export function unwritable(output: string, cause: unknown): OperatorError {
  const { errno, message } = cause as NodeJS.ErrnoException;
  const reason = errno === undefined ? message : (getSystemErrorMap().get(errno)?.[1] ?? message);
  return new OperatorError(`${output} cannot be written: ${reason}`, { cause });
}
