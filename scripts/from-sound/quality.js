/** Accuracy of a network on frames of speech outside the training data. */
import { FeatureStream, HOP } from '../../packages/presenter/dist/sound/features.js';
import { classesOf, PHONES } from './spoken.js';

const CLOSURE = PHONES.indexOf('b');

/** Prints the share of correctly classified frames by class, voice and language, and that of p, b and m. */
export function printQuality(
  /** @type {import('../../packages/presenter/dist/sound/network.js').Network} */ network,
  /** @type {readonly import('./spoken.js').Spoken[]} */ spoken,
) {
  const byClass = PHONES.map(() => ({ right: 0, all: 0 }));
  /** @type {Map<string, { right: number, all: number }>} */
  const byVoice = new Map();
  const closures = { found: 0, all: 0, wrong: 0, frames: 0 };
  for (const { samples, marks, voice } of spoken) {
    const guesses = new FeatureStream().push(samples).map((input) => best(network.classify(input)));
    const wanted = classesOf(marks, guesses.length, HOP);
    const counts = byVoice.get(voice) ?? { right: 0, all: 0 };
    byVoice.set(voice, counts);
    for (const [frame, guess] of guesses.entries()) {
      for (const each of [counts, byClass[wanted[frame]]]) {
        each.all++;
        if (guess === wanted[frame]) each.right++;
      }
      if (wanted[frame] === CLOSURE) continue;
      closures.frames++;
      if (guess === CLOSURE) closures.wrong++;
    }
    for (const { phone, start, end } of marks) {
      if (!/[pbm]/u.test(phone)) continue;
      closures.all++;
      if (guesses.slice(Math.floor(start / HOP), Math.ceil(end / HOP)).includes(CLOSURE)) closures.found++;
    }
  }
  const percent = (/** @type {number} */ part, /** @type {number} */ all) => `${((100 * part) / all).toFixed(1)} %`;
  console.log('Frames right by class:');
  for (const [at, { right, all }] of byClass.entries()) {
    console.log(`  ${(PHONES[at] || 'silence').padEnd(8)} ${percent(right, all)} of ${all}`);
  }
  console.log('Frames right by voice:');
  for (const [voice, { right, all }] of byVoice) console.log(`  ${voice.padEnd(16)} ${percent(right, all)} of ${all}`);
  console.log(`p, b and m found in some frame: ${percent(closures.found, closures.all)} of ${closures.all}`);
  console.log(`Other frames taken for p, b or m: ${percent(closures.wrong, closures.frames)}`);
}

function best(/** @type {Float32Array} */ logs) {
  let at = 0;
  for (let other = 1; other < logs.length; other++) if (logs[other] > logs[at]) at = other;
  return at;
}
