import { Readable } from 'node:stream';
import { pause, within } from '../waiting.js';

/** Many proxies close a silent connection after a minute or less, so a comment is sent at this interval. */
const HEARTBEAT_MS = 15_000;

/** A reader whose right has ended may take what was sent before within this time. */
const LAST_LINES_MS = 500;

/**
 * Objects as server-sent events (HTML Standard §9.2), one `data:` line each. The stream ends with `events`, or at most 2 s after the reader's
 * credentials have become invalid. When the reader disconnects, `events` is stopped through its own signal and `return()`.
 * @param isKnown whether the reader's credentials are still valid.
 */
export function eventStream(events: AsyncIterable<unknown>, isKnown: () => Promise<boolean>): Readable {
  const over = new AbortController();
  const right = endOfRight(isKnown, over.signal);
  const answer = Readable.from(lines(events, right), { objectMode: false });
  answer.once('close', () => over.abort());
  // The lines themselves end only when the reader takes them.
  void right.then(() => pause(LAST_LINES_MS, over.signal)).then(() => answer.destroy());
  return answer;
}

async function* lines(events: AsyncIterable<unknown>, right: Promise<boolean>): AsyncGenerator<string> {
  const iterator = events[Symbol.asyncIterator]();
  const forbidden = right.then((): IteratorResult<unknown> => ({ done: true, value: undefined }));
  try {
    // Sent immediately, so that a client knows it is connected before the first event.
    yield ': connected\n\n';
    let next = iterator.next();
    for (;;) {
      const result = await within(HEARTBEAT_MS, Promise.race([next, forbidden]));
      if (result === undefined) {
        yield ': alive\n\n';
        continue;
      }
      if (result.done) return;
      yield `data: ${JSON.stringify(result.value)}\n\n`;
      next = iterator.next();
    }
  } finally {
    // Not awaited: a generator returns after its pending `next`, which the end of the answer aborts. Its failure then concerns no reader.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

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
