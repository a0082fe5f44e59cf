import { rm } from 'node:fs/promises';
import type { Pcm } from '../audio.js';
import { openAac } from '../encode/aac.js';
import type { Chapter, Cue, VideoSettings } from '../encode/contract.js';
import { openMp4 } from '../encode/mp4.js';
import { encodePicture } from '../encode/picture.js';
import { formatSrt, formatVtt } from '../encode/subtitles.js';
import { openVideo } from '../encode/video-reader.js';
import type { PresenterPack } from '../presenter/contract.js';
import type { Shot } from '../scene/contract.js';
import { renderSegments, type SegmentCache } from './segments.js';

/** Everything that a finished video is made of. */
export interface VideoJob {
  /** In order, without gaps: each begins where the one before it ends. */
  readonly shots: Iterable<Shot> | AsyncIterable<Shot>;
  /** The whole soundtrack from frame 0 on, in one piece or in many. What is longer than the pictures is cut. */
  readonly audio: Pcm | AsyncIterable<Pcm>;
  readonly cues: readonly Cue[];
  readonly chapters: readonly Chapter[];
  readonly settings: VideoSettings;
  /** Path of the MP4 file; it appears when it is complete. */
  readonly out: string;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** Frames finished so far. */
  readonly onProgress?: (frames: number) => void;
  readonly cache?: SegmentCache;
  /** As in `SegmentOptions`. */
  readonly loadPack?: (folder: string) => Promise<PresenterPack>;
}

/** A finished video and what belongs beside it. */
export interface RenderedVideo {
  readonly frames: number;
  readonly durationSeconds: number;
  readonly bytes: number;
  /** Pictures of the first shot once its entrance is over, at most 640 px wide. */
  readonly thumbnail: { readonly jpeg: Buffer; readonly webp: Buffer };
  readonly vtt: string;
  readonly srt: string;
  /** Segments that came from the cache, of all. */
  readonly reusedSegments: number;
  readonly segments: number;
}

const THUMBNAIL_WIDTH = 640;

/** Where an entrance is looked for, and how long after it the picture is taken, seconds. */
const ENTRANCE_SECONDS = 3;
const SETTLE_SECONDS = 0.4;

/**
 * Renders shots and sound into an MP4 file. Pictures are drawn and encoded in parallel, the sound once, and what is
 * ready goes to disk at once. After a failure or abort nothing is left of it. Throws `RenderError`, `PackError`,
 * `OutputError` or the signal's reason.
 */
export async function renderVideo(job: VideoJob): Promise<RenderedVideo> {
  const { settings, signal, cues, chapters } = job;
  const audio = openAac(job.audio, signal ? { signal } : {});
  const writer = await openMp4(job.out, { ...settings, audio, cues, chapters }).catch((error: unknown) => {
    audio.close();
    throw error;
  });
  let segments = 0;
  let reusedSegments = 0;
  const moment = new GoodMoment();
  try {
    for await (const segment of renderSegments(moment.watch(job.shots), job)) {
      await writer.write(segment);
      segments++;
      if (segment.reused) reusedSegments++;
    }
    signal?.throwIfAborted();
    const { frames, bytes } = await writer.finish();
    const thumbnail = await thumbnailOf(job.out, moment.frame, settings);
    return {
      frames,
      durationSeconds: frames / settings.fps,
      bytes,
      thumbnail,
      vtt: formatVtt(cues),
      srt: formatSrt(cues),
      reusedSegments,
      segments,
    };
  } finally {
    await writer.discard();
  }
}

/** Finds the frame that shows the first shot at its best: after its entrance, before its exit. */
class GoodMoment {
  frame = 0;

  /** Hands the shots through and looks at the first. */
  async *watch(shots: Iterable<Shot> | AsyncIterable<Shot>): AsyncGenerator<Shot> {
    let first = true;
    for await (const shot of shots) {
      if (first) this.frame = goodFrame(shot);
      first = false;
      yield shot;
    }
  }
}

function goodFrame(shot: Shot): number {
  const { fps } = shot.format;
  const entrances = shot.layers
    .flatMap((layer) => layer.motions)
    .filter((motion) => motion.startFrame < ENTRANCE_SECONDS * fps && motion.to.opacity > 0)
    .map((motion) => motion.startFrame + motion.frames);
  const settled = Math.max(0, ...entrances) + Math.round(SETTLE_SECONDS * fps);
  return settled < shot.frames ? settled : Math.floor(shot.frames / 2);
}

async function thumbnailOf(file: string, at: number, settings: VideoSettings): Promise<RenderedVideo['thumbnail']> {
  const shrink = Math.min(1, THUMBNAIL_WIDTH / settings.width);
  const even = (side: number): number => Math.max(2, Math.round((side * shrink) / 2) * 2);
  try {
    const reader = await openVideo(file, { width: even(settings.width), height: even(settings.height) });
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
