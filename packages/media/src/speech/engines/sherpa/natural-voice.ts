import type { CatalogueVoice } from '../../contract.js';
import { catalogueOf, parseSherpaModel, type SherpaModel, wrongDescription } from './model.js';
import { PHONE_NOTATIONS, type PhoneNotation } from './phones.js';

/** Networks that imitate a recording and have no voices of their own: Pocket TTS. */
const CLONING_ENGINES = ['pocket'] as const;

/** Supported networks: Kokoro-82M, VITS (such as Piper), Matcha-TTS, and those that clone. */
const ENGINES = ['kokoro', 'vits', 'matcha', ...CLONING_ENGINES] as const;

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
  readonly engine: (typeof ENGINES)[number];
  /** Page with audio samples. */
  readonly samples: string;
  /** How the network's phones are written, unless it reads text. */
  readonly phones?: PhoneNotation;
  /** Empty for a model that clones. */
  readonly speakers: readonly Speaker[];
}

/** Description of an installed voice, inside its folder. */
export const VOICE_FILE = 'voice.json';

/** The natural voices of the catalogue. */
export function naturalVoices(): NaturalVoiceModel[] {
  return catalogueOf(ENGINES).map(parseNaturalVoice);
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

/** The catalogue entries of a model's voices. */
export function catalogueVoices({ name, title, speakers, engine }: NaturalVoiceModel): CatalogueVoice[] {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  return speakers.map((speaker) => ({
    provider: 'sherpa',
    voice: voiceId(name, speaker),
    name: speakers.length === 1 ? speaker.name : `${speaker.name} (${title})`,
    language: names.of(speaker.locale.split('-')[0] ?? 'en') ?? speaker.locale,
    locale: speaker.locale,
    gender: speaker.gender,
    premium: false,
    natural: engine === 'kokoro' ? 'slow' : 'quick',
  }));
}

/** A cloned voice for the synthesizer; its name, language and gender are kept where the recording is. */
export function clonedVoice(voice: string): CatalogueVoice {
  return {
    ...{ provider: 'sherpa', voice, name: voice, language: 'English', locale: 'en-US' },
    ...{ gender: 'female', premium: false },
  };
}

/** The id of a model's voice at the provider. */
export function voiceId(name: string, { voice }: Pick<Speaker, 'voice'>): string {
  return `${name}.${voice}`;
}
