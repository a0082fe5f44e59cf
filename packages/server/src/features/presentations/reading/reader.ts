import { Worker } from 'node:worker_threads';
import type { Lettering } from '../pdf/lettering.js';
import type { SetLetter } from '../pdf/letters.js';
import type { Deck } from './deck.js';
import type { Inspection } from './inspection.js';
import { PresentationProblem } from './problem.js';

type Task =
  | { readonly task: 'inspect' }
  | { readonly task: 'deck'; readonly kind: 'pptx' | 'odp' }
  | { readonly task: 'lettering' }
  | { readonly task: 'silence'; readonly kind: 'pptx' | 'odp'; readonly to: string }
  | { readonly task: 'pages' }
  | { readonly task: 'size'; readonly page: number }
  | { readonly task: 'draw'; readonly page: number; readonly room: { readonly width: number; readonly height: number } }
  | { readonly task: 'letters'; readonly page: number; readonly font: string }
  | { readonly task: 'part'; readonly name: string };

/** A question to the thread. */
export type Order = Task & { readonly id: number };

/** Its answer: a result, what is wrong with the file, or a failure that nobody foresaw. */
export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly problem: string }
  | { readonly id: number; readonly failure: string };

/** A drawn page: RGBA, rows without gaps. */
export interface DrawnPage {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/**
 * Reads one file in a thread of its own. Every question has a deadline: a file that keeps a parser busy loses its thread, not
 * the process. All methods throw {@link PresentationProblem} for what is wrong with the file.
 */
export interface Reader {
  inspect(): Promise<Inspection>;
  deck(kind: 'pptx' | 'odp'): Promise<Deck>;
  /** What fonts an archive's pages need. */
  lettering(): Promise<Lettering>;
  /** Writes a copy of a deck whose shapes hold no text. */
  silence(kind: 'pptx' | 'odp', to: string): Promise<void>;
  /** Number of pages of a PDF. */
  pages(): Promise<number>;
  /** Size of a page of a PDF, from 0, in points. */
  size(page: number): Promise<{ width: number; height: number }>;
  /** A page of a PDF, from 0, as large as it fits into `room` px. */
  draw(page: number, room: { width: number; height: number }): Promise<DrawnPage>;
  /** The letters of a page of a PDF, from 0, that are set in this font. */
  letters(page: number, font: string): Promise<SetLetter[]>;
  /** A part of an archive. */
  part(name: string): Promise<Uint8Array | undefined>;
  /** Ends the thread; questions that wait are refused. Idempotent. */
  close(): Promise<void>;
}

const DEADLINES_MS: Readonly<Record<Task['task'], number>> = {
  inspect: 60_000,
  deck: 60_000,
  lettering: 60_000,
  silence: 60_000,
  pages: 30_000,
  size: 30_000,
  draw: 30_000,
  letters: 30_000,
  part: 30_000,
};

/** JavaScript heap of the thread, MB; pdfium's memory is its own and ends at 2 GB. */
const HEAP_MB = 768;

/** @param signal ends the thread; questions then reject with its reason. */
export function openReader(path: string, signal?: AbortSignal): Reader {
  const worker = new Worker(threadUrl(), {
    workerData: { path },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    stdout: true,
    stderr: true,
  });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  let ended: { readonly reason: unknown } | undefined;
  let nextId = 0;

  const end = (reason: unknown): Promise<unknown> => {
    ended ??= { reason };
    for (const { reject } of waiting.values()) reject(ended.reason);
    waiting.clear();
    signal?.removeEventListener('abort', abort);
    return worker.terminate();
  };
  const abort = (): void => void end(signal?.reason);
  signal?.addEventListener('abort', abort);
  worker.on(
    'error',
    (cause) =>
      void end(new PresentationProblem('The presentation cannot be read: it needs too much memory.', { cause })),
  );
  worker.on('exit', () => void end(new Error('the reading thread has ended')));
  worker.on('message', (reply: Reply) => {
    const question = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('result' in reply) question?.resolve(reply.result);
    else if ('problem' in reply) question?.reject(new PresentationProblem(reply.problem));
    else
      question?.reject(
        new PresentationProblem('The presentation cannot be read.', { cause: new Error(reply.failure) }),
      );
  });

  const ask = async <T>(task: Task): Promise<T> => {
    signal?.throwIfAborted();
    if (ended !== undefined) throw ended.reason;
    const id = nextId++;
    const limit = DEADLINES_MS[task.task];
    const timer = setTimeout(
      () =>
        void end(
          new PresentationProblem(
            `The presentation was given up: one step of reading it took longer than ${limit / 1000} s.`,
          ),
        ),
      limit,
    );
    try {
      return await new Promise<T>((resolve, reject) => {
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
        worker.postMessage({ ...task, id } satisfies Order);
      });
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    inspect: () => ask({ task: 'inspect' }),
    deck: (kind) => ask({ task: 'deck', kind }),
    lettering: () => ask({ task: 'lettering' }),
    silence: (kind, to) => ask({ task: 'silence', kind, to }),
    pages: () => ask({ task: 'pages' }),
    size: (page) => ask({ task: 'size', page }),
    draw: (page, room) => ask({ task: 'draw', page, room }),
    letters: (page, font) => ask({ task: 'letters', page, font }),
    part: (name) => ask({ task: 'part', name }),
    close: async () => {
      await end(new Error('the reader is closed'));
    },
  };
}

/** Threads run JavaScript only: when this file itself runs as TypeScript (tests), the build's copy is started. */
function threadUrl(): URL {
  const url = new URL('./reader-thread.js', import.meta.url);
  if (import.meta.url.endsWith('.ts'))
    url.pathname = url.pathname.replace('/packages/server/src/', '/packages/server/dist/');
  return url;
}
