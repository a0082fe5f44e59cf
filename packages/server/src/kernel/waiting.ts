import { setTimeout as delay } from 'node:timers/promises';

/** The result of `work`, or `undefined` when it takes longer than `ms`, without stopping the work. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  return Promise.race([work, delay(ms, undefined, { signal: done.signal })]).finally(() => done.abort());
}

/** Resolves when the signal is aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Waits; aborting the signal ends the wait. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** A signal that several ring and one waits for. */
export class Bell {
  #isRung = false;
  #wake: () => void = () => undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Resolves with the next ring, at once if it rang since the last wait, or after `withinMs`. */
  async heard(withinMs?: number): Promise<void> {
    if (!this.#isRung) {
      const rung = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await (withinMs === undefined ? rung : within(withinMs, rung));
    }
    this.#isRung = false;
  }
}
