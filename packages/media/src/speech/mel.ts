import type { Pcm } from '../audio.js';
import { SAMPLE_RATE } from '../time.js';

/** Samples of a spectrum's window (25 ms), and the size of its transform. */
export const WINDOW = 1200;
const FFT = 2048;

/** Higher frequencies are ignored, because recordings at 16 kHz do not contain them. */
const HIGHEST_HERTZ = 8000;
const BINS = Math.floor((HIGHEST_HERTZ * FFT) / SAMPLE_RATE) + 1;

/** Coefficient of the pre-emphasis, which weighs higher frequencies more, because voices are weaker there. */
const EMPHASIS_RATE = 16_000;

/** Minimum power of a band: −70 dB of full scale in white noise. */
const LEAST_POWER = 1e-7;

/** Bands of {@link logMel}. */
export const BANDS = 26;

/** Power of the bins of one frame's transform, from 0 to 8 kHz, higher frequencies emphasised. */
export type Spectrum = Float32Array;

/** A band as bins of the spectrum with their weights. */
type Band = readonly (readonly [bin: number, weight: number])[];

/** Takes short-time spectra of 48 kHz speech; keeps its tables and buffers between frames. */
export class Spectrometer {
  readonly #window = Float64Array.from({ length: WINDOW }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / WINDOW));
  readonly #emphasis = Float64Array.from({ length: BINS }, (_, bin) => {
    const angle = (2 * Math.PI * bin * SAMPLE_RATE) / FFT / EMPHASIS_RATE;
    // Squares grow with the number of samples in the window, and their sum in a band with the number of bins.
    const scale = (EMPHASIS_RATE / SAMPLE_RATE) ** 2 * ((SAMPLE_RATE / FFT) * (512 / EMPHASIS_RATE));
    return scale * (1 + 0.97 ** 2 - 2 * 0.97 * Math.cos(angle));
  });
  readonly #transform = new RealTransform(FFT);

  /** The spectrum of the {@link WINDOW} samples from `from`; samples outside the buffer count as silence. */
  at(samples: Pcm, from: number): Spectrum {
    const { input } = this.#transform;
    for (let n = 0; n < WINDOW; n++) input[n] = (samples[from + n] ?? 0) * this.#window[n]!;
    const power = this.#transform.power(BINS);
    for (let bin = 0; bin < BINS; bin++) power[bin]! *= this.#emphasis[bin]!;
    return power;
  }
}

/** Logarithms of the power in the bands, in nepers. */
export function logMel(spectrum: Spectrum, bands: readonly Band[]): Float32Array {
  const out = new Float32Array(bands.length);
  for (let band = 0; band < bands.length; band++) {
    let power = LEAST_POWER;
    for (const [bin, weight] of bands[band]!) power += weight * spectrum[bin]!;
    out[band] = Math.log(power);
  }
  return out;
}

/**
 * Triangular filters evenly spaced on the mel scale from 60 to 7000 Hz.
 * @param stretch factor of the bands' frequencies.
 */
export function melBands(stretch = 1): readonly Band[] {
  const mel = (hertz: number): number => 2595 * Math.log10(1 + hertz / 700);
  const hertz = (value: number): number => 700 * (10 ** (value / 2595) - 1);
  const low = mel(60);
  const step = (mel(7000) - low) / (BANDS + 1);
  return Array.from({ length: BANDS }, (_, band) => {
    const [left, centre, right] = [0, 1, 2].map((edge) =>
      Math.min(BINS - 1, (hertz(low + (band + edge) * step) * stretch * FFT) / SAMPLE_RATE),
    ) as [number, number, number];
    const bins: [number, number][] = [];
    for (let bin = Math.ceil(left); bin <= right; bin++) {
      const weight = bin <= centre ? (bin - left) / (centre - left) : (right - bin) / (right - centre);
      if (weight > 0) bins.push([bin, weight]);
    }
    return bins;
  });
}

/** Fourier transform (Cooley & Tukey 1965) of real values, two of them as one complex value; the size is a power of two. */
class RealTransform {
  /** Written by the caller before each transform. */
  readonly input: Float64Array;
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;
  readonly #reversed: Uint16Array;
  readonly #cosine: Float64Array;
  readonly #sine: Float64Array;

  constructor(private readonly size: number) {
    const half = size / 2;
    const bits = Math.log2(half);
    this.input = new Float64Array(size);
    this.#real = new Float64Array(half);
    this.#imaginary = new Float64Array(half);
    this.#reversed = Uint16Array.from({ length: half }, (_, n) => {
      let out = 0;
      for (let bit = 0; bit < bits; bit++) out |= ((n >> bit) & 1) << (bits - 1 - bit);
      return out;
    });
    this.#cosine = Float64Array.from({ length: half }, (_, k) => Math.cos((-2 * Math.PI * k) / size));
    this.#sine = Float64Array.from({ length: half }, (_, k) => Math.sin((-2 * Math.PI * k) / size));
  }

  /** Power of the first `bins` bins of the input's transform. */
  power(bins: number): Float32Array {
    this.#transform();
    const half = this.size / 2;
    const [real, imaginary] = [this.#real, this.#imaginary];
    const out = new Float32Array(bins);
    for (let bin = 0; bin < bins; bin++) {
      const mirror = (half - bin) % half;
      const evenReal = (real[bin]! + real[mirror]!) / 2;
      const evenImaginary = (imaginary[bin]! - imaginary[mirror]!) / 2;
      const oddReal = (imaginary[bin]! + imaginary[mirror]!) / 2;
      const oddImaginary = (real[mirror]! - real[bin]!) / 2;
      const [cosine, sine] = [this.#cosine[bin]!, this.#sine[bin]!];
      const re = evenReal + cosine * oddReal - sine * oddImaginary;
      const im = evenImaginary + cosine * oddImaginary + sine * oddReal;
      out[bin] = re * re + im * im;
    }
    return out;
  }

  #transform(): void {
    const half = this.size / 2;
    const [real, imaginary] = [this.#real, this.#imaginary];
    for (let n = 0; n < half; n++) {
      const to = this.#reversed[n]!;
      real[to] = this.input[2 * n]!;
      imaginary[to] = this.input[2 * n + 1]!;
    }
    for (let length = 2; length <= half; length <<= 1) {
      const span = length >> 1;
      const stride = this.size / length;
      for (let k = 0; k < span; k++) {
        const [cosine, sine] = [this.#cosine[k * stride]!, this.#sine[k * stride]!];
        for (let at = k; at < half; at += length) {
          const other = at + span;
          const r = real[other]! * cosine - imaginary[other]! * sine;
          const i = real[other]! * sine + imaginary[other]! * cosine;
          real[other] = real[at]! - r;
          imaginary[other] = imaginary[at]! - i;
          real[at]! += r;
          imaginary[at]! += i;
        }
      }
    }
  }
}
