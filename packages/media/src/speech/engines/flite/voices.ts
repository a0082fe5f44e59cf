import type { CatalogueVoice } from '../../contract.js';

/** A voice of the Flite package with its measurements. */
export interface FliteVoice {
  readonly voice: 'rms' | 'slt' | 'awb' | 'kal16';
  readonly name: string;
  readonly gender: 'male' | 'female';
  readonly locale: 'en-US' | 'en-GB';
  /**
   * Standard deviation of the voice's pitch, in Hz: about twice its default, which is monotone. Absent for voices with their own contour, on
   * which the setting has no effect.
   */
  readonly pitchDeviationHz?: number;
  /** Pitch ratio at the end of a statement, in addition to the voice's own melody. */
  readonly finalFall: number;
  /** Integrated loudness of the raw voice over the sample corpus, in LUFS at full scale ±1 (BS.1770-4, mono). */
  readonly rawLufs: number;
}

/** The supported Flite voices, best first. */
export const FLITE_VOICES: readonly FliteVoice[] = [
  { voice: 'rms', name: 'Russell', gender: 'male', locale: 'en-US', finalFall: 1, rawLufs: -21.4 },
  {
    voice: 'slt',
    name: 'Sally',
    gender: 'female',
    locale: 'en-US',
    pitchDeviationHz: 50,
    finalFall: 0.86,
    rawLufs: -16.3,
  },
  { voice: 'awb', name: 'Alan', gender: 'male', locale: 'en-GB', pitchDeviationHz: 32, finalFall: 1, rawLufs: -20.3 },
  {
    voice: 'kal16',
    name: 'Kevin',
    gender: 'male',
    locale: 'en-US',
    pitchDeviationHz: 18,
    finalFall: 0.88,
    rawLufs: -28,
  },
];

/** The entry of a voice in the catalogue. */
export function fliteCatalogueVoice(voice: FliteVoice): CatalogueVoice {
  return {
    provider: 'flite',
    voice: voice.voice,
    name: voice.name,
    language: 'English',
    locale: voice.locale,
    gender: voice.gender,
    premium: false,
    ...(voice.pitchDeviationHz === undefined ? { hasOwnMelody: true } : {}),
  };
}

/** Factor of a voice's pitch range by stability: 0 (lively) 1.35 … 0.5 or absent (default) 1 … 1 (steady) 0.1. */
export function liveliness(stability = 0.5): number {
  return stability < 0.5 ? 1.35 - 0.7 * stability : 1.9 - 1.8 * stability;
}
