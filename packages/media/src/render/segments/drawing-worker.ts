import { Worker } from 'node:worker_threads';
import { compiledUrl } from '../../compiled-url.js';
import { quietSvt } from '../../encode/codecs/av1.js';
import type { VideoSettings } from '../../encode/contract.js';
import type { PresenterPack } from '../../presenter/contract.js';
import type { FromThread, ThreadStart, ToThread } from './segment-messages.js';

/** How long a thread may take to end by itself, ms; it looks at the stop word before each frame. */
const CLOSE_GRACE_MS = 500;

/** Who hears of a thread at the moment. */
export interface ThreadListener {
  onMessage(message: FromThread): void;
  /** It died or ended, unasked or not. */
  onLost(error: Error): void;
}

/** A drawing thread as it is seen from outside. Who starts it ends it. */
export class DrawingWorker {
  /** Presenters that it has, by folder. */
  readonly packs = new Map<string, PresenterPack>();
  /** Replaced by whoever the thread works for. */
  listener: ThreadListener | undefined;
  readonly #worker: Worker;
  readonly #exited: Promise<void>;

  /** Starts it. What goes wrong is told to the listener. */
  constructor(settings: VideoSettings) {
    if (settings.codec === 'av1') quietSvt();
    const workerData: ThreadStart = { settings };
    const worker = new Worker(compiledUrl('./segment-thread.js', import.meta.url), { workerData });
    this.#worker = worker;
    this.#exited = new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
    });
    worker.on('message', (message: FromThread) => this.listener?.onMessage(message));
    worker.on('error', (error) => this.listener?.onLost(error));
    worker.on('exit', (code) => this.listener?.onLost(new Error(`it ended with exit code ${code}`)));
  }

  /** Messages are handled in order. */
  post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  /** Whether the process stays alive for it; at first it does. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#worker.ref();
    else this.#worker.unref();
  }

  /** Resolves when it is gone, within about a second. Idempotent. */
  async end(): Promise<void> {
    this.hold(true);
    this.post({ kind: 'close' });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), CLOSE_GRACE_MS);
    });
    if ((await Promise.race([this.#exited, late])) === 'late') await this.#worker.terminate();
    clearTimeout(timer);
  }
}
