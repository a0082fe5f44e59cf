import { orAborted } from '@figurehead/media/basic';

interface Shared<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  callers: number;
}

/** Deduplicates concurrent work: callers with the same key wait for the same result. */
export class SharedWork<T> {
  readonly #running = new Map<string, Shared<T>>();

  /**
   * Joins the work of this key, or starts it. Rejects with the signal's reason when this caller leaves.
   * @param work gets a signal that is aborted when its last caller has left.
   */
  async run(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const shared = this.#running.get(key) ?? this.#begin(key, work);
    shared.callers++;
    try {
      return await orAborted(shared.result, signal);
    } finally {
      if (--shared.callers === 0) {
        // A later caller must not join work that is being stopped.
        if (this.#running.get(key) === shared) this.#running.delete(key);
        shared.stop.abort(new Error('all callers have left'));
      }
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const stop = new AbortController();
    const shared = { result: work(stop.signal), stop, callers: 0 };
    this.#running.set(key, shared);
    const end = (): void => {
      if (this.#running.get(key) === shared) this.#running.delete(key);
    };
    shared.result.then(end, end);
    return shared;
  }
}
