import { join } from 'node:path';
import { rgbaToYuva } from '../../colour.js';
import type { YuvaFrame } from '../../frame.js';
import { loadSharp } from '../../sharp.js';
import { PackError, type PresenterPack } from '../contract.js';
import { describe } from '../pack/manifest.js';
import { type NeuralDescription, readNeuralDescription } from './description.js';

/** A neural presenter without its model, which each drawing thread loads for itself. Structured-cloneable. */
export interface NeuralPack extends PresenterPack {
  readonly neural: NeuralDescription;
  readonly folder: string;
  /** Shown until the model has produced its first frame. */
  readonly portrait: YuvaFrame;
  /** The portrait as consecutive RGBA planes, values 0…1: the `reference` tensor. In shared memory. */
  readonly reference: Float32Array;
}

/**
 * Loads a neural presenter's description and portrait.
 * @param dir folder with `neural.json`
 * @throws PackError naming the file, what was expected of it and what was found.
 */
export async function loadNeuralPack(dir: string): Promise<NeuralPack> {
  const neural = await readNeuralDescription(dir);
  const { width, height, name } = neural;
  const file = join(dir, neural.portrait);
  const data = await readPortrait(file, neural);
  const pixels = width * height;
  const reference = new Float32Array(new SharedArrayBuffer(pixels * 4 * Float32Array.BYTES_PER_ELEMENT));
  for (let i = 0; i < pixels; i++) {
    for (let channel = 0; channel < 4; channel++) reference[channel * pixels + i] = data[i * 4 + channel]! / 255;
  }
  return { name, width, height, neural, folder: dir, portrait: rgbaToYuva({ width, height, data }), reference };
}

/** Whether a pack is drawn by a model. */
export function isNeural(pack: PresenterPack): pack is NeuralPack {
  return 'neural' in pack && 'portrait' in pack;
}

async function readPortrait(file: string, { width, height }: NeuralDescription): Promise<Uint8Array> {
  try {
    const sharp = await loadSharp();
    const picture = sharp(file, { limitInputPixels: width * height })
      .toColourspace('srgb')
      .ensureAlpha();
    const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
    if (info.width === width && info.height === height) return data;
    throw new PackError(`${file}: expected ${width}×${height} px, found ${info.width}×${info.height}`);
  } catch (error) {
    if (error instanceof PackError) throw error;
    throw new PackError(`${file}: expected a picture of ${width}×${height} px, found ${describe(error)}`, {
      cause: error,
    });
  }
}
