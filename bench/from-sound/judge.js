/** Measures whether lips are shut at the right time. */

/** Lips count as shut below this opening. */
const SHUT = 0.02;
/** A closure is searched within this many steps of 10 ms around its middle. */
const REACH = 4;
const STEP = 480;
/** Candidate delays, in steps. */
const LAGS = [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16];

const CLOSED = /^[pbm](?![a-z])/iu;
const VOWEL = /^(?:[aeiouæɐɑɒɔəɛɜɪʊʌøœɨʉɯɤ]|AA|AE|AH|AO|AW|AY|EH|ER|EY|IH|IY|OW|OY|UH|UW)/iu;

/**
 * @typedef {import('./recordings.js').Recording} Recording
 * @typedef {{ closures: number, shut: number, vowelCount: number, shutVowels: number }} Counts
 */

/** Counts over recordings with the curves of a method, `lag` steps late. */
export function judge(
  /** @type {readonly Recording[]} */ recordings,
  /** @type {readonly Float32Array[]} */ curves,
  /** @type {number} */ lag,
) {
  const counts = { closures: 0, shut: 0, vowelCount: 0, shutVowels: 0 };
  for (const [index, { phones }] of recordings.entries()) {
    const curve = curves[index] ?? new Float32Array(0);
    for (const { phone, start, end } of phones) {
      const middle = Math.round((start + end) / 2 / STEP) + lag;
      if (CLOSED.test(phone)) {
        counts.closures++;
        if (curve.subarray(Math.max(0, middle - REACH), middle + REACH + 1).some((open) => open <= SHUT)) counts.shut++;
      } else if (VOWEL.test(phone) && end - start > 0.05 * 48_000) {
        counts.vowelCount++;
        if ((curve[middle] ?? 0) <= SHUT) counts.shutVowels++;
      }
    }
  }
  return counts;
}

/** Shares at the lag with the best result of a method. */
export function total(/** @type {readonly Recording[]} */ recordings, /** @type {readonly Float32Array[]} */ curves) {
  const tried = LAGS.map((lag) => {
    const counts = judge(recordings, curves, lag);
    const recall = counts.shut / counts.closures;
    const vowels = counts.shutVowels / counts.vowelCount;
    return { ...counts, recall, vowels, contrast: recall - vowels, lagMs: lag * 10 };
  });
  return tried.reduce((best, next) => (next.contrast > best.contrast ? next : best));
}
