import { CONSONANT_SHAPES, type ConsonantShape, type Pose } from '@figurehead/presenter/face';

/** Interpolates two poses: `from` at share 0, `to` at share 1. */
export function mixPoses(from: Pose, to: Pose, share: number): Pose {
  if (share <= 0) return from;
  if (share >= 1) return to;
  const mix = (a: number, b: number): number => a + (b - a) * share;
  const consonants: Partial<Record<ConsonantShape, number>> = {};
  for (const shape of CONSONANT_SHAPES) {
    const weight = mix(from.mouth.consonants[shape] ?? 0, to.mouth.consonants[shape] ?? 0);
    if (weight > 0) consonants[shape] = weight;
  }
  return {
    mouth: {
      open: mix(from.mouth.open, to.mouth.open),
      width: mix(from.mouth.width, to.mouth.width),
      consonants,
      smile: mix(from.mouth.smile, to.mouth.smile),
    },
    lids: mix(from.lids, to.lids),
    gaze: { x: mix(from.gaze.x, to.gaze.x), y: mix(from.gaze.y, to.gaze.y) },
    head: {
      yaw: mix(from.head.yaw, to.head.yaw),
      pitch: mix(from.head.pitch, to.head.pitch),
      roll: mix(from.head.roll, to.head.roll),
      x: mix(from.head.x, to.head.x),
      y: mix(from.head.y, to.head.y),
    },
    breath: mix(from.breath, to.breath),
    sway: mix(from.sway, to.sway),
    brow: mix(from.brow, to.brow),
  };
}

/** Smoothstep: from 0 to 1 with zero slope at both ends. */
export function ease(share: number): number {
  const x = Math.min(1, Math.max(0, share));
  return x * x * (3 - 2 * x);
}
