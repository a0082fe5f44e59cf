import type { LiveEvent, LiveSession } from '@figurehead/media';
import { Bell } from '../../kernel/waiting.js';

/** Events that wait for a reader, about a minute of speech; one that falls further behind is dropped. */
const MOST_WAITING = 1000;

/** The events of a session from now on, until it closes, `signal` aborts or the reader falls behind. For one reader. */
export function eventsOf(session: LiveSession, signal: AbortSignal): AsyncIterable<LiveEvent> {
  const waiting: LiveEvent[] = [];
  let isOver = signal.aborted;
  const bell = new Bell();
  const end = () => {
    isOver = true;
    stop();
    bell.ring();
  };
  const stop = session.onEvent((event) => {
    waiting.push(event);
    if (waiting.length < MOST_WAITING) bell.ring();
    else end();
  });
  signal.addEventListener('abort', end, { once: true });
  void session.closed.then(end);

  async function* read(): AsyncGenerator<LiveEvent, void, void> {
    try {
      for (;;) {
        for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
        if (isOver) return;
        await bell.heard();
      }
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }
  return read();
}
