import type { LiveEvent, LiveSession } from '@figurehead/media';

/** Events that wait for a reader, about a minute of speech; one that falls further behind is dropped. */
const MOST_WAITING = 1000;

/** The events of a session from now on, until it closes, `signal` aborts or the reader falls behind. For one reader. */
export function eventsOf(session: LiveSession, signal: AbortSignal): AsyncIterable<LiveEvent> {
  const waiting: LiveEvent[] = [];
  let isOver = signal.aborted;
  let wake = (): void => undefined;
  const end = () => {
    isOver = true;
    stop();
    wake();
  };
  const stop = session.onEvent((event) => {
    waiting.push(event);
    if (waiting.length < MOST_WAITING) wake();
    else end();
  });
  signal.addEventListener('abort', end, { once: true });
  void session.closed.then(end);

  async function* read(): AsyncGenerator<LiveEvent, void, void> {
    try {
      for (;;) {
        for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }
  return read();
}
