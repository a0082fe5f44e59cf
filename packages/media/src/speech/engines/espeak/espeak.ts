import type { Spectrum } from '@figurehead/presenter/sound';
import type { Pcm } from '../../../audio.js';
import { compiledUrl } from '../../../compiled-url.js';
import type { SpeechChunk, SpeechOptions, Synthesizer } from '../../contract.js';
import { SpeechError } from '../../contract.js';
import { prepareSentences } from '../../text/prepare.js';
import { JobPool } from '../job-pool.js';
import { type SentenceOrder, type SpokenSentence, speakSentences } from '../sentence.js';
import type { SpelledSymbol, WordSpan } from './speaker.js';
import type { EspeakAnswer, EspeakJob } from './thread.js';
import { type EspeakVoice, espeakCatalogueVoice, espeakVoices } from './voices.js';

/** A sentence takes about ten milliseconds; after this time it is considered hung. */
const DEADLINE_MS = 20_000;

/** A sentence spoken by another engine. */
export interface Rendering {
  readonly order: SentenceOrder;
  readonly locale: string;
  readonly samples: Pcm;
  readonly words?: readonly WordSpan[] | undefined;
}

/**
 * A hundred languages by eSpeak NG (formant synthesis, espeak-ng.org) on at most `threads` threads. One chunk per sentence, two for the first one.
 * Each thread loads its own copy of the program, 50 MB, on first use.
 */
export class EspeakSynthesizer implements Synthesizer {
  readonly provider = 'espeak';
  readonly #voices = espeakVoices();
  readonly #pool: JobPool<EspeakJob, EspeakAnswer>;

  constructor(options: { readonly threads: number }) {
    this.#pool = new JobPool({
      url: compiledUrl('./thread.js', import.meta.url),
      threads: options.threads,
      deadlineMs: DEADLINE_MS,
    });
  }

  async voices(): ReturnType<Synthesizer['voices']> {
    return this.#voices.map(espeakCatalogueVoice);
  }

  async *synthesize(text: string, options: SpeechOptions): AsyncGenerator<SpeechChunk, void, void> {
    const own = this.#voices.find(({ voice }) => voice === options.voice);
    if (!own) throw new SpeechError('unknown_voice', `espeak has no voice ${options.voice}`);
    const voice = this.#inLanguage(own, options.locale);
    yield* speakSentences(
      prepareSentences(text, voice.locale, { ...options, quickStart: true }),
      { ...options, voice: voice.voice },
      (order, signal, onHead) =>
        this.#pool.run({ kind: 'speak', order, withHead: onHead !== undefined }, signal, onHead),
    );
  }

  /**
   * Finds the phones of a sentence in another engine's rendering of it: inside the times of `words` when given, otherwise by
   * dynamic time warping against eSpeak's own rendering (word onsets: median error 7 ms, 95 % within 40 ms).
   * Ignores `order.voice` and uses a voice of `locale`, or an English one when there is none.
   */
  align(rendering: Rendering, signal: AbortSignal): Promise<SpokenSentence> {
    const { locale, samples, words } = rendering;
    const order = { ...rendering.order, voice: this.#referenceVoice(locale), speed: 1 };
    return this.#pool.run({ kind: 'align', order, samples, words }, signal);
  }

  /** Grapheme to phoneme: the order's tokens in eSpeak's IPA. @param as any voice of eSpeak, or the locale of the text. */
  async spell(
    order: SentenceOrder,
    as: string | { readonly locale: string },
    signal: AbortSignal,
  ): Promise<readonly SpelledSymbol[]> {
    const voice = typeof as === 'string' ? as : this.#referenceVoice(as.locale);
    return (await this.#pool.run({ kind: 'spell', order: { ...order, voice } }, signal)).symbols ?? [];
  }

  /** Speaks a sentence with the voice that {@link align} compares with; in English for a language that eSpeak does not have. */
  async reference(order: SentenceOrder, signal: AbortSignal): Promise<SpokenSentence> {
    const voice = this.#referenceVoice(order.locale ?? '');
    return this.#pool.run({ kind: 'speak', order: { ...order, voice, speed: 1 }, withHead: false }, signal);
  }

  /** See `warpPath`. */
  async warp(
    sounds: { reference: readonly Spectrum[]; heard: readonly Spectrum[] },
    signal: AbortSignal,
  ): Promise<Float64Array> {
    const { path } = await this.#pool.run({ kind: 'warp', ...sounds }, signal);
    if (path === undefined) throw new Error('expected the path of a warp, got none');
    return path;
  }

  /** The voice of the same gender in another language, for `<lang>`; the voice itself when there is none. */
  #inLanguage(own: EspeakVoice, locale = own.locale): EspeakVoice {
    if (languageOf(locale) === languageOf(own.locale)) return own;
    const others = this.#voices.filter(({ gender }) => gender === own.gender);
    return bestFor(others, locale) ?? own;
  }

  /** The locale of a language, by its BCP 47 tag or English name; `undefined` for one that eSpeak does not have. */
  localeOf(language: string): string | undefined {
    const tag = language.toLowerCase();
    const found =
      this.#voices.find(({ locale }) => locale.toLowerCase() === tag) ??
      this.#voices.find(({ locale }) => languageOf(locale) === languageOf(tag)) ??
      this.#voices.find((voice) => espeakCatalogueVoice(voice).language.toLowerCase() === tag);
    return found?.locale;
  }

  #referenceVoice(locale: string): string {
    return bestFor(this.#voices, locale)?.voice ?? 'en-us+klatt4';
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** The first voice of a locale, or else of its language. */
function bestFor(voices: readonly EspeakVoice[], locale: string): EspeakVoice | undefined {
  return (
    voices.find((each) => each.locale === locale) ??
    voices.find((each) => languageOf(each.locale) === languageOf(locale))
  );
}

function languageOf(locale: string): string | undefined {
  return locale.split('-')[0];
}
