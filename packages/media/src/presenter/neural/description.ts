import { join } from 'node:path';
import { PackError } from '../contract.js';
import { type ManifestValue, readManifestFile } from '../pack/manifest.js';

/** A folder with this file is a neural presenter (docs/neural.md). */
export const NEURAL_FILE = 'neural.json';

/** Inputs that a model can receive for a frame; the operator names the tensor of each. */
export const NEURAL_INPUTS = ['pose', 'visemes', 'loudness', 'reference'] as const;

/** Contents of `neural.json`. */
export interface NeuralDescription {
  readonly name: string;
  /** Size of the model's output frames and of the portrait. */
  readonly width: number;
  readonly height: number;
  /** File names inside the folder. */
  readonly model: string;
  readonly portrait: string;
  /** Tensor names; absent inputs are not fed. */
  readonly inputs: Readonly<Partial<Record<(typeof NEURAL_INPUTS)[number], string>>>;
  /** Values of the output tensor that mean black and full brightness (or clear and opaque). */
  readonly output: { readonly name: string; readonly low: number; readonly high: number };
  /** Maximum frames in one run. */
  readonly batch: number;
  readonly device: 'auto' | 'cuda' | 'cpu';
}

/**
 * Reads the description of a neural presenter.
 * @param dir its folder
 * @throws PackError naming the file, the field, what was expected of it and what was found.
 */
export async function readNeuralDescription(dir: string): Promise<NeuralDescription> {
  const file = join(dir, NEURAL_FILE);
  const root = await readManifestFile(file);
  const inputs: Partial<Record<(typeof NEURAL_INPUTS)[number], string>> = {};
  for (const kind of NEURAL_INPUTS) {
    const tensor = root.at('inputs').at(kind);
    if (tensor.isThere()) inputs[kind] = tensor.text();
  }
  if (inputs.pose === undefined && inputs.visemes === undefined && inputs.loudness === undefined) {
    throw new PackError(`${file}: inputs: expected pose, visemes or loudness, found none of them`);
  }
  const range = root.at('output').at('range').list(2);
  const low = range[0]!.number();
  const device = root.at('device');
  const batch = root.at('batch');
  return {
    name: root.at('name').text(),
    width: evenSide(root.at('width')),
    height: evenSide(root.at('height')),
    model: root.at('model').fileName(),
    portrait: root.at('portrait').fileName(),
    inputs,
    output: { name: root.at('output').at('name').text(), low, high: range[1]!.number({ min: low + 1e-6 }) },
    batch: batch.isThere() ? batch.integer({ min: 1, max: 64 }) : 1,
    device: device.isThere() ? deviceOf(device, file) : 'auto',
  };
}

function evenSide(field: ManifestValue): number {
  const side = field.integer({ min: 64, max: 2048 });
  if (side % 2 !== 0) throw new PackError(`${field.name()}: expected an even number, found ${side}`);
  return side;
}

function deviceOf(field: ManifestValue, file: string): NeuralDescription['device'] {
  const device = field.text();
  if (device === 'auto' || device === 'cuda' || device === 'cpu') return device;
  throw new PackError(`${file}: device: expected auto, cuda or cpu, found ${JSON.stringify(device)}`);
}
