/** Interval at which a server started by npm looks for its parent process. */
const PARENT_CHECK_MS = 500;

/** What a person, a service manager or a script that started the server wants. */
export interface StopSignals {
  /** The first signal: end after the current work. */
  readonly draining: AbortSignal;
  /** The second one: end at once. */
  readonly killing: AbortSignal;
  forget(): void;
}

/**
 * Listens for SIGINT and SIGTERM. When npm started this process, the end of its parent counts as a signal: npm passes SIGTERM only to its shell, which
 * dies without passing it on.
 * @param say receives a line for the person who sent the first signal.
 */
export function listenForStop(say: (line: string) => void): StopSignals {
  const draining = new AbortController();
  const killing = new AbortController();
  const onSignal = (): void => {
    if (!draining.signal.aborted) {
      say('Stopping after the current work; a second signal stops at once.');
      draining.abort();
    } else {
      killing.abort();
    }
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const parent = process.ppid;
  const check = (): void => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    if (!draining.signal.aborted) onSignal();
  };
  const isRunByNpm = process.env['npm_lifecycle_event'] !== undefined;
  const timer = isRunByNpm ? setInterval(check, PARENT_CHECK_MS).unref() : undefined;
  return {
    draining: draining.signal,
    killing: killing.signal,
    forget: () => {
      clearInterval(timer);
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
