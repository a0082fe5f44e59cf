import { setTimeout as delay } from 'node:timers/promises';

/** What `work` gives, or the signal's reason when that aborts first; the work itself goes on. */
export async function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  const done = new AbortController();
  const left = new Promise<never>((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true, signal: done.signal });
  });
  return Promise.race([work, left]).finally(() => done.abort());
}

/** What `work` gives, or `undefined` when it takes longer than `ms`; the work itself goes on. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  return Promise.race([work, delay(ms, undefined, { signal: done.signal })]).finally(() => done.abort());
}

/** Resolves when the signal is aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Waits; the signal's abort ends the wait. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
