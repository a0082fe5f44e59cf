import { fileURLToPath } from 'node:url';
import { compiledUrl } from '@figurehead/media/basic';
import workerpool from 'workerpool';
import type { Pdf, PdfPage } from '../pdf/pdf.js';
import type { TextInventory } from '../pdf/text-inventory.js';
import type { Deck } from './deck.js';
import type { Inspection } from './inspection.js';
import { PresentationProblem } from './problem.js';

/** Reply of the thread: a result, or a problem of the file. */
export type ReadReply = { readonly result: unknown } | { readonly problem: string };

/**
 * Reads one file in a separate thread. Every task has a deadline: a file that blocks a parser loses its thread, not the
 * process. All methods throw {@link PresentationProblem} for problems of the file.
 */
export interface Reader {
  inspect(): Promise<Inspection>;
  deck(kind: 'pptx' | 'odp'): Promise<Deck>;
  /** Font requirements of an archive's pages. */
  textInventory(): Promise<TextInventory>;
  /** Number of pages of a PDF. */
  pages(): Promise<number>;
  /** Size of a page of a PDF, from 0, in points. */
  size(page: number): Promise<{ width: number; height: number }>;
  /** Draws a page of a PDF, from 0: see {@link Pdf}. */
  draw(page: number, options: Parameters<Pdf['draw']>[1]): Promise<PdfPage>;
  /** A part of an archive. */
  part(name: string): Promise<Uint8Array | undefined>;
  /** Ends the thread; waiting tasks are rejected. Idempotent. */
  close(): Promise<void>;
}

/** What the thread does. */
export type Tasks = Omit<Reader, 'close'>;

const DEADLINES_MS: Readonly<Record<keyof Tasks, number>> = {
  inspect: 60_000,
  deck: 60_000,
  textInventory: 60_000,
  pages: 30_000,
  size: 30_000,
  draw: 30_000,
  part: 30_000,
};

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
  let ended: { readonly reason: unknown } | undefined;

  const end = async (reason: unknown): Promise<void> => {
    if (ended !== undefined) return;
    ended = { reason };
    signal?.removeEventListener('abort', abort);
    await pool.terminate(true);
  };
  const throwIfEnded = (): void => {
    if (ended !== undefined) throw ended.reason;
  };
  const abort = (): void => void end(signal?.reason);
  signal?.addEventListener('abort', abort);

  const ask = async <T>(task: keyof Tasks, ...options: unknown[]): Promise<T> => {
    signal?.throwIfAborted();
    throwIfEnded();
    const limit = DEADLINES_MS[task];
    try {
      const reply = (await pool.exec('read', [task, options], { on: () => undefined }).timeout(limit)) as ReadReply;
      if ('problem' in reply) throw new PresentationProblem(reply.problem);
      return reply.result as T;
    } catch (error) {
      throwIfEnded();
      const problem = problemOf(error, limit);
      // Both have ended the thread, and the pool would start a new one.
      const isLost = error instanceof workerpool.Promise.TimeoutError || error instanceof workerpool.TerminateError;
      if (isLost) void end(problem);
      throw problem;
    }
  };

  return {
    inspect: () => ask('inspect'),
    deck: (kind) => ask('deck', kind),
    textInventory: () => ask('textInventory'),
    pages: () => ask('pages'),
    size: (page) => ask('size', page),
    draw: (page, options) => ask('draw', page, options),
    part: (name) => ask('part', name),
    close: () => end(new Error('the reader is closed')),
  };
}

/** Error message of a failed task for the user who uploaded the file. */
function problemOf(error: unknown, limitMs: number): unknown {
  if (error instanceof PresentationProblem) return error;
  if (error instanceof workerpool.Promise.TimeoutError) {
    const message = `Reading the presentation was stopped: one step took longer than ${limitMs / 1000} s.`;
    return new PresentationProblem(message);
  }
  const isLost = error instanceof workerpool.TerminateError;
  const reason = isLost ? ': it needs too much memory.' : '.';
  return new PresentationProblem(`The presentation cannot be read${reason}`, { cause: error });
}
