import type { SpokenPhone } from '../engines/sentence.js';
import { FRAME_HOP } from './mfcc.js';

/** Sounds of two parts, a closure and a burst, whose mean resembles neither. */
const PLOSIVE = /^[pbtdkgcqɟɢʔ]/u;

/** Share of a phone at each end that is excluded from its mean. */
const BLURRED = 0.25;

/** Search range for an edge, in frames, and the share of the distance that it is moved: the new position is as uncertain as the old one. */
const REACH = 6;
const TRUST = 0.5;

/**
 * Moves the edges between phones towards the change in the sound: each frame near an edge is assigned to the phone whose middle it
 * resembles more (one step of segmental k-means, Rabiner & Juang 1993). Warping only uses the changes in another voice. Edges before
 * plosives are not moved.
 * @param frames of the speech, from `cepstra`.
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

/** Mean of the frames in the middle of a phone. */
function middleOf({ start, end }: SpokenPhone, frames: readonly Float32Array[]): Float64Array {
  const blurred = BLURRED * (end - start);
  let from = Math.round((start + blurred) / FRAME_HOP);
  let to = Math.round((end - blurred) / FRAME_HOP);
  if (to <= from) {
    from = Math.floor((start + end) / 2 / FRAME_HOP);
    to = from + 1;
  }
  const heard = frames.slice(Math.min(from, frames.length - 1), to);
  return new Float64Array(frames[0]!.length).map(
    (_, at) => heard.reduce((sum, frame) => sum + frame[at]!, 0) / heard.length,
  );
}

/** The edge, in frames, that minimises the distance of the frames on both sides to the middles of their phones. */
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
