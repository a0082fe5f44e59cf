import type { SpokenPhone } from '../engines/sentence.js';
import { FRAME_HOP } from './mfcc.js';

/** Sounds that are two: a closure and a burst, which are nothing like their mean. */
const PLOSIVE = /^[pbtdkgcqɟɢʔ]/u;

/** Share of a phone at each of its ends that is not asked what the phone sounds like. */
const BLURRED = 0.25;

/** How far an edge may be looked for, in frames, and the share of the way that it is moved: what is found is as likely off as what was. */
const REACH = 6;
const TRUST = 0.5;

/**
 * Moves the edges between phones towards where the sound changes from the one to the other: each frame near an edge goes to the
 * phone whose middle it is more like (one step of segmental k-means, Rabiner & Juang 1993). Warping knows only how another voice
 * changes there. Edges before plosives stay.
 * @param frames of the speech, as `cepstra` gives them.
 */
export function withOwnEdges(phones: readonly SpokenPhone[], frames: readonly Float32Array[]): SpokenPhone[] {
  const middles = phones.map((phone) => middleOf(phone, frames));
  const out = [...phones];
  for (let index = 1; index < phones.length; index++) {
    const [before, phone] = [phones[index - 1]!, phones[index]!];
    if (phone.start - before.end > FRAME_HOP || PLOSIVE.test(phone.phone)) continue;
    const edge = edgeBetween([before, phone], [middles[index - 1]!, middles[index]!], frames);
    if (edge === undefined) continue;
    const moved = Math.round(phone.start + TRUST * (edge * FRAME_HOP - phone.start));
    const start = Math.max(moved, out[index - 1]!.start + 1);
    if (start >= phone.end) continue;
    out[index - 1] = { ...out[index - 1]!, end: start };
    out[index] = { ...phone, start };
  }
  return out;
}

/** What the middle of a phone sounds like. */
function middleOf({ start, end }: SpokenPhone, frames: readonly Float32Array[]): Float64Array {
  const blurred = BLURRED * (end - start);
  let from = Math.round((start + blurred) / FRAME_HOP);
  let to = Math.round((end - blurred) / FRAME_HOP);
  if (to <= from) {
    from = Math.floor((start + end) / 2 / FRAME_HOP);
    to = from + 1;
  }
  const heard = frames.slice(Math.min(from, frames.length - 1), to);
  return Float64Array.from(frames[0]!, (_, at) => heard.reduce((sum, frame) => sum + frame[at]!, 0) / heard.length);
}

/** The edge, in frames, that leaves the least distance of the frames on both sides to the phones' middles. */
function edgeBetween(
  [before, phone]: readonly [SpokenPhone, SpokenPhone],
  [left, right]: readonly [Float64Array, Float64Array],
  frames: readonly Float32Array[],
): number | undefined {
  const now = phone.start / FRAME_HOP;
  const first = Math.ceil(Math.max((before.start + before.end) / 2 / FRAME_HOP, now - REACH));
  const last = Math.floor(Math.min((phone.start + phone.end) / 2 / FRAME_HOP, now + REACH, frames.length - 1));
  let cost = 0;
  let least = 0;
  let edge = first;
  for (let frame = first; frame <= last; frame++) {
    cost += distance(frames[frame]!, left) - distance(frames[frame]!, right);
    if (cost >= least) continue;
    least = cost;
    edge = frame + 1;
  }
  return last > first ? edge - 0.5 : undefined;
}

function distance(frame: Float32Array, middle: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < frame.length; at++) sum += (frame[at]! - middle[at]!) ** 2;
  return Math.sqrt(sum);
}
