import { fileURLToPath } from 'node:url';
import { compiledUrl } from '@figurehead/media/basic';
import workerpool from 'workerpool';
import type { Pdf, PdfPage } from '../pdf/pdf.js';
import type { Inspection } from './inspection.js';
import { PresentationProblem } from './problem.js';
import type { TextInventory } from './text-inventory.js';

/** Reply of the thread: a result, or a problem of the file. */
export type ReadReply = { readonly result: unknown } | { readonly problem: string };

/**
 * Reads one file in a separate thread. Every task has a deadline: a file that blocks a parser loses its thread, not the
 * process. All methods throw {@link PresentationProblem} for problems of the file.
 */
export interface Reader {
  inspect(): Promise<Inspection>;
  /** Font requirements of an archive's pages. */
  textInventory(): Promise<TextInventory>;
  /** Draws a page of a PDF, from 0: see {@link Pdf}. */
  draw(page: number, options: Parameters<Pdf['draw']>[1]): Promise<PdfPage>;
  /** A part of an archive. */
  part(name: string): Promise<Uint8Array | undefined>;
  /** Ends the thread; waiting tasks are rejected. Idempotent. */
  close(): Promise<void>;
}

/** Time for a whole file, and for a part or a page. */
const DEADLINES_MS = { inspect: 60_000, textInventory: 60_000, draw: 30_000, part: 30_000 } as const;

/** JavaScript heap of the thread, MB; pdfium's memory is separate, at most 2 GB. */
const HEAP_MB = 768;

/** @param signal ends the thread; tasks then reject with its reason. */
export function openReader(path: string, signal?: AbortSignal): Reader {
  const pool = workerpool.pool(fileURLToPath(compiledUrl('./reader-thread.js', import.meta.url)), {
    workerType: 'thread',
    maxWorkers: 1,
    workerTerminateTimeout: 1,
    emitStdStreams: true,
    workerThreadOpts: { workerData: { path }, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } },
  });
  const ended = new AbortController();
  const end = async (reason: unknown): Promise<void> => {
    if (ended.signal.aborted) return;
    ended.abort(reason);
    signal?.removeEventListener('abort', abort);
    await pool.terminate(true);
  };
  const abort = (): void => void end(signal?.reason);
  signal?.addEventListener('abort', abort);

  const ask =
    <Task extends keyof typeof DEADLINES_MS>(task: Task) =>
    async (...options: unknown[]): Promise<Awaited<ReturnType<Reader[Task]>>> => {
      signal?.throwIfAborted();
      ended.signal.throwIfAborted();
      const limit = DEADLINES_MS[task];
      try {
        const reply = (await pool.exec('read', [task, options], { on: () => undefined }).timeout(limit)) as ReadReply;
        if ('problem' in reply) throw new PresentationProblem(reply.problem);
        return reply.result as Awaited<ReturnType<Reader[Task]>>;
      } catch (error) {
        ended.signal.throwIfAborted();
        if (error instanceof PresentationProblem) throw error;
        const isLate = error instanceof workerpool.Promise.TimeoutError;
        const isLost = error instanceof workerpool.TerminateError;
        const why = isLate
          ? `: one step took longer than ${limit / 1000} s.`
          : isLost
            ? ': it needs too much memory.'
            : '.';
        const problem = new PresentationProblem(`The presentation cannot be read${why}`, { cause: error });
        // Both have ended the thread, and the pool would start a new one.
        if (isLate || isLost) void end(problem);
        throw problem;
      }
    };

  return {
    inspect: ask('inspect'),
    textInventory: ask('textInventory'),
    draw: ask('draw'),
    part: ask('part'),
    close: () => end(new Error('the reader is closed')),
  };
}
