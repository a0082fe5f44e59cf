import type { Age, ProviderName } from '@figurehead/contract/document';
import type { Marks, NamedMark, PhonemeMark, WordMark } from '@figurehead/presenter/marks';
import type { Pcm } from '../audio.js';
import type { Saying } from './text/piece.js';

export type { Marks, NamedMark, PhonemeMark, ProviderName, WordMark };

/** A finished piece of an utterance. `start` is its first sample's position in the utterance; marks are utterance-relative. Without samples, it moves the mouth before the sound. */
export interface SpeechChunk {
  readonly start: number;
  readonly samples: Pcm;
  readonly marks: Marks;
}

/** A whole utterance: all chunks joined. */
export interface SpokenText {
  readonly samples: Pcm;
  readonly marks: Marks;
}

/** A voice of the catalogue. Its global id is `${provider}:${voice}`. */
export interface CatalogueVoice {
  readonly provider: ProviderName;
  /** The provider's own id, e.g. `rms` or `de+f2`. */
  readonly voice: string;
  /** Display name. */
  readonly name: string;
  /** English name of the language, e.g. `German`. */
  readonly language: string;
  /** BCP 47 tag, e.g. `de-DE`. */
  readonly locale: string;
  readonly gender: 'male' | 'female';
  /** Absent where the provider does not say. */
  readonly age?: Age;
  readonly premium: boolean;
  /**
   * Of a natural voice of this machine: the better sound has the higher `quality`; `load` is the processor seconds for a second of speech, those of
   * another machine until they are measured here.
   */
  readonly natural?: { readonly quality: number; readonly load: number; readonly isMeasured: boolean };
  /** Its melody is fixed: it ignores `stability`, unlike other voices of its provider. */
  readonly hasOwnMelody?: true;
}

/** Voice and settings of an utterance. */
export interface SpeechOptions {
  /** {@link CatalogueVoice.voice} of this provider. */
  readonly voice: string;
  /** Speaking rate relative to the voice's own, 0.7 to 1.2; 1 when absent. */
  readonly speed?: number;
  /** 0 lively … 1 steady; the voice's default when absent. */
  readonly stability?: number;
  /** BCP 47 tag for engines that speak several languages with one voice. */
  readonly locale?: string | undefined;
  /** Pronunciations by spelling in lower case: `{ figurehead: 'fig your head' }`. */
  readonly pronunciations?: Readonly<Record<string, string>>;
  /** SSML instructions for parts of the text, by offsets into it. */
  readonly sayings?: readonly Saying[];
  /** Keeps sentences between calls, so that an interrupted utterance can be continued. */
  readonly keep?: KeepSentence;
  /** Other speech comes directly before it, so a long first sentence is not split into phrases to start sooner. */
  readonly isContinued?: boolean;
  /** Aborting stops synthesis within 100 ms; the iterator then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Returns a kept sentence, or calls `speak` and keeps its result; a rejection ends the utterance.
 * @param order JSON that determines the sentence, except for its provider.
 */
export type KeepSentence = <Spoken extends { readonly samples: Pcm }>(
  order: object,
  speak: () => Promise<Spoken>,
) => Promise<Spoken>;

/** A speech failure. Callers branch on `code`; `message` is for the user. */
export class SpeechError extends Error {
  constructor(
    readonly code:
      | 'unknown_voice'
      | 'not_configured'
      | 'bad_option'
      | 'provider_failed'
      | 'rate_limited'
      | 'interrupted',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'SpeechError';
  }
}

/** How a provider makes a voice from a recording. */
export interface Cloning {
  isReady(): Promise<boolean>;
  /** @param clone.id of the caller, by which {@link Cloning.find} finds the voice. @param clone.wav the recording. @returns the id of the voice. */
  add(clone: { readonly id: string; readonly name: string; readonly wav: Buffer }): Promise<string>;
  /** The voice that was made under an id of the caller; `undefined` when there is none at the provider. */
  find(id: string): Promise<string | undefined>;
  /** Removes a voice at the provider; one that is gone is ignored. */
  remove(voice: string): Promise<void>;
}

/** A speech engine. Safe for concurrent calls. The creator closes it. */
export interface Synthesizer {
  readonly provider: ProviderName;
  /** The voices that are available now; empty when the provider is not configured. */
  voices(): Promise<readonly CatalogueVoice[]>;
  /**
   * Speaks `text` (any script, 1 to 20 000 characters), chunk after chunk in order; the first sentence comes first.
   * Markup-like input is spoken as text, never interpreted. Lead-in silence is trimmed.
   * Throws {@link SpeechError}.
   */
  synthesize(text: string, options: SpeechOptions): AsyncIterable<SpeechChunk>;
  /** Makes voices from recordings; absent where the provider cannot. */
  readonly cloning?: Cloning | undefined;
  /** Loads everything that the first utterance would otherwise wait for. */
  warm?(): Promise<void>;
  /** Frees workers and models. Idempotent. */
  close(): Promise<void>;
}
