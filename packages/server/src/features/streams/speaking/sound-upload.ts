import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SAMPLE_RATE } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Http } from '../../../kernel/http/contract.js';
import type { Inspector } from '../../library/index.js';
import { HostRefusal } from '../host/host-protocol.js';
import type { Streams } from '../streams.js';
import { SoundFeed } from './sound-feed.js';

/** Sound that is read of the file at once, bytes: 2 s. */
const BLOCK = 4 * SAMPLE_RATE;
/** How often it is asked whether there is room again, ms. */
const ASK_MS = 1000;

/** Serves uploaded recordings: decoded in a separate process, then passed to the host as they are played. The lifecycle ends it. */
export function serveSoundUploads(
  http: Http,
  kernel: Kernel,
  { streams, inspector }: { streams: Streams; inspector: Inspector },
): void {
  const stop = new AbortController();
  const feeding = new Set<Promise<void>>();
  kernel.lifecycle.onClose('uploaded sound', async () => {
    stop.abort(new Error('the server is stopping'));
    await Promise.all(feeding);
  });

  http.bind('speakSound', {
    resource: ({ caller, params }) => streams.load(caller, params.streamId),
    handle: async ({ caller, resource: stream, file, signal, log }) => {
      const folder = await kernel.temporary.open('sound-');
      const discard = () => rm(folder, { recursive: true, force: true });
      const path = join(folder, 'pcm');
      try {
        await inspector.inspect(
          { kind: 'sound', file: file.path, out: path },
          { workspaceId: caller.workspace.id, signal },
        );
        const feed = await SoundFeed.open(streams, stream, SAMPLE_RATE);
        const fed = feedFile(feed, path, stop.signal)
          .catch((error: unknown) => {
            // The utterance or its stream has ended.
            if (error instanceof ApiError || error instanceof HostRefusal || stop.signal.aborted) return;
            log.warn({ err: error, streamId: stream.id }, 'uploaded sound was lost');
          })
          .finally(discard)
          .finally(() => feeding.delete(fed));
        feeding.add(fed);
        return { accepted: true, id: feed.id, position: feed.position };
      } catch (error) {
        await discard();
        throw error;
      }
    },
  });
}

/** Sends a file of PCM as fast as it is played. */
async function feedFile(feed: SoundFeed, path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path);
  try {
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(BLOCK), 0, BLOCK);
      const pcm = buffer.subarray(0, bytesRead);
      while (feed.takenSeconds + feed.secondsOf(bytesRead) > feed.limitSeconds) {
        await delay(ASK_MS, undefined, { signal });
        await feed.send(Buffer.alloc(0), false);
      }
      signal.throwIfAborted();
      await feed.send(pcm, bytesRead < BLOCK);
      if (bytesRead < BLOCK) return;
    }
  } finally {
    await file.close();
  }
}
