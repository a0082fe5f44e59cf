import type { VideoSettings } from '../../encode/contract.js';
import { DrawingWorker } from './drawing-worker.js';

/** How long a thread waits for the next render, ms: so long somebody who corrects a word looks at the result. */
const IDLE_MS = 120_000;

/** Lends drawing threads to renders and keeps them in between. Who opens it closes it. */
export interface ThreadKeeper {
  /** A thread for these settings, ready or just started. It works for the caller, until it is given back or ended. */
  take(settings: VideoSettings): DrawingWorker;
  /** Takes a thread back that has no work. `forget` names the packs that it need not keep. */
  giveBack(thread: DrawingWorker, settings: VideoSettings, forget: readonly string[]): void;
  /** Ends all threads that nobody has. Idempotent. */
  close(): Promise<void>;
}

/**
 * Keeps drawing threads for two minutes after a render: starting one, reading its modules and fitting a presenter to the frame takes 0.3 s of processor
 * time, as long as drawing three seconds of video. Give one to everything in a process that renders. Threads for other settings than those
 * asked for last are ended; one thread takes some 60 MB. They do not keep the process alive.
 */
export function keepThreads(): ThreadKeeper {
  return new Keeper();
}

interface Kept {
  readonly thread: DrawingWorker;
  readonly settings: string;
  /** It has put its work away. */
  isReady: boolean;
  timer: NodeJS.Timeout | undefined;
}

class Keeper implements ThreadKeeper {
  readonly #kept: Kept[] = [];
  #closed = false;

  take(settings: VideoSettings): DrawingWorker {
    const wanted = nameOf(settings);
    for (const other of this.#kept.filter((kept) => kept.settings !== wanted)) void this.#end(other);
    const found = this.#kept.find(({ isReady }) => isReady);
    if (found === undefined) return new DrawingWorker(settings);
    this.#remove(found);
    found.thread.hold(true);
    return found.thread;
  }

  giveBack(thread: DrawingWorker, settings: VideoSettings, forget: readonly string[]): void {
    const kept: Kept = { thread, settings: nameOf(settings), isReady: false, timer: undefined };
    this.#kept.push(kept);
    thread.listener = {
      // It answers once: that it is ready. One that has grown too large ends instead.
      onMessage: () => {
        kept.isReady = true;
        kept.timer = setTimeout(() => void this.#end(kept), IDLE_MS).unref();
        thread.hold(false);
      },
      onLost: () => this.#remove(kept),
    };
    for (const folder of forget) thread.packs.delete(folder);
    thread.post({ kind: 'rest', forget });
    if (this.#closed) void this.#end(kept);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#kept].map((kept) => this.#end(kept)));
  }

  #end(kept: Kept): Promise<void> {
    this.#remove(kept);
    return kept.thread.end();
  }

  #remove(kept: Kept): void {
    clearTimeout(kept.timer);
    const at = this.#kept.indexOf(kept);
    if (at >= 0) this.#kept.splice(at, 1);
  }
}

function nameOf(settings: VideoSettings): string {
  return JSON.stringify(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));
}
