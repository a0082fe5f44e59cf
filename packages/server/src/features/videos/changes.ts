import type { VideoEvent, VideoSummary } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/http/error.js';
import { createNotificationListener } from '../../kernel/jobs/notification-listener.js';
import { presentSummary } from './document.js';
import * as store from './store.js';

/** Channel of migration 0053; payloads are `<workspace> <video>`. */
const CHANNEL = 'figurehead_videos';

/** Listeners of one workspace in one process: many more than people with the console open, far fewer than would hurt. */
const MAX_LISTENERS = 100;

/** After this long a stream ends and its client connects again: whoever lost the right to listen stops listening. */
const LONGEST_MS = 15 * 60_000;

/** Videos of a workspace as they change. */
export interface VideoChanges {
  /**
   * Events from now on, until `signal` is raised, the server closes, the database is lost or 15 minutes are over. What changes faster
   * than it is read is told once, as it then is. Throws a 429 when too many listen already.
   */
  watch(workspaceId: string, signal: AbortSignal): Promise<AsyncIterable<VideoEvent>>;
}

/** One client. */
interface Listener {
  /** Ids of videos that changed, and how their newest state is read: once for all listeners of a notification. */
  readonly changed: Map<string, () => Promise<VideoSummary | undefined>>;
  wake(): void;
  end(): void;
}

/** Makes the changes of this process: one database connection, opened by the first listener. The lifecycle closes it. */
export function createVideoChanges(kernel: Kernel): VideoChanges {
  const listeners = new Map<string, Set<Listener>>();
  const endAll = () => {
    for (const group of listeners.values()) for (const listener of group) listener.end();
  };
  const notifications = createNotificationListener({
    url: kernel.config.databaseUrl,
    channel: CHANNEL,
    application: 'video events',
    onNotify: (payload) => {
      const [workspaceId = '', videoId = ''] = payload.split(' ');
      const group = listeners.get(workspaceId);
      if (group === undefined) return;
      const read = shared(async () => {
        const row = await store.readVideo(kernel.read, videoId);
        return row && presentSummary(row, kernel.objects);
      });
      for (const listener of group) {
        listener.changed.set(videoId, read);
        listener.wake();
      }
    },
    // What happens until the next connection is told by nobody: clients that connect again read the list anew.
    onLost: endAll,
  });
  kernel.lifecycle.onClose('video events', () => notifications.close());

  return {
    async watch(workspaceId, signal) {
      await notifications.ensure();
      const group = listeners.get(workspaceId) ?? new Set();
      if (group.size >= MAX_LISTENERS) throw new ApiError('tooManyListeners', { limit: MAX_LISTENERS });
      const ends = AbortSignal.any([signal, kernel.lifecycle.signal, AbortSignal.timeout(LONGEST_MS)]);
      const { listener, events } = listen(ends, () => {
        group.delete(listener);
        if (group.size === 0) listeners.delete(workspaceId);
      });
      // Before the first read: what changes from here on is told.
      listeners.set(workspaceId, group.add(listener));
      return events;
    },
  };
}

function listen(signal: AbortSignal, onEnd: () => void) {
  const changed: Listener['changed'] = new Map();
  let wake: () => void = () => undefined;
  let ended = signal.aborted;
  const end = () => {
    ended = true;
    onEnd();
    wake();
  };
  signal.addEventListener('abort', end, { once: true });
  const listener: Listener = { changed, wake: () => wake(), end };

  async function* events(): AsyncGenerator<VideoEvent> {
    try {
      while (!ended) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (changed.size === 0) await woken;
        for (const [id, read] of [...changed]) {
          changed.delete(id);
          const video = await read();
          if (video !== undefined && !ended) yield { type: 'changed', video };
        }
      }
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }
  return { listener, events: events() };
}

/** Calls `read` for the first caller only; the others get the same result. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= read();
    return result;
  };
}
