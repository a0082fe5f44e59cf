// Trains the classifier of mouth shapes on the speech of the built-in engines and writes packages/presenter/data/from-sound/network.json:
// `npm run train:from-sound` after `npm run build`; `-- --passes 2` for a shorter training. The same seed produces the same file on the
// same machine. Prints the accuracy on languages outside the training data.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSpeech } from '../packages/media/dist/index.js';
import { FeatureStream, HOP, INPUTS } from '../packages/presenter/dist/sound/features.js';
import { openNetwork } from '../packages/presenter/dist/sound/network.js';
import { changed, stretched, unspoken } from './from-sound/changed.js';
import { Perceptron } from './from-sound/perceptron.js';
import { printQuality } from './from-sound/quality.js';
import { between, randomOf, shuffle } from './from-sound/random.js';
import { classesOf, PHONES, speakAll } from './from-sound/spoken.js';
import { root } from './paths.js';

const { values: options } = parseArgs({
  options: {
    passes: { type: 'string', default: '7' },
    texts: { type: 'string', default: '4' },
    english: { type: 'string', default: '45' },
    hidden: { type: 'string', default: '96,64' },
    out: { type: 'string', default: join(root, 'packages/presenter/data/from-sound') },
  },
});
const SEED = 20;
const BATCH = 64;
const RATE = { first: 2e-3, last: 2e-5 };
/** Utterances whose frames are in memory and shuffled together, and pieces of 4 s without speech among them. */
const POOL = { utterances: 120, unspoken: 16, seconds: 4 };

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
const passes = Number(options.passes);
for (let pass = 0; pass < passes; pass++) {
  shuffle(heard, random);
  let loss = 0;
  let frames = 0;
  for (let from = 0; from < heard.length; from += POOL.utterances) {
    const examples = examplesOf(heard.slice(from, from + POOL.utterances));
    shuffle(examples, random);
    const done = (pass + from / heard.length) / passes;
    const rate = RATE.last + (RATE.first - RATE.last) * 0.5 * (1 + Math.cos(Math.PI * done));
    for (const [at, { input, wanted }] of examples.entries()) {
      loss += perceptron.learn(input, wanted);
      if (at % BATCH === BATCH - 1 || at === examples.length - 1) perceptron.step(rate, (at % BATCH) + 1);
    }
    frames += examples.length;
  }
  console.log(`${elapsed()}: pass ${pass + 1} of ${passes}, ${frames} frames, loss ${(loss / frames).toFixed(3)}`);
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

/** Inputs and classes of the frames of utterances and of other sound, which differ in every pass. */
function examplesOf(utterances) {
  const out = [];
  for (const { samples, marks } of utterances) {
    const stretch = between(random, 0.82, 1.2);
    const sound = changed(stretched(samples, stretch), random);
    collect(out, sound, (frames) => classesOf(marks, frames, HOP, stretch));
  }
  for (const { wanted } of out) counts[wanted]++;
  for (let piece = 0; piece < POOL.unspoken; piece++) {
    collect(out, unspoken(POOL.seconds, random), (frames) => new Uint8Array(frames));
  }
  return out;
}

function collect(examples, sound, classes) {
  const inputs = new FeatureStream().push(sound);
  const wanted = classes(inputs.length);
  for (const [frame, input] of inputs.entries()) examples.push({ input, wanted: wanted[frame] });
}
