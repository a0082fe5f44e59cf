import { digestOf } from '../digest.js';
import type { VideoSettings } from '../encode/contract.js';
import type { CaptionLayer, Shot } from '../scene/contract.js';

/** A part of a shot that is encoded separately; `start` counts from the shot's first frame. */
export interface SegmentPlan {
  readonly start: number;
  readonly frames: number;
  /** All frames are the same picture. */
  readonly still: boolean;
}

/** Cached plan of a shot that was drawn before. With it, all segments can be found in the cache without drawing the shot. */
export interface ShotPlan {
  readonly segments: readonly SegmentPlan[];
  /** The most representative frame of the shot, counted from its first. */
  readonly goodFrame: number;
}

/**
 * Maximum GOPs of a moving segment: long enough that opening an encoder (the time of three frames) does not matter, short enough
 * that all threads finish a shot at about the same time.
 */
const GOPS_PER_SEGMENT = 3;

/**
 * Minimum GOPs of a run that is split between two threads. Such a run is a slide of six seconds, the typical cost of a changed word. For shorter
 * ones a second thread is not worth its 0.3 s of processor time to start.
 */
const GOPS_TO_SHARE = 3;

/** Stills shorter than this are not worth a separate keyframe. */
const SHORTEST_STILL = 8;

/** Maximum length of a still segment, in GOPs: it is only one picture, but its packets are sent as one message. */
const GOPS_PER_STILL = 30;

/** Increase it when the same shot and settings produce other frames or packets, so that cached segments are not reused. */
const ENGINE_REVISION = 7;

/**
 * Splits a shot into segments: runs in which nothing moves become stills, the rest is split into whole GOPs. Depends only
 * on the shot and the GOP, not on the machine, so that the same shot has the same frames everywhere.
 */
export function planSegments(shot: Shot, gopFrames: number): SegmentPlan[] {
  return runs(shot).flatMap((run) => {
    const longest = run.still ? gopFrames * GOPS_PER_STILL : movingFrames(run.frames, gopFrames);
    const plans: SegmentPlan[] = [];
    for (let start = run.start; start < run.start + run.frames; start += longest) {
      plans.push({ start, frames: Math.min(longest, run.start + run.frames - start), still: run.still });
    }
    return plans;
  });
}

/** Frames per segment of a moving run, in whole GOPs: the fewest segments that {@link GOPS_PER_SEGMENT} allows, about equally long. */
function movingFrames(frames: number, gopFrames: number): number {
  const gops = Math.ceil(frames / gopFrames);
  const segments = Math.max(Math.ceil(gops / GOPS_PER_SEGMENT), gops < GOPS_TO_SHARE ? 1 : 2);
  return Math.ceil(gops / segments) * gopFrames;
}

/** Whether only presenters, captions, entrances and exits move over a static background. */
export function isCalm(shot: Pick<Shot, 'layers'>): boolean {
  return shot.layers.every((layer) => layer.kind !== 'video');
}

/** Cache key of a shot's plan. */
export function planKey(shot: Pick<Shot, 'key'>, gopFrames: number): string {
  return digestOf([ENGINE_REVISION, shot.key, gopFrames]);
}

/** Cache key of an encoded segment: a hash of everything that changes its bytes. */
export function segmentKey(shot: Pick<Shot, 'key'>, plan: SegmentPlan, settings: VideoSettings): string {
  const { width, height, fps, preset, crf, gopFrames, codec = 'h264', alpha = false, nvenc = false } = settings;
  const facts = [
    ENGINE_REVISION,
    shot.key,
    plan.start,
    plan.frames,
    plan.still,
    width,
    height,
    fps,
    preset,
    crf,
    gopFrames,
    codec,
    alpha,
    nvenc,
  ];
  return digestOf(facts);
}

/**
 * Spans in which captions change. Changes within a second of each other form one span: a keyframe for each word would take
 * more bits than the unchanged frames between them.
 */
function captionSpans(layer: CaptionLayer, fps: number): { start: number; end: number }[] {
  const changes = layer.shows.flatMap((show) => [show.startFrame, show.startFrame + show.frames]).sort((a, b) => a - b);
  const spans: { start: number; end: number }[] = [];
  for (const at of changes) {
    const last = spans.at(-1);
    if (last && at - last.end < fps) last.end = at + 1;
    else spans.push({ start: at, end: at + 1 });
  }
  return spans;
}

/** Alternating moving and still runs that cover the shot. */
function runs(shot: Shot): SegmentPlan[] {
  const moving = movingSpans(shot);
  const out: SegmentPlan[] = [];
  let at = 0;
  for (const span of moving) {
    if (span.start > at) out.push({ start: at, frames: span.start - at, still: true });
    out.push({ start: span.start, frames: span.end - span.start, still: false });
    at = span.end;
  }
  if (at < shot.frames) out.push({ start: at, frames: shot.frames - at, still: true });
  return out;
}

/** Spans in which something moves, sorted, apart by at least {@link SHORTEST_STILL}. */
function movingSpans(shot: Shot): { start: number; end: number }[] {
  const spans = shot.layers
    .flatMap((layer) => {
      if (layer.kind === 'captions') return captionSpans(layer, shot.format.fps);
      return layer.kind === 'sprite'
        ? layer.motions.map((motion) => ({ start: motion.startFrame, end: motion.startFrame + motion.frames }))
        : [{ start: 0, end: shot.frames }];
    })
    .map((span) => ({ start: Math.max(0, span.start), end: Math.min(shot.frames, span.end) }))
    .filter((span) => span.end > span.start)
    .sort((a, b) => a.start - b.start);
  const out: { start: number; end: number }[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last && span.start - last.end < SHORTEST_STILL) last.end = Math.max(last.end, span.end);
    else out.push({ ...span });
  }
  const first = out[0];
  const last = out.at(-1);
  if (first && first.start < SHORTEST_STILL) first.start = 0;
  if (last && shot.frames - last.end < SHORTEST_STILL) last.end = shot.frames;
  return out;
}
