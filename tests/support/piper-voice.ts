import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytes, FLOAT, INT64, integer, node, number, real, text, value, words } from './onnx.js';

/** Samples per second and samples per frame of the voice. */
const RATE = 22_050;
const HOP = 256;

/** Every character that its phonemes may have. */
const SYMBOLS = '_^$ .,ˈˌːabcdefhijklmnopqrstuvwxyzæçðøŋœɐɑɒɔəɚɛɜɡɪɹɾʃʊʌʒʔθɫɲ';

/**
 * Writes a working Piper voice to `folder`: a small network with the inputs and outputs of real ones, whose phones last
 * three to five frames depending on their ids, and which hums at 200 Hz for their total duration.
 */
export async function writePiperVoice(folder: string, name: string): Promise<void> {
  const ids = Object.fromEntries([...SYMBOLS].map((symbol, index) => [symbol, [index]]));
  const description = {
    audio: { sample_rate: RATE },
    espeak: { voice: 'en-us' },
    language: { code: 'en_US' },
    inference: { noise_scale: 0.667, length_scale: 1, noise_w: 0.8 },
    num_speakers: 1,
    phoneme_id_map: ids,
  };
  await writeFile(join(folder, `${name}.onnx.json`), JSON.stringify(description));
  await writeFile(join(folder, `${name}.onnx`), model());
}

/** The network, following onnx.proto3. */
function model(): Buffer {
  const graph = [
    node('Cast', ['input'], 'real', integer('to', FLOAT)),
    node('CumSum', ['real', 'second'], 'running'),
    node('Mul', ['running', 'twist'], 'angle'),
    node('Sin', ['angle'], 'variety'),
    node('Add', ['variety', 'frames'], 'width'),
    node('Gather', ['scales', 'second'], 'length'),
    node('Mul', ['width', 'length'], 'scaled'),
    node('Ceil', ['scaled'], 'w_ceil'),
    node('ReduceSum', ['w_ceil'], 'total', integer('keepdims', 0)),
    node('Mul', ['total', 'hop'], 'samples'),
    node('Range', ['zero', 'samples', 'one'], 'time'),
    node('Mul', ['time', 'pitch'], 'phase'),
    node('Sin', ['phase'], 'hum'),
    node('Mul', ['hum', 'level'], 'quiet'),
    node('Reshape', ['quiet', 'shape'], 'output'),
    text(2, 'voice'),
    real('twist', 1.7),
    real('frames', 3.2),
    real('hop', HOP),
    real('zero', 0),
    real('one', 1),
    real('pitch', (2 * Math.PI * 200) / RATE),
    real('level', 0.2),
    bytes(5, number(2, INT64), text(8, 'second'), bytes(9, words(1))),
    bytes(5, number(1, 4), number(2, INT64), text(8, 'shape'), bytes(9, words(1, 1, 1, -1))),
    value(11, 'input', INT64, [1, 'phonemes']),
    value(11, 'input_lengths', INT64, [1]),
    value(11, 'scales', FLOAT, [3]),
    value(12, 'output', FLOAT, [1, 1, 1, 'samples']),
  ];
  return Buffer.concat([number(1, 8), bytes(8, text(1, ''), number(2, 13)), bytes(7, ...graph)]);
}
