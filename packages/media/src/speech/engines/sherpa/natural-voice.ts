import type { CatalogueVoice } from '../../contract.js';
import { catalogueOf, parseSherpaModel, type SherpaModel, wrongDescription } from './model.js';
import { PHONE_NOTATIONS, type PhoneNotation } from './phones.js';
import { PIPER_ENGINE, piperCatalogue } from './piper-catalogue.js';

/** Networks that imitate a recording and have no voices of their own: Pocket TTS. */
const CLONING_ENGINES = ['pocket'] as const;

/** Supported networks, with the order of their quality, and their usual processor seconds for a second of speech until they are measured. */
const NETWORKS = {
  kokoro: { quality: 3, load: 0.7 },
  supertonic: { quality: 2, load: 0.6 },
  kitten: { quality: 2, load: 0.6 },
  matcha: { quality: 1, load: 0.1 },
  vits: { quality: 1, load: 0.1 },
  [PIPER_ENGINE]: { quality: 1, load: 0.1 },
  pocket: { quality: 0, load: 0.7 },
} as const;
const ENGINES = Object.keys(NETWORKS) as (keyof typeof NETWORKS)[];

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

/** A natural voice of the catalogue, and the description of an installed one. */
export interface NaturalVoiceModel extends SherpaModel {
  readonly engine: keyof typeof NETWORKS;
  /** Page with audio samples. */
  readonly samples: string;
  /** How the network's phones are written, unless it reads text. */
  readonly phones?: PhoneNotation;
  /** Empty for a model that clones. */
  readonly speakers: readonly Speaker[];
  /** Other languages that each of its speakers speaks, BCP 47. */
  readonly locales?: readonly string[];
}

/** Description of an installed voice, inside its folder. */
export const VOICE_FILE = 'voice.json';

/** The natural voices of the catalogue, best first. */
export function naturalVoices(): NaturalVoiceModel[] {
  const others = ENGINES.filter((engine) => engine !== 'kokoro');
  return [...catalogueOf(['kokoro']), ...piperCatalogue(), ...catalogueOf(others)].map(parseNaturalVoice);
}

/** The speakers of a model, once for each language. */
export function speakersOf({ speakers, locales = [] }: NaturalVoiceModel): readonly Speaker[] {
  const others = locales.flatMap((locale) =>
    speakers.map((speaker) => ({ ...speaker, voice: `${speaker.voice}-${languageOf(locale)}`, locale })),
  );
  return [...speakers, ...others];
}

/** Validates a description. Throws an Error that names the wrong field. */
export function parseNaturalVoice(raw: unknown): NaturalVoiceModel {
  const voice = parseSherpaModel(raw, ENGINES) as NaturalVoiceModel;
  if (!Array.isArray(voice.speakers) || (voice.speakers.length === 0) !== isCloning(voice))
    throw wrongDescription(voice.name, isCloning(voice) ? 'no speakers' : 'speakers');
  if (voice.phones !== undefined && !PHONE_NOTATIONS.includes(voice.phones))
    throw wrongDescription(voice.name, `phones of ${PHONE_NOTATIONS.join(' or ')}`);
  return voice;
}

/** Whether a model speaks like a recording. */
export function isCloning({ engine }: Pick<NaturalVoiceModel, 'engine'>): boolean {
  return CLONING_ENGINES.some((each) => each === engine);
}

/** How a network suits videos and live speech. @param load as measured on this machine. */
export function naturalnessOf(engine: NaturalVoiceModel['engine'], load?: number): CatalogueVoice['natural'] & object {
  return { ...NETWORKS[engine], ...(load !== undefined && { load }), isMeasured: load !== undefined };
}

/** The catalogue entries of a model's voices. @param load as measured on this machine. */
export function catalogueVoices(model: NaturalVoiceModel, load: number | undefined): CatalogueVoice[] {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  return speakersOf(model).map((speaker) => ({
    provider: 'sherpa',
    voice: voiceId(model.name, speaker),
    name: model.speakers.length === 1 ? speaker.name : `${speaker.name} (${model.title})`,
    language: names.of(languageOf(speaker.locale)) ?? speaker.locale,
    locale: speaker.locale,
    gender: speaker.gender,
    premium: false,
    natural: naturalnessOf(model.engine, load),
  }));
}

/** The language of a BCP 47 tag. */
export function languageOf(locale: string): string {
  return locale.split('-')[0] ?? locale;
}

/** A cloned voice for the synthesizer; its name, language and gender are kept where the recording is. */
export function clonedVoice(voice: string): CatalogueVoice {
  return {
    ...{ provider: 'sherpa', voice, name: voice, language: 'English', locale: 'en-US' },
    ...{ gender: 'female', premium: false },
  };
}

/** The global ids of a model's voices. */
export function voiceIds(model: NaturalVoiceModel): string[] {
  const isPiper = model.engine === PIPER_ENGINE;
  return speakersOf(model).map((each) => (isPiper ? `piper:${each.voice}` : `sherpa:${voiceId(model.name, each)}`));
}

/** The id of a model's voice at the provider. */
export function voiceId(name: string, { voice }: Pick<Speaker, 'voice'>): string {
  return `${name}.${voice}`;
}
