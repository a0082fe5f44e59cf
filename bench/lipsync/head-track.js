/**
 * Follows the nod of a head: vertical shift of the nose, which no expression moves, against the video's first frame, in
 * px. Mouth and eyes are read where the nod has carried them.
 */

/** Largest shift that is looked for, as a share of half the mouth region's width. */
const REACH = 0.09;
/** Half width of the strip along the nose, in the same unit. */
const STRIP = 0.3;

/** A tracker for one video; each call gives the shift of its frame, positive down. */
export function trackHead(/** @type {import('./observe.js').Places} */ { mouth, eyes }) {
  /** @type {Float64Array | undefined} */
  let reference;
  const eyeLine = eyes.reduce((sum, { y }) => sum + y, 0) / Math.max(1, eyes.length);
  const reach = Math.round(REACH * mouth.half);
  return (/** @type {import('../../packages/media/dist/index.js').YuvFrame} */ frame) => {
    if (eyes.length === 0) return 0;
    const profile = profileOf(frame, mouth, {
      top: Math.round(eyeLine),
      bottom: Math.round(mouth.y - 0.3 * mouth.half),
      reach,
    });
    reference ??= profile;
    let best = { shift: 0, cost: Infinity };
    for (let shift = -reach; shift <= reach; shift++) {
      let cost = 0;
      for (let row = reach; row < profile.length - reach; row++)
        cost += Math.abs(profile[row + shift] - reference[row]);
      if (cost < best.cost) best = { shift, cost };
    }
    return best.shift;
  };
}

/** Mean luma of each row of the strip. */
function profileOf(
  /** @type {import('../../packages/media/dist/index.js').YuvFrame} */ frame,
  /** @type {import('./mouth-gauge.js').MouthPlace} */ { x, half },
  /** @type {{ top: number, bottom: number, reach: number }} */ { top, bottom, reach },
) {
  const from = Math.round(x - STRIP * half);
  const to = Math.round(x + STRIP * half);
  const profile = new Float64Array(bottom - top + 2 * reach);
  for (let i = 0; i < profile.length; i++) {
    const row = Math.min(frame.height - 1, Math.max(0, top - reach + i));
    for (let column = from; column <= to; column++)
      profile[i] += frame.y[row * frame.yStride + column] / (to - from + 1);
  }
  return profile;
}
