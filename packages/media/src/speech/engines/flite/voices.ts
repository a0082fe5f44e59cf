import type { Voice } from '../../contract.js';

/** A voice inside the Flite package with what was measured of it. */
export interface FliteVoice {
  readonly voice: 'rms' | 'slt' | 'awb' | 'kal16';
  readonly name: string;
  readonly gender: 'male' | 'female';
  readonly locale: 'en-US' | 'en-GB';
  /**
   * Standard deviation of the pitch around its mean that the voice has of its own, in Hz (found as the value that leaves
   * its sound unchanged); absent where the voice's own contour is used and the setting changes nothing.
   */
  readonly pitchDeviationHz?: number;
  /** Integrated loudness of the raw voice over the sample corpus, in LUFS at full scale ±1 (BS.1770-4, mono). */
  readonly rawLufs: number;
}

/** The Flite voices on offer, best first. */
export const FLITE_VOICES: readonly FliteVoice[] = [
  { voice: 'rms', name: 'Russell', gender: 'male', locale: 'en-US', rawLufs: -21.4 },
  { voice: 'slt', name: 'Sally', gender: 'female', locale: 'en-US', pitchDeviationHz: 27, rawLufs: -16.3 },
  { voice: 'awb', name: 'Alan', gender: 'male', locale: 'en-GB', pitchDeviationHz: 25, rawLufs: -20.3 },
  { voice: 'kal16', name: 'Kevin', gender: 'male', locale: 'en-US', pitchDeviationHz: 11, rawLufs: -28 },
];

/** The entry of a voice in the catalogue. */
export function fliteCatalogueVoice(voice: FliteVoice): Voice {
  return {
    provider: 'flite',
    voice: voice.voice,
    name: voice.name,
    language: 'English',
    locale: voice.locale,
    gender: voice.gender,
    premium: false,
    capabilities: {
      stability: voice.pitchDeviationHz !== undefined,
      streaming: true,
      phonemes: true,
      deterministic: true,
    },
  };
}

/**
 * Pitch deviation in Hz for a stability of 0 (lively, 1.9 × the voice's own) … 0.5 (its own) … 1 (0.1 × its own).
 * `undefined` where the voice does not follow it.
 */
export function pitchDeviation(voice: FliteVoice, stability: number | undefined): number | undefined {
  if (voice.pitchDeviationHz === undefined || stability === undefined) return undefined;
  return voice.pitchDeviationHz * (1.9 - 1.8 * stability);
}
