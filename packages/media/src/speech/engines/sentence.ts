import { secondsToSamples } from '@figurehead/presenter/time';
import { silence } from '../../audio.js';
import type { PhonemeMark, SpeechChunk, SpeechOptions, WordMark } from '../contract.js';
import { SpeechError } from '../contract.js';
import type { Prosody } from '../text/piece.js';
import { withMark } from '../text/reading/tokens.js';
import { cutLongSpeech, type Pause, type Sentence } from '../text/sentences.js';
import { afterHead, tokensOf } from './head.js';
import type { SpokenSentence } from './spoken-sentence.js';

export type { SpokenPhone, SpokenSentence } from './spoken-sentence.js';

/** A sentence for a local engine. Structured-cloneable. */
export interface SentenceOrder {
  readonly voice: string;
  /** 0.7 … 1.2. */
  readonly speed: number;
  /** 0 … 1; the voice's default when absent. */
  readonly stability?: number | undefined;
  readonly locale?: string | undefined;
  /** The words to speak; not empty. */
  readonly tokens: readonly string[];
  /** IPA by token; absent when no token has any. */
  readonly ipa?: readonly (string | undefined)[] | undefined;
  /** Prosody by token; absent when none is changed. */
  readonly prosody?: readonly (Prosody | undefined)[] | undefined;
}

/** Silence after pieces of speech at speed 1, in seconds: at least, what each word before it adds, and at most. */
const PAUSES: Readonly<Record<Pause, readonly [least: number, perWord: number, most: number]>> = {
  none: [0, 0, 0],
  clause: [0.06, 0.005, 0.12],
  sentence: [0.22, 0.008, 0.42],
  paragraph: [0.5, 0.01, 0.75],
};

/** Additional pause after a final punctuation mark, in seconds. */
const SIGN_SECONDS: readonly (readonly [sign: RegExp, seconds: number])[] = [
  [/(?:…|\.\.\.)["'”’»)\]]{0,3}$/u, 0.12],
  [/[?!？！]["'”’»)\]]{0,3}$/u, 0.06],
  [/[;:—–]$/u, 0.06],
];

/** Seconds of silence after a sentence, at speed 1. */
export function pauseSeconds({ tokens, pause }: Sentence): number {
  const [least, perWord, most] = PAUSES[pause];
  const last = tokens.at(-1);
  const written = last === undefined ? '' : withMark(last);
  const sign = pause === 'none' ? 0 : (SIGN_SECONDS.find(([each]) => each.test(written))?.[1] ?? 0);
  return Math.min(most, least + perWord * tokens.length) + sign;
}

/** Sentences that are computed ahead of the consumer. */
const AHEAD = 2;

/**
 * Speaks one sentence. An engine that has the first words before the rest may pass them to `onHead`, once; its result is still the
 * whole sentence.
 */
type SpeakSentence = (
  order: SentenceOrder,
  signal: AbortSignal,
  onHead?: (head: SpokenSentence) => void,
) => Promise<SpokenSentence>;

/**
 * Speaks sentences one after the other as the chunks of an utterance; those that take long to say are split. `speak` is called in order, up to
 * two ahead of the consumer; ending the iterator early or aborting the signal aborts the running calls. Their failures become {@link SpeechError}s. The chunk of a sentence ends with the
 * pause that follows it; the last one has none. The first sentence may be split into two chunks.
 */
export async function* speakSentences(
  sentences: Iterable<Sentence>,
  options: SpeechOptions,
  speak: SpeakSentence,
): AsyncGenerator<SpeechChunk, void, void> {
  const leave = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, leave.signal]) : leave.signal;
  const texts = shortEnough(sentences);
  const ahead: { readonly sentence: Sentence; readonly spoken: Promise<SpokenSentence> }[] = [];
  const begin = (most: number, onHead?: (head: SpokenSentence) => void): void => {
    while (ahead.length < most) {
      const { value: sentence, done } = texts.next();
      if (done) return;
      const order = orderOf(sentence, options);
      // Prosody changes need the whole sentence, and a kept sentence is stored whole: neither has a head.
      const head = order.prosody || options.keep ? undefined : onHead;
      const make = () => speak(order, signal, head);
      const spoken = options.keep ? options.keep(order, make) : make();
      // Avoids an unhandled rejection: it is awaited below, perhaps only after an earlier one has failed.
      spoken.catch(() => undefined);
      ahead.push({ sentence, spoken });
    }
  };
  try {
    let start = 0;
    signal.throwIfAborted();
    // The next sentences start after the head of the first one, so that it gets the whole processor.
    const head = await new Promise<SpokenSentence | undefined>((resolve) => {
      begin(1, resolve);
      const whole = ahead[0]?.spoken ?? Promise.resolve();
      whole.then(
        () => resolve(undefined),
        () => resolve(undefined),
      );
    });
    let said = head === undefined || head.samples.length === 0 ? undefined : head;
    if (said !== undefined) {
      signal.throwIfAborted();
      const { sentence } = ahead[0]!;
      yield chunkOf({ ...sentence, tokens: sentence.tokens.slice(0, tokensOf(said)) }, said, { start, pause: 0 });
      start += said.samples.length;
    }
    for (begin(1); ahead.length > 0; begin(1)) {
      signal.throwIfAborted();
      const { sentence, spoken } = ahead.shift()!;
      const whole = await spoken.catch((error: unknown) => {
        throw asSpeechError(error, signal);
      });
      begin(AHEAD);
      const pause = ahead.length > 0 ? pauseSeconds(sentence) / (options.speed ?? 1) : 0;
      const rest = said === undefined ? { sentence, spoken: whole } : afterHead({ sentence, spoken: whole }, said);
      said = undefined;
      const chunk = chunkOf(rest.sentence, rest.spoken, { start, pause: secondsToSamples(pause) });
      start += chunk.samples.length;
      if (chunk.samples.length > 0) yield chunk;
    }
  } finally {
    leave.abort();
  }
}

function* shortEnough(sentences: Iterable<Sentence>): Generator<Sentence, void, void> {
  for (const sentence of sentences) yield* cutLongSpeech(sentence);
}

/** An engine's order for a sentence. */
export function orderOf({ tokens }: Sentence, { voice, speed = 1, stability, locale }: SpeechOptions): SentenceOrder {
  return {
    voice,
    speed,
    stability,
    locale,
    tokens: tokens.map(({ spoken }) => spoken),
    ipa: unlessEmpty(tokens.map(({ ipa }) => ipa)),
    prosody: unlessEmpty(tokens.map(({ prosody }) => prosody)),
  };
}

function unlessEmpty<T>(values: readonly (T | undefined)[]): readonly (T | undefined)[] | undefined {
  return values.some((value) => value !== undefined) ? values : undefined;
}

/** The chunk of a sentence that begins at a sample of the utterance, with the pause that follows it. */
export function chunkOf(
  sentence: Sentence,
  spoken: SpokenSentence,
  { start, pause }: { start: number; pause: number },
): SpeechChunk {
  const length = spoken.samples.length;
  let samples = spoken.samples;
  if (pause > 0) {
    samples = silence(length + pause);
    samples.set(spoken.samples);
  }
  const phonemes: PhonemeMark[] = spoken.phones.map(({ phone, stress, start: from, end }) => ({
    phone,
    stress,
    start: start + from,
    end: start + end,
  }));
  if (pause > 0) phonemes.push({ phone: '', stress: 0, start: start + length, end: start + samples.length });
  return { start, samples, marks: { phonemes, words: wordMarks(sentence, spoken, start) } };
}

/** A word lasts from its first sound to its last; a word without sounds has length zero after its neighbour. */
function wordMarks(sentence: Sentence, spoken: SpokenSentence, start: number): WordMark[] {
  const spans = sentence.tokens.map(() => undefined as { from: number; to: number } | undefined);
  for (const phone of spoken.phones) {
    if (phone.token < 0) continue;
    const span = spans[phone.token];
    if (span) span.to = phone.end;
    else spans[phone.token] = { from: phone.start, to: phone.end };
  }
  let last = spans.find((span) => span)?.from ?? 0;
  return sentence.tokens.map((token, index) => {
    const { from, to } = spans[index] ?? { from: last, to: last };
    last = to;
    return { text: token.text, textStart: token.start, textEnd: token.end, start: start + from, end: start + to };
  });
}

/** Wraps an engine's failure in a `SpeechError`; a signal's reason passes unchanged. */
function asSpeechError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof SpeechError) return error;
  return new SpeechError('provider_failed', error instanceof Error ? error.message : String(error), { cause: error });
}
