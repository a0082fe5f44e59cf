import type { Timeline } from '../scene/timeline/timeline.js';

/** Slides `from` (inclusive) to `to` (exclusive) of a long video: the work of one job. */
export interface SlideSpan {
  readonly from: number;
  readonly to: number;
  readonly frames: number;
}

/** A span takes a worker some seconds: so long does another workspace's video wait for its turn at most. */
const SPAN_SECONDS = 30;

/**
 * A shorter video is one job. Spreading costs each span a claim, a score to fetch, media to fetch again and threads to start, and the whole
 * a join; the figures are in bench/RESULTS.md.
 */
const SHORTEST_SPREAD_SECONDS = 90;

/** Whether so many frames are work for one worker. */
export function isOneJob(frames: number, { fps }: Pick<Timeline, 'fps'>): boolean {
  return frames < SHORTEST_SPREAD_SECONDS * fps;
}

/** Cuts a video between slides into spans of about half a minute; one span when it is too short for more. Pure. */
export function cutSpans(timeline: Pick<Timeline, 'fps' | 'frames' | 'slides'>): SlideSpan[] {
  const { fps, frames, slides } = timeline;
  if (isOneJob(frames, timeline)) return [{ from: 0, to: slides.length, frames }];
  const spans: SlideSpan[] = [];
  let open = { from: 0, frames: 0 };
  for (const [index, slide] of slides.entries()) {
    open.frames += slide.frames;
    const isLast = index === slides.length - 1;
    if (open.frames < SPAN_SECONDS * fps && !isLast) continue;
    spans.push({ from: open.from, to: index + 1, frames: open.frames });
    open = { from: index + 1, frames: 0 };
  }
  return spans;
}
