import { setTimeout as delay } from 'node:timers/promises';
import type { PresenterPack } from '@figurehead/presenter';
import { TerminateError } from 'workerpool';
import type { EncodedSegment } from '../../encode/contract.js';
import type { Shot } from '../../scene/contract.js';
import type { SegmentPlan } from '../plan.js';
import { DrawingThreads, type ThreadCache, type ThreadsOptions } from './drawing-threads.js';
import { DRAWN, STOP } from './segment-messages.js';

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

/** Time for reusable threads to stop, ms: opening a shot takes the longest. */
const STOP_GRACE_MS = 500;

/** A shot and its packs by folder. `id` is its number in the render. */
export interface PoolShot {
  readonly id: number;
  readonly shot: Shot;
  readonly packs: ReadonlyMap<string, PresenterPack>;
}

/** The drawing threads of one render. The owner closes it. */
export class DrawingPool {
  readonly #words = new Int32Array(new SharedArrayBuffer(8));
  readonly #threads: DrawingThreads;
  readonly #render: number;
  readonly #running = new Set<Promise<EncodedSegment>>();
  #closing: Promise<void> | undefined;

  /** @param cache provides reusable threads; without it they are started here and end with the pool. */
  constructor(
    private readonly options: ThreadsOptions,
    private readonly cache?: ThreadCache,
  ) {
    this.#threads = cache?.take(options) ?? new DrawingThreads(options);
    this.#render = this.#threads.nextRender();
  }

  /** Draws and encodes one segment. Rejects with {@link RenderError}. */
  async run({ id, shot, packs }: PoolShot, plan: SegmentPlan): Promise<EncodedSegment> {
    const words = this.#words.buffer as SharedArrayBuffer;
    const drawing = this.#threads.draw({ words, shotId: `${this.#render}:${id}`, shot, packs, plan });
    this.#running.add(drawing);
    try {
      return await drawing;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = error instanceof TerminateError ? `a drawing thread died: ${reason}` : reason;
      throw new RenderError(message, shot.key, { cause: error });
    } finally {
      this.#running.delete(drawing);
    }
  }

  /** Frames drawn and encoded so far, those of unfinished segments included. */
  get drawnFrames(): number {
    return Atomics.load(this.#words, DRAWN);
  }

  /** Stops all drawing; resolves when all threads are idle, within about a second. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#leave();
    return this.#closing;
  }

  async #leave(): Promise<void> {
    Atomics.store(this.#words, STOP, 1);
    if (this.cache !== undefined && (await this.#hasStopped()) && this.#threads.isReusable) {
      this.cache.release(this.#threads, this.options);
    } else await this.#threads.end();
  }

  /** Whether all threads stop in time. */
  #hasStopped(): Promise<boolean> {
    const late = new AbortController();
    const stopped = Promise.allSettled(this.#running).then(() => {
      late.abort();
      return true;
    });
    const isLate = delay(STOP_GRACE_MS, false, { signal: late.signal }).catch(() => true);
    return Promise.race([stopped, isLate]);
  }
}
