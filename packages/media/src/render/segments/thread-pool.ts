import type { EncodedSegment, VideoSettings } from '../../encode/contract.js';
import type { PresenterPack } from '../../presenter/contract.js';
import type { Shot } from '../../scene/contract.js';
import type { SegmentPlan } from '../plan.js';
import { DrawingWorker } from './drawing-worker.js';
import { DRAWN, type FromThread, STOP } from './segment-messages.js';
import type { ThreadKeeper } from './thread-keeper.js';

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

/** A shot as the pool knows it: sent to a thread once, when its first segment is. */
export interface PoolShot {
  readonly id: number;
  readonly shot: Shot;
  readonly packs: ReadonlyMap<string, PresenterPack>;
}

interface Job {
  readonly id: number;
  readonly shot: PoolShot;
  readonly plan: SegmentPlan;
  readonly resolve: (segment: EncodedSegment) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: DrawingWorker;
  readonly shots: Set<number>;
  job: Job | undefined;
  /** It could not draw something: nobody knows what it still holds. */
  hasFailed: boolean;
}

/** Drawing threads that start when there is work for them. Who opens it closes it. */
export class ThreadPool {
  readonly #words = new Int32Array(new SharedArrayBuffer(8));
  readonly #threads: Thread[] = [];
  readonly #waiting: Job[] = [];
  /** Folders of the packs that this render shows. */
  readonly #packs = new Set<string>();
  #nextJob = 0;
  #closed = false;

  /** @param keeper lends the threads; without it they are started here and end with the pool. */
  constructor(
    private readonly settings: VideoSettings,
    private readonly size: number,
    private readonly keeper?: ThreadKeeper,
  ) {}

  /** Draws and encodes one segment. Rejects with {@link RenderError}. */
  run(shot: PoolShot, plan: SegmentPlan): Promise<EncodedSegment> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id: this.#nextJob++, shot, plan, resolve, reject });
      this.#dispatch();
    });
  }

  /** Frames drawn and encoded so far, those of unfinished segments included. */
  get drawnFrames(): number {
    return Atomics.load(this.#words, DRAWN);
  }

  /** Lets the threads drop a shot whose segments are all done. */
  forget(id: number): void {
    for (const thread of this.#threads) if (thread.shots.delete(id)) thread.worker.post({ kind: 'forget', id });
  }

  /** Stops all drawing; resolves when no thread is left that works, within about a second. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    Atomics.store(this.#words, STOP, 1);
    for (const job of this.#waiting.splice(0)) job.reject(new RenderError('rendering was stopped', job.shot.shot.key));
    await Promise.all(this.#threads.splice(0).map((thread) => this.#leave(thread)));
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && !this.#closed) {
      const thread = this.#idle();
      if (!thread) return;
      const job = this.#waiting.shift()!;
      thread.job = job;
      this.#introduce(thread, job.shot);
      thread.worker.post({ kind: 'segment', job: job.id, shotId: job.shot.id, plan: job.plan });
    }
  }

  /** Sends what the thread does not have yet of a shot. */
  #introduce({ worker, shots }: Thread, { id, shot, packs }: PoolShot): void {
    for (const [folder, pack] of packs) {
      this.#packs.add(folder);
      // One that was read anew has changed.
      if (worker.packs.get(folder) === pack) continue;
      worker.packs.set(folder, pack);
      worker.post({ kind: 'pack', folder, pack });
    }
    if (shots.has(id)) return;
    shots.add(id);
    worker.post({ kind: 'shot', id, shot });
  }

  /** A thread without work, best one that has the waiting job's shot open. */
  #idle(): Thread | undefined {
    const idle = this.#threads.filter((thread) => !thread.job);
    const wanted = this.#waiting[0]?.shot.id;
    return (
      idle.find((thread) => wanted !== undefined && thread.shots.has(wanted)) ??
      idle[0] ??
      (this.#threads.length < this.size ? this.#start() : undefined)
    );
  }

  #start(): Thread {
    const worker = this.keeper?.take(this.settings) ?? new DrawingWorker(this.settings);
    const thread: Thread = { worker, shots: new Set(), job: undefined, hasFailed: false };
    worker.listener = {
      onMessage: (message) => this.#finished(thread, message),
      onLost: (error) => this.#lost(thread, error),
    };
    worker.post({ kind: 'begin', words: this.#words.buffer as SharedArrayBuffer });
    this.#threads.push(thread);
    return thread;
  }

  #finished(thread: Thread, message: FromThread): void {
    const job = thread.job;
    thread.job = undefined;
    if (message.kind === 'done') job?.resolve(message.segment);
    if (message.kind === 'failed') {
      thread.hasFailed = true;
      job?.reject(new RenderError(message.error.message, job.shot.shot.key, { cause: message.error }));
    }
    this.#dispatch();
  }

  /** A dead thread fails its job and all that wait: the render cannot be completed without them. */
  #lost(thread: Thread, error: Error): void {
    const at = this.#threads.indexOf(thread);
    if (at >= 0) this.#threads.splice(at, 1);
    if (this.#closed && !thread.job) return;
    for (const job of [...(thread.job ? [thread.job] : []), ...this.#waiting.splice(0)]) {
      const message = `a drawing thread died: ${error.message}`;
      job.reject(new RenderError(message, job.shot.shot.key, { cause: error }));
    }
    thread.job = undefined;
  }

  /** Ends a thread, or gives it back where it can be used again. */
  async #leave({ worker, job, hasFailed }: Thread): Promise<void> {
    if (this.keeper === undefined || job !== undefined || hasFailed) return worker.end();
    const forget = [...worker.packs.keys()].filter((folder) => !this.#packs.has(folder));
    this.keeper.giveBack(worker, this.settings, forget);
  }
}
