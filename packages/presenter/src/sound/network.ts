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

/** The classifier as stored in `packages/presenter/data/from-sound/network.json`. */
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
  const letters = atob(weights);
  const bytes = new Int8Array(letters.length).map((_, at) => letters.charCodeAt(at));
  if (bytes.length !== inputs * outputs) {
    throw new Error(`expected ${inputs * outputs} weights, got ${bytes.length}`);
  }
  return {
    weights: new Float32Array(bytes).map((byte, at) => (byte * scales[Math.floor(at / inputs)]!) / 127),
    biases: Float32Array.from(biases),
    out: new Float32Array(outputs),
  };
}

function forward({ weights, biases, out }: Layer, input: Float32Array): void {
  const inputs = input.length;
  let output = 0;
  // Four outputs at a time: independent sums, and each input is read once.
  for (; output + 3 < out.length; output += 4) {
    const first = output * inputs;
    const second = first + inputs;
    const third = second + inputs;
    const fourth = third + inputs;
    let a = biases[output]!;
    let b = biases[output + 1]!;
    let c = biases[output + 2]!;
    let d = biases[output + 3]!;
    for (let at = 0; at < inputs; at++) {
      const value = input[at]!;
      a += weights[first + at]! * value;
      b += weights[second + at]! * value;
      c += weights[third + at]! * value;
      d += weights[fourth + at]! * value;
    }
    out[output] = a;
    out[output + 1] = b;
    out[output + 2] = c;
    out[output + 3] = d;
  }
  for (; output < out.length; output++) {
    let sum = biases[output]!;
    for (let at = 0; at < inputs; at++) sum += weights[output * inputs + at]! * input[at]!;
    out[output] = sum;
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
