import { readFile } from 'node:fs/promises';

/** Samples at 16 kHz of which each probability is: 32 ms. */
export const WINDOW = 512;
/** Samples of the window before, which the network sees too. */
const CONTEXT = 64;
/** The spectrum: samples of a frame, distance of frames, frames of a window, bins. */
const [FRAME, HOP, FRAMES, BINS] = [256, 128, 4, 129];
/** Convolutions over three frames: channels in and out, stride. */
const LAYERS = [
  [BINS, 128, 1],
  [128, 64, 2],
  [64, 64, 2],
  [64, 128, 1],
] as const;
/** Cells of the recurrent layer. */
const CELLS = 128;

/** Works from dist and from src: both resolve to the package's data. */
const WEIGHTS = new URL('../../../data/voice-activity/silero.bin', import.meta.url);

/** The weights of Silero VAD, for all speakers. */
export interface SileroWeights {
  readonly layers: readonly { readonly weights: Float32Array; readonly bias: Float32Array }[];
  readonly input: Float32Array;
  readonly recurrent: Float32Array;
  readonly bias: Float32Array;
  readonly output: Float32Array;
  readonly outputBias: number;
  readonly cosines: Float32Array;
  readonly sines: Float32Array;
}

export async function loadSilero(): Promise<SileroWeights> {
  const halves = await readFile(WEIGHTS);
  let at = 0;
  const take = (count: number) => new Float32Array(count).map(() => halfAt(halves, 2 * at++));
  const layers = LAYERS.map(([from, to]) => ({ weights: take(to * from * 3), bias: take(to) }));
  const [input, recurrent] = [take(4 * CELLS * CELLS), take(4 * CELLS * CELLS)];
  const [bias, output] = [take(4 * CELLS), take(CELLS)];
  const wave = (of: (angle: number) => number) =>
    new Float32Array(BINS * FRAME).map((_, index) => {
      const [bin, n] = [Math.floor(index / FRAME), index % FRAME];
      return (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / FRAME)) * of((2 * Math.PI * ((bin * n) % FRAME)) / FRAME);
    });
  return {
    layers,
    input,
    recurrent,
    bias,
    output,
    outputBias: take(1)[0]!,
    cosines: wave(Math.cos),
    sines: wave(Math.sin),
  };
}

/** Silero VAD for one speaker: the probability that a window is speech, on the calling thread. */
export class Silero {
  private readonly samples = new Float32Array(CONTEXT + WINDOW + CONTEXT);
  private readonly hidden = new Float32Array(CELLS);
  private readonly cells = new Float32Array(CELLS);

  constructor(private readonly net: SileroWeights) {}

  /** @param window {@link WINDOW} samples from −1 to 1, which follow those of the last call. @returns 0…1. */
  probability(window: Float32Array): number {
    const { samples, net, hidden } = this;
    samples.copyWithin(0, WINDOW, WINDOW + CONTEXT);
    samples.set(window, CONTEXT);
    const end = CONTEXT + WINDOW;
    // Padded by reflection.
    for (let n = 0; n < CONTEXT; n++) samples[end + n] = samples[end - 2 - n]!;
    let frames = this.spectrum();
    for (const [index, [from, to, stride]] of LAYERS.entries()) {
      frames = convolve(frames, net.layers[index]!, { from, to, stride });
    }
    this.recur(frames);
    let sum = net.outputBias;
    for (let cell = 0; cell < CELLS; cell++) sum += net.output[cell]! * Math.max(0, hidden[cell]!);
    return sigmoid(sum);
  }

  /** Magnitudes, frame by frame. */
  private spectrum(): Float32Array {
    const { cosines, sines } = this.net;
    const out = new Float32Array(FRAMES * BINS);
    for (let frame = 0; frame < FRAMES; frame++) {
      const part = this.samples.subarray(frame * HOP, frame * HOP + FRAME);
      for (let bin = 0; bin < BINS; bin++) {
        let [real, imaginary] = [0, 0];
        for (let n = 0, at = bin * FRAME; n < FRAME; n++, at++) {
          real += part[n]! * cosines[at]!;
          imaginary += part[n]! * sines[at]!;
        }
        out[frame * BINS + bin] = Math.sqrt(real * real + imaginary * imaginary);
      }
    }
    return out;
  }

  private recur(features: Float32Array): void {
    const { input, recurrent, bias } = this.net;
    const { hidden, cells } = this;
    const gates = new Float32Array(4 * CELLS);
    for (let gate = 0; gate < gates.length; gate++) {
      let sum = bias[gate]!;
      for (let n = 0, at = gate * CELLS; n < CELLS; n++, at++) {
        sum += input[at]! * features[n]! + recurrent[at]! * hidden[n]!;
      }
      gates[gate] = sum;
    }
    for (let cell = 0; cell < CELLS; cell++) {
      const [enter, forget, leave] = [0, 1, 3].map((gate) => sigmoid(gates[gate * CELLS + cell]!)) as [
        number,
        number,
        number,
      ];
      cells[cell] = forget * cells[cell]! + enter * Math.tanh(gates[2 * CELLS + cell]!);
      hidden[cell] = leave * Math.tanh(cells[cell]!);
    }
  }
}

/** A rectified convolution over three frames with a frame of zeros at both ends. */
function convolve(
  frames: Float32Array,
  { weights, bias }: SileroWeights['layers'][number],
  { from, to, stride }: { from: number; to: number; stride: number },
): Float32Array {
  const count = frames.length / from;
  const length = Math.floor((count - 1) / stride) + 1;
  const out = new Float32Array(length * to);
  for (let frame = 0; frame < length; frame++) {
    const [first, last] = [frame * stride - 1, Math.min(count - 1, frame * stride + 1)];
    for (let channel = 0; channel < to; channel++) {
      let sum = bias[channel]!;
      for (let source = Math.max(0, first); source <= last; source++) {
        let at = channel * from * 3 + source - first;
        for (let n = source * from; n < (source + 1) * from; n++, at += 3) sum += frames[n]! * weights[at]!;
      }
      out[frame * to + channel] = Math.max(0, sum);
    }
  }
  return out;
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** An IEEE 754 binary16 number; infinities and NaN do not occur in weights. */
function halfAt(bytes: Buffer, offset: number): number {
  const half = bytes.readUInt16LE(offset);
  const [exponent, fraction] = [(half >> 10) & 0x1f, half & 0x3ff];
  const magnitude = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}
