import { openOutput } from '../../encode/container/output.js';
import { formatSrt, formatVtt } from '../../encode/container/subtitles.js';
import type { Chapter, Cue, EncodedSegment, SoundStream, VideoSettings } from '../../encode/contract.js';
import { readAhead } from '../../encode/sound/sound-ahead.js';
import { type Thumbnail, thumbnailOf } from './thumbnail.js';

/** A segment on its way into a file. */
export interface MuxSegment extends EncodedSegment {
  /** Came from the cache. */
  readonly reused: boolean;
  /** The frame that shows its shot at its best, counted from the shot's first. */
  readonly goodFrame: number;
}

/** Everything that a finished video is made of. */
export interface MuxJob {
  /** In order, without gaps, from encoders with these settings. */
  readonly segments: AsyncIterable<MuxSegment>;
  /** Closed here. What is longer than the pictures is cut. */
  readonly audio: SoundStream;
  readonly cues: readonly Cue[];
  readonly chapters: readonly Chapter[];
  readonly settings: VideoSettings;
  /** Path of the file; it appears when it is complete. */
  readonly out: string;
  readonly signal?: AbortSignal;
}

/** A finished video and what belongs beside it. */
export interface RenderedVideo {
  readonly frames: number;
  readonly durationSeconds: number;
  readonly bytes: number;
  /** Pictures of the first shot once its entrance is over. */
  readonly thumbnail: Thumbnail;
  /** The frame of the video that the thumbnail shows. */
  readonly thumbnailFrame: number;
  readonly vtt: string;
  readonly srt: string;
  /** Segments that came from the cache, of all. */
  readonly reusedSegments: number;
  readonly segments: number;
}

/**
 * Writes encoded segments and sound into a file, an MP4 or WebM as the codec has it; what is ready goes to disk at once. After a failure or abort
 * nothing is left of it. Throws `OutputError`, whatever the segments and the sound throw, or the signal's reason.
 */
export async function mux(job: MuxJob): Promise<RenderedVideo> {
  const { settings, signal, cues, chapters, out } = job;
  // When one slide has changed, this thread has nothing to do but its sound.
  const audio = readAhead(job.audio);
  const writer = await openOutput(out, { ...settings, audio, cues, chapters }).catch((error: unknown) => {
    audio.close();
    throw error;
  });
  const made = { frames: 0, segments: 0, reusedSegments: 0, thumbnailFrame: 0 };
  let thumbnail: Thumbnail | undefined;
  try {
    for await (const segment of job.segments) {
      signal?.throwIfAborted();
      await writer.write(segment);
      if (made.segments === 0) made.thumbnailFrame = segment.goodFrame;
      const at = made.thumbnailFrame - made.frames;
      if (at >= 0 && at < segment.frames) thumbnail = await thumbnailOf(segment, at, { settings, beside: out });
      made.frames += segment.frames;
      made.segments++;
      if (segment.reused) made.reusedSegments++;
    }
    signal?.throwIfAborted();
    if (thumbnail === undefined) throw new Error(`expected frame ${made.thumbnailFrame} among ${made.frames} frames`);
    const { bytes } = await writer.finish();
    const durationSeconds = made.frames / settings.fps;
    return { ...made, durationSeconds, bytes, thumbnail, vtt: formatVtt(cues), srt: formatSrt(cues) };
  } finally {
    await writer.discard();
  }
}
