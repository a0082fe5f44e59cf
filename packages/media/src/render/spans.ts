import type { Timeline } from '../scene/timeline/timeline.js';

/** Slides `from` (inclusive) to `to` (exclusive) of a long video: the work of one job. */
export interface SlideSpan {
  readonly from: number;
  readonly to: number;
  readonly frames: number;
}

/** Target length of a span: some seconds of work, the maximum time that another workspace's video waits for this worker. */
const SPAN_SECONDS = 30;

/**
 * A shorter video is one job. When a video is spread, each span costs a claim, a download of the plan and the media and a start of threads, and
 * the video costs a join; the figures are in bench/RESULTS.md.
 */
const SHORTEST_SPREAD_SECONDS = 90;

/** Whether a number of frames should be rendered by one worker. */
export function isOneJob(frames: number, { fps }: Pick<Timeline, 'fps'>): boolean {
  return frames < SHORTEST_SPREAD_SECONDS * fps;
}

/** Splits a video between slides into spans of about 30 s; a single span for a short video. Pure. */
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
