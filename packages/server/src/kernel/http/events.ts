import { Readable } from 'node:stream';

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
      const result = await within(next, HEARTBEAT_MS);
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

/** What `promise` gives, or undefined when it takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
