import type { Shot } from '../../scene/contract.js';

/** Entrances are searched in the first seconds of a shot; the frame is chosen this long after the last of them. */
const ENTRANCE_SECONDS = 3;
const SETTLE_SECONDS = 0.4;

/** The most representative frame of a shot, counted from its first: after its entrances, before its exits. */
export function goodFrame(shot: Shot): number {
  const { fps } = shot.format;
  const entrances = shot.layers
    .flatMap((layer) => layer.motions)
    .filter((motion) => motion.startFrame < ENTRANCE_SECONDS * fps && motion.to.opacity > 0)
    .map((motion) => motion.startFrame + motion.frames);
  const settled = Math.max(0, ...entrances) + Math.round(SETTLE_SECONDS * fps);
  return settled < shot.frames ? settled : Math.floor(shot.frames / 2);
}
