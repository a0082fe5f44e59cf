import type { Reply } from './disposable.js';
import { RefusedFile } from './refused-file.js';

// The program of a disposable process: one job comes by message, one answer goes back, and it ends. Reading and writing go
// by files: the job names them.

/** What a disposable process does. */
export type DisposableJob =
  | { readonly kind: 'media'; readonly file: string; readonly folder: string }
  | { readonly kind: 'transcode'; readonly file: string; readonly out: string; readonly type: 'video' | 'audio' }
  | { readonly kind: 'font'; readonly file: string; readonly out: string };

async function act(job: DisposableJob): Promise<unknown> {
  // Libraries load only where they are needed: most of the time of such a process is its start.
  if (job.kind === 'font') return (await import('./font-inspection.js')).inspectFont(job);
  if (job.kind === 'media') return (await import('./media-inspection.js')).inspectMedia(job);
  return (await import('./transcoding.js')).transcode(job);
}

async function answer(job: DisposableJob): Promise<Reply> {
  try {
    return { value: await act(job) };
  } catch (error) {
    if (error instanceof RefusedFile) return { refused: error.message };
    throw error;
  }
}

// The server is gone: nobody waits for the answer.
process.once('disconnect', () => process.exit(1));
process.once('message', (job) => {
  void answer(job as DisposableJob).then(
    (reply) => process.send?.(reply, () => process.exit(0)),
    () => process.exit(2),
  );
});
