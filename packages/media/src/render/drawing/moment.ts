import type { Shot } from '../../scene/contract.js';

/** Where an entrance is looked for, and how long after it the picture is taken, seconds. */
const ENTRANCE_SECONDS = 3;
const SETTLE_SECONDS = 0.4;

/** The frame of a shot, counted from its first, that shows it at its best: after its entrance, before its exit. */
export function goodFrame(shot: Shot): number {
  const { fps } = shot.format;
  const entrances = shot.layers
    .flatMap((layer) => layer.motions)
    .filter((motion) => motion.startFrame < ENTRANCE_SECONDS * fps && motion.to.opacity > 0)
    .map((motion) => motion.startFrame + motion.frames);
  const settled = Math.max(0, ...entrances) + Math.round(SETTLE_SECONDS * fps);
  return settled < shot.frames ? settled : Math.floor(shot.frames / 2);
}
