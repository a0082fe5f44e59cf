import type { VideoEvent, VideoSummary } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { createNotificationListener } from '../../kernel/jobs/notification-listener.js';
import { Bell } from '../../kernel/waiting.js';
import { presentSummary } from './document.js';
import * as store from './store.js';

/** Channel of migration 0053; payloads are `<workspace> <video>`. */
const CHANNEL = 'figurehead_videos';

/** Maximum listeners of one workspace in one process: far more than users with the console open. */
const MAX_LISTENERS = 100;

/** Events about the videos of a workspace. */
export interface VideoEvents {
  /**
   * Events from now on, until `signal` aborts, the server closes or the database connection is lost. Changes that are
   * faster than the reader are merged into the latest state. Throws a 429 when there are too many listeners.
   */
  watch(workspaceId: string, signal: AbortSignal): Promise<AsyncIterable<VideoEvent>>;
}

interface Listener {
  /** Changed videos by id, with a function that reads their latest state once for all listeners of a notification. */
  readonly changed: Map<string, () => Promise<VideoSummary | undefined>>;
  readonly bell: Bell;
  end(): void;
}

/**
 * Creates the change notifications of this process: one database connection, opened by the first listener. The
 * lifecycle closes it.
 */
export function createVideoChanges(kernel: Kernel): VideoEvents {
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
        listener.bell.ring();
      }
    },
    // Changes until the next connection are lost, so streams end: clients that reconnect read the whole list again.
    onLost: endAll,
  });
  kernel.lifecycle.onClose('video events', () => notifications.close());

  return {
    async watch(workspaceId, signal) {
      await notifications.ensure();
      const group = listeners.get(workspaceId) ?? new Set();
      if (group.size >= MAX_LISTENERS) throw new ApiError('tooManyListeners', { limit: MAX_LISTENERS });
      const ends = AbortSignal.any([signal, kernel.lifecycle.signal]);
      ends.throwIfAborted();
      const { listener, events } = listen(ends, () => {
        group.delete(listener);
        if (group.size === 0) listeners.delete(workspaceId);
      });
      // Registered before the first read, so that no change from here on is missed.
      listeners.set(workspaceId, group.add(listener));
      return events;
    },
  };
}

function listen(signal: AbortSignal, onEnd: () => void) {
  const changed: Listener['changed'] = new Map();
  const bell = new Bell();
  let ended = signal.aborted;
  const end = () => {
    ended = true;
    onEnd();
    bell.ring();
  };
  signal.addEventListener('abort', end, { once: true });
  const listener: Listener = { changed, bell, end };

  async function* events(): AsyncGenerator<VideoEvent> {
    try {
      while (!ended) {
        if (changed.size === 0) await bell.heard();
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

/** Calls `read` once; later callers get the same result. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= read();
    return result;
  };
}
