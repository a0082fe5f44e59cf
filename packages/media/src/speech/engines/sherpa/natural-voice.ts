import { createRequire } from 'node:module';
import type { CatalogueVoice } from '../../contract.js';

/** Supported networks: Kokoro-82M, VITS (such as Piper), Matcha-TTS. */
const ENGINES = ['kokoro', 'vits', 'matcha'] as const;

/** A voice inside a model. */
export interface Speaker {
  /** Its part of the voice's id. */
  readonly voice: string;
  /** Number in the model. */
  readonly id: number;
  readonly name: string;
  /** BCP 47. */
  readonly locale: string;
  readonly gender: CatalogueVoice['gender'];
}

/** A model of the catalogue, and the description of an installed one. */
export interface NaturalVoiceModel {
  /** Name for `figurehead voices add`, and of its folder once installed. */
  readonly name: string;
  readonly title: string;
  readonly engine: (typeof ENGINES)[number];
  /** English names. */
  readonly languages: readonly string[];
  /** SPDX identifier. */
  readonly licence: string;
  readonly licenceUrl: string;
  /** Page with audio samples. */
  readonly samples: string;
  /** A `.tar.bz2` with everything in the folder `root`; all addresses have the same file. */
  readonly archive: {
    readonly root: string;
    readonly urls: readonly string[];
    readonly bytes: number;
    readonly sha256: string;
  };
  /** sherpa-onnx's settings of the network, as paths inside the folder; several of one kind as a list. */
  readonly files: Readonly<Record<string, string | readonly string[]>>;
  readonly speakers: readonly Speaker[];
}

/** Description of an installed voice, inside its folder. */
export const VOICE_FILE = 'voice.json';

/** The catalogue: `packages/media/data/natural-voices.json`. */
export function naturalVoices(): NaturalVoiceModel[] {
  const rows: unknown = createRequire(import.meta.url)('../../../../data/natural-voices.json');
  if (!Array.isArray(rows)) throw new Error('expected a list of natural voices');
  return rows.map(parseNaturalVoice);
}

/** Validates a description. Throws an Error that names the wrong field. */
export function parseNaturalVoice(raw: unknown): NaturalVoiceModel {
  const voice = raw as Partial<NaturalVoiceModel> | null;
  const { name, engine, archive, files, speakers } = voice ?? {};
  const fail = (what: string): never => {
    throw new Error(`expected ${what} in the description of the voice ${String(name)}`);
  };
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9._-]{0,80}$/iu.test(name))
    return fail('a name of letters, digits, . _ -');
  if (!ENGINES.some((each) => each === engine)) return fail(`an engine of ${ENGINES.join(', ')}`);
  if (typeof files !== 'object' || files === null) return fail('files');
  for (const path of Object.values(files).flat()) {
    if (typeof path !== 'string' || /^[\\/]|\.\.|:/u.test(path)) return fail('files inside its folder');
  }
  if (!Array.isArray(speakers) || speakers.length === 0) return fail('speakers');
  if (archive !== undefined && !/^[0-9a-f]{64}$/u.test(archive.sha256)) return fail('a SHA-256 of the archive');
  return voice as NaturalVoiceModel;
}

/** The catalogue entries of a model's voices. */
export function catalogueVoices({ name, title, speakers }: NaturalVoiceModel): CatalogueVoice[] {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  return speakers.map((speaker) => ({
    provider: 'sherpa',
    voice: voiceId(name, speaker),
    name: speakers.length === 1 ? speaker.name : `${speaker.name} (${title})`,
    language: names.of(speaker.locale.split('-')[0] ?? 'en') ?? speaker.locale,
    locale: speaker.locale,
    gender: speaker.gender,
    premium: false,
    capabilities: { stability: false, streaming: true, phonemes: false, deterministic: false },
  }));
}

/** The id of a model's voice at the provider. */
export function voiceId(name: string, { voice }: Pick<Speaker, 'voice'>): string {
  return `${name}.${voice}`;
}
