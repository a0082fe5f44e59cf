import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CatalogueVoice, SpeechError } from '../../contract.js';

/** A Piper voice on disk: `<voice>.onnx` and `<voice>.onnx.json`. */
export interface PiperVoice {
  readonly voice: string;
  readonly model: string;
  /** Sample rate, Hz. */
  readonly rate: number;
  /** eSpeak's voice for its phones. */
  readonly espeakVoice: string;
  readonly locale: string;
  readonly gender: CatalogueVoice['gender'];
  readonly noiseScale: number;
  readonly lengthScale: number;
  readonly noiseWidth: number;
  readonly phonemeIds: Readonly<Record<string, readonly number[]>>;
  readonly speakers: number;
}

/** The voices in a folder, sorted by name; none for a missing folder. A broken description throws. */
export async function readPiperVoices(folder: string): Promise<PiperVoice[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const models = names.filter((name) => name.endsWith('.onnx') && names.includes(`${name}.json`)).sort();
  return Promise.all(models.map((name) => readVoice(folder, name)));
}

async function readVoice(folder: string, name: string): Promise<PiperVoice> {
  const file = join(folder, `${name}.json`);
  const description = asRecord(JSON.parse(await readFile(file, 'utf8')), file);
  const part = (key: string): Record<string, unknown> => asRecord(description[key] ?? {}, `${file}, ${key}`);
  const inference = part('inference');
  const espeakVoice = String(part('espeak').voice ?? 'en-us');
  const phonemeIds = Object.fromEntries(
    Object.entries(part('phoneme_id_map')).map(([symbol, ids]) => [symbol, Array.isArray(ids) ? ids.map(Number) : []]),
  );
  if (!phonemeIds['^'] || !phonemeIds.$ || !phonemeIds._) {
    throw new SpeechError('provider_failed', `expected ids of the phonemes ^, $ and _ in ${file}`);
  }
  return {
    voice: name.slice(0, -'.onnx'.length),
    model: join(folder, name),
    rate: number(part('audio').sample_rate, 22_050),
    espeakVoice,
    locale: String(part('language').code ?? espeakVoice).replace('_', '-'),
    // Not part of Piper's descriptions; an operator may add the field.
    gender: description.gender === 'male' ? 'male' : 'female',
    noiseScale: number(inference.noise_scale, 0.667),
    lengthScale: number(inference.length_scale, 1),
    noiseWidth: number(inference.noise_w, 0.8),
    phonemeIds,
    speakers: number(description.num_speakers, 1),
  };
}

/** The entry of a voice in the catalogue. */
export function piperCatalogueVoice({ voice, locale, gender }: PiperVoice): CatalogueVoice {
  return {
    provider: 'piper',
    voice,
    name: voice.replace(/^[a-z]{2,3}_[A-Z]{2}-/, '').replace(/[-_]/g, ' '),
    language: new Intl.DisplayNames('en', { type: 'language' }).of(locale.split('-')[0]!) ?? locale,
    locale,
    gender,
    premium: false,
  };
}

function asRecord(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new SpeechError('provider_failed', `expected an object in ${where}`);
}

function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
