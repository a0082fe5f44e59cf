/** Zero crossings of the sinc on each side: 24 of them with this window pass 0 to 0.85 of the narrower band flat. */
const CROSSINGS = 24;
/** Kaiser window shape for a stop band below −70 dB, under the noise of the voices. */
const BETA = 7;

/**
 * Resamples whole buffers between two fixed rates by a polyphase windowed sinc (J. O. Smith, "Digital Audio Resampling"):
 * pass band flat to 0.85 of the narrower Nyquist band, images below −70 dB, no delay. The filter bank is computed once.
 */
export class Resampler {
  readonly #up: number;
  readonly #down: number;
  readonly #taps: number;
  readonly #bank: Float64Array;

  /** Both rates in whole samples a second. */
  constructor(from: number, to: number) {
    const divisor = greatestCommonDivisor(from, to);
    this.#up = to / divisor;
    this.#down = from / divisor;
    // Cut-off relative to the input's rate; going down, the sinc is stretched so that nothing folds back.
    const cutoff = Math.min(1, to / from) * 0.955;
    // Even, so that the taps are a multiple of four.
    const half = 2 * Math.ceil(CROSSINGS / cutoff / 2);
    this.#taps = 2 * half;
    this.#bank = new Float64Array(this.#up * this.#taps);
    const edge = besselI0(BETA);
    for (let phase = 0; phase < this.#up; phase++) {
      const row = this.#bank.subarray(phase * this.#taps, (phase + 1) * this.#taps);
      let sum = 0;
      for (let tap = 0; tap < this.#taps; tap++) {
        const x = tap - half + 1 - phase / this.#up;
        const span = Math.max(0, 1 - (x / half) ** 2);
        row[tap] = sinc(cutoff * x) * (besselI0(BETA * Math.sqrt(span)) / edge);
        sum += row[tap]!;
      }
      for (let tap = 0; tap < this.#taps; tap++) row[tap]! /= sum;
    }
  }

  /** The same sound at the other rate: `ceil(samples.length × to ÷ from)` samples; silence is assumed around the buffer. */
  process(samples: Float32Array): Float32Array {
    if (this.#up === this.#down) return samples;
    const out = new Float32Array(Math.ceil((samples.length * this.#up) / this.#down));
    const taps = this.#taps;
    const bank = this.#bank;
    const padded = new Float64Array(samples.length + 2 * taps);
    padded.set(samples, taps);
    // Every `up`-th output sample has the same filter; four sums, so that no addition waits for the one before it.
    for (let first = 0; first < this.#up; first++) {
      const phase = (first * this.#down) % this.#up;
      const row = bank.subarray(phase * taps, (phase + 1) * taps);
      let at = Math.floor((first * this.#down) / this.#up) + taps / 2 + 1;
      for (let n = first; n < out.length; n += this.#up, at += this.#down) {
        let a = 0;
        let b = 0;
        let c = 0;
        let d = 0;
        for (let tap = 0; tap < taps; tap += 4) {
          a += row[tap]! * padded[at + tap]!;
          b += row[tap + 1]! * padded[at + tap + 1]!;
          c += row[tap + 2]! * padded[at + tap + 2]!;
          d += row[tap + 3]! * padded[at + tap + 3]!;
        }
        out[n] = a + b + c + d;
      }
    }
    return out;
  }
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
