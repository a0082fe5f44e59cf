import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-common';
import { loadOnnx } from '../../onnx.js';
import { PackError } from '../contract.js';
import { describe } from '../pack/manifest.js';
import { FEATURE_LENGTHS, type NeuralFeatures } from './features.js';
import type { NeuralPack } from './neural-pack.js';

/** Time that the first frame of a batch waits for frames of other sessions, whose ticks are slightly apart (ms). */
const GATHER_MS = 2;

/** A requested frame. */
interface Order {
  readonly features: NeuralFeatures;
  readonly resolve: (pixels: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One ONNX model for all sessions of a thread. Frames requested within {@link GATHER_MS}, or during a run, are computed
 * together in the next run, up to the batch size that the operator allows. The first frame loads the model. The caller
 * closes it.
 */
export class NeuralModel {
  readonly #orders: Order[] = [];
  #session: Promise<InferenceSession> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isOpen = true;
  #runs = 0;

  constructor(private readonly pack: NeuralPack) {}

  /** Runs of the model so far. */
  get runs(): number {
    return this.#runs;
  }

  /** One frame as RGBA bytes. Rejects with what loading or running the model throws, and after `close`. */
  frame(features: NeuralFeatures): Promise<Uint8Array> {
    if (!this.#isOpen) return Promise.reject(new Error('expected an open model, it has been closed'));
    return new Promise((resolve, reject) => {
      this.#orders.push({ features, resolve, reject });
      this.#schedule();
    });
  }

  /** Drops pending frames and frees the model. Idempotent. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    for (const order of this.#orders.splice(0)) order.reject(new Error('the model was closed'));
    // If opening failed, the caller has received the error already.
    this.#session?.then(
      (session) => session.release(),
      () => undefined,
    );
  }

  #schedule(): void {
    if (this.#isRunning || this.#timer !== undefined || this.#orders.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, GATHER_MS);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#orders.length > 0) {
      const batch = this.#orders.splice(0, this.pack.neural.batch);
      try {
        const pictures = await this.#infer(batch.map(({ features }) => features));
        batch.forEach(({ resolve }, i) => {
          resolve(pictures[i]!);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isRunning = false;
  }

  async #infer(batch: readonly NeuralFeatures[]): Promise<Uint8Array[]> {
    this.#session ??= openSession(this.pack);
    const session = await this.#session.catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    const { Tensor: TensorOf } = await loadOnnx();
    const { inputs, output, width, height } = this.pack.neural;
    const feeds: Record<string, Tensor> = {};
    for (const kind of ['pose', 'visemes', 'loudness'] as const) {
      const name = inputs[kind];
      if (name === undefined) continue;
      const length = FEATURE_LENGTHS[kind];
      const values = new Float32Array(batch.length * length);
      batch.forEach((features, i) => {
        values.set(features[kind], i * length);
      });
      feeds[name] = new TensorOf('float32', values, [batch.length, length]);
    }
    if (inputs.reference !== undefined) {
      feeds[inputs.reference] = new TensorOf('float32', this.pack.reference, [1, 4, height, width]);
    }
    const results = await session.run(feeds, [output.name]);
    this.#runs++;
    return picturesOf(results[output.name], batch.length, this.pack);
  }
}

/** @throws PackError if the runtime is missing, or the model cannot be read or lacks a tensor. */
async function openSession({ folder, neural }: NeuralPack): Promise<InferenceSession> {
  const file = join(folder, neural.model);
  const { InferenceSession: Session } = await loadOnnx().catch((cause: unknown) => {
    throw new PackError(`${file}: a neural presenter needs ONNX Runtime, but ${describe(cause)}`, { cause });
  });
  const open = (providers: string[]): Promise<InferenceSession> =>
    Session.create(file, { executionProviders: providers });
  const opened =
    neural.device === 'cpu'
      ? open(['cpu'])
      : open(['cuda', 'cpu']).catch((error: unknown) => {
          // Without CUDA the runtime rejects the provider by name.
          if (neural.device === 'cuda') throw error;
          return open(['cpu']);
        });
  const session = await opened.catch((cause: unknown) => {
    throw new PackError(`${file}: expected a model for ONNX Runtime, found ${describe(cause)}`, { cause });
  });
  const missing = [
    ...Object.values(neural.inputs).filter((name) => !session.inputNames.includes(name)),
    ...(session.outputNames.includes(neural.output.name) ? [] : [neural.output.name]),
  ];
  if (missing.length > 0) {
    const has = [...session.inputNames, ...session.outputNames].join(', ');
    throw new PackError(`${file}: expected a tensor ${missing.join(', ')}, found ${has}`);
  }
  return session;
}

/** Converts float planes [n, 3 or 4, height, width] to RGBA bytes. */
function picturesOf(tensor: Tensor | undefined, count: number, { neural, folder }: NeuralPack): Uint8Array[] {
  const { width, height, output, model } = neural;
  const [n, channels, rows, columns] = tensor?.dims ?? [];
  const fits = n === count && (channels === 3 || channels === 4) && rows === height && columns === width;
  if (!fits || !(tensor?.data instanceof Float32Array)) {
    const found = tensor === undefined ? 'nothing' : `${tensor.type} [${tensor.dims.join(', ')}]`;
    const expected = `float32 [${count}, 3 or 4, ${height}, ${width}]`;
    throw new PackError(`${join(folder, model)}: ${output.name}: expected ${expected}, found ${found}`);
  }
  const values = tensor.data;
  const pixels = width * height;
  const gain = 255 / (output.high - output.low);
  return Array.from({ length: count }, (_, frame) => {
    const rgba = new Uint8Array(pixels * 4);
    for (let channel = 0; channel < 4; channel++) {
      const from = (frame * channels + channel) * pixels;
      for (let i = 0; i < pixels; i++) {
        const value = channel < channels ? (values[from + i]! - output.low) * gain : 255;
        rgba[i * 4 + channel] = Math.min(255, Math.max(0, Math.round(value)));
      }
    }
    return rgba;
  });
}
