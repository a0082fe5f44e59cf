import { Readable } from 'node:stream';
import { within } from '../waiting.js';

/** A silent connection is given up by many proxies after a minute or less: this often a comment goes out. */
const HEARTBEAT_MS = 15_000;

/**
 * Objects as server-sent events (HTML Standard §9.2), one `data:` line each. It ends with `events`; when its reader goes away, `events` is
 * told by its own signal and by `return()`.
 */
export function eventStream(events: AsyncIterable<unknown>): Readable {
  return Readable.from(lines(events), { objectMode: false });
}

async function* lines(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    // The first bytes at once: a client knows that it is connected before anything happens.
    yield ': connected\n\n';
    let next = iterator.next();
    for (;;) {
      const result = await within(HEARTBEAT_MS, next);
      if (result === undefined) {
        yield ': alive\n\n';
        continue;
      }
      if (result.done) return;
      yield `data: ${JSON.stringify(result.value)}\n\n`;
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}
