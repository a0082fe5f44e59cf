import type { PhonemeMark } from '../contract.js';
import { HOP } from './features.js';
import type { Network } from './network.js';

/** Shortest that a phone lasts, in frames: closed lips are seen from 40 ms on, and what is shorter than 30 ms flickers. */
const SHORTEST = { closure: 4, other: 3 };

/** What a change of phone costs, in nepers of probability. */
const CHANGE = 1.6;

/** How far a class that is rare in speech is preferred over its share: 0 not at all, 1 as if all were as frequent. */
const RARENESS = 0.2;

/**
 * How much more closed lips are preferred, in nepers: a closure that is missed is seen more than one that is too much. Only where the sound
 * dips, because closed lips muffle it: not at all up to `from` nepers of power, fully from `to`.
 */
const CLOSURE_BONUS = 3;
const DIP = { from: 0.8, to: 1.6 };

const CLOSURE = 'b';

/**
 * Turns what each frame sounds like into phones: Viterbi's recursion without a look back, as what was said has been shown. A phone
 * lasts its shortest time.
 */
export class Decoder {
  readonly #scores: Float64Array;
  readonly #bonus: readonly number[];
  #current = -1;
  /** The present phone lasts at least to this frame, which is not in it. */
  #until = 0;
  #frame = 0;

  constructor(private readonly network: Pick<Network, 'phones' | 'shares'>) {
    this.#scores = new Float64Array(network.phones.length);
    this.#bonus = network.shares.map((share) => -RARENESS * Math.log(share));
  }

  /** Takes the logarithms of the probabilities in the next frame and how far it dips (see `dipOf`); returns what is certain now and was not before. */
  push(logs: Float32Array, dip: number): PhonemeMark | undefined {
    const best = this.#advance(logs, CLOSURE_BONUS * Math.min(1, Math.max(0, (dip - DIP.from) / (DIP.to - DIP.from))));
    const frame = this.#frame++;
    if (best !== this.#current && frame >= this.#until) {
      this.#current = best;
      const shortest = this.network.phones[best] === CLOSURE ? SHORTEST.closure : SHORTEST.other;
      this.#until = frame + shortest;
      return this.#mark(frame);
    }
    if (frame < this.#until) return undefined;
    this.#until = frame + 1;
    return this.#mark(frame);
  }

  #advance(logs: Float32Array, closure: number): number {
    const scores = this.#scores;
    const most = scores.reduce((a, b) => Math.max(a, b));
    let best = 0;
    for (let at = 0; at < scores.length; at++) {
      scores[at] = Math.max(scores[at]! - most, -CHANGE) + logs[at]! + this.#bonus[at]!;
      if (this.network.phones[at] === CLOSURE) scores[at]! += closure;
      if (scores[at]! > scores[best]!) best = at;
    }
    return best;
  }

  #mark(from: number): PhonemeMark {
    return { phone: this.network.phones[this.#current]!, stress: 0, start: from * HOP, end: this.#until * HOP };
  }
}
