/** Lip-sync figures from the pixels and sound of a video. Times in seconds of the video. */
import { mean } from '../statistics.js';

/** Lips count as closed below this gap, in halves of the mouth region's width: 3 px of a bust 720 px high, of which the gauge's error is 2. */
export const CLOSED = 0.03;
/** A closure is searched in frames within this time of the sound's middle. */
const CLOSURE_REACH = 0.04;
/** Hops of the loudness curve per second. */
const HOPS = 100;
/** Range of lags, hops: picture early (negative) to late. */
const LAGS = { from: -12, to: 9 };
/** Silence counts as settled at this distance from sound. */
const SETTLE = 0.35;
/** Loudness (0…1) that counts as silence. */
const QUIET = 0.06;
const VOWEL = /[iyɨʉɯuɪʏʊeøɘɵɤoəɛœɜɞʌɔæɐaɶɑɒᵻɚ]/u;

/**
 * @typedef {{ phone: string, start: number, end: number }} Sound times in seconds
 * @typedef {{ fps: number, gaps: readonly number[], loudness: Float32Array, sounds?: readonly Sound[] }} Observation
 *   `gaps` in halves of the mouth region's width, one per frame; `loudness` 0…1, 100 per second
 */

/** Shorter sounds do not reach their goal, so that their openings say little about it. */
const ARTICULATED = 0.07;
/** Targets of the mouth: shares of closures of p, b and m, of vowels with closed lips, of the opening of a, and of the range in a frame. */
export const MOUTH_TARGETS = { recall: 0.98, shut: 0.03, i: [0.35, 0.55], u: [0.15, 0.35], teeth: 2, jump: 0.5 };

/** The vowels whose openings are compared. */
const CORNERS = { a: /^[aɑæɐ]ː?$/u, i: /^iː?$/u, u: /^uː?$/u };

/**
 * Openings of the close vowels as shares of that of a: medians of the largest gap in each sound of 70 ms or more. People open their
 * lips for i less than half and for u about a quarter as far. Undefined without sounds of both kinds.
 */
export function closeVowels(/** @type {Observation} */ { fps, gaps, sounds = [] }) {
  const opening = (/** @type {RegExp} */ vowel) => {
    const own = sounds
      .filter(({ phone, start, end }) => vowel.test(phone) && end - start >= ARTICULATED)
      .map(({ start, end }) => Math.max(...gaps.slice(Math.ceil(start * fps), Math.floor(end * fps) + 1)));
    return own.sort((a, b) => a - b)[own.length >> 1];
  };
  const a = opening(CORNERS.a);
  const share = (/** @type {number | undefined} */ gap) => (a && gap !== undefined ? gap / a : undefined);
  return { i: share(opening(CORNERS.i)), u: share(opening(CORNERS.u)) };
}

/** Share of the vowels that show closed lips in their middle. */
export function falseClosures(/** @type {Observation} */ { fps, gaps, sounds = [] }) {
  const vowels = sounds.filter(({ phone }) => VOWEL.test(phone));
  const shut = vowels.filter((sound) => middleGap(gaps, fps, sound) <= CLOSED);
  return vowels.length === 0 ? undefined : shut.length / vowels.length;
}

/** The gap in the middle of a sound, linear between frames. */
function middleGap(/** @type {readonly number[]} */ gaps, /** @type {number} */ fps, /** @type {Sound} */ sound) {
  const frame = ((sound.start + sound.end) / 2) * fps;
  const before = Math.floor(frame);
  const share = frame - before;
  return (gaps[before] ?? 0) * (1 - share) + (gaps[before + 1] ?? gaps[before] ?? 0) * share;
}

/** Share of p, b and m with closed lips in some frame within 40 ms of the middle, and their number. */
export function closures(/** @type {Observation} */ { fps, gaps, sounds = [] }) {
  let all = 0;
  /** @type {Sound[]} */
  const missed = [];
  for (const sound of sounds) {
    if (!/[pbm]/u.test(sound.phone)) continue;
    all++;
    const middle = (sound.start + sound.end) / 2;
    const first = Math.ceil((middle - CLOSURE_REACH) * fps - 1e-6);
    const last = Math.floor((middle + CLOSURE_REACH) * fps + 1e-6);
    if (!gaps.slice(Math.max(0, first), last + 1).some((gap) => gap <= CLOSED)) missed.push(sound);
  }
  return { all, missed, recall: all === 0 ? undefined : (all - missed.length) / all };
}

/**
 * Correlation of the gap with the loudness of vowels (of all sound when phones are unknown), and the delay of the lips in ms at that correlation
 * (negative is early). Settled silence is excluded, because it would improve the figure. The lag is refined between hops by a parabola.
 */
export function correlation(/** @type {Observation} */ observation, from = 0, to = observation.gaps.length) {
  const { fps, gaps } = observation;
  const voice = voiceOf(observation);
  const still = new Set(silentFrames(observation));
  const spoken = gaps.map((_, frame) => frame).filter((frame) => frame >= from && frame < to && !still.has(frame));
  const seen = spoken.map((frame) => gaps[frame]);
  const r = [];
  for (let lag = LAGS.from; lag <= LAGS.to; lag++) {
    r.push(
      pearson(
        seen,
        spoken.map((frame) => around(voice, (frame / fps) * HOPS - lag)),
      ),
    );
  }
  const best = r.indexOf(Math.max(...r));
  const [before, top, after] = [r[best - 1], r[best], r[best + 1]];
  const bend = before === undefined || after === undefined ? 0 : before - 2 * top + after;
  const shift = bend === 0 ? 0 : (0.5 * (before - after)) / bend;
  return { r: top, lagMs: ((LAGS.from + best + shift) * 1000) / HOPS };
}

/** Loudness with everything but vowels silenced. */
function voiceOf(/** @type {Observation} */ { loudness, sounds }) {
  if (sounds === undefined) return loudness;
  const voice = new Float32Array(loudness.length);
  for (const { phone, start, end } of sounds) {
    if (!VOWEL.test(phone)) continue;
    for (let hop = Math.ceil(start * HOPS); hop < end * HOPS; hop++) voice[hop] = loudness[hop] ?? 0;
  }
  return voice;
}

/** Mean over the 40 ms around a hop. */
function around(/** @type {Float32Array} */ curve, /** @type {number} */ hop) {
  const middle = Math.round(hop);
  let sum = 0;
  for (let i = middle - 2; i < middle + 2; i++) sum += curve[i] ?? 0;
  return sum / 4;
}

/** Slope of the lag over time in ms per second, from windows of `windowSeconds`. */
export function drift(/** @type {Observation} */ observation, windowSeconds = 20) {
  const frames = Math.round(windowSeconds * observation.fps);
  const points = [];
  for (let from = 0; from + frames <= observation.gaps.length; from += frames) {
    const { lagMs, r } = correlation(observation, from, from + frames);
    if (r > 0.3) points.push({ seconds: (from + frames / 2) / observation.fps, lagMs });
  }
  if (points.length < 3) return undefined;
  const middle = mean(points.map(({ seconds }) => seconds));
  const lag = mean(points.map(({ lagMs }) => lagMs));
  const over = points.reduce((sum, point) => sum + (point.seconds - middle) * (point.lagMs - lag), 0);
  const under = points.reduce((sum, point) => sum + (point.seconds - middle) ** 2, 0);
  return over / under;
}

/** Frames in settled silence. */
export function silentFrames(/** @type {Observation} */ { fps, gaps, loudness }) {
  const reach = SETTLE * HOPS;
  let last = -Infinity;
  const before = Array.from(loudness, (value, hop) => {
    if (value > QUIET) last = hop;
    return hop - last;
  });
  let next = Infinity;
  const quiet = new Array(loudness.length).fill(false);
  for (let hop = loudness.length - 1; hop >= 0; hop--) {
    if ((loudness[hop] ?? 0) > QUIET) next = hop;
    quiet[hop] = next - hop > reach && (before[hop] ?? 0) > reach;
  }
  return gaps.map((_, frame) => frame).filter((frame) => quiet[Math.round((frame / fps) * HOPS)] === true);
}

/** Largest gap in settled silence, in halves of the mouth region's width; undefined without silence. */
export function stillness(/** @type {Observation} */ observation) {
  const frames = silentFrames(observation);
  return frames.length === 0 ? undefined : Math.max(...frames.map((frame) => observation.gaps[frame] ?? 0));
}

/** A larger change of the gap in one frame, as a share of its range, counts as a jump. */
const JUMP = 0.35;

/**
 * Largest change of the gap in one frame as a share of its range, and the share of frames whose change is over {@link JUMP};
 * frames near sounds made with the lips do not count.
 */
export function jumps(/** @type {Observation} */ { fps, gaps, sounds = [] }) {
  const range = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length * 0.995)] ?? 1;
  const isClosure = new Set();
  for (const { phone, start, end } of sounds) {
    if (!/[pbmfvʋɱβɸ]/u.test(phone)) continue;
    for (let frame = Math.floor((start - 0.1) * fps); frame <= (end + 0.1) * fps; frame++) isClosure.add(frame);
  }
  let largest = 0;
  let count = 0;
  for (let frame = 1; frame < gaps.length; frame++) {
    if (isClosure.has(frame) || gaps[frame] <= CLOSED || gaps[frame - 1] <= CLOSED) continue;
    const change = Math.abs(gaps[frame] - gaps[frame - 1]) / range;
    largest = Math.max(largest, change);
    if (change > JUMP) count++;
  }
  return { largest, share: count / gaps.length };
}

export function pearson(/** @type {ArrayLike<number>} */ a, /** @type {ArrayLike<number>} */ b) {
  const [meanA, meanB] = [mean(a), mean(b)];
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    ab += (a[i] - meanA) * (b[i] - meanB);
    aa += (a[i] - meanA) ** 2;
    bb += (b[i] - meanB) ** 2;
  }
  return ab / Math.sqrt(aa * bb || 1);
}
