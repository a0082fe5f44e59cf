import type { SpokenPhone } from '../engines/sentence.js';
import { FRAME_HOP, levelOf } from './mfcc.js';

/** Sounds that begin with a closed mouth: silence, then a burst. */
const PLOSIVE = /^[pbtdkgcqɟɢʔ]/u;

/** How far a closure is under the loudest of what follows it, in nepers of power (25 dB), and how long it is at most, in frames. */
const CLOSURE_DEPTH = 5.7;
const LONGEST_CLOSURE = 6;

/** Where a closure may end before the sound's supposed start, and where its loudest is looked for after it, in frames. */
const BURST = 4;
const FOLLOWING = 15;

/**
 * Moves the starts of words that begin with a plosive to where the mouth closes. Warping finds the burst, because in silence all
 * moments are alike; the word has begun before it, and its lips have.
 * @param frames of the speech, as `cepstra` gives them.
 */
export function withClosures(phones: readonly SpokenPhone[], frames: readonly Float32Array[]): SpokenPhone[] {
  const out = [...phones];
  for (const [index, phone] of phones.entries()) {
    const before = out[index - 1];
    const isWordStart = before !== undefined && before.token !== phone.token;
    if (!isWordStart || phone.token < 0 || !PLOSIVE.test(phone.phone)) continue;
    const closure = closureBefore(Math.round(phone.start / FRAME_HOP), frames);
    const start = Math.max(closure === undefined ? phone.start : closure * FRAME_HOP, before.start + 1);
    if (start >= phone.start) continue;
    out[index - 1] = { ...before, end: Math.min(before.end, start) };
    out[index] = { ...phone, start };
  }
  return out;
}

/** The frame in which the mouth closes before a burst at about `frame`; `undefined` when it is never quiet there. */
function closureBefore(frame: number, frames: readonly Float32Array[]): number | undefined {
  const loudest = Math.max(...frames.slice(frame, frame + FOLLOWING).map(levelOf));
  const isQuiet = (at: number): boolean => {
    const there = frames[at];
    return there !== undefined && levelOf(there) < loudest - CLOSURE_DEPTH;
  };
  let at = frame;
  while (at > frame - BURST && !isQuiet(at)) at--;
  if (!isQuiet(at)) return undefined;
  while (at > frame - LONGEST_CLOSURE && isQuiet(at - 1)) at--;
  return at;
}
