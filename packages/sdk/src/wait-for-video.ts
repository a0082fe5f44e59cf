import type { Video } from '@figurehead/contract';
import type { Figurehead } from './client.js';
import { ConnectionError, ServerError, VideoError } from './errors.js';
import { sleep } from './transport.js';

/** Settings of {@link waitForVideo}. */
export interface WaitOptions {
  /** Called for every read of the video, also for `queued` and `moderation`. `progress` (0 to 1) is present while rendering. */
  readonly onProgress?: (video: Video) => void;
  /** Ends the wait (not the rendering) with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Time between two polls, milliseconds; 1000 by default. */
  readonly intervalMs?: number;
}

/** A video with its file. */
export type ReadyVideo = Extract<Video, { url: string }>;

/** Maximum consecutive polls that may fail, for example while the server restarts, before the wait fails. */
const MAX_FAILED_LOOKS = 10;

/**
 * Waits until a video is `ready`, also through moderation.
 * @returns the finished document, whose `url` is its file.
 * @throws VideoError when it ends otherwise: `error` (its message is the video's), `cancelled` (a draft), `deleted`.
 */
export async function waitForVideo(
  client: Pick<Figurehead, 'readVideo'>,
  videoId: string,
  options: WaitOptions = {},
): Promise<ReadyVideo> {
  const { onProgress, signal, intervalMs = 1000 } = options;
  let failedLooks = 0;
  for (;;) {
    signal?.throwIfAborted();
    const video = await client.readVideo({ videoId }, signal ? { signal } : {}).catch((error: unknown) => {
      failedLooks += 1;
      const passing = error instanceof ConnectionError || error instanceof ServerError;
      if (!passing || failedLooks > MAX_FAILED_LOOKS) throw error;
      return undefined;
    });
    if (video) {
      failedLooks = 0;
      onProgress?.(video);
      if (video.deleted) throw new VideoError('The video was deleted.', 'deleted', video);
      if (video.status === 'ready') return video;
      if (video.status === 'error') throw new VideoError(video.error ?? 'The video failed.', 'error', video);
      if (video.status === 'draft')
        throw new VideoError('The video is a draft: nothing renders it.', 'cancelled', video);
    }
    await sleep(intervalMs, signal);
  }
}

/** Renders a video and waits for its file: `renderVideo` and {@link waitForVideo} in one. */
export async function renderAndWait(
  client: Pick<Figurehead, 'readVideo' | 'renderVideo'>,
  videoId: string,
  options: WaitOptions = {},
): Promise<ReadyVideo> {
  await client.renderVideo({ videoId }, options.signal ? { signal: options.signal } : {});
  return waitForVideo(client, videoId, options);
}
