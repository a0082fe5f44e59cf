import { setImmediate } from 'node:timers/promises';
import type { Spectrum } from '@figurehead/presenter/sound';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { type Pcm, silence } from '../../audio.js';
import { coarser, FRAME_HOP, spectra } from '../align/mfcc.js';
import { alongPath } from '../align/warp.js';
import { type Marks, SpeechError } from '../contract.js';
import type { EspeakSynthesizer } from '../engines/espeak/espeak.js';
import { orderOf } from '../engines/sentence.js';
import type { Sentence } from '../text/sentences.js';
import { condense, expand, LONGEST_PAUSE } from './condensed.js';
import { hearingThreshold, LEVEL_HOP, levelsOf, type Span } from './levels.js';
import { marksBySentence, piecesOf, sentencesIn } from './script-sentences.js';

/**
 * Maximum ratio between the estimated length of the script and the length of its recording, in both directions: people
 * read at 0.5 to 2 times the pace.
 */
const PACE = 3;

/**
 * Maximum pairs of frames that are compared to find the sentences, so that 20 minutes take a second and some megabytes.
 */
const MOST_PAIRS = 6e6;
/** Share of the pairs of two sounds that warping compares. */
const BAND_SHARE = 0.4;
/** Minimum number of 10 ms frames in a coarse frame. */
const FINEST_GROUP = 4;

/**
 * Minimum search range for the pause between two sentences around its coarse position, and the length of the pause, in
 * samples.
 */
const REACH = 0.4 * SAMPLE_RATE;
const SENTENCE_PAUSE = 0.1 * SAMPLE_RATE;

/** Margin around the audible part of a sentence, in samples. */
const MARGIN = 0.03 * SAMPLE_RATE;

/** Samples whose spectra are computed before yielding to other work. */
const TURN = 10 * SAMPLE_RATE;

/** Tools of an alignment. */
interface AlignContext {
  readonly espeak: EspeakSynthesizer;
  /** BCP 47. */
  readonly locale: string;
  readonly signal: AbortSignal;
}

/**
 * Finds the sounds and words of a script in a recording of it at speech loudness: first the sentences, by warping
 * eSpeak's own rendering of the whole script onto the recording coarsely, then the sounds of each sentence. Throws a
 * {@link SpeechError} for a script that cannot match the recording.
 * @param context.locale a locale that eSpeak speaks.
 */
export async function alignScript(samples: Pcm, script: string, context: AlignContext): Promise<Marks> {
  const { espeak, locale, signal } = context;
  const pieces = piecesOf(script);
  const condensed = condense(samples);
  const spans = await findSentences(condensed.samples, sentencesIn(pieces, locale), context);
  const heard = hearing(condensed.samples);
  const marks = await marksBySentence(pieces, { locale, signal }, async (sentence) => {
    const span = spans.shift() ?? { from: condensed.samples.length, to: condensed.samples.length };
    // Warping assumes that both sounds start and end together, so silence around the sentence is removed first.
    const { from, to } = heard(span);
    const part = condensed.samples.slice(from, to);
    const { phones } = await espeak.align({ order: orderOf(sentence, { voice: '' }), locale, samples: part }, signal);
    const lead = from - span.from;
    return {
      samples: condensed.samples.subarray(span.from, span.to),
      phones: phones.map((phone) => ({ ...phone, start: phone.start + lead, end: phone.end + lead })),
    };
  });
  return expand(marks, condensed, samples.length);
}

/** Narrows a part of a sound to its audible range. */
function hearing(samples: Pcm): (span: Span) => Span {
  const levels = levelsOf(samples);
  const threshold = hearingThreshold(levels) ?? 0;
  return ({ from, to }) => {
    const part = levels.subarray(Math.floor(from / LEVEL_HOP), Math.ceil(to / LEVEL_HOP));
    const first = part.findIndex((level) => level > threshold);
    if (first < 0) return { from, to };
    const last = part.findLastIndex((level) => level > threshold);
    return {
      from: Math.max(from, from + first * LEVEL_HOP - MARGIN),
      to: Math.min(to, from + (last + 1) * LEVEL_HOP + MARGIN),
    };
  };
}

/** The range of each sentence; together they cover the whole sound. */
async function findSentences(samples: Pcm, sentences: readonly Sentence[], context: AlignContext): Promise<Span[]> {
  const group = Math.max(FINEST_GROUP, Math.ceil((samples.length / FRAME_HOP) * Math.sqrt(BAND_SHARE / MOST_PAIRS)));
  const reference: Spectrum[] = [];
  /** Coarse frames at which the sentences end in the reference. */
  const ends: number[] = [];
  let said = 0;
  for (const sentence of sentences) {
    const order = orderOf(sentence, { voice: '', locale: context.locale });
    const spoken = await context.espeak.reference(order, context.signal);
    said += spoken.samples.length;
    const withPause = silence(spoken.samples.length + LONGEST_PAUSE);
    withPause.set(spoken.samples);
    reference.push(...coarser(spectra(withPause), group));
    ends.push(reference.length - LONGEST_PAUSE / 2 / FRAME_HOP / group);
  }
  assertPace(said, samples.length);
  if (sentences.length < 2) return [{ from: 0, to: samples.length }];
  const heard = await coarseSpectra(samples, group, context.signal);
  const along = alongPath(await context.espeak.warp({ reference, heard }, context.signal));
  const levels = levelsOf(samples);
  const reach = Math.max(REACH, 2 * group * FRAME_HOP);
  let from = 0;
  return ends.map((end, index) => {
    const around = along(end) * group * FRAME_HOP;
    const isLast = index === ends.length - 1;
    const to = isLast ? samples.length : Math.max(from, quietestNear(levels, around, reach));
    const span = { from, to };
    from = to;
    return span;
  });
}

function assertPace(said: number, heard: number): void {
  if (said > heard * PACE || heard > said * PACE) {
    const seconds = (count: number): string => `${Math.round(count / SAMPLE_RATE)} s`;
    throw new SpeechError(
      'bad_option',
      `the script does not belong to the recording: it takes about ${seconds(said)} to say, the recording has ${seconds(heard)} of speech; correct the script or remove it`,
    );
  }
}

async function coarseSpectra(samples: Pcm, group: number, signal: AbortSignal): Promise<Spectrum[]> {
  const out: Spectrum[] = [];
  const turn = Math.ceil(TURN / FRAME_HOP / group) * group * FRAME_HOP;
  for (let from = 0; from < samples.length; from += turn) {
    signal.throwIfAborted();
    out.push(...coarser(spectra(samples.subarray(from, from + turn)), group));
    await setImmediate();
  }
  return out;
}

/** The middle of the quietest {@link SENTENCE_PAUSE} around a sample. */
function quietestNear(levels: Float32Array, around: number, reach: number): number {
  const width = SENTENCE_PAUSE / LEVEL_HOP;
  const first = Math.max(0, Math.round((around - reach) / LEVEL_HOP) - width / 2);
  const last = Math.min(levels.length - width, Math.round((around + reach) / LEVEL_HOP) - width / 2);
  let best = first;
  let least = Number.POSITIVE_INFINITY;
  for (let at = first; at <= last; at++) {
    // Of equally quiet places, the nearer one is used.
    const away = Math.abs((at + width / 2) * LEVEL_HOP - around) / reach;
    const level = levels.subarray(at, at + width).reduce((sum, value) => sum + Math.max(-70, value), 0) / width + away;
    if (level >= least) continue;
    least = level;
    best = at;
  }
  return (best + width / 2) * LEVEL_HOP;
}
