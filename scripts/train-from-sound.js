// Trains the classifier of mouth shapes on the speech of the built-in engines and writes packages/media/data/from-sound/network.json:
// `npm run train:from-sound` after `npm run build`; `-- --passes 2` for a shorter training. The same seed produces the same file on the
// same machine. Prints the accuracy on languages outside the training data.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSpeech } from '../packages/media/dist/index.js';
import { FeatureStream, HOP, INPUTS } from '../packages/media/dist/speech/from-sound/features.js';
import { openNetwork } from '../packages/media/dist/speech/from-sound/network.js';
import { changed, stretched, unspoken } from './from-sound/changed.js';
import { Perceptron } from './from-sound/perceptron.js';
import { printQuality } from './from-sound/quality.js';
import { between, randomOf, shuffle } from './from-sound/random.js';
import { classesOf, PHONES, speakAll } from './from-sound/spoken.js';
import { root } from './paths.js';

const { values: options } = parseArgs({
  options: {
    passes: { type: 'string', default: '7' },
    texts: { type: 'string', default: '10' },
    english: { type: 'string', default: '44' },
    hidden: { type: 'string', default: '96,64' },
    out: { type: 'string', default: join(root, 'packages/media/data/from-sound') },
  },
});
const SEED = 20;
const BATCH = 64;
const RATE = { first: 2e-3, last: 3e-5 };
/** Augmented copies of each utterance; more for voices that resemble human speech. */
const WAYS = { espeak: 1, flite: 3 };
/** Number and length in seconds of pieces without speech. */
const UNSPOKEN = { pieces: 160, seconds: 4 };

const started = performance.now();
const elapsed = () => `${((performance.now() - started) / 1000).toFixed(0)} s`;
const random = randomOf(SEED);
const speech = createSpeech({ threads: 1, cacheBytes: 0 });
const spoken = await speakAll(speech, { random, texts: Number(options.texts), english: Number(options.english) });
await speech.close();
const heard = spoken.filter(({ isHeldOut }) => !isHeldOut);
const minutes = (list) => (list.reduce((sum, { samples }) => sum + samples.length, 0) / 48_000 / 60).toFixed(0);
console.log(
  `${elapsed()}: spoke ${minutes(heard)} min for training and ${minutes(spoken) - minutes(heard)} min held out`,
);

const counts = new Float64Array(PHONES.length);
const sizes = [INPUTS, ...options.hidden.split(',').map(Number), PHONES.length];
const perceptron = new Perceptron(sizes, random);
const examples = examplesOf(heard);
console.log(`${elapsed()}: ${examples.length} frames`);
const passes = Number(options.passes);
for (let pass = 0; pass < passes; pass++) {
  shuffle(examples, random);
  let loss = 0;
  for (const [at, { input, wanted }] of examples.entries()) {
    loss += perceptron.learn(input, wanted);
    const done = (pass + at / examples.length) / passes;
    const rate = RATE.last + (RATE.first - RATE.last) * 0.5 * (1 + Math.cos(Math.PI * done));
    if (at % BATCH === BATCH - 1) perceptron.step(rate, BATCH);
  }
  console.log(`${elapsed()}: pass ${pass + 1} of ${passes}, loss ${(loss / examples.length).toFixed(3)}`);
}

const total = counts.reduce((a, b) => a + b);
const shares = Array.from(counts, (count) => Number((count / total).toPrecision(4)));
const stored = { seed: SEED, phones: PHONES, shares, layers: perceptron.stored() };
await mkdir(options.out, { recursive: true });
const text = `${JSON.stringify(stored)}\n`;
await writeFile(join(options.out, 'network.json'), text);
console.log(`${elapsed()}: wrote ${text.length} bytes`);
printQuality(
  openNetwork(stored),
  spoken.filter(({ isHeldOut }) => isHeldOut),
);

/** Inputs and classes of the frames of augmented utterances and of other sound. */
function examplesOf(utterances) {
  const out = [];
  for (const { samples, marks, voice } of utterances) {
    for (let way = 0; way < WAYS[voice.split(':')[0]]; way++) {
      const stretch = between(random, 0.82, 1.2);
      const sound = changed(stretched(samples, stretch), random);
      collect(out, sound, (frames) => classesOf(marks, frames, HOP, stretch));
    }
  }
  for (const { wanted } of out) counts[wanted]++;
  for (let piece = 0; piece < UNSPOKEN.pieces; piece++) {
    collect(out, unspoken(UNSPOKEN.seconds, random), (frames) => new Uint8Array(frames));
  }
  return out;
}

function collect(examples, sound, classes) {
  const inputs = new FeatureStream().push(sound);
  const wanted = classes(inputs.length);
  for (const [frame, input] of inputs.entries()) examples.push({ input, wanted: wanted[frame] });
}
