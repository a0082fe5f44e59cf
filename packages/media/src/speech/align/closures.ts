import type { SpokenPhone } from '../engines/sentence.js';
import { FRAME_HOP, levelOf } from './mfcc.js';

/** Sounds that begin with a closed mouth: silence, then a burst. */
const PLOSIVE = /^[pbtdkgcqɟɢʔ]/u;

/** Level of a closure below the loudest frame after it, in nepers of power (25 dB), and its maximum length in frames. */
const CLOSURE_DEPTH = 5.7;
const LONGEST_CLOSURE = 6;

/** Frames before the assumed start in which a closure may end, and after it in which the loudest frame is searched. */
const BURST = 4;
const FOLLOWING = 15;

/**
 * Moves the start of words that begin with a plosive to the moment at which the mouth closes. Warping finds only the burst, because all
 * frames of silence are alike, but the word and the movement of the lips begin earlier.
 * @param frames of the speech, from `cepstra`.
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

/** The frame in which the mouth closes before a burst at about `frame`; `undefined` without a quiet frame there. */
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
