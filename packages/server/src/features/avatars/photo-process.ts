import { readFile } from 'node:fs/promises';
import { makePhotoPack, type PhotoPackOptions, PortraitRefused, readPortrait } from '@figurehead/media/photo';
import type { DisposableReply } from '../library/index.js';

// The program of a disposable process that looks at portraits: one job comes by message, one answer goes back, and it ends.

/** What the process does with the portrait in `file`. */
export type PhotoJob =
  | { readonly kind: 'read'; readonly file: string }
  | { readonly kind: 'make'; readonly file: string; readonly options: PhotoPackOptions };

async function act(job: PhotoJob): Promise<unknown> {
  const bytes = await readFile(job.file);
  if (job.kind === 'read') return readPortrait(bytes);
  await makePhotoPack(bytes, job.options);
  return null;
}

async function answer(job: PhotoJob): Promise<DisposableReply> {
  try {
    return { value: await act(job) };
  } catch (error) {
    if (error instanceof PortraitRefused) return { refused: error.message };
    throw error;
  }
}

// The server is gone: nobody waits for the answer.
process.once('disconnect', () => process.exit(1));
process.once('message', (job) => {
  void answer(job as PhotoJob).then(
    (reply) => process.send?.(reply, () => process.exit(0)),
    () => process.exit(2),
  );
});
