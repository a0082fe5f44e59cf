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
  readonly #window = new Float64Array(WINDOW).map((_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / WINDOW));
  readonly #emphasis = new Float64Array(BINS).map((_, bin) => {
    const angle = (2 * Math.PI * bin * SAMPLE_RATE) / FFT / EMPHASIS_RATE;
    // Squares grow with the number of samples in the window, and their sum in a band with the number of bins.
    const scale = (EMPHASIS_RATE / SAMPLE_RATE) ** 2 * ((SAMPLE_RATE / FFT) * (512 / EMPHASIS_RATE));
    return scale * (1 + 0.97 ** 2 - 2 * 0.97 * Math.cos(angle));
  });
  readonly #transform = new RealTransform(FFT);

  /** The spectrum of the {@link WINDOW} samples from `from`; samples outside the buffer count as silence. */
  at(samples: Float32Array, from: number): Spectrum {
    const { input } = this.#transform;
    const window = this.#window;
    for (let n = 0; n < WINDOW; n++) input[n] = (samples[from + n] ?? 0) * window[n]!;
    const power = this.#transform.power(BINS);
    const emphasis = this.#emphasis;
    for (let bin = 0; bin < BINS; bin++) power[bin]! *= emphasis[bin]!;
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

/** Fourier transform (Cooley & Tukey 1965, radix 4) of real values, two of them as one complex value; half the size is a power of four. */
class RealTransform {
  /** Written by the caller before each transform. */
  readonly input: Float64Array;
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;
  /** Numbers of the complex values with their base-4 digits in reverse order. */
  readonly #reversed: Uint16Array;
  readonly #cosine: Float64Array;
  readonly #sine: Float64Array;

  constructor(private readonly size: number) {
    const half = size / 2;
    this.input = new Float64Array(size);
    this.#real = new Float64Array(half);
    this.#imaginary = new Float64Array(half);
    this.#reversed = new Uint16Array(half).map((_, n) => {
      let out = 0;
      for (let rest = n, count = half; count > 1; rest >>= 2, count >>= 2) out = (out << 2) | (rest & 3);
      return out;
    });
    const angle = (-2 * Math.PI) / size;
    this.#cosine = new Float64Array((3 * size) / 4).map((_, k) => Math.cos(angle * k));
    this.#sine = new Float64Array((3 * size) / 4).map((_, k) => Math.sin(angle * k));
  }

  /** Power of the first `bins` bins of the input's transform. */
  power(bins: number): Float32Array {
    this.#transform();
    const half = this.size / 2;
    const [real, imaginary, cosines, sines] = [this.#real, this.#imaginary, this.#cosine, this.#sine];
    const out = new Float32Array(bins);
    for (let bin = 0; bin < bins; bin++) {
      const mirror = (half - bin) % half;
      const evenReal = (real[bin]! + real[mirror]!) / 2;
      const evenImaginary = (imaginary[bin]! - imaginary[mirror]!) / 2;
      const oddReal = (imaginary[bin]! + imaginary[mirror]!) / 2;
      const oddImaginary = (real[mirror]! - real[bin]!) / 2;
      const cosine = cosines[bin]!;
      const sine = sines[bin]!;
      const re = evenReal + cosine * oddReal - sine * oddImaginary;
      const im = evenImaginary + cosine * oddImaginary + sine * oddReal;
      out[bin] = re * re + im * im;
    }
    return out;
  }

  #transform(): void {
    const { input, size } = this;
    const half = size / 2;
    const [real, imaginary, reversed] = [this.#real, this.#imaginary, this.#reversed];
    for (let n = 0; n < half; n++) {
      const to = reversed[n]!;
      real[to] = input[2 * n]!;
      imaginary[to] = input[2 * n + 1]!;
    }
    for (let quarter = 1; quarter < half; quarter <<= 2) this.#combine(quarter);
  }

  /** Combines four neighbouring transforms of `quarter` values each into one. */
  #combine(quarter: number): void {
    const half = this.size / 2;
    const [real, imaginary, cosines, sines] = [this.#real, this.#imaginary, this.#cosine, this.#sine];
    const stride = half / (2 * quarter);
    for (let k = 0; k < quarter; k++) {
      const c1 = cosines[k * stride]!;
      const s1 = sines[k * stride]!;
      const c2 = cosines[2 * k * stride]!;
      const s2 = sines[2 * k * stride]!;
      const c3 = cosines[3 * k * stride]!;
      const s3 = sines[3 * k * stride]!;
      for (let at = k; at < half; at += 4 * quarter) {
        const second = at + quarter;
        const third = second + quarter;
        const fourth = third + quarter;
        const r1 = real[second]! * c1 - imaginary[second]! * s1;
        const i1 = real[second]! * s1 + imaginary[second]! * c1;
        const r2 = real[third]! * c2 - imaginary[third]! * s2;
        const i2 = real[third]! * s2 + imaginary[third]! * c2;
        const r3 = real[fourth]! * c3 - imaginary[fourth]! * s3;
        const i3 = real[fourth]! * s3 + imaginary[fourth]! * c3;
        const r0 = real[at]!;
        const i0 = imaginary[at]!;
        real[at] = r0 + r2 + (r1 + r3);
        imaginary[at] = i0 + i2 + (i1 + i3);
        real[second] = r0 - r2 + (i1 - i3);
        imaginary[second] = i0 - i2 - (r1 - r3);
        real[third] = r0 + r2 - (r1 + r3);
        imaginary[third] = i0 + i2 - (i1 + i3);
        real[fourth] = r0 - r2 - (i1 - i3);
        imaginary[fourth] = i0 - i2 + (r1 - r3);
      }
    }
  }
}
