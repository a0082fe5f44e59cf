import { openOutput } from '../../encode/container/output.js';
import { formatSrt, formatVtt } from '../../encode/container/subtitles.js';
import type { EncodedSegment, SoundStream, VideoSettings } from '../../encode/contract.js';
import { readAhead } from '../../encode/sound/sound-ahead.js';
import type { Timeline } from '../../scene/timeline/timeline.js';
import { type Thumbnail, thumbnailOf } from './thumbnail.js';

/** A segment to write into a file. */
export interface MuxSegment extends EncodedSegment {
  /** Came from the cache. */
  readonly reused: boolean;
  /** The most representative frame of its shot, counted from the shot's first. */
  readonly goodFrame: number;
}

/** Inputs of a finished video. */
export interface MuxJob {
  /** In order, without gaps, from encoders with these settings. */
  readonly segments: AsyncIterable<MuxSegment>;
  /** Closed here. Sound after the last frame is cut off. */
  readonly audio: SoundStream;
  readonly timeline: Pick<Timeline, 'cues' | 'chapters' | 'language'>;
  /** The file carries the cues as a subtitle track; their own files are written in any case. */
  readonly subtitleTrack: boolean;
  readonly settings: VideoSettings;
  /** Path of the file; it appears when it is complete. */
  readonly out: string;
  readonly signal?: AbortSignal;
}

/** A finished video and its thumbnails. */
export interface RenderedVideo {
  readonly frames: number;
  readonly durationSeconds: number;
  /** Pictures of the first shot after its entrance, where its presenters look best. */
  readonly thumbnail: Thumbnail;
  /** The frame of the video that the thumbnail shows. */
  readonly thumbnailFrame: number;
  readonly vtt: string;
  readonly srt: string;
  /** Number of segments that came from the cache. */
  readonly reusedSegments: number;
  readonly segments: number;
}

/**
 * Writes encoded segments and sound into an MP4 or WebM file, depending on the codec, as soon as they are ready. A failure or abort removes the
 * file. Throws `OutputError`, errors of the segments and the sound, or the signal's reason.
 */
export async function mux(job: MuxJob): Promise<RenderedVideo> {
  const { settings, signal, out } = job;
  const { cues, chapters, language } = job.timeline;
  // When only one slide has changed, this thread can encode sound in the meantime.
  const audio = readAhead(job.audio);
  const texts = { cues: job.subtitleTrack ? cues : [], chapters, language };
  const writer = await openOutput(out, { ...settings, audio, ...texts, isSynthetic: true }).catch((error: unknown) => {
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
    await writer.finish();
    const durationSeconds = made.frames / settings.fps;
    return { ...made, durationSeconds, thumbnail, vtt: formatVtt(cues), srt: formatSrt(cues) };
  } finally {
    await writer.discard();
  }
}
