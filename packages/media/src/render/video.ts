import { rm } from 'node:fs/promises';
import { containerOf } from '@figurehead/contract/document';
import type { Pcm } from '../audio.js';
import { openAac } from '../encode/codecs/aac.js';
import { openOpus } from '../encode/codecs/opus.js';
import { openOutput } from '../encode/container/output.js';
import { formatSrt, formatVtt } from '../encode/container/subtitles.js';
import type { Chapter, Cue, EncodedSegment, SoundStream, VideoSettings } from '../encode/contract.js';
import { encodePicture } from '../encode/input/picture.js';
import { openVideo } from '../encode/input/video-reader.js';
import { readAhead } from '../encode/sound/sound-ahead.js';
import type { SoundStore } from '../encode/sound/sound-pieces.js';
import type { PresenterPack } from '../presenter/contract.js';
import type { ThreadKeeper } from './segments/drawing-threads.js';
import { type RenderedSegment, renderSegments, type SegmentCache, type ShotSource } from './segments/segments.js';

/** Everything that a finished video is made of. */
export interface VideoJob {
  /** In order, without gaps: each begins where the one before it ends. */
  readonly shots: ShotSource;
  /** The whole soundtrack from frame 0 on, in one piece or in many. What is longer than the pictures is cut. */
  readonly audio: Pcm | AsyncIterable<Pcm>;
  readonly cues: readonly Cue[];
  readonly chapters: readonly Chapter[];
  readonly settings: VideoSettings;
  /** Path of the file; it appears when it is complete. */
  readonly out: string;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** Frames finished so far. */
  readonly onProgress?: (frames: number) => void;
  /** Hears of every segment, in order. */
  readonly onSegment?: (segment: RenderedSegment) => void;
  readonly cache?: SegmentCache;
  /** As in `SegmentOptions`. */
  readonly loadPack?: (folder: string) => Promise<PresenterPack>;
  /** As in `SegmentOptions`. */
  readonly threadKeeper?: ThreadKeeper;
}

/** A finished video and what belongs beside it. */
export interface RenderedVideo {
  readonly frames: number;
  readonly durationSeconds: number;
  readonly bytes: number;
  /** Pictures of the first shot once its entrance is over, at most 640 px wide. Of a transparent video the WebP is transparent and the JPEG on white. */
  readonly thumbnail: { readonly jpeg: Buffer; readonly webp: Buffer };
  readonly vtt: string;
  readonly srt: string;
  /** The frame that stands for the video: the thumbnails'. */
  readonly thumbnailFrame: number;
  /** Segments that came from the cache, of all. */
  readonly reusedSegments: number;
  readonly segments: number;
}

const THUMBNAIL_WIDTH = 640;

/** A video whose pictures and sound are encoded already, by whomever. */
export interface JoinJob extends Pick<VideoJob, 'cues' | 'chapters' | 'settings' | 'out' | 'signal'> {
  /** In order, without gaps, from encoders with these settings. */
  readonly segments: AsyncIterable<EncodedSegment & { readonly reused: boolean }>;
  /** Closed here. */
  readonly audio: SoundStream;
  /** The frame of the video that stands for it. Asked after the last segment. */
  readonly thumbnailFrame: () => number;
}

/**
 * Renders shots and sound into a file, an MP4 or WebM as the codec has it. Pictures are drawn and encoded in parallel, the sound once, and what is
 * ready goes to disk at once. After a failure or abort nothing is left of it. Throws `RenderError`, `PackError`,
 * `OutputError` or the signal's reason.
 */
export async function renderVideo(job: VideoJob): Promise<RenderedVideo> {
  let first: RenderedSegment | undefined;
  const watched = async function* () {
    for await (const segment of renderSegments(job.shots, job)) {
      first ??= segment;
      job.onSegment?.(segment);
      yield segment;
    }
  };
  const audio = openSound(job.audio, job.settings, { signal: job.signal, kept: job.cache?.sounds });
  return joinVideo({ ...job, segments: watched(), audio, thumbnailFrame: () => first?.goodFrame ?? 0 });
}

/** Encodes a soundtrack the way it lies beside pictures of these settings; `kept` has pieces of AAC of earlier renders. */
export function openSound(
  audio: Pcm | AsyncIterable<Pcm>,
  { codec }: Pick<VideoSettings, 'codec'>,
  { signal, kept }: { readonly signal?: AbortSignal | undefined; readonly kept?: SoundStore | undefined } = {},
): SoundStream {
  const options = signal ? { signal } : {};
  if (containerOf(codec).sound === 'opus') return openOpus(audio, options);
  return openAac(audio, { ...options, ...(kept ? { kept } : {}) });
}

/** Writes encoded segments and sound into a file, as {@link renderVideo} does. */
export async function joinVideo(job: JoinJob): Promise<RenderedVideo> {
  const { settings, signal, cues, chapters } = job;
  // Where one slide is drawn anew, this thread has nothing to do but its sound.
  const audio = readAhead(job.audio);
  const writer = await openOutput(job.out, { ...settings, audio, cues, chapters }).catch((error: unknown) => {
    audio.close();
    throw error;
  });
  let segments = 0;
  let reusedSegments = 0;
  try {
    for await (const segment of job.segments) {
      signal?.throwIfAborted();
      await writer.write(segment);
      segments++;
      if (segment.reused) reusedSegments++;
    }
    signal?.throwIfAborted();
    const { frames, bytes } = await writer.finish();
    const thumbnailFrame = job.thumbnailFrame();
    const thumbnail = await thumbnailOf(job.out, thumbnailFrame, settings);
    return {
      frames,
      durationSeconds: frames / settings.fps,
      bytes,
      thumbnail,
      thumbnailFrame,
      vtt: formatVtt(cues),
      srt: formatSrt(cues),
      reusedSegments,
      segments,
    };
  } finally {
    await writer.discard();
  }
}

async function thumbnailOf(file: string, at: number, settings: VideoSettings): Promise<RenderedVideo['thumbnail']> {
  const shrink = Math.min(1, THUMBNAIL_WIDTH / settings.width);
  const even = (side: number): number => Math.max(2, Math.round((side * shrink) / 2) * 2);
  try {
    const size = { width: even(settings.width), height: even(settings.height) };
    const reader = await openVideo(file, settings.alpha === true ? { alpha: true } : size);
    try {
      const frame = await reader.frameAt(at / settings.fps);
      return { jpeg: await encodePicture(frame, 'jpeg'), webp: await encodePicture(frame, 'webp') };
    } finally {
      await reader.close();
    }
  } catch (error) {
    // A video without its picture is not finished.
    await rm(file, { force: true });
    throw error;
  }
}
