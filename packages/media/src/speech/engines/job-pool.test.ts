import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiledUrl } from '../../compiled-url.js';
import { JobPool } from './job-pool.js';

/** Jobs of the test thread. `hold` blocks its event loop until the word is 1. */
type Job =
  | { readonly kind: 'answer'; readonly parts?: number }
  | { readonly kind: 'hold'; readonly word: Int32Array }
  | { readonly kind: 'crash' }
  | { readonly kind: 'hang' };

interface Result {
  readonly thread: number;
  readonly samples: Float32Array;
}

const THREAD = `
import { threadId } from 'node:worker_threads';
import { serveJobs } from '${compiledUrl('./thread-jobs.js', import.meta.url).href}';
const answer = () => ({ thread: threadId, samples: new Float32Array(4) });
serveJobs(
  (job, give) => {
    if (job.kind === 'crash') process.exit(1);
    while (job.kind === 'hang');
    if (job.kind === 'hold') {
      Atomics.store(job.word, 0, -1);
      Atomics.wait(job.word, 0, -1);
    }
    for (let part = 0; part < (job.parts ?? 0); part++) {
      const given = answer();
      give(given);
      if (given.samples.length !== 0) throw new Error('expected the part to be moved, not copied');
    }
    return answer();
  },
  ({ samples }) => [samples.buffer],
);
`;

let folder: string;
let url: URL;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'figurehead-test-'));
  const file = join(folder, 'thread.mjs');
  await writeFile(file, THREAD);
  url = pathToFileURL(file);
});
afterAll(() => rm(folder, { recursive: true }));

async function withPool(
  options: { readonly threads: number; readonly deadlineMs?: number; readonly isProcess?: boolean },
  use: (pool: JobPool<Job, Result>) => Promise<void>,
): Promise<void> {
  const pool = new JobPool<Job, Result>({ url, workerData: undefined, deadlineMs: 60_000, ...options });
  await use(pool).finally(() => pool.close());
}

function word(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

async function started(held: Int32Array): Promise<void> {
  while (Atomics.load(held, 0) === 0) await new Promise(setImmediate);
}

function release(held: Int32Array): void {
  Atomics.store(held, 0, 1);
  Atomics.notify(held, 0);
}

describe('a pool of threads', () => {
  it('runs more jobs than it has threads, each result after its parts', async () => {
    await withPool({ threads: 2 }, async (pool) => {
      const jobs = Array.from({ length: 9 }, async () => {
        const parts: Result[] = [];
        const result = await pool.run({ kind: 'answer', parts: 2 }, undefined, (part) => parts.push(part));
        expect(parts.map(({ samples }) => samples.length)).toEqual([4, 4]);
        return result.thread;
      });
      expect(new Set(await Promise.all(jobs)).size).toBeLessThanOrEqual(2);
    });
  });

  it('abandons a running job at once, and the same thread runs the next one', async () => {
    await withPool({ threads: 1 }, async (pool) => {
      const { thread } = await pool.run({ kind: 'answer' });
      for (let round = 0; round < 3; round++) {
        const [held, abort] = [word(), new AbortController()];
        const running = pool.run({ kind: 'hold', word: held }, abort.signal);
        await started(held);
        const waiting = pool.run({ kind: 'crash' }, abort.signal);
        const ends = [running, waiting].map((job) => expect(job).rejects.toThrow('enough'));
        abort.abort(new Error('enough'));
        await Promise.all(ends);
        release(held);
        expect((await pool.run({ kind: 'answer' })).thread).toBe(thread);
      }
    });
  });

  it('starts a new utterance before the waiting sentences of others, which take turns', async () => {
    await withPool({ threads: 1 }, async (pool) => {
      const held = word();
      const order: string[] = [];
      const [long, other, late] = [new AbortController(), new AbortController(), new AbortController()];
      const say = (name: string, { signal }: AbortController, job: Job = { kind: 'answer' }): Promise<unknown> =>
        pool.run(job, signal).then(() => order.push(name));
      const first = say('long 1', long, { kind: 'hold', word: held });
      await started(held);
      const rest = [
        say('long 2', long),
        say('long 3', long),
        say('other 1', other),
        say('other 2', other),
        say('long 4', long),
        say('late', late),
      ];
      release(held);
      await Promise.all([first, ...rest]);
      expect(order).toEqual(['long 1', 'long 2', 'other 1', 'other 2', 'late', 'long 3', 'long 4']);
    });
  });

  it.each([{ threads: 2 }, { threads: 1 }, { threads: 1, isProcess: true }])(
    'fails only the job of a thread or process that crashes: %o',
    async (options) => {
      await withPool(options, async (pool) => {
        const jobs = Array.from({ length: 8 }, (_, index) => pool.run({ kind: index === 3 ? 'crash' : 'answer' }));
        const ends = await Promise.allSettled(jobs);
        expect(ends.map(({ status }) => status)).toEqual(ends.map((_, i) => (i === 3 ? 'rejected' : 'fulfilled')));
      });
    },
  );

  it('replaces a thread whose job exceeds the deadline', async () => {
    await withPool({ threads: 1, deadlineMs: 2000 }, async (pool) => {
      const { thread } = await pool.run({ kind: 'answer' });
      await expect(pool.run({ kind: 'hang' })).rejects.toThrow('timed out');
      expect((await pool.run({ kind: 'answer' })).thread).not.toBe(thread);
    });
  });

  it('rejects running and queued jobs when it is closed', async () => {
    const held = word();
    await withPool({ threads: 1 }, async (pool) => {
      const running = pool.run({ kind: 'hold', word: held });
      const waiting = pool.run({ kind: 'answer' });
      await started(held);
      const ends = Promise.allSettled([running, waiting]);
      const closed = pool.close();
      release(held);
      await closed;
      expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      await expect(pool.run({ kind: 'answer' })).rejects.toThrow('closed');
    });
  });
});
