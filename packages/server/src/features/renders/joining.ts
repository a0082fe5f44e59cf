import { readFile } from 'node:fs/promises';
import {
  type JoinJob,
  joinVideo,
  openKeptSound,
  type RenderedSegment,
  type RenderedVideo,
  type SegmentCache,
} from '@figurehead/media';
import type { RenderedSpan, SlideSpan } from './contract.js';

/** A video whose spans are rendered. */
export interface SpanJoin extends Omit<JoinJob, 'segments' | 'audio' | 'thumbnailFrame'> {
  /** File of the encoded soundtrack. */
  readonly sound: string;
  /** In order, without gaps. */
  readonly spans: readonly (SlideSpan & RenderedSpan)[];
  readonly cache: SegmentCache | undefined;
  /** Draws a span here, when the cache has lost a part of it. */
  readonly draw: (span: SlideSpan) => Promise<AsyncIterable<RenderedSegment>>;
}

/** Puts the file together from segments that lie in the cache; a span lies in memory at a time. */
export async function joinSpans(job: SpanJoin): Promise<RenderedVideo> {
  const audio = openKeptSound(await readFile(job.sound));
  const thumbnailFrame = () => job.spans[0]?.goodFrame ?? 0;
  return joinVideo({ ...job, audio, segments: segmentsOf(job), thumbnailFrame });
}

async function* segmentsOf({ spans, cache, draw }: SpanJoin): JoinJob['segments'] {
  for (const span of spans) {
    const kept = await Promise.all(
      span.segments.map(async ({ key, reused }) => {
        const segment = await cache?.get(key);
        return segment && { ...segment, reused };
      }),
    );
    const whole = kept.filter((segment) => segment !== undefined);
    if (whole.length === span.segments.length) yield* whole;
    else yield* await draw(span);
  }
}
