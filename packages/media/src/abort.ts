/**
 * Settles like `work`, or rejects with the signal's reason as soon as it is aborted. The listener is removed when
 * `work` settles, so that one signal can be used for any number of waits (`Promise.race` against one promise would keep
 * every result alive).
 */
export function orAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    const leave = (): void => signal?.removeEventListener('abort', abort);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    work.then(
      (result) => {
        leave();
        resolve(result);
      },
      (error: unknown) => {
        leave();
        reject(error);
      },
    );
  });
}
