import { appendFile, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CatalogueVoice, SpeechError } from '../../contract.js';
import { missing } from './model.js';
import { networkMetadata } from './network-metadata.js';
import { WIDE } from './phones.js';
import { piperLanguage } from './piper-catalogue.js';
import type { SherpaNetwork } from './thread.js';

/** A Piper voice on disk: `<voice>.onnx` and `<voice>.onnx.json`. */
export interface PiperVoice {
  readonly entry: CatalogueVoice;
  readonly model: string;
  /** Sample rate, Hz. */
  readonly rate: number;
  /** Kind of its symbols; only those of eSpeak are supported. */
  readonly reads: string;
  /** eSpeak's language whose phones the network was trained with. */
  readonly espeak: string;
  readonly noiseScale: number;
  readonly lengthScale: number;
  readonly noiseScaleW: number;
  readonly ids: Readonly<Record<string, number>>;
  readonly speakers: number;
}

/** The symbols of most voices, in the words of their descriptions. */
const READS = 'espeak';

/** Men among the voices that the Piper project publishes; its files do not say. */
const MEN = new Set(
  `alan aldo amir anderson bryce cadu carlfm claude danny davefx denis dfki dmitri edresson fabian faber fahrettin fettah ganji gilles
  gyro harri imre issai jeff joe john joris karlsson kusal mihai norman northern_english_male hfc_male pim pavoque rdh
  reza_ibrahim riccardo ronnie ruslan ryan steinn tjiho tom thorsten thorsten_emotional tugao ugla_male darkman mc_speech`.split(
    /\s+/u,
  ),
);

/** The voices in a folder, sorted by name; none for a missing folder. A broken description throws. @param gender where it is known. */
export async function readPiperVoices(folder: string, gender?: CatalogueVoice['gender']): Promise<PiperVoice[]> {
  const names = (await readdir(folder).catch(missing)) ?? [];
  const models = names.filter((name) => name.endsWith('.onnx') && names.includes(`${name}.json`)).sort();
  return Promise.all(models.map((name) => readVoice(folder, name, gender)));
}

async function readVoice(folder: string, file: string, known?: CatalogueVoice['gender']): Promise<PiperVoice> {
  const described = join(folder, `${file}.json`);
  const description = asRecord(JSON.parse(await readFile(described, 'utf8')), described);
  const part = (key: string): Record<string, unknown> => asRecord(description[key] ?? {}, `${described}, ${key}`);
  const inference = part('inference');
  const espeak = String(part('espeak').voice ?? 'en-us');
  const ids = Object.fromEntries(
    Object.entries(part('phoneme_id_map')).map(([symbol, each]) => [symbol, Number([each].flat()[0])]),
  );
  if ([ids['^'], ids.$, ids._].some((id) => !Number.isSafeInteger(id)))
    throw new SpeechError('provider_failed', `expected ids of the phonemes ^, $ and _ in ${described}`);
  const voice = file.slice(0, -'.onnx'.length);
  const { locale, language } = piperLanguage(String(part('language').code ?? espeak));
  const [, speaker = voice] = /^[a-z]{2,3}_[A-Z]{2}-(.+?)(?:-(?:x_low|low|medium|high))?$/u.exec(voice) ?? [];
  const name = voice.replace(/^[a-z]{2,3}_[A-Z]{2}-/u, '').replace(/[-_]/gu, ' ');
  const gender = known ?? genderOf(description.gender, speaker);
  return {
    entry: { provider: 'piper', voice, name, language, locale, gender, premium: false },
    ...{ espeak, ids, model: join(folder, file), reads: String(description.phoneme_type ?? READS) },
    rate: number(part('audio').sample_rate, 22_050),
    noiseScale: number(inference.noise_scale, 0.667),
    lengthScale: number(inference.length_scale, 1),
    noiseScaleW: number(inference.noise_w, 0.8),
    speakers: number(description.num_speakers, 1),
  };
}

function genderOf(described: unknown, speaker: string): CatalogueVoice['gender'] {
  if (described === 'male' || described === 'female') return described;
  return MEN.has(speaker) ? 'male' : 'female';
}

/** Where the copy of a voice's network is, which changes with the network. @param folder of the copies. */
export async function piperPlace({ model, entry }: PiperVoice, folder: string): Promise<string> {
  const { size, mtimeMs } = await stat(model);
  return join(folder, entry.voice, `${size}-${Math.floor(mtimeMs)}`);
}

/**
 * A voice as sherpa-onnx reads it: a copy of the network with a description of its input, and its table of phones. The copy is made once, and
 * again after a change of the network; several processes may make it at once. Throws a {@link SpeechError} for a network that reads no phones.
 * @param folder of the copies.
 */
export async function preparePiperVoice(voice: PiperVoice, folder: string): Promise<SherpaNetwork> {
  if (voice.reads !== READS)
    throw new SpeechError(
      'provider_failed',
      `the voice piper:${voice.entry.voice} reads ${voice.reads}, which is not supported; only ${READS} is`,
    );
  const place = await piperPlace(voice, folder);
  const network: SherpaNetwork = {
    ...{ folder: place, engine: 'vits', phones: 'piper', files: { model: 'model.onnx', tokens: 'tokens.txt' } },
    settings: { noiseScale: voice.noiseScale, noiseScaleW: voice.noiseScaleW, lengthScale: voice.lengthScale },
  };
  if (await stat(place).catch(missing)) return network;
  await rm(dirname(place), { recursive: true, force: true });
  const own = `${place}.${process.pid}`;
  await mkdir(own, { recursive: true });
  await copyFile(voice.model, join(own, 'model.onnx'));
  await appendFile(join(own, 'model.onnx'), networkMetadata(metadataOf(voice)));
  await writeFile(join(own, 'tokens.txt'), tokensOf(voice.ids));
  await rename(own, place).catch(async (error: unknown) => {
    if (!(await stat(place).catch(missing))) throw error;
  });
  return network;
}

/** What sherpa-onnx must know about the network: phones one by one, with a pad after each, as in Piper's `^ _ p _ p _ $`. */
function metadataOf({ ids, rate, speakers, entry: { language } }: PiperVoice): Record<string, string | number> {
  return {
    ...{ model_type: 'vits', comment: 'piper', frontend: 'characters', language, sample_rate: rate },
    ...{ n_speakers: speakers, add_blank: 1, use_eos_bos: 1 },
    ...{ blank_id: ids._ ?? 0, bos_id: ids['^'] ?? 1, eos_id: ids.$ ?? 2 },
  };
}

function tokensOf(ids: PiperVoice['ids']): string {
  const rows = Object.entries(ids).filter(([symbol]) => [...symbol].length === 1 && !'_^$'.includes(symbol));
  return rows.map(([symbol, id]) => `${WIDE[symbol] ?? symbol} ${id}\n`).join('');
}

function asRecord(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new SpeechError('provider_failed', `expected an object in ${where}`);
}

function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
