/** Training of a perceptron with rectified hidden layers: cross-entropy, Adam (Kingma & Ba 2015). */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { normal } from './random.js';

/** Downloaded by npm for this run, as for the drawing kernel. */
const COMPILER = 'assemblyscript@0.27.37';

/** Decay of Adam's means; must match the assembly. */
const DECAY = { mean: 0.9, square: 0.999 };
const PAGE = 65_536;

/** A network of layers of the given sizes (inputs first) with random weights (He et al. 2015). Sizes but the last are multiples of 4. */
export class Perceptron {
  constructor(/** @type {readonly number[]} */ sizes, /** @type {import('./random.js').Random} */ random) {
    const words = sizes
      .slice(1)
      .reduce((sum, outputs, index) => sum + 4 * outputs * (sizes[index] + 1) + 8 * outputs, 0);
    const memory = new WebAssembly.Memory({ initial: Math.ceil((4 * (words + sizes[0])) / PAGE) + 2 });
    this.kernel = compileKernel(memory);
    this.steps = 0;
    let end = PAGE;
    const take = (/** @type {number} */ count) => {
      const values = new Float32Array(memory.buffer, end, count);
      end += 16 * Math.ceil(count / 4);
      return values;
    };
    const parameters = (/** @type {number} */ count) => {
      return { values: take(count), gradient: take(count), mean: take(count), square: take(count) };
    };
    this.input = take(sizes[0]);
    this.layers = sizes.slice(1).map((outputs, index) => {
      const inputs = sizes[index];
      const weights = parameters(inputs * outputs);
      const deviation = Math.sqrt(2 / inputs);
      for (let at = 0; at < weights.values.length; at++) weights.values[at] = deviation * normal(random);
      return { inputs, outputs, weights, biases: parameters(outputs), out: take(outputs), slope: take(outputs) };
    });
  }

  /** Adds one example to the gradient; returns the loss in nepers. */
  learn(/** @type {Float32Array} */ input, /** @type {number} */ wanted) {
    this.input.set(input);
    const last = this.layers.length - 1;
    for (const [index, { inputs, outputs, weights, biases, out }] of this.layers.entries()) {
      const from = index === 0 ? this.input : this.layers[index - 1].out;
      this.kernel.forward(...places(from, weights.values, biases.values, out), inputs, outputs, index < last);
    }
    const { out: logits, slope } = this.layers[last];
    const most = logits.reduce((a, b) => Math.max(a, b));
    let sum = 0;
    for (const value of logits) sum += Math.exp(value - most);
    for (let at = 0; at < logits.length; at++) slope[at] = Math.exp(logits[at] - most) / sum - (at === wanted ? 1 : 0);
    for (let index = last; index >= 0; index--) {
      const { inputs, outputs, weights, biases, slope: here } = this.layers[index];
      const before = this.layers[index - 1];
      const from = before?.out ?? this.input;
      const all = places(here, from, weights.values, weights.gradient, biases.gradient);
      this.kernel.backward(...all, before?.slope.byteOffset ?? 0, inputs, outputs);
    }
    return Math.log(sum) + most - logits[wanted];
  }

  /** Updates the weights with the gradient of the examples since the last step. */
  step(/** @type {number} */ rate, /** @type {number} */ examples) {
    this.steps++;
    const speed = (rate * Math.sqrt(1 - DECAY.square ** this.steps)) / (1 - DECAY.mean ** this.steps);
    for (const { weights, biases } of this.layers) {
      for (const { values, gradient, mean, square } of [weights, biases]) {
        this.kernel.step(...places(values, gradient, mean, square), values.length, speed, 1 / examples);
      }
    }
  }

  /** The layers in the engine's format, one byte per weight. */
  stored() {
    return this.layers.map(({ inputs, outputs, weights, biases }) => {
      const rows = Array.from({ length: outputs }, (_, output) =>
        weights.values.subarray(output * inputs, (output + 1) * inputs),
      );
      const scales = rows.map((row) => row.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9));
      const bytes = Int8Array.from(weights.values, (value, at) =>
        Math.round((127 * value) / scales[Math.floor(at / inputs)]),
      );
      return {
        inputs,
        outputs,
        weights: Buffer.from(bytes.buffer).toString('base64'),
        scales: scales.map(short),
        biases: Array.from(biases.values, short),
      };
    });
  }
}

const places = (/** @type {Float32Array[]} */ ...arrays) => arrays.map(({ byteOffset }) => byteOffset);

const short = (/** @type {number} */ value) => Number(value.toPrecision(5));

/** Compiles the WebAssembly arithmetic, which processes four values at once. */
function compileKernel(/** @type {WebAssembly.Memory} */ memory) {
  const folder = mkdtempSync(join(tmpdir(), 'train-from-sound-'));
  try {
    const source = fileURLToPath(new URL('assembly/index.ts', import.meta.url));
    const out = join(folder, 'kernel.wasm');
    const asc = ['--yes', `--package=${COMPILER}`, '--', 'asc', source, '--outFile', out];
    execFileSync('npx', [...asc, '-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--importMemory'], {
      stdio: 'inherit',
    });
    const module = new WebAssembly.Module(readFileSync(out));
    return new WebAssembly.Instance(module, { env: { memory, abort: () => undefined } }).exports;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
