import { SAMPLE_RATE, secondsToSamples } from '@figurehead/presenter/time';
import type { Pcm } from '../../../audio.js';
import { gainOf, SPEECH_LUFS } from '../../../loudness.js';
import { withClosures, withOnsets } from '../../align/closures.js';
import { withOwnEdges } from '../../align/edges.js';
import { cepstra, spectra } from '../../align/mfcc.js';
import { warp } from '../../align/warp.js';
import { withProsody } from '../../prosody/shape.js';
import { resampled } from '../../resample.js';
import { joinSpoken } from '../../text/reading/tokens.js';
import { splitAffixes } from '../../text/trim.js';
import { HEAD_MARGIN_SECONDS, headBefore } from '../head.js';
import { master } from '../master.js';
import type { SentenceOrder, SpokenPhone, SpokenSentence } from '../sentence.js';
import { bareIpa, ipaPhones, mnemonics } from './phones.js';
import { ESPEAK_RATE, type EspeakPhone, type EspeakProgram, type EspeakSpeech, type OnProgress } from './program.js';
import { type EspeakVoice, espeakVoices } from './voices.js';

const OWN_RATE = 175;
const OWN_RANGE = 50;

/** Minimum length of a head, in seconds, and for each character of the sentence: four times the time in which the rest is computed. */
const HEAD_SECONDS = 0.12;
const HEAD_SECONDS_PER_CHARACTER = 0.0006;

/** Sound kept before the first and after the last phone, in seconds at speed 1. */
const LEAD_SECONDS = 0.012;
const TAIL_SECONDS = 0.03;

/** Minimum gap between two words that counts as silence instead of imprecise times, in samples. */
const PAUSE_SAMPLES = secondsToSamples(0.03);

/** Tolerated deviation of a sentence's length from the requested speed before it is synthesized again, and the maximum number of attempts. */
const SPEED_TOLERANCE = 0.01;
const SPEED_ATTEMPTS = 3;

/** A sound in eSpeak's own IPA, with stress and length marks (`''` is a pause), and the token it belongs to. */
export interface SpelledSymbol {
  readonly symbol: string;
  readonly token: number;
}

/** Start and end of a token, in samples. */
export interface WordSpan {
  readonly token: number;
  readonly start: number;
  readonly end: number;
}

/** Speaks, spells and aligns sentences with one copy of the program. */
export class EspeakSpeaker {
  readonly #program: EspeakProgram;
  readonly #voices: ReadonlyMap<string, EspeakVoice>;

  constructor(program: EspeakProgram) {
    this.#program = program;
    this.#voices = new Map(espeakVoices().map((voice) => [voice.voice, voice]));
  }

  /** @param onHead receives the first words as soon as they are ready, at the voice's default speed. */
  speak(order: SentenceOrder, onHead?: (head: SpokenSentence) => void): SpokenSentence {
    const voice = this.#voices.get(order.voice);
    if (!voice) throw new Error(`expected an eSpeak voice, got ${order.voice}`);
    const spelled = spell(order);
    const finish = (speech: EspeakSpeech): SpokenSentence => this.#finish(speech, { order, voice, spelled });
    const least = Math.max(HEAD_SECONDS, HEAD_SECONDS_PER_CHARACTER * spelled.text.length);
    let hasHead = onHead === undefined;
    const speech = this.#speakAtSpeed(spelled.text, order, (seconds, soFar) => {
      if (hasHead || seconds < least + HEAD_MARGIN_SECONDS) return;
      const head = this.#headOf(soFar(), spelled, least);
      if (head === undefined) return;
      hasHead = true;
      const begun = finish(head.speech);
      onHead?.(headBefore(begun, head.token));
    });
    return withProsody(finish(speech), order.prosody);
  }

  /** The finished sentence from the first sound to the last. */
  #finish(
    speech: EspeakSpeech,
    { order, voice, spelled }: { order: SentenceOrder; voice: EspeakVoice; spelled: Spelled },
  ): SpokenSentence {
    const sounds = speech.phones.filter(({ symbol }) => bareIpa(symbol) !== '');
    if (sounds.length === 0) return { samples: new Float32Array(0), phones: [] };
    const from = secondsToSamples(Math.max(0, sounds[0]!.start - LEAD_SECONDS / order.speed));
    const to = secondsToSamples(sounds.at(-1)!.end + TAIL_SECONDS / order.speed);
    const raw = resampled(speech.samples, ESPEAK_RATE, SAMPLE_RATE);
    const samples = master(raw, { from, to }, gainOf(SPEECH_LUFS - voice.rawLufs));
    const owners = ownersOf(speech.phones, order.tokens, spelled);
    const phones = placePhones(speech.phones, owners, { from, length: samples.length });
    return { samples, phones: withClosures(phones, samples) };
  }

  /** The speech so far, and the first token that begins after `least` seconds; the sound before it is final. */
  #headOf(speech: EspeakSpeech, spelled: Spelled, least: number): { speech: EspeakSpeech; token: number } | undefined {
    const ready = speech.samples.length / ESPEAK_RATE - HEAD_MARGIN_SECONDS;
    const begun = begunTokens(speech.phones, spelled);
    const sounds = speech.phones.flatMap(({ symbol, start }, index) =>
      bareIpa(symbol) === '' ? [] : [{ start, token: begun[index]! }],
    );
    const earliest = (sounds[0]?.start ?? 0) + least;
    const next = sounds.find(
      ({ start, token }, index) =>
        index > 0 && token !== sounds[index - 1]!.token && start >= earliest && start <= ready,
    );
    if (next === undefined) return undefined;
    const heard = Math.ceil((next.start + HEAD_MARGIN_SECONDS) * ESPEAK_RATE);
    return { speech: { ...speech, samples: speech.samples.subarray(0, heard) }, token: next.token };
  }

  /** The order's tokens as phones; `order.voice` may be any voice of eSpeak. */
  spell(order: SentenceOrder): SpelledSymbol[] {
    const joined = spell(order);
    const { phones } = this.#program.speak(joined.text, { voice: order.voice, rate: OWN_RATE, range: OWN_RANGE });
    const owners = ownersOf(phones, order.tokens, joined);
    return phones.map(({ symbol }, index) => ({ symbol, token: owners[index]! }));
  }

  /** Times of the order's phones in `samples`: from the known times of words, otherwise by warping this voice onto the other. */
  align({ prosody, ...order }: SentenceOrder, samples: Pcm, words: readonly WordSpan[] | undefined): SpokenSentence {
    return withProsody(this.#aligned(order, samples, words), prosody);
  }

  #aligned(order: SentenceOrder, samples: Pcm, words: readonly WordSpan[] | undefined): SpokenSentence {
    const reference = this.speak(order);
    if (reference.phones.length === 0) return { samples, phones: [] };
    if (words) return { samples, phones: fitIntoWords(reference.phones, words) };
    const heard = spectra(samples);
    const phones = moved(reference.phones, warp(spectra(reference.samples), heard), samples.length);
    const frames = cepstra(heard);
    return { samples, phones: withOwnEdges(withClosures(withOnsets(phones, samples), samples), frames) };
  }

  /**
   * The program's words per minute are off by up to a tenth in some languages, so the rate is corrected by the measured length
   * until it is right.
   */
  #speakAtSpeed(text: string, order: SentenceOrder, onProgress: OnProgress = () => undefined): EspeakSpeech {
    const range = Math.min(99, Math.max(0, OWN_RANGE * (1.9 - 1.8 * (order.stability ?? 0.5))));
    const speak = (rate: number): EspeakSpeech => this.#program.speak(text, { voice: order.voice, rate, range });
    if (order.speed === 1) return this.#program.speak(text, { voice: order.voice, rate: OWN_RATE, range }, onProgress);
    let speech = speak(OWN_RATE);
    const wanted = soundSeconds(speech) / order.speed;
    let rate = OWN_RATE * order.speed;
    let best = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < SPEED_ATTEMPTS && best > SPEED_TOLERANCE; attempt++) {
      const next = speak(rate);
      const ratio = soundSeconds(next) / wanted;
      if (Math.abs(ratio - 1) < best) {
        best = Math.abs(ratio - 1);
        speech = next;
      }
      rate *= ratio;
    }
    return speech;
  }
}

/** The order's tokens, the program's input text for them, and the offset of each token in it. */
interface Spelled {
  readonly tokens: readonly string[];
  readonly text: string;
  readonly starts: readonly number[];
}

/** The program's input for an order's tokens: words, and sounds in its own notation for tokens with IPA. */
function spell({ tokens, ipa }: SentenceOrder): Spelled {
  const written = tokens.map((token, index) => {
    const sounds = mnemonics(ipa?.[index] ?? '');
    if (sounds === '') return token;
    const [before, , after] = splitAffixes(token, SIGN, SIGN);
    return `${before}[[${sounds}]]${after}`;
  });
  return { tokens, ...joinSpoken(written) };
}

const SIGN = /[\p{P}\p{S}]/u;

function soundSeconds({ phones }: EspeakSpeech): number {
  const sounds = phones.filter(({ symbol }) => symbol !== '');
  return (sounds.at(-1)?.end ?? 0) - (sounds[0]?.start ?? 0);
}

/**
 * The token of each phone. A word event begins a word; tokens without one were spoken together with the token before
 * (`in the`), and share its phones by their length.
 */
function ownersOf(
  phones: readonly EspeakPhone[],
  tokens: readonly string[],
  spelled: Pick<Spelled, 'text' | 'starts'>,
): number[] {
  const begun = begunTokens(phones, { tokens, ...spelled });
  const owners = [...begun];
  for (let from = 0; from < begun.length; ) {
    let to = from;
    while (to < begun.length && begun[to] === begun[from]) to++;
    const next = begun[to] ?? tokens.length;
    shareOut(owners, { from, to }, wordsBetween(tokens, begun[from]!, next));
    from = to;
  }
  return owners;
}

/** For each phone, the first token of its group of words. */
function begunTokens(phones: readonly EspeakPhone[], { tokens, text, starts }: Spelled): number[] {
  const tokenAt: number[] = [];
  let token = 0;
  let unit = 0;
  for (const character of text) {
    while (token + 1 < starts.length && (starts[token + 1]! <= unit || tokens[token] === '')) token++;
    tokenAt.push(token);
    unit += character.length;
  }
  let last = 0;
  return phones.map(({ codePoint }) => {
    last = Math.max(last, tokenAt[Math.min(codePoint, tokenAt.length - 1)] ?? 0);
    return last;
  });
}

function wordsBetween(tokens: readonly string[], from: number, to: number): { token: number; letters: number }[] {
  const out: { token: number; letters: number }[] = [];
  for (let token = from; token < to; token++) {
    const letters = tokens[token]!.replace(/[^\p{L}\p{M}\p{N}]+/gu, '').length;
    if (letters > 0 || token === from) out.push({ token, letters: Math.max(1, letters) });
  }
  return out;
}

function shareOut(
  owners: number[],
  span: { readonly from: number; readonly to: number },
  words: readonly { readonly token: number; readonly letters: number }[],
): void {
  const total = words.reduce((sum, word) => sum + word.letters, 0);
  let letters = 0;
  let at = span.from;
  for (const word of words) {
    letters += word.letters;
    const end = span.from + Math.round(((span.to - span.from) * letters) / total);
    while (at < end) owners[at++] = word.token;
  }
}

function placePhones(
  phones: readonly EspeakPhone[],
  owners: readonly number[],
  cut: { readonly from: number; readonly length: number },
): SpokenPhone[] {
  const place = (seconds: number): number => Math.min(cut.length, Math.max(0, secondsToSamples(seconds) - cut.from));
  const ipa = ipaPhones(
    phones.map(({ symbol }) => symbol),
    owners,
  );
  return phones.flatMap(({ start, end }, index) => {
    const { phone, stress } = ipa[index]!;
    const from = place(start);
    const to = place(end);
    return to > from ? [{ phone, stress, start: from, end: to, token: phone === '' ? -1 : owners[index]! }] : [];
  });
}

/** Phones with their times mapped by a monotone function; those that become empty are dropped. */
function moved(phones: readonly SpokenPhone[], map: (sample: number) => number, length: number): SpokenPhone[] {
  let last = 0;
  return phones.flatMap((phone) => {
    const start = Math.max(last, map(phone.start));
    const end = Math.min(length, Math.max(start, map(phone.end)));
    last = end;
    return end > start ? [{ ...phone, start, end }] : [];
  });
}

/** The phones of each word, stretched to the word's times, with silence between words. */
function fitIntoWords(phones: readonly SpokenPhone[], words: readonly WordSpan[]): SpokenPhone[] {
  let last = 0;
  return words.flatMap(({ token, start, end }) => {
    const own = phones.filter((phone) => phone.token === token);
    const from = own[0]?.start ?? 0;
    const span = Math.max(1, (own.at(-1)?.end ?? 0) - from);
    const begin = Math.max(last, start);
    const placed = moved(
      own.map((phone) => ({ ...phone, start: phone.start - from, end: phone.end - from })),
      (sample) => begin + Math.round((sample * Math.max(0, end - begin)) / span),
      end,
    );
    const pause: SpokenPhone[] =
      begin - last > PAUSE_SAMPLES ? [{ phone: '', stress: 0, start: last, end: begin, token: -1 }] : [];
    last = Math.max(last, end);
    return [...pause, ...placed];
  });
}
