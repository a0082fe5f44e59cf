/** Reproducible random numbers in [0, 1) for a seed (mulberry32). */
export function randomOf(/** @type {number} */ seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** @typedef {() => number} Random */

export const between = (/** @type {Random} */ random, /** @type {number} */ from, /** @type {number} */ to) =>
  from + (to - from) * random();

/** Normally distributed around 0 with deviation 1 (Box & Muller 1958). */
export const normal = (/** @type {Random} */ random) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** In place (Fisher & Yates). */
export function shuffle(/** @type {{ length: number, [at: number]: unknown }} */ list, /** @type {Random} */ random) {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
}
