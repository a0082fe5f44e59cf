import type { ObjectAnimation, Transition } from '@figurehead/contract/document';
import type { Rect } from '@figurehead/presenter/frame';
import { type Size, unite } from '@figurehead/presenter/geometry';
import type { FrameRate } from '@figurehead/presenter/time';
import type { LayerMotion, LayerState } from '../contract.js';

/** A layer as drawn. */
const REST: LayerState = { dx: 0, dy: 0, scale: 1, opacity: 1 };
const HIDDEN: LayerState = { ...REST, opacity: 0 };
const TRANSITION_SECONDS = 0.5;
/** Overshoot of a `pop` before it settles. */
const OVERSHOOT = 1.12;

/** The moving layer: its box at rest and its surroundings, in px and frames. */
export interface Moving {
  readonly box: Rect;
  readonly frame: Size;
  readonly fps: FrameRate;
  /** Frames of the shot. */
  readonly frames: number;
}

/** State from which an entrance starts, or at which an exit of the same name ends. */
function away(name: string, { box, frame }: Moving): LayerState {
  switch (name) {
    case 'fade_in':
    case 'fade_out':
      return HIDDEN;
    case 'slide_in_left':
    case 'slide_out_left':
      return { ...REST, dx: -(box.x + box.width) };
    case 'slide_in_right':
    case 'slide_out_right':
      return { ...REST, dx: frame.width - box.x };
    case 'slide_in_top':
    case 'slide_out_top':
      return { ...REST, dy: -(box.y + box.height) };
    case 'slide_in_bottom':
    case 'slide_out_bottom':
      return { ...REST, dy: frame.height - box.y };
    case 'zoom_in':
      return { ...REST, scale: 0.5, opacity: 0 };
    case 'zoom_out':
      return { ...REST, scale: 1.5, opacity: 0 };
    case 'pop':
      return { ...REST, scale: 0.2, opacity: 0 };
    default:
      return REST;
  }
}

/** The motions of `animation`, in order and without overlaps; an early exit cuts off the entrance. */
export function motionsOf(animation: ObjectAnimation | null, moving: Moving): LayerMotion[] {
  if (animation === null) return [];
  const { fps, frames } = moving;
  const exitFrames = Math.min(frames, Math.round(animation.exitSeconds * fps));
  const exitStart =
    animation.exitAt === null
      ? animation.exit === 'none'
        ? frames
        : frames - exitFrames
      : Math.min(frames, Math.round(animation.exitAt * fps));
  const start = Math.round(animation.startSeconds * fps);
  if (start >= exitStart) return [{ startFrame: 0, frames: 0, from: HIDDEN, to: HIDDEN, easing: 'linear' }];
  // A change needs at least one frame, because frames without changes may be encoded as a single still.
  const length = Math.max(1, Math.min(exitStart - start, Math.round(animation.entranceSeconds * fps)));
  const motions: LayerMotion[] = [];
  if (animation.entrance !== 'none') {
    motions.push(...entrance(animation.entrance, start, length, moving));
  } else if (start > 0) {
    // Without an entrance a late object appears at its time.
    motions.push({ startFrame: start - 1, frames: 1, from: HIDDEN, to: REST, easing: 'linear' });
  }
  if (exitStart < frames) {
    const to = animation.exit === 'none' ? HIDDEN : away(animation.exit, moving);
    const duration = animation.exit === 'none' ? 1 : Math.max(1, Math.min(exitFrames, frames - exitStart));
    motions.push({ startFrame: exitStart, frames: duration, from: REST, to, easing: 'ease-in' });
  }
  return motions;
}

function entrance(name: string, startFrame: number, frames: number, moving: Moving): LayerMotion[] {
  const from = away(name, moving);
  if (name !== 'pop' || frames < 3) return [{ startFrame, frames, from, to: REST, easing: 'ease-out' }];
  const rise = Math.round(frames * 0.6);
  const peak = { ...REST, scale: OVERSHOOT };
  return [
    { startFrame, frames: rise, from, to: peak, easing: 'ease-out' },
    { startFrame: startFrame + rise, frames: frames - rise, from: peak, to: REST, easing: 'ease-in-out' },
  ];
}

/** How the still of the previous slide leaves, above the next slide. */
export function transitionMotions(transition: Transition, moving: Moving): LayerMotion[] {
  const { frame, fps, frames } = moving;
  const to: Partial<Record<Transition, LayerState>> = {
    fade: HIDDEN,
    zoom: { ...HIDDEN, scale: 1.25 },
    slide_left: { ...REST, dx: -frame.width },
    slide_right: { ...REST, dx: frame.width },
    slide_up: { ...REST, dy: -frame.height },
    slide_down: { ...REST, dy: frame.height },
  };
  const target = to[transition];
  if (target === undefined) return [];
  const duration = Math.min(frames, Math.round(TRANSITION_SECONDS * fps));
  return [{ startFrame: 0, frames: duration, from: REST, to: target, easing: 'ease-in-out' }];
}

/** The area that a layer covers while it plays `motions`. */
export function sweepOf(box: Rect, motions: readonly LayerMotion[]): Rect {
  let sweep = box;
  for (const { from, to } of motions) {
    for (const state of [from, to]) {
      if (state.opacity === 0 && state.dx === 0 && state.dy === 0 && state.scale <= 1) continue;
      const [width, height] = [box.width * state.scale, box.height * state.scale];
      sweep = unite(sweep, {
        x: box.x + state.dx - (width - box.width) / 2,
        y: box.y + state.dy - (height - box.height) / 2,
        width,
        height,
      });
    }
  }
  return sweep;
}

/** `motions` with every opacity multiplied; a constant motion when there are none. */
export function withOpacity(motions: readonly LayerMotion[], opacity: number): LayerMotion[] {
  if (opacity === 1) return [...motions];
  const dim = (state: LayerState): LayerState => ({ ...state, opacity: state.opacity * opacity });
  if (motions.length === 0) return [{ startFrame: 0, frames: 0, from: dim(REST), to: dim(REST), easing: 'linear' }];
  return motions.map((motion) => ({ ...motion, from: dim(motion.from), to: dim(motion.to) }));
}
