import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  decodePack,
  PackError,
  type PictureDecoder,
  type PresenterPack,
  readLook,
  readPlate,
  shownPart,
} from '@figurehead/presenter';
import { loadSharp } from '../sharp.js';
import { folderFiles, lookOf } from './folders.js';
import { loadKernel } from './kernel.js';

/** Decodes with libvips. */
export const DECODER: PictureDecoder = {
  decode: async (bytes, size, channels) => {
    const sharp = await loadSharp();
    const picture = sharp(bytes, { limitInputPixels: size.width * size.height });
    const coloured = channels === 1 ? picture.toColourspace('b-w') : picture.toColourspace('srgb');
    const { data, info } = await coloured.raw().toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, channels: info.channels, data };
  },
  kernel: loadKernel,
};

/**
 * Loads a presenter pack and validates all its files (presenters/FORMAT.md).
 * @param dir folder with `manifest.json` or one of a variant inside it (`PACK/variants/NAME`); with a
 * framing by `framedFolder`
 * @returns the decoded pack in shared memory: send it to other threads instead of loading it again. Nothing has to be
 * closed.
 * @throws PackError naming the file, what was expected of it and what was found.
 */
export function loadPack(dir: string): Promise<PresenterPack> {
  const { home, look } = lookOf(dir);
  return decodePack(folderFiles(home), look, DECODER);
}

/**
 * Names of the packs in a folder, sorted: its sub-folders that hold a `manifest.json`.
 * @throws the file system's error if the folder cannot be read.
 */
export async function listPacks(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const files = await readdir(join(dir, name));
        return files.includes('manifest.json') ? [name] : [];
      }),
  );
  return names.flat().sort();
}

/**
 * The resting plate of a pack with its transparency; editors show it as a placeholder.
 * @param dir as for {@link loadPack}
 * @param crop as of a {@link PresenterPlacement}.
 * @returns WebP
 * @throws PackError as {@link loadPack} does.
 */
export async function packPlate(dir: string, crop: 'full' | 'bust' = 'full'): Promise<Buffer> {
  const sharp = await loadSharp();
  const { home, look: asked } = lookOf(dir);
  const files = folderFiles(home);
  const look = await readLook(files, asked);
  const { own, manifest } = look;
  const isWhole = crop === 'full' && manifest.frame === undefined && own.ground === undefined;
  if (isWhole) return Buffer.from(await files.read(look.base));
  const { data, ...raw } = await readPlate(look, DECODER);
  let plate = sharp(data, { raw: { ...raw, channels: 4 } });
  if (own.ground !== undefined) {
    const input = await plate.png({ compressionLevel: 1 }).toBuffer();
    // sharp crops before it composites, so this needs two steps.
    const whole = sharp(await files.read(own.ground)).composite([{ input }]);
    plate = sharp(await whole.png({ compressionLevel: 1 }).toBuffer());
  }
  const { x, y, width, height } = shownPart(manifest, crop);
  const [x0, y0, x1, y1] = [x, y, x + width, y + height].map(Math.round) as [number, number, number, number];
  const [left, top] = [Math.max(0, x0), Math.max(0, y0)];
  const shown = { left, top, width: Math.min(raw.width, x1) - left, height: Math.min(raw.height, y1) - top };
  if (shown.width < 1 || shown.height < 1) throw new PackError(`${dir}: expected a frame that meets the plate`);
  const clear = { r: 0, g: 0, b: 0, alpha: 0 };
  const around = { left: left - x0, top: top - y0, right: x1 - left - shown.width, bottom: y1 - top - shown.height };
  return plate
    .extract(shown)
    .extend({ ...around, background: clear })
    .webp({ quality: 90 })
    .toBuffer();
}
