import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytes, FLOAT, INT64, integer, node, number, real, text, value, words } from './onnx.js';

/** Samples per second. */
const RATE = 16_000;
/** Size of the vocabulary, and tokens in it. */
const VOCABULARY = 64;
const SOT = 1;
const EOT = 2;
const TRANSLATE = 3;
const TRANSCRIBE = 4;
const NO_TIMESTAMPS = 5;
const LANGUAGES = { en: { token: 10, word: 40, text: 'Hello.' }, de: { token: 11, word: 41, text: 'Hallo.' } } as const;

/** Description of the test's recogniser: it knows English and German. */
export function recogniserModel(
  name: string,
  archive: { urls: string[]; bytes: number; sha256: string } = { urls: [], bytes: 1, sha256: '0'.repeat(64) },
) {
  return {
    name,
    title: 'Hello',
    engine: 'whisper',
    languages: ['English', 'German'],
    codes: 'en de',
    licence: 'CC0-1.0',
    licenceUrl: 'https://creativecommons.org/publicdomain/zero/1.0/',
    archive: { root: 'hello', ...archive },
    files: { encoder: 'encoder.onnx', decoder: 'decoder.onnx', tokens: 'tokens.txt' },
  };
}

/** Writes networks of the shape of Whisper: a sound is “Hello.”, in German “Hallo.”, and silence is nothing. */
export async function writeRecogniser(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const tokens = Object.values(LANGUAGES).map((of) => `${Buffer.from(of.text).toString('base64')} ${of.word}`);
  await writeFile(join(folder, 'tokens.txt'), `${tokens.join('\n')}\n`);
  await writeFile(join(folder, 'encoder.onnx'), encoder());
  await writeFile(join(folder, 'decoder.onnx'), decoder());
}

/** As {@link writeRecogniser}, with its description. */
export async function installRecogniser(folder: string, name: string): Promise<void> {
  await writeRecogniser(join(folder, name));
  await writeFile(join(folder, name, 'recogniser.json'), JSON.stringify(recogniserModel(name)));
}

/** A tone of a viewer. @param level of its peaks, 0…1. */
export function tone(seconds: number, level = 0.5): { samples: Int16Array; sampleRate: number } {
  const sample = (_: unknown, at: number) => Math.round(32_767 * level * Math.sin((2 * Math.PI * 440 * at) / RATE));
  return { samples: Int16Array.from({ length: seconds * RATE }, sample), sampleRate: RATE };
}

/** Gives the decoder 1 for a sound and 0 for silence. */
function encoder(): Buffer {
  const graph = [
    node('ReduceMax', ['mel'], 'peak', integer('keepdims', 0)),
    node('Greater', ['peak', 'loud'], 'is_loud'),
    node('Cast', ['is_loud'], 'gate', integer('to', FLOAT)),
    node('Reshape', ['gate', 'shape'], 'n_layer_cross_k'),
    node('Identity', ['n_layer_cross_k'], 'n_layer_cross_v'),
    text(2, 'encoder'),
    real('loud', 0.9),
    integers('shape', [1]),
    value(11, 'mel', FLOAT, [1, 80, 'frames']),
    value(12, 'n_layer_cross_k', FLOAT, [1]),
    value(12, 'n_layer_cross_v', FLOAT, [1]),
  ];
  const languages = Object.entries(LANGUAGES);
  return model(graph, {
    model_type: 'whisper',
    n_mels: 80,
    n_text_layer: 1,
    n_text_ctx: 16,
    n_text_state: 1,
    n_vocab: VOCABULARY,
    sot: SOT,
    eot: EOT,
    blank_id: 7,
    translate: TRANSLATE,
    transcribe: TRANSCRIBE,
    is_multilingual: 1,
    no_timestamps: NO_TIMESTAMPS,
    no_speech: 6,
    sot_sequence: [SOT, LANGUAGES.en.token, TRANSCRIBE].join(','),
    all_language_tokens: languages.map(([, { token }]) => token).join(','),
    all_language_codes: languages.map(([code]) => code).join(','),
  });
}

/** The next token depends on the sum of the latest ones, in which the prompts of two languages differ. */
function decoder(): Buffer {
  const next = Array.from({ length: 3 * VOCABULARY }, () => EOT);
  for (const { token, word } of Object.values(LANGUAGES))
    next[VOCABULARY + SOT + token + TRANSCRIBE + NO_TIMESTAMPS] = word;
  const graph = [
    node('ReduceSum', ['tokens'], 'sum', integer('keepdims', 0)),
    node('Cast', ['n_layer_cross_k'], 'gate', integer('to', INT64)),
    node('Mul', ['gate', 'vocabulary'], 'part'),
    node('Add', ['sum', 'part'], 'row'),
    node('Gather', ['next', 'row'], 'token'),
    node('Reshape', ['token', 'shape'], 'tokens_out'),
    node('OneHot', ['tokens_out', 'vocabulary', 'range'], 'logits'),
    node('Identity', ['in_n_layer_self_k_cache'], 'out_n_layer_self_k_cache'),
    node('Identity', ['in_n_layer_self_v_cache'], 'out_n_layer_self_v_cache'),
    text(2, 'decoder'),
    integers('vocabulary', [VOCABULARY]),
    integers('next', next),
    integers('shape', [1, 1]),
    bytes(5, number(1, 2), number(2, FLOAT), text(8, 'range'), bytes(9, Buffer.from(new Float32Array([0, 1]).buffer))),
    value(11, 'tokens', INT64, [1, 'n']),
    value(11, 'in_n_layer_self_k_cache', FLOAT, [1, 1, 16, 1]),
    value(11, 'in_n_layer_self_v_cache', FLOAT, [1, 1, 16, 1]),
    value(11, 'n_layer_cross_k', FLOAT, [1]),
    value(11, 'n_layer_cross_v', FLOAT, [1]),
    value(11, 'offset', INT64, [1]),
    value(12, 'logits', FLOAT, [1, 1, VOCABULARY]),
    value(12, 'out_n_layer_self_k_cache', FLOAT, [1, 1, 16, 1]),
    value(12, 'out_n_layer_self_v_cache', FLOAT, [1, 1, 16, 1]),
  ];
  return model(graph, { model_type: 'whisper' });
}

/** An initializer: a list of integers. */
function integers(name: string, of: readonly number[]): Buffer {
  return bytes(5, number(1, of.length), number(2, INT64), text(8, name), bytes(9, words(...of)));
}

function model(graph: Buffer[], metadata: Readonly<Record<string, string | number>>): Buffer {
  const entries = Object.entries(metadata).map(([key, of]) => bytes(14, text(1, key), text(2, String(of))));
  return Buffer.concat([number(1, 8), bytes(8, text(1, ''), number(2, 13)), bytes(7, ...graph), ...entries]);
}
