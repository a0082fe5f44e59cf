import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytes, FLOAT, INT64, integer, node, number, real, text, value, words } from './onnx.js';

/** Samples per second of a model of this kind, and samples of one of its frames: 80 ms. */
const RATE = 24_000;
const FRAME = 1920;
/** Numbers of an embedding and of a latent frame. */
const EMBEDDING = 1024;
const LATENT = 32;

/** Files of the model for a description of its engine `pocket`. */
export const CLONING_FILES = {
  lmFlow: 'lm_flow.onnx',
  lmMain: 'lm_main.onnx',
  encoder: 'encoder.onnx',
  decoder: 'decoder.onnx',
  textConditioner: 'text_conditioner.onnx',
  vocabJson: 'vocab.json',
  tokenScoresJson: 'token_scores.json',
};

/** Catalogue entry of the test's model that imitates recordings. */
export const CLONING_MODEL = {
  name: 'echo',
  title: 'Echo',
  engine: 'pocket',
  languages: ['English'],
  licence: 'CC0-1.0',
  licenceUrl: 'https://creativecommons.org/publicdomain/zero/1.0/',
  samples: 'https://example.com/',
  archive: { root: 'echo', urls: [], bytes: 1, sha256: '0'.repeat(64) },
  files: CLONING_FILES,
  speakers: [],
};

/**
 * Writes a model in the form of Pocket TTS for sherpa-onnx: five networks that hum 80 ms per character, the higher the more often the recording crosses
 * zero.
 */
export async function writeCloningModel(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const vocabulary = Array.from(
    { length: 256 },
    (_, code) => `<0x${code.toString(16).toUpperCase().padStart(2, '0')}>`,
  );
  const table = (of: (index: number) => number): string =>
    JSON.stringify(Object.fromEntries(vocabulary.map((token, index) => [token, of(index)])));
  const files: Record<keyof typeof CLONING_FILES, string | Buffer> = {
    encoder: encoder(),
    textConditioner: textConditioner(),
    lmMain: lmMain(),
    lmFlow: lmFlow(),
    decoder: decoder(),
    vocabJson: table((index) => index),
    tokenScoresJson: table(() => -1),
  };
  for (const [name, file] of Object.entries(CLONING_FILES))
    await writeFile(join(folder, file), files[name as keyof typeof files]);
}

/** The recording's zero crossings as an embedding. */
function encoder(): Buffer {
  return model([
    node('Sign', ['audio'], 'sign'),
    ints('from', 0),
    ints('second', 1),
    ints('last', -1),
    ints('end', 1 << 30),
    ints('axis', 2),
    node('Slice', ['sign', 'second', 'end', 'axis'], 'late'),
    node('Slice', ['sign', 'from', 'last', 'axis'], 'early'),
    node('Sub', ['late', 'early'], 'step'),
    node('Abs', ['step'], 'crossing'),
    node('ReduceMean', ['crossing'], 'rate', axes(2)),
    ints('pads', 0, 0, 0, 0, 0, EMBEDDING - 1),
    node('Pad', ['rate', 'pads'], 'embedding'),
    value(11, 'audio', FLOAT, [1, 1, 'samples']),
    value(12, 'embedding', FLOAT, [1, 1, EMBEDDING]),
  ]);
}

/** One embedding per token, which counts it. */
function textConditioner(): Buffer {
  return model([
    node('Cast', ['tokens'], 'real', integer('to', FLOAT)),
    real('zero', 0),
    real('one', 1),
    node('Mul', ['real', 'zero'], 'nothing'),
    node('Add', ['nothing', 'one'], 'ones'),
    ints('shape', 1, -1, 1),
    node('Reshape', ['ones', 'shape'], 'counts'),
    ints('pads', 0, 0, 1, 0, 0, EMBEDDING - 2),
    node('Pad', ['counts', 'pads'], 'embedding'),
    value(11, 'tokens', INT64, [1, 'length']),
    value(12, 'embedding', FLOAT, [1, 'length', EMBEDDING]),
  ]);
}

/** Its state sums all embeddings and counts the frames; speech ends when there are as many frames as tokens. */
function lmMain(): Buffer {
  return model([
    ints('middle', 1),
    node('ReduceSum', ['embedding', 'middle'], 'more'),
    node('Add', ['state', 'more'], 'sum'),
    node('Shape', ['sequence'], 'size'),
    node('Gather', ['size', 'middle'], 'frames'),
    node('Cast', ['frames'], 'count', integer('to', FLOAT)),
    ints('cube', 1, 1, 1),
    node('Reshape', ['count', 'cube'], 'counted'),
    ints('pads', 0, 0, 2, 0, 0, EMBEDDING - 3),
    node('Pad', ['counted', 'pads'], 'step'),
    node('Add', ['sum', 'step'], 'next'),
    ints('zero', 0),
    ints('one', 1),
    ints('two', 2),
    ints('three', 3),
    ints('width', LATENT),
    node('Slice', ['next', 'zero', 'width', 'two'], 'first'),
    ints('flat', 1, LATENT),
    node('Reshape', ['first', 'flat'], 'conditioning'),
    node('Slice', ['next', 'one', 'two', 'two'], 'tokens'),
    node('Slice', ['next', 'two', 'three', 'two'], 'said'),
    node('Sub', ['said', 'tokens'], 'over'),
    real('threshold', 3.5),
    node('Sub', ['over', 'threshold'], 'deep'),
    ints('single', 1, 1),
    node('Reshape', ['deep', 'single'], 'end'),
    value(11, 'sequence', FLOAT, [1, 'steps', LATENT]),
    value(11, 'embedding', FLOAT, [1, 'length', EMBEDDING]),
    value(11, 'state', FLOAT, [1, 1, EMBEDDING]),
    value(12, 'conditioning', FLOAT, [1, LATENT]),
    value(12, 'end', FLOAT, [1, 1]),
    value(12, 'next', FLOAT, [1, 1, EMBEDDING]),
  ]);
}

/** Flows straight from the noise to the conditioning. */
function lmFlow(): Buffer {
  return model([
    real('one', 1),
    node('Sub', ['one', 's'], 'left'),
    node('Sub', ['c', 'x'], 'way'),
    node('Div', ['way', 'left'], 'flow'),
    value(11, 'c', FLOAT, [1, LATENT]),
    value(11, 's', FLOAT, [1, 1]),
    value(11, 't', FLOAT, [1, 1]),
    value(11, 'x', FLOAT, [1, LATENT]),
    value(12, 'flow', FLOAT, [1, LATENT]),
  ]);
}

/** A hum; its state is the number of samples so far. */
function decoder(): Buffer {
  return model([
    ints('nothing', 0),
    ints('one', 1),
    ints('both', 1, 2),
    ints('column', 2),
    ints('scalar'),
    node('Shape', ['latent'], 'size'),
    node('Gather', ['size', 'one'], 'frames'),
    node('Cast', ['frames'], 'count', integer('to', FLOAT)),
    real('frame', FRAME),
    node('Mul', ['count', 'frame'], 'length'),
    node('Add', ['state', 'length'], 'next'),
    node('Reshape', ['state', 'scalar'], 'begin'),
    node('Reshape', ['next', 'scalar'], 'end'),
    real('step', 1),
    node('Range', ['begin', 'end', 'step'], 'time'),
    node('Slice', ['latent', 'nothing', 'one', 'column'], 'rates'),
    node('ReduceMean', ['rates'], 'rate', integer('keepdims', 0)),
    real('span', (2 * Math.PI * 2000) / RATE),
    real('lowest', (2 * Math.PI * 80) / RATE),
    node('Mul', ['rate', 'span'], 'above'),
    node('Add', ['above', 'lowest'], 'pitch'),
    node('Mul', ['time', 'pitch'], 'phase'),
    node('Sin', ['phase'], 'hum'),
    real('level', 0.2),
    node('Mul', ['hum', 'level'], 'quiet'),
    ints('shape', 1, 1, -1),
    node('Reshape', ['quiet', 'shape'], 'sound'),
    value(11, 'latent', FLOAT, [1, 'frames', LATENT]),
    value(11, 'state', FLOAT, [1]),
    value(12, 'sound', FLOAT, [1, 1, 'samples']),
    value(12, 'next', FLOAT, [1]),
  ]);
}

/** A one-dimensional initializer of integers. */
function ints(name: string, ...of: number[]): Buffer {
  return bytes(5, number(1, of.length), number(2, INT64), text(8, name), bytes(9, words(...of)));
}

/** The attribute `axes` of ReduceMean. */
function axes(...of: number[]): Buffer {
  return bytes(5, text(1, 'axes'), ...of.map((axis) => number(8, axis)), number(20, 7));
}

function model(graph: Buffer[]): Buffer {
  return Buffer.concat([number(1, 8), bytes(8, text(1, ''), number(2, 13)), bytes(7, ...graph, text(2, 'clone'))]);
}
