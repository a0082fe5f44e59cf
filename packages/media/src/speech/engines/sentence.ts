import { type Pcm, silence } from '../../audio.js';
import { secondsToSamples } from '../../time.js';
import type { PhonemeMark, SpeechChunk, SpeechOptions, WordMark } from '../contract.js';
import { SpeechError } from '../contract.js';
import type { Pause, Sentence } from '../text/sentences.js';

/** A sentence for an engine that runs on this machine. Structured-cloneable. */
export interface SentenceOrder {
  readonly voice: string;
  /** 0.7 … 1.2. */
  readonly speed: number;
  /** 0 … 1; the voice's own manner when absent. */
  readonly stability?: number;
  readonly locale?: string;
  /** What is to be said, token by token; not empty. */
  readonly tokens: readonly string[];
}

/** A sound of a {@link SpokenSentence}; `token` is the index of the order's token it belongs to, −1 for silence. */
export interface SpokenPhone extends PhonemeMark {
  readonly token: number;
}

/** What an engine gives back: 48 kHz, at the final loudness, without silence at its ends, both ends faded to zero. */
export interface SpokenSentence {
  readonly samples: Pcm;
  /** Sorted, without overlaps, inside the samples. */
  readonly phones: readonly SpokenPhone[];
}

/** Silence between pieces of speech at speed 1, in seconds. */
const PAUSE_SECONDS: Readonly<Record<Pause, number>> = { none: 0, clause: 0.08, sentence: 0.28, paragraph: 0.55 };

/** Sentences that are computed before the consumer asks for them, so that the next is ready when one has been taken. */
const AHEAD = 2;

/**
 * Speaks sentences one after the other as the chunks of an utterance. `speak` is called in order, up to two ahead of the
 * consumer; leaving the iterator early or the signal aborts the calls under way. The chunk of a sentence ends with the
 * pause that follows it; the last one has none.
 */
export async function* speakSentences(
  sentences: readonly Sentence[],
  options: SpeechOptions,
  speak: (order: SentenceOrder, signal: AbortSignal) => Promise<SpokenSentence>,
): AsyncGenerator<SpeechChunk, void, void> {
  const leave = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, leave.signal]) : leave.signal;
  const ahead: Promise<SpokenSentence>[] = [];
  let started = 0;
  const begin = (most: number): void => {
    while (started < sentences.length && ahead.length < most) {
      const spoken = speak(orderOf(sentences[started++]!, options), signal);
      // It is awaited below, but perhaps only after an earlier one has failed.
      spoken.catch(() => undefined);
      ahead.push(spoken);
    }
  };
  try {
    let start = 0;
    for (const [index, sentence] of sentences.entries()) {
      signal.throwIfAborted();
      // Nothing takes the processor from the first sentence, for which the listener waits.
      begin(index === 0 ? 1 : AHEAD);
      const spoken = await ahead.shift()!;
      begin(AHEAD);
      const pause = index + 1 < sentences.length ? PAUSE_SECONDS[sentence.pause] / (options.speed ?? 1) : 0;
      const chunk = chunkOf(sentence, spoken, start, secondsToSamples(pause));
      start += chunk.samples.length;
      if (chunk.samples.length > 0) yield chunk;
    }
  } finally {
    leave.abort();
  }
}

function orderOf(sentence: Sentence, options: SpeechOptions): SentenceOrder {
  return {
    voice: options.voice,
    speed: options.speed ?? 1,
    ...(options.stability === undefined ? {} : { stability: options.stability }),
    ...(options.locale === undefined ? {} : { locale: options.locale }),
    tokens: sentence.tokens.map((token) => token.spoken),
  };
}

function chunkOf(sentence: Sentence, spoken: SpokenSentence, start: number, pause: number): SpeechChunk {
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

/** A word lasts from its first sound to its last; one without sounds of its own has no length and stands after its neighbour. */
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

/** An engine's failure as the catalogue's callers know it; a signal's reason passes as it is. */
export function asSpeechError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof SpeechError) return error;
  return new SpeechError('provider_failed', error instanceof Error ? error.message : String(error), { cause: error });
}
