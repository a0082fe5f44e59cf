import { Worker } from 'node:worker_threads';
import { compiledUrl } from '../compiled-url.js';
import { quietSvt } from '../encode/av1.js';
import type { EncodedSegment, VideoSettings } from '../encode/contract.js';
import type { PresenterPack } from '../presenter/contract.js';
import type { Shot } from '../scene/contract.js';
import type { SegmentPlan } from './plan.js';
import { DRAWN, type FromThread, STOP, type ThreadStart, type ToThread } from './segment-messages.js';

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

/** How long threads may take to end by themselves, ms; they look at the stop word before each frame. */
const CLOSE_GRACE_MS = 500;

interface Job {
  readonly id: number;
  readonly shot: PoolShot;
  readonly plan: SegmentPlan;
  readonly resolve: (segment: EncodedSegment) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly exited: Promise<void>;
  readonly shots: Set<number>;
  readonly packs: Set<string>;
  job: Job | undefined;
}

/** Drawing threads that start when there is work for them. Who opens it closes it. */
export class ThreadPool {
  readonly #words = new Int32Array(new SharedArrayBuffer(8));
  readonly #threads: Thread[] = [];
  readonly #waiting: Job[] = [];
  #nextJob = 0;
  #closed = false;

  constructor(
    private readonly settings: VideoSettings,
    private readonly size: number,
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
    for (const thread of this.#threads) if (thread.shots.delete(id)) this.#post(thread, { kind: 'forget', id });
  }

  /** Stops all drawing; resolves when no thread is left, within about a second. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    Atomics.store(this.#words, STOP, 1);
    for (const job of this.#waiting.splice(0)) job.reject(new RenderError('rendering was stopped', job.shot.shot.key));
    await Promise.all(this.#threads.map((thread) => this.#end(thread)));
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && !this.#closed) {
      const thread = this.#idle();
      if (!thread) return;
      const job = this.#waiting.shift()!;
      thread.job = job;
      this.#introduce(thread, job.shot);
      this.#post(thread, { kind: 'segment', job: job.id, shotId: job.shot.id, plan: job.plan });
    }
  }

  /** Sends what the thread does not have yet of a shot. */
  #introduce(thread: Thread, { id, shot, packs }: PoolShot): void {
    for (const [folder, pack] of packs) {
      if (thread.packs.has(folder)) continue;
      thread.packs.add(folder);
      this.#post(thread, { kind: 'pack', folder, pack });
    }
    if (thread.shots.has(id)) return;
    thread.shots.add(id);
    this.#post(thread, { kind: 'shot', id, shot });
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
    if (this.settings.codec === 'av1') quietSvt();
    const workerData: ThreadStart = { settings: this.settings, words: this.#words.buffer as SharedArrayBuffer };
    const worker = new Worker(compiledUrl('./segment-thread.js', import.meta.url), { workerData });
    const exited = new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
    });
    const thread: Thread = { worker, exited, shots: new Set(), packs: new Set(), job: undefined };
    worker.on('message', (message: FromThread) => this.#finished(thread, message));
    worker.on('error', (error) => this.#lost(thread, error));
    worker.on('exit', (code) => this.#lost(thread, new Error(`it ended with exit code ${code}`)));
    this.#threads.push(thread);
    return thread;
  }

  #finished(thread: Thread, message: FromThread): void {
    const job = thread.job;
    thread.job = undefined;
    if (message.kind === 'done') job?.resolve(message.segment);
    else job?.reject(new RenderError(message.error.message, job.shot.shot.key, { cause: message.error }));
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

  async #end(thread: Thread): Promise<void> {
    this.#post(thread, { kind: 'close' });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), CLOSE_GRACE_MS);
    });
    if ((await Promise.race([thread.exited, late])) === 'late') await thread.worker.terminate();
    clearTimeout(timer);
  }

  #post(thread: Thread, message: ToThread): void {
    thread.worker.postMessage(message);
  }
}
