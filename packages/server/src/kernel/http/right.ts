import { pause } from '../waiting.js';

/** Credentials of a long answer are checked at this interval, also while nothing is sent. */
const CHECK_MS = 1000;

/**
 * Watches the right of a long answer (events, a socket) to go on.
 * @param isKnown whether the caller's credentials are still valid.
 * @param stop ends the watch.
 * @returns resolves with `false` at most 2 s after the credentials became invalid, with `true` when `stop` is aborted first. Never rejects.
 */
export async function endOfRight(isKnown: () => Promise<boolean>, stop: AbortSignal): Promise<boolean> {
  for (;;) {
    await pause(CHECK_MS, stop);
    if (stop.aborted) return true;
    // A check that fails says nothing about the credentials.
    if (!(await isKnown().catch(() => true))) return false;
  }
}
