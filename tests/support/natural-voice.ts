import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bytes, FLOAT, INT64, integer, node, number, real, text, value, words } from './onnx.js';

/** Samples per second and samples per character of the voice. */
const RATE = 22_050;
const HOP = 1500;

const CHARACTERS = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,!?'-`;

/** Whether sherpa-onnx is installed; prints that `what` is skipped when it is not. */
export function hasSherpa(what: string): boolean {
  try {
    createRequire(import.meta.url).resolve('sherpa-onnx-node');
    return true;
  } catch {
    console.warn(`SKIPPED: ${what}; sherpa-onnx-node is not installed (npm install --no-save sherpa-onnx-node)`);
    return false;
  }
}

/** Folder of real natural voices, which `.ci/run` installs there. */
export const REAL_VOICES = join(import.meta.dirname, '../../node_modules/.cache/figurehead/voices');

/** Whether Kokoro and its engine are installed; prints that `what` is skipped when they are not. */
export function hasKokoro(what: string): boolean {
  if (existsSync(join(REAL_VOICES, 'kokoro', 'voice.json'))) return hasSherpa(what);
  console.warn(
    `SKIPPED: ${what}; Kokoro is not installed (FIGUREHEAD_DATA=node_modules/.cache/figurehead npx figurehead voices add kokoro --yes)`,
  );
  return false;
}

/** Catalogue entry of the test's voice. */
export function naturalVoice(name: string, archive: { urls: string[]; bytes: number; sha256: string }) {
  return {
    name,
    title: 'Hum',
    engine: 'vits',
    languages: ['English'],
    licence: 'CC0-1.0',
    licenceUrl: 'https://creativecommons.org/publicdomain/zero/1.0/',
    samples: 'https://example.com/',
    archive: { root: 'hum', ...archive },
    files: { model: 'model.onnx', tokens: 'tokens.txt' },
    speakers: [{ voice: 'hum', id: 0, name: 'Hum', locale: 'en-US', gender: 'female' }],
  };
}

/** Writes a VITS network for sherpa-onnx that hums at 200 Hz, 68 ms per character. */
export async function writeNaturalVoice(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const tokens = ['_', ...CHARACTERS].map((character, id) => `${character} ${id}`);
  await writeFile(join(folder, 'tokens.txt'), `${tokens.join('\n')}\n`);
  await writeFile(join(folder, 'model.onnx'), model());
}

/** The network, following onnx.proto3, with the metadata for sherpa-onnx. */
function model(): Buffer {
  const graph = [
    node('Cast', ['x'], 'real', integer('to', FLOAT)),
    node('Mul', ['real', 'zero'], 'nothing'),
    node('Add', ['nothing', 'hop'], 'width'),
    node('ReduceSum', ['width'], 'total', integer('keepdims', 0)),
    node('Gather', ['length_scale', 'first'], 'length'),
    node('Mul', ['total', 'length'], 'samples'),
    node('Range', ['zero', 'samples', 'one'], 'time'),
    node('Mul', ['time', 'pitch'], 'phase'),
    node('Sin', ['phase'], 'hum'),
    node('Mul', ['hum', 'level'], 'quiet'),
    node('Reshape', ['quiet', 'shape'], 'y'),
    text(2, 'voice'),
    real('hop', HOP),
    real('zero', 0),
    real('one', 1),
    real('pitch', (2 * Math.PI * 200) / RATE),
    real('level', 0.2),
    bytes(5, number(2, INT64), text(8, 'first'), bytes(9, words(0))),
    bytes(5, number(1, 3), number(2, INT64), text(8, 'shape'), bytes(9, words(1, 1, -1))),
    value(11, 'x', INT64, [1, 'characters']),
    value(11, 'x_length', INT64, [1]),
    value(11, 'noise_scale', FLOAT, [1]),
    value(11, 'length_scale', FLOAT, [1]),
    value(11, 'noise_scale_w', FLOAT, [1]),
    value(12, 'y', FLOAT, [1, 1, 'samples']),
  ];
  const metadata: Record<string, string> = {
    model_type: 'vits',
    comment: 'test',
    language: 'English',
    frontend: 'characters',
    sample_rate: String(RATE),
    n_speakers: '1',
    add_blank: '0',
    use_eos_bos: '0',
    blank_id: '0',
    bos_id: '0',
    eos_id: '0',
  };
  const entries = Object.entries(metadata).map(([key, of]) => bytes(14, text(1, key), text(2, of)));
  return Buffer.concat([number(1, 8), bytes(8, text(1, ''), number(2, 13)), bytes(7, ...graph), ...entries]);
}
