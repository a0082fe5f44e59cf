import { readFileSync } from 'node:fs';

/** A stored layer: weights by output, in 127ths of the output's scale. */
export interface StoredLayer {
  readonly inputs: number;
  readonly outputs: number;
  /** Signed bytes in Base64, `outputs × inputs`. */
  readonly weights: string;
  /** One per output. */
  readonly scales: readonly number[];
  readonly biases: readonly number[];
}

/** The classifier as stored in `packages/media/data/from-sound/network.json`. */
export interface StoredNetwork {
  /** Representative IPA phones of the classes; `''` is silence. */
  readonly phones: readonly string[];
  /** Share of the classes in speech. */
  readonly shares: readonly number[];
  readonly layers: readonly StoredLayer[];
}

/** A perceptron with rectified hidden layers. */
export interface PhoneClassifier {
  readonly phones: readonly string[];
  readonly shares: readonly number[];
  /** Logarithms of the classes' probabilities; the array is overwritten by the next call. */
  classify(input: Float32Array): Float32Array;
}

interface Layer {
  readonly weights: Float32Array;
  readonly biases: Float32Array;
  readonly out: Float32Array;
}

const FILE = new URL('../../../data/from-sound/network.json', import.meta.url);

/** Reads the classifier from `npm run train:from-sound`. */
export function readClassifier(): PhoneClassifier {
  return openNetwork(JSON.parse(readFileSync(FILE, 'utf8')) as StoredNetwork);
}

/** A classifier from its stored form; throws when the number of a layer's weights does not match its size. */
export function openNetwork({ phones, shares, layers: stored }: StoredNetwork): PhoneClassifier {
  const layers = stored.map(openLayer);
  return {
    phones,
    shares,
    classify(input) {
      let values = input;
      for (const [index, layer] of layers.entries()) {
        forward(layer, values);
        values = layer.out;
        if (index < layers.length - 1) rectify(values);
      }
      return normalised(values);
    },
  };
}

function openLayer({ inputs, outputs, weights, scales, biases }: StoredLayer): Layer {
  const bytes = new Int8Array(Buffer.from(weights, 'base64'));
  if (bytes.length !== inputs * outputs) {
    throw new Error(`expected ${inputs * outputs} weights, got ${bytes.length}`);
  }
  return {
    weights: Float32Array.from(bytes, (byte, at) => (byte * scales[Math.floor(at / inputs)]!) / 127),
    biases: Float32Array.from(biases),
    out: new Float32Array(outputs),
  };
}

function forward({ weights, biases, out }: Layer, input: Float32Array): void {
  const inputs = input.length;
  for (let output = 0; output < out.length; output++) {
    const row = output * inputs;
    // Two sums, which the processor can compute in parallel.
    let even = biases[output]!;
    let odd = 0;
    let at = 0;
    for (; at + 1 < inputs; at += 2) {
      even += weights[row + at]! * input[at]!;
      odd += weights[row + at + 1]! * input[at + 1]!;
    }
    if (at < inputs) even += weights[row + at]! * input[at]!;
    out[output] = even + odd;
  }
}

function rectify(values: Float32Array): void {
  for (let at = 0; at < values.length; at++) if (values[at]! < 0) values[at] = 0;
}

/** In place: logarithms of a softmax. */
function normalised(values: Float32Array): Float32Array {
  const most = values.reduce((a, b) => Math.max(a, b));
  const sum = Math.log(values.reduce((total, value) => total + Math.exp(value - most), 0)) + most;
  for (let at = 0; at < values.length; at++) values[at]! -= sum;
  return values;
}
