import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { type Pcm, readPcm } from '../../../audio.js';
import {
  type CatalogueVoice,
  type Cloning,
  type ProviderName,
  type SpeechChunk,
  SpeechError,
  type SpeechOptions,
  type Synthesizer,
} from '../../contract.js';
import { resampled } from '../../resample.js';
import { prepareSentences } from '../../text/prepare.js';
import { joinSpoken } from '../../text/reading/tokens.js';
import { assertReadable } from '../../text/scripts.js';
import type { Sentence } from '../../text/sentences.js';
import { NEUTRAL } from '../../text/ssml-values.js';
import type { EspeakSynthesizer } from '../espeak/espeak.js';
import type { WordSpan } from '../espeak/speaker.js';
import { HeardLoudness } from '../gain.js';
import { master } from '../master.js';
import { type SentenceOrder, type SpokenPhone, type SpokenSentence, speakSentences } from '../sentence.js';
import { CLOUD_RATE } from './rate.js';

/** A request for one sentence. */
export interface CloudSentence {
  readonly text: string;
  /** Its words one by one. */
  readonly order: SentenceOrder;
  /** With the locale of the sentence, which may be of another language. */
  readonly voice: CatalogueVoice;
  readonly speed: number;
  readonly stability: number | undefined;
}

/** A provider's response: 16-bit little-endian mono PCM at {@link CLOUD_RATE}, and the times of characters, if reported. */
export interface CloudSpeech {
  readonly pcm: Buffer;
  /** For each UTF-16 unit of the text, its start and end in seconds. */
  readonly characters?: readonly { readonly start: number; readonly end: number }[];
  /** Start of each phone in seconds; empty or absent when the provider does not report it. */
  readonly sounds?: readonly number[];
  /** The provider cannot follow the speed, so the sound is stretched. */
  readonly isAtOwnPace?: boolean;
}

/** Interface to a provider that returns whole sentences as sound, on the network or on this machine. */
export interface CloudApi {
  readonly provider: ProviderName;
  /** Its voices read one language each; those on the network recognise languages themselves. */
  readonly isLocal?: true;
  /** Maximum words of the first phrases of an utterance, of a provider whose longer ones would start late. */
  readonly firstWords?: readonly number[];
  /** Cache time of its list of voices, ms; ten minutes when absent. */
  readonly voicesFreshMs?: number;
  voices(): Promise<readonly CatalogueVoice[]>;
  /** A voice that is missing in the list: a cloned one, or one that is newer than the list. */
  unlisted?(voice: string): Promise<CatalogueVoice | undefined>;
  readonly cloning?: Cloning;
  speak(sentence: CloudSentence, signal: AbortSignal): Promise<CloudSpeech>;
  /** Closes open connections. Idempotent. */
  close?(): void | Promise<void>;
}

/** Default cache time of a provider's list of voices. */
const VOICES_FRESH_MS = 10 * 60_000;

/** Amplitude below which the ends of a provider's sound count as silence. */
const SILENCE = 0.006;

/**
 * A synthesizer for a provider of whole sentences: one request per sentence, converted to the engine's sample rate and loudness, with
 * phones found by alignment. It stores the measured loudness of each voice, so that all later sentences use one gain.
 */
export class CloudSynthesizer implements Synthesizer {
  readonly provider: ProviderName;
  readonly #heard = new HeardLoudness();
  readonly #closed = new AbortController();
  #voices: { readonly list: Promise<readonly CatalogueVoice[]>; readonly at: number } | undefined;

  /** @param espeak finds the phones; the caller closes it. */
  constructor(
    private readonly api: CloudApi,
    private readonly espeak: Pick<EspeakSynthesizer, 'align'>,
  ) {
    this.provider = api.provider;
  }

  voices(): Promise<readonly CatalogueVoice[]> {
    const now = performance.now();
    if (!this.#voices || now - this.#voices.at > (this.api.voicesFreshMs ?? VOICES_FRESH_MS)) {
      const list = this.api.voices();
      this.#voices = { list, at: now };
      list.catch(() => {
        this.#voices = undefined;
      });
    }
    return this.#voices.list;
  }

  async *synthesize(text: string, options: SpeechOptions): AsyncGenerator<SpeechChunk, void, void> {
    const { voice: id } = options;
    const voice = (await this.voices()).find((each) => each.voice === id) ?? (await this.api.unlisted?.(id));
    if (!voice) throw new SpeechError('unknown_voice', `${this.provider} has no voice ${id}`);
    const locale = options.locale ?? voice.locale;
    // Kept speech is for a video, whose sound is not heard before it is complete.
    const firstWords = options.keep ? undefined : this.api.firstWords;
    const prepared = prepareSentences(text, locale, { ...options, ...(firstWords && { firstWords }) });
    const sentences = this.api.isLocal ? readable(prepared, { voice: `${this.provider}:${id}`, locale }) : prepared;
    yield* speakSentences(sentences, options, (order, signal) =>
      this.#speak(order, { ...voice, locale }, AbortSignal.any([signal, this.#closed.signal])),
    );
  }

  get cloning(): Cloning | undefined {
    return this.api.cloning;
  }

  async close(): Promise<void> {
    await this.api.close?.();
    this.#closed.abort(new SpeechError('provider_failed', `${this.provider} is closed`));
  }

  async #speak(order: SentenceOrder, voice: CatalogueVoice, signal: AbortSignal): Promise<SpokenSentence> {
    const { text, starts } = joinSpoken(order.tokens);
    if (!/[\p{L}\p{N}]/u.test(text)) return { samples: new Float32Array(0), phones: [] };
    const { pcm, characters, sounds, isAtOwnPace } = await this.api.speak(
      { text, order, voice, speed: order.speed, stability: order.stability },
      signal,
    );
    const raw = resampled(samplesOf(pcm, this.provider), CLOUD_RATE, SAMPLE_RATE);
    const span = soundSpan(raw);
    const samples = master(raw, span, this.#heard.gain(voice.voice, raw.subarray(span.from, span.to)));
    if (samples.length === 0) return { samples, phones: [] };
    const words =
      characters && wordSpans(order.tokens, starts, characters, { from: span.from, length: samples.length });
    const rendering = { order: isAtOwnPace ? paced(order) : order, locale: voice.locale, samples, words };
    const spoken = await this.espeak.align(rendering, signal);
    // Prosody changes have moved the sounds away from the provider's times.
    if (!words || !sounds || order.prosody) return spoken;
    const begins = sounds.map((seconds) => Math.round(seconds * SAMPLE_RATE) - span.from);
    return { ...spoken, phones: retimed(spoken.phones, words, begins) };
  }
}

/** Throws for a sentence that the voice cannot read. */
function* readable(
  sentences: Iterable<Sentence>,
  reader: { readonly voice: string; readonly locale: string },
): Generator<Sentence> {
  for (const sentence of sentences) {
    assertReadable(sentence.tokens.map(({ text }) => text).join(' '), reader);
    yield sentence;
  }
}

/** The order with its speed as prosody. One object for all words without prosody, so that they are stretched together. */
function paced(order: SentenceOrder): SentenceOrder {
  if (order.speed === 1) return order;
  const plain = { ...NEUTRAL, rate: order.speed };
  const prosody = order.tokens.map((_, token) => {
    const own = order.prosody?.[token];
    return own === undefined ? plain : { ...own, rate: own.rate * order.speed };
  });
  return { ...order, prosody };
}

/** Uses the provider's times for words in which it reports as many sounds as the alignment found; other words keep the aligned times. */
function retimed(phones: readonly SpokenPhone[], words: readonly WordSpan[], begins: readonly number[]): SpokenPhone[] {
  const own = new Map(
    words.map(({ token, start, end }) => [token, begins.filter((begin) => begin >= start && begin < end)]),
  );
  const ends = new Map(words.map(({ token, end }) => [token, end]));
  let token = -1;
  let nth = 0;
  return phones.map((phone) => {
    nth = phone.token === token ? nth + 1 : 0;
    token = phone.token;
    const times = own.get(token) ?? [];
    const count = phones.filter((one) => one.token === token).length;
    if (token < 0 || times.length !== count) return phone;
    const start = times[nth] ?? phone.start;
    const end = times[nth + 1] ?? ends.get(token) ?? phone.end;
    return end > start ? { ...phone, start, end } : phone;
  });
}

function samplesOf(pcm: Buffer, provider: string): Float32Array {
  if (pcm.length === 0 || pcm.length % 2 !== 0) {
    throw new SpeechError('provider_failed', `expected 16-bit PCM from ${provider}, got ${pcm.length} bytes`);
  }
  return readPcm(pcm);
}

/** From 12 ms before the first to 60 ms after the last audible sample. */
function soundSpan(samples: Pcm): { from: number; to: number } {
  const first = samples.findIndex((sample) => Math.abs(sample) > SILENCE);
  if (first < 0) return { from: 0, to: 0 };
  const last = samples.findLastIndex((sample) => Math.abs(sample) > SILENCE);
  return {
    from: Math.max(0, first - Math.round(0.012 * SAMPLE_RATE)),
    to: Math.min(samples.length, last + Math.round(0.06 * SAMPLE_RATE)),
  };
}

/** Times of the tokens from the times of their characters, without punctuation, which is silent. */
function wordSpans(
  tokens: readonly string[],
  starts: readonly number[],
  characters: readonly { readonly start: number; readonly end: number }[],
  cut: { readonly from: number; readonly length: number },
): WordSpan[] {
  const place = (seconds: number): number =>
    Math.min(cut.length, Math.max(0, Math.round(seconds * SAMPLE_RATE) - cut.from));
  return tokens.flatMap((spoken, token) => {
    const letters = [...spoken.matchAll(/[\p{L}\p{M}\p{N}\p{S}&%@#]/gu)].map(({ index }) => starts[token]! + index);
    const first = characters[letters[0] ?? -1];
    const last = characters[letters.at(-1) ?? -1];
    return first && last ? [{ token, start: place(first.start), end: place(last.end) }] : [];
  });
}
