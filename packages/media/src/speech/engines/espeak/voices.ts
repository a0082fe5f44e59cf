import type { CatalogueVoice } from '../../contract.js';
import { ESPEAK_LANGUAGES } from './languages.js';

/** eSpeak's variants: its plain voice, a female one, and a smoother male one for English, whose plain voice is unpleasant. */
const PLAIN = '';
const FEMALE = '+f2';
const KLATT = '+klatt4';

/** A voice of this engine. */
export interface EspeakVoice {
  readonly voice: string;
  readonly locale: string;
  readonly gender: CatalogueVoice['gender'];
  /** Integrated loudness of its raw output, in LUFS at full scale ±1. */
  readonly rawLufs: number;
}

/** All supported voices of eSpeak: a male and a female one for each language. */
export function espeakVoices(): EspeakVoice[] {
  return ESPEAK_LANGUAGES.flatMap(([language, locale, maleLufs, femaleLufs]) => [
    {
      voice: `${language}${locale.startsWith('en-') ? KLATT : PLAIN}`,
      locale,
      gender: 'male' as const,
      rawLufs: maleLufs,
    },
    { voice: `${language}${FEMALE}`, locale, gender: 'female' as const, rawLufs: femaleLufs },
  ]);
}

/** The entry of a voice in the catalogue. */
export function espeakCatalogueVoice({ voice, locale, gender }: EspeakVoice): CatalogueVoice {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  const language = locale === 'zh-HK' ? 'Cantonese' : (names.of(locale.split('-')[0]!) ?? locale);
  return {
    provider: 'espeak',
    voice,
    name: `${locale.startsWith('zh-') ? language : (names.of(locale) ?? locale)}, ${gender}`,
    language,
    locale,
    gender,
    premium: false,
  };
}
