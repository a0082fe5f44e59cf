import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PresenterPack } from '@figurehead/presenter';
import { type Pool, pool, TerminateError } from 'workerpool';
import { compiledUrl } from '../../compiled-url.js';
import { quietSvt } from '../../encode/codecs/av1.js';
import type { EncodedSegment, VideoSettings } from '../../encode/contract.js';
import type { Shot } from '../../scene/contract.js';
import type { SegmentPlan } from '../plan.js';
import {
  DRAWN,
  type SegmentJob,
  type SegmentResult,
  STOP,
  STOPPED,
  type ThreadStart,
  type VersionedPack,
} from './segment-messages.js';

/** Time for a thread to stop drawing or to end, ms; it reads the stop word before each frame, and opening a shot takes the longest. */
const CLOSE_GRACE_MS = 500;

/** Time for an ended thread to finish loading its modules, ms. */
const LOAD_GRACE_MS = 5000;

/** Time for which idle threads wait for the next render, ms: a user watches the result before the next correction. */
const IDLE_MS = 120_000;

/**
 * Maximum compositor memory of reusable threads, bytes: it never shrinks, and one video with large pictures must not occupy memory for
 * the lifetime of the process.
 */
const MAX_IDLE_BYTES = 96_000_000;

export interface ThreadsOptions {
  readonly settings: VideoSettings;
  /** Maximum threads; each starts when there is work for it. */
  readonly threads: number;
}

/** A shot and its packs by folder. `id` is its number in the render. */
export interface PoolShot {
  readonly id: number;
  readonly shot: Shot;
  readonly packs: ReadonlyMap<string, PresenterPack>;
}

/** Drawing failed or a drawing thread died; `shotKey` names the shot. */
export class RenderError extends Error {
  override readonly name = 'RenderError';

  constructor(
    message: string,
    readonly shotKey: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

interface Waiting {
  readonly job: SegmentJob;
  readonly resolve: (drawn: Promise<SegmentResult>) => void;
  readonly reject: (reason: Error) => void;
}

/** One thread, started with its first segment, and its open shot. */
interface Thread {
  readonly pool: Pool;
  /** 1 once its modules are loaded. */
  readonly loaded: Int32Array;
  isBusy: boolean;
  shotId: string | undefined;
}

/** Drawing threads of one render at a time. They keep the process alive until they are ended. */
export class DrawingThreads {
  /** Threads are reused for renders with the same name. */
  readonly name: string;
  readonly #threads: readonly Thread[];
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<Promise<SegmentResult>>();
  readonly #versions = new WeakMap<PresenterPack, number>();
  #nextVersion = 0;
  #render = 0;
  #words = new Int32Array(new SharedArrayBuffer(8));
  #isReusable = true;

  constructor(options: ThreadsOptions) {
    const { settings, threads } = options;
    this.name = nameOf(options);
    if (settings.codec === 'av1') quietSvt();
    const start = (loaded: Int32Array): Pool =>
      pool(fileURLToPath(compiledUrl('./segment-thread.js', import.meta.url)), {
        workerType: 'thread',
        maxWorkers: 1,
        workerThreadOpts: { workerData: { settings, loaded } satisfies ThreadStart },
        workerTerminateTimeout: CLOSE_GRACE_MS,
      });
    this.#threads = Array.from({ length: threads }, () => {
      const loaded = new Int32Array(new SharedArrayBuffer(4));
      return { pool: start(loaded), loaded, isBusy: false, shotId: undefined };
    });
  }

  /** Frames of the render that were drawn and encoded so far, those of unfinished segments included. */
  get drawnFrames(): number {
    return Atomics.load(this.#words, DRAWN);
  }

  /** Draws and encodes one segment, preferably on an idle thread that has its shot open. Rejects with {@link RenderError}. */
  async draw({ id, shot, packs }: PoolShot, plan: SegmentPlan): Promise<EncodedSegment> {
    const job: SegmentJob = {
      words: this.#words.buffer as SharedArrayBuffer,
      shotId: `${this.#render}:${id}`,
      shot,
      packs: new Map([...packs].map(([folder, pack]) => [folder, this.#versioned(pack)])),
      plan,
    };
    const drawing = new Promise<SegmentResult>((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#dispatch();
    });
    this.#running.add(drawing);
    try {
      const drawn = await drawing;
      if (drawn.memoryBytes > MAX_IDLE_BYTES) this.#isReusable = false;
      return drawn.segment;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === STOPPED)) this.#isReusable = false;
      const reason = error instanceof Error ? error.message : String(error);
      const message = error instanceof TerminateError ? `a drawing thread died: ${reason}` : reason;
      throw new RenderError(message, shot.key, { cause: error });
    } finally {
      this.#running.delete(drawing);
    }
  }

  /**
   * Stops drawing and closes the files of the render, for the next one.
   * @returns false when the threads must be ended: they are still busy or one of them uses too much memory, or after a failure, when their state is unknown.
   */
  async rest(): Promise<boolean> {
    Atomics.store(this.#words, STOP, 1);
    if (!(await this.#hasStopped()) || !this.#isReusable) return false;
    this.#words = new Int32Array(new SharedArrayBuffer(8));
    this.#render += 1;
    return true;
  }

  /** Closes the files of the last render in every thread. All threads must be idle; the next segment waits for it. */
  async closeFiles(): Promise<void> {
    const started = this.#threads.filter(({ pool }) => pool.stats().totalWorkers > 0);
    await Promise.all(started.map(({ pool }) => pool.exec('rest')));
  }

  /** Resolves when all threads have ended, within about a second; running segments are rejected. */
  async end(): Promise<void> {
    Atomics.store(this.#words, STOP, 1);
    for (const { reject } of this.#waiting.splice(0)) reject(new TerminateError('the drawing threads were ended'));
    await Promise.all(
      this.#threads.map(async (thread) => {
        // A thread that is still loading has no segment to reject; it is terminated once it has loaded.
        if (isLoading(thread)) void untilLoaded(thread).then(() => thread.pool.terminate(true));
        else await thread.pool.terminate(true);
      }),
    );
  }

  #dispatch(): void {
    for (const thread of this.#threads) {
      if (thread.isBusy) continue;
      const [next] = this.#waiting.splice(this.#choose(thread), 1);
      if (next === undefined) return;
      thread.isBusy = true;
      thread.shotId = next.job.shotId;
      const drawn = Promise.resolve(thread.pool.exec('draw', [next.job]));
      const free = (): void => {
        thread.isBusy = false;
        this.#dispatch();
      };
      drawn.then(free, free);
      next.resolve(drawn);
    }
  }

  /**
   * A thread continues its shot, then prefers one that is not open elsewhere: opening a shot fits its presenter to the frame, as much work as
   * two seconds of video. Threads share a shot only when no other work is left.
   */
  #choose(thread: Thread): number {
    const own = this.#waiting.findIndex(({ job }) => job.shotId === thread.shotId);
    if (own >= 0) return own;
    const isOpen = (shotId: string): boolean =>
      this.#threads.some((other) => other !== thread && other.shotId === shotId);
    return Math.max(
      0,
      this.#waiting.findIndex(({ job }) => !isOpen(job.shotId)),
    );
  }

  /** Whether all threads stop in time. */
  #hasStopped(): Promise<boolean> {
    const late = new AbortController();
    const stopped = Promise.allSettled(this.#running).then(() => {
      late.abort();
      return true;
    });
    const isLate = delay(CLOSE_GRACE_MS, false, { signal: late.signal }).catch(() => true);
    return Promise.race([stopped, isLate]);
  }

  #versioned(pack: PresenterPack): VersionedPack {
    const version = this.#versions.get(pack) ?? this.#nextVersion++;
    this.#versions.set(pack, version);
    return { version, pack };
  }
}

const isLoading = ({ pool, loaded }: Thread): boolean => pool.stats().totalWorkers > 0 && Atomics.load(loaded, 0) === 0;

/** A thread that is terminated while it loads a native module takes the whole process with it (`napi_throw`). */
async function untilLoaded(thread: Thread): Promise<void> {
  const latest = performance.now() + LOAD_GRACE_MS;
  while (isLoading(thread) && performance.now() < latest) await delay(10);
}

/** Reuses drawing threads between renders. The owner closes it. */
export interface ThreadCache {
  /** Cached or new threads for these settings. They work for the caller until released. */
  take(options: ThreadsOptions): DrawingThreads;
  /** Stops the threads, within about a second, and keeps or ends them. */
  release(threads: DrawingThreads): Promise<void>;
  /** Ends all cached threads. Idempotent. */
  close(): Promise<void>;
}

/**
 * Keeps drawing threads for two minutes after a render: starting one, loading its modules and fitting a presenter to the frame takes 0.3 s
 * of processor time, as long as drawing three seconds of video. Use one cache per process. Threads with settings other than the last
 * requested ones are ended; one thread takes about 60 MB.
 */
export function createThreadCache(): ThreadCache {
  const kept = new Map<DrawingThreads, NodeJS.Timeout>();
  let isClosed = false;
  const end = (threads: DrawingThreads): Promise<void> => {
    clearTimeout(kept.get(threads));
    kept.delete(threads);
    return threads.end();
  };
  return {
    take(options) {
      const wanted = nameOf(options);
      for (const threads of kept.keys()) if (threads.name !== wanted) void end(threads);
      const [found] = kept;
      if (found === undefined) return new DrawingThreads(options);
      clearTimeout(found[1]);
      kept.delete(found[0]);
      return found[0];
    },
    async release(threads) {
      if (!(await threads.rest()) || isClosed) {
        await end(threads);
        return;
      }
      kept.set(
        threads,
        setTimeout(() => void end(threads), IDLE_MS),
      );
      threads.closeFiles().catch(() => {
        if (kept.has(threads)) void end(threads);
      });
    },
    async close() {
      isClosed = true;
      await Promise.all([...kept.keys()].map(end));
    },
  };
}

function nameOf({ settings, threads }: ThreadsOptions): string {
  return JSON.stringify([threads, Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
