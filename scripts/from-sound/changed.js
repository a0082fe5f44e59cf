/** Data augmentation: other speakers, rooms, microphones and lines, and sound without speech. */
import { resampled } from '../../packages/media/dist/speech/resample.js';
import { between } from './random.js';

/** @typedef {import('./random.js').Random} Random */

const RATE = 48_000;

/** Resamples to `stretch` times the length, which simulates a longer or shorter vocal tract (and changes pitch and speed). */
export function stretched(/** @type {Float32Array} */ samples, /** @type {number} */ stretch) {
  return resampled(samples, RATE, Math.round(RATE * stretch));
}

/** The same speech through another room, microphone and line: random echo, colour, noise, telephone, clipping, and level. */
export function changed(/** @type {Float32Array} */ samples, /** @type {Random} */ random) {
  let out = Float32Array.from(samples);
  if (random() < 0.35) out = echoed(out, random);
  if (random() < 0.7) colour(out, random);
  if (random() < 0.6) addNoise(out, between(random, 8, 40), random);
  if (random() < 0.15) telephone(out, random);
  const gain = 10 ** (between(random, -16, 8) / 20);
  const limit = random() < 0.15 ? between(random, 0.1, 0.5) : 1;
  for (let at = 0; at < out.length; at++) out[at] = Math.max(-limit, Math.min(limit, out[at] * gain));
  return out;
}

/** Seconds of an empty room, noise or music. */
export function unspoken(/** @type {number} */ seconds, /** @type {Random} */ random) {
  const samples = new Float32Array(Math.round(seconds * RATE));
  const kind = random();
  if (kind < 0.15) return samples;
  if (kind < 0.5) {
    noise(samples, random);
    scale(samples, 10 ** (between(random, -70, -12) / 20));
  } else {
    music(samples, random);
    scale(samples, 10 ** (between(random, -40, -12) / 20));
    if (random() < 0.5) addNoise(samples, between(random, 10, 40), random);
  }
  if (random() < 0.3) telephone(samples, random);
  return samples;
}

/** Noise of any colour between white and brown, at level 1, optionally intermittent. */
function noise(/** @type {Float32Array} */ samples, /** @type {Random} */ random) {
  const memory = random() ** 0.3 * 0.995;
  const swing = random() < 0.4 ? between(random, 0.2, 0.9) : 0;
  const rate = (2 * Math.PI * between(random, 0.2, 5)) / RATE;
  let value = 0;
  for (let at = 0; at < samples.length; at++) {
    value = memory * value + (random() - 0.5);
    samples[at] = value * (1 + swing * Math.sin(rate * at));
  }
  normalise(samples);
}

/** Notes and chords of changing instruments, with drums. */
function music(/** @type {Float32Array} */ samples, /** @type {Random} */ random) {
  const voices = 1 + Math.floor(random() * 4);
  const beat = between(random, 0.12, 0.6) * RATE;
  for (let voice = 0; voice < voices; voice++) {
    const root = 55 * 2 ** between(random, 0, 3.5);
    const fall = between(random, 0.3, 2.5);
    const decay = random() < 0.5 ? between(random, 1, 8) : 0;
    const vibrato = random() < 0.3 ? between(random, 0.002, 0.01) : 0;
    const steps = [0, 2, 4, 5, 7, 9, 11, 12];
    for (let from = 0; from < samples.length; ) {
      const length = Math.round(beat * (1 + Math.floor(random() * 4)));
      const pitch = root * 2 ** ((steps[Math.floor(random() * steps.length)] ?? 0) / 12);
      if (random() > 0.15) note(samples, { from, length, pitch, fall, decay, vibrato });
      from += length;
    }
  }
  if (random() < 0.5) drums(samples, beat, random);
  normalise(samples);
}

/** Samples of a wave table with one period of a note. */
const PERIOD = 2048;

function note(samples, { from, length, pitch, fall, decay, vibrato }) {
  const end = Math.min(samples.length, from + length);
  const partials = Math.min(12, Math.floor(8000 / pitch));
  const period = new Float32Array(PERIOD);
  for (let partial = 1; partial <= partials; partial++) {
    const part = partial ** -fall;
    for (let at = 0; at < PERIOD; at++) period[at] += part * Math.sin((2 * Math.PI * partial * at) / PERIOD);
  }
  let phase = 0;
  let swing = 1;
  for (let at = from; at < end; at++) {
    const seconds = (at - from) / RATE;
    if (at % 32 === 0) swing = 1 + vibrato * Math.sin(2 * Math.PI * 5.5 * seconds);
    phase += (pitch * swing * PERIOD) / RATE;
    const envelope = Math.min(1, seconds / 0.01, (end - at) / 480) * Math.exp(-decay * seconds);
    samples[at] += envelope * period[Math.floor(phase) % PERIOD];
  }
}

function drums(/** @type {Float32Array} */ samples, /** @type {number} */ beat, /** @type {Random} */ random) {
  const memory = random() * 0.98;
  let value = 0;
  for (let at = 0; at < samples.length; at++) {
    value = memory * value + (random() - 0.5);
    samples[at] += 3 * value * Math.exp((-25 * (at % Math.round(beat))) / RATE);
  }
}

/** A room: four combs and two all-pass filters (Schroeder 1962). */
function echoed(/** @type {Float32Array} */ dry, /** @type {Random} */ random) {
  const wet = between(random, 0.05, 0.35);
  const decay = between(random, 0.15, 0.5);
  const sum = new Float32Array(dry.length);
  for (const seconds of [0.0297, 0.0371, 0.0411, 0.0437]) {
    const delay = Math.round(seconds * between(random, 0.6, 1.2) * RATE);
    const feedback = 10 ** ((-3 * delay) / RATE / decay);
    const line = new Float32Array(dry.length);
    for (let at = 0; at < dry.length; at++) {
      line[at] = dry[at] + feedback * (line[at - delay] ?? 0);
      if (at >= delay) sum[at] += line[at - delay] / 4;
    }
  }
  return dry.map((value, at) => value + wet * sum[at]);
}

/** A shelf and resonances of random height. */
function colour(/** @type {Float32Array} */ samples, /** @type {Random} */ random) {
  const memory = between(random, 0.5, 0.97);
  const amount = between(random, -0.7, 2);
  let low = 0;
  for (let at = 0; at < samples.length; at++) {
    low = memory * low + (1 - memory) * samples[at];
    samples[at] += amount * low;
  }
  for (let peak = 0; peak < 3; peak++) {
    const hertz = 150 * 2 ** between(random, 0, 5.5);
    filter(samples, { kind: 'peak', hertz, quality: between(random, 0.5, 2), decibels: between(random, -9, 9) });
  }
}

function telephone(/** @type {Float32Array} */ samples, /** @type {Random} */ random) {
  const highest = between(random, 3200, 3900);
  for (let pass = 0; pass < 3; pass++) filter(samples, { kind: 'low', hertz: highest, quality: 0.8, decibels: 0 });
  filter(samples, { kind: 'high', hertz: between(random, 150, 320), quality: 0.7, decibels: 0 });
}

/** In place: a filter of second order (Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter coefficients"). */
function filter(/** @type {Float32Array} */ samples, { kind, hertz, quality, decibels }) {
  const angle = (2 * Math.PI * hertz) / RATE;
  const cosine = Math.cos(angle);
  const alpha = Math.sin(angle) / (2 * quality);
  const height = 10 ** (decibels / 40);
  const [b0, b1, b2, a0, a1, a2] = {
    peak: [1 + alpha * height, -2 * cosine, 1 - alpha * height, 1 + alpha / height, -2 * cosine, 1 - alpha / height],
    low: [(1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2, 1 + alpha, -2 * cosine, 1 - alpha],
    high: [(1 + cosine) / 2, -1 - cosine, (1 + cosine) / 2, 1 + alpha, -2 * cosine, 1 - alpha],
  }[kind];
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  for (let at = 0; at < samples.length; at++) {
    const x = samples[at];
    const y = (b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2) / a0;
    x2 = x1;
    x1 = x;
    y2 = y1;
    y1 = y;
    samples[at] = y;
  }
}

function addNoise(/** @type {Float32Array} */ samples, /** @type {number} */ decibels, /** @type {Random} */ random) {
  const under = new Float32Array(samples.length);
  noise(under, random);
  const level = levelOf(samples) * 10 ** (-decibels / 20);
  for (let at = 0; at < samples.length; at++) samples[at] += level * under[at];
}

function levelOf(/** @type {Float32Array} */ samples) {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / Math.max(1, samples.length));
}

function normalise(/** @type {Float32Array} */ samples) {
  scale(samples, 1 / (levelOf(samples) || 1));
}

function scale(/** @type {Float32Array} */ samples, /** @type {number} */ factor) {
  for (let at = 0; at < samples.length; at++) samples[at] *= factor;
}
