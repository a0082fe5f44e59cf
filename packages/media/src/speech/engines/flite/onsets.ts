import { FLITE_RATE } from './growing-wave.js';
import type { TimedPhone } from './phones.js';

/** Sounds that begin with a closed mouth, so that their beginning is silent. */
const CLOSED = new Set(['p', 'b', 't', 'd', 'k', 'g', 'ch', 'jh']);

/** Level at which a sound becomes audible, as a factor of full scale of finished speech: a hundredth of its peak. */
const AUDIBLE = 0.007;

/** Length and step of the level window, in samples. */
const SPAN = 0.004 * FLITE_RATE;
const STEP = SPAN / 4;

/** Remaining length of an inaudible sound, in seconds. */
const SHORTEST_SECONDS = 0.005;

/**
 * Moves the start of phones after silence to the moment at which they become audible, which extends the silence. Flite reports the start
 * of its model states, up to 60 ms before the breath of an `h` or a `th`.
 * @param raw samples at {@link FLITE_RATE}; phones after their end stay unchanged.
 * @param gain from full scale of `raw` to finished speech.
 */
export function withHeardOnsets(phones: readonly TimedPhone[], raw: Int16Array, gain: number): TimedPhone[] {
  const out = [...phones];
  for (const [index, phone] of phones.entries()) {
    const before = phones[index - 1];
    const isOnset = phone.phone !== 'pau' && (before === undefined || before.phone === 'pau');
    if (!isOnset || CLOSED.has(phone.phone)) continue;
    const start = heardFrom(raw, { from: phone.start, to: phone.end - SHORTEST_SECONDS }, AUDIBLE / gain);
    if (start <= phone.start) continue;
    if (before !== undefined) out[index - 1] = { ...out[index - 1]!, end: start };
    out[index] = { ...phone, start };
  }
  return out;
}

/** Time at which the level passes the threshold inside the span, otherwise the span's end; the span's start when the samples end before the span. */
function heardFrom(raw: Int16Array, span: { readonly from: number; readonly to: number }, threshold: number): number {
  const [from, to] = [Math.round(span.from * FLITE_RATE), Math.round(span.to * FLITE_RATE)];
  if (to + SPAN > raw.length) return span.from;
  const least = SPAN * (threshold * 32_768) ** 2;
  for (let at = from; at < to; at += STEP) {
    let energy = 0;
    for (let n = at; n < at + SPAN; n++) energy += raw[n]! * raw[n]!;
    if (energy > least) return at === from ? span.from : (at + SPAN / 2) / FLITE_RATE;
  }
  return span.to;
}
