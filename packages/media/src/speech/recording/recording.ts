import { setImmediate } from 'node:timers/promises';
import { LONGEST_RECORDING_SECONDS } from '@figurehead/contract/document/provider';
import { SAMPLE_RATE, secondsToSamples } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';
import { decodeAudio } from '../../encode/input/decode.js';
import { MediaError } from '../../encode/input/media-error.js';
import { LoudnessMeter, limitInPieces } from '../../loudness.js';
import { type Marks, SpeechError, type SpokenText } from '../contract.js';
import type { EspeakSynthesizer } from '../engines/espeak/espeak.js';
import { gainToSpeech } from '../engines/gain.js';
import { levelled } from '../engines/master.js';
import { marksFromSound } from '../from-sound.js';
import { alignScript } from './aligned.js';
import { heardSpan, levelsOf, type Span } from './levels.js';
import { shareOutWords } from './shared-out.js';

/** Samples that are processed before yielding to other work. */
const TURN = 10 * SAMPLE_RATE;

/** Options of reading a recording. */
export interface RecordedOptions {
  /** The spoken text, plain or SSML; empty when unknown. Pauses and prosody always come from the recording. */
  readonly script: string;
  /** BCP 47 or the English name of a language; English when null. */
  readonly language: string | null;
  /** Least and most seconds of speech; at most 20 minutes by default. Checked before the rest, which takes longest. */
  readonly seconds?: { readonly minimum: number; readonly maximum: number };
  readonly signal: AbortSignal;
}

/** Reads a file of recorded speech, see `Speech.recorded`. */
export async function readRecording(
  file: string,
  options: RecordedOptions,
  espeak: EspeakSynthesizer,
): Promise<SpokenText> {
  const raw = await decode(file, options.signal);
  const levels = levelsOf(raw);
  if (levels.some((level) => !Number.isFinite(level))) throw refusal('it has samples that are not numbers');
  const span = heardSpan(levels, raw.length);
  if (span === undefined) throw refusal('it is silent; expected speech');
  if (options.seconds) requireLength((span.to - span.from) / SAMPLE_RATE, options.seconds);
  const samples = await mastered(raw, span, options.signal);
  return { samples, marks: await marksOf(samples, options, espeak) };
}

function requireLength(seconds: number, { minimum, maximum }: NonNullable<RecordedOptions['seconds']>): void {
  if (seconds >= minimum && seconds <= maximum) return;
  throw refusal(`expected ${minimum} to ${maximum} s of speech, got ${Math.round(seconds * 10) / 10} s`);
}

/** The span at the loudness of every voice; yields to other work after every ten seconds of it. */
async function mastered(raw: Pcm, span: Span, signal: AbortSignal): Promise<Pcm> {
  const meter = new LoudnessMeter();
  for (let from = span.from; from < span.to; from += TURN) {
    meter.add([raw.subarray(from, Math.min(span.to, from + TURN))]);
    signal.throwIfAborted();
    await setImmediate();
  }
  const loud = levelled(raw, span, gainToSpeech(meter.integrated()));
  const out = new Float32Array(loud.length);
  let at = 0;
  for await (const piece of limitInPieces(loud.length, (from, to) => loud.subarray(from, to))) {
    out.set(piece, at);
    at += piece.length;
    signal.throwIfAborted();
    await setImmediate();
  }
  return out;
}

/**
 * With a script, words and phones are aligned with it; without one, or in a language without a voice, the phones are
 * derived from the sound alone.
 */
async function marksOf(
  samples: Pcm,
  { script, language, signal }: RecordedOptions,
  espeak: EspeakSynthesizer,
): Promise<Marks> {
  const locale = espeak.localeOf(language ?? 'en-US');
  if (script.trim() === '') return marksFromSound(samples, { signal });
  if (locale !== undefined) return alignScript(samples, script, { espeak, locale, signal });
  const { phonemes } = await marksFromSound(samples, { signal });
  return { ...(await shareOutWords(samples, script, signal)), phonemes };
}

async function decode(file: string, signal: AbortSignal): Promise<Pcm> {
  const samples = await decodeAudio(file, { maxSeconds: LONGEST_RECORDING_SECONDS + 1, signal }).catch(
    (cause: unknown) => {
      if (cause instanceof MediaError) throw refusal(cause.message, cause);
      throw cause;
    },
  );
  if (samples.length > secondsToSamples(LONGEST_RECORDING_SECONDS)) {
    throw refusal(`expected at most ${LONGEST_RECORDING_SECONDS / 60} minutes, got more; divide it between slides`);
  }
  return samples;
}

function refusal(reason: string, cause?: unknown): SpeechError {
  return new SpeechError('bad_option', `the recording cannot be used: ${reason}`, { cause });
}
