import type { LayerMotion, LayerState } from '../../scene/contract.js';

/** A layer in its designed position. */
const AT_REST: LayerState = { dx: 0, dy: 0, scale: 1, opacity: 1 };

/** State of a layer at a frame of its shot: before, during or after its motions. Pure. */
export function layerStateAt(motions: readonly LayerMotion[], frame: number): LayerState {
  let state = motions[0]?.from ?? AT_REST;
  for (const motion of motions) {
    if (frame < motion.startFrame) break;
    state = frame >= motion.startFrame + motion.frames ? motion.to : between(motion, frame);
  }
  return state;
}

/** True when the layer looks the same in all frames from `start` on, for `frames` frames. */
export function isAtRest(motions: readonly LayerMotion[], start: number, frames: number): boolean {
  // The first frame at the motion's end already shows `to`; earlier frames differ.
  return motions.every((motion) => motion.startFrame >= start + frames || motion.startFrame + motion.frames <= start);
}

function between(motion: LayerMotion, frame: number): LayerState {
  const t = ease(motion.easing, (frame - motion.startFrame) / motion.frames);
  const mix = (from: number, to: number): number => from + (to - from) * t;
  const { from, to } = motion;
  return {
    dx: mix(from.dx, to.dx),
    dy: mix(from.dy, to.dy),
    scale: mix(from.scale, to.scale),
    opacity: mix(from.opacity, to.opacity),
  };
}

function ease(easing: LayerMotion['easing'], t: number): number {
  switch (easing) {
    case 'linear':
      return t;
    case 'ease-in':
      return t * t * t;
    case 'ease-out':
      return 1 - (1 - t) ** 3;
    case 'ease-in-out':
      return t < 0.5 ? 4 * t * t * t : 1 - (2 - 2 * t) ** 3 / 2;
  }
}
