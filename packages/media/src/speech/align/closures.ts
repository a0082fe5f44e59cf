import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';
import type { SpokenPhone } from '../engines/spoken-sentence.js';

/** Sounds that begin with a closed mouth: silence, then a burst. */
const PLOSIVE = /^[pbtdkgcqɟɢʔ]/u;

/** Length of a level frame: 5 ms. */
const FRAME = 0.005 * SAMPLE_RATE;

/** Level of a closure relative to the loudest frame after it (−30 dB), and its maximum length in frames. */
const CLOSURE_LEVEL = 10 ** (-30 / 20);
const LONGEST_CLOSURE = 14;

/** Frames before the assumed start in which a closure may end, and after it in which the loudest frame is searched. */
const BURST = 8;
const FOLLOWING = 30;

/** Level relative to the loudest frame of the sentence at which a sound after silence is heard, and the search range in frames. */
const AUDIBLE = 0.01;
const ONSET_REACH = 16;

/**
 * Moves the start of words that begin with a plosive to the moment at which the mouth closes. Engines and warping report the burst,
 * because silence has no features, but the word and the movement of the lips begin earlier.
 */
export function withClosures(phones: readonly SpokenPhone[], samples: Pcm): SpokenPhone[] {
  const out = [...phones];
  for (const [index, phone] of phones.entries()) {
    const before = out[index - 1];
    const isWordStart = before?.token !== phone.token;
    if (!isWordStart || phone.token < 0 || !PLOSIVE.test(phone.phone)) continue;
    const closure = closureBefore(samples, phone.start);
    const start = Math.max(closure ?? phone.start, before === undefined ? 0 : earliestAfter(before, phone.start));
    if (start >= phone.start) continue;
    if (before !== undefined) out[index - 1] = { ...before, end: Math.min(before.end, start) };
    out[index] = { ...phone, start };
  }
  return out;
}

/** Where a word may begin after a phone: two plosives share the silence between them. */
function earliestAfter(before: SpokenPhone, start: number): number {
  return PLOSIVE.test(before.phone) ? Math.ceil((before.start + start) / 2) : before.start + 1;
}

/** The sample at which the mouth closes before a burst at about `burst`; `undefined` without a quiet frame there. */
function closureBefore(samples: Pcm, burst: number): number | undefined {
  const level = (frame: number): number => levelAt(samples, burst + frame * FRAME);
  let loudest = 0;
  for (let frame = 0; frame < FOLLOWING; frame++) loudest = Math.max(loudest, level(frame));
  const isQuiet = (frame: number): boolean => burst + frame * FRAME >= 0 && level(frame) < CLOSURE_LEVEL * loudest;
  let frame = -1;
  while (frame > -BURST && !isQuiet(frame)) frame--;
  if (!isQuiet(frame)) return undefined;
  while (frame > -LONGEST_CLOSURE && isQuiet(frame - 1)) frame--;
  return burst + frame * FRAME;
}

/** Moves the start of sounds after silence to the moment at which they become audible, forward or back; plosives begin silently. */
export function withOnsets(phones: readonly SpokenPhone[], samples: Pcm): SpokenPhone[] {
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const out = [...phones];
  for (const [index, phone] of phones.entries()) {
    const before = out[index - 1];
    const isOnset = phone.token >= 0 && (before === undefined || before.token < 0);
    if (!isOnset || PLOSIVE.test(phone.phone)) continue;
    const from = Math.max(before?.start ?? 0, phone.start - ONSET_REACH * FRAME);
    const start = onsetBetween(
      [from, phone.start, phone.end - FRAME],
      (at) => levelAt(samples, at) < AUDIBLE * loudest,
    );
    if (start === undefined) continue;
    if (before !== undefined) out[index - 1] = { ...before, end: start };
    out[index] = { ...phone, start };
  }
  return out;
}

/** The end of the silence that begins between the first two positions, at most the third; `undefined` without silence there. */
function onsetBetween(
  [from, to, last]: readonly [from: number, to: number, last: number],
  isQuiet: (at: number) => boolean,
): number | undefined {
  let at = from;
  while (at <= to && !isQuiet(at)) at += FRAME / 4;
  if (at > to) return undefined;
  while (at < last && isQuiet(at)) at += FRAME / 4;
  return Math.min(at, last);
}

function levelAt(samples: Pcm, from: number): number {
  let energy = 0;
  for (let n = Math.max(0, Math.round(from)); n < Math.min(samples.length, from + FRAME); n++)
    energy += samples[n]! ** 2;
  return Math.sqrt(energy / FRAME);
}
