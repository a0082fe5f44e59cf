import type { Framing } from '@figurehead/contract/document';
import { PackError } from '../contract.js';
import type { PackFiles } from './files.js';
import { isShown } from './framing.js';
import { type ManifestValue, type PlateBox, readManifestFile } from './manifest.js';

/** Another look of a pack: other clothes, another framing, or both (presenters/FORMAT.md 4). */
export interface Variant {
  /** Name shown to users. */
  readonly title: string;
  /** Name of its own plate, which has the size of the pack's plate; absent: the pack's plate. */
  readonly base?: string;
  /**
   * The part of the plate that it shows, in plate px; may extend past the plate's sides and top. Absent: decided by the
   * crop.
   */
  readonly frame?: PlateBox;
  /** What it shows unless a slide asks for another framing. */
  readonly framing?: Framing;
}

/** Folder of a pack with a folder for each variant. */
export const VARIANTS = 'variants';

/** Limit for a frame's coordinates in plate px: twice the largest plate. */
const FAR_OUT = 16_384;

/**
 * Reads the variant `name` of a pack.
 * @throws PackError naming the file, the field, what was expected of it and what was found.
 */
export async function readVariant(files: PackFiles, name: string): Promise<Variant> {
  const file = `${VARIANTS}/${name}/variant.json`;
  const root = await readManifestFile(files, file);
  const [base, frame, framing] = [root.at('base'), root.at('frame'), root.at('framing')];
  if (![base, frame, framing].some((part) => part.isThere())) {
    throw new PackError(`${files.pathOf(file)}: expected base, frame or framing, found none of them`);
  }
  return {
    title: root.at('title').text(),
    ...(base.isThere() ? { base: base.fileName() } : {}),
    ...(frame.isThere() ? { frame: readFrame(frame) } : {}),
    ...(framing.isThere() ? { framing: readFraming(framing) } : {}),
  };
}

function readFraming(field: ManifestValue): Framing {
  const framing = field.text();
  if (!isShown(framing)) throw new PackError(`${field.name()}: expected head, bust or waist, found ${framing}`);
  return framing;
}

function readFrame(field: ManifestValue): PlateBox {
  const sides = field.list(4).map((side) => side.number({ min: -FAR_OUT, max: FAR_OUT }));
  const [x0, y0, x1, y1] = [sides[0]!, sides[1]!, sides[2]!, sides[3]!];
  if (x1 < x0 + 64 || y1 < y0 + 64) {
    throw new PackError(`${field.name()}: expected at least 64×64 px, found ${x1 - x0}×${y1 - y0}`);
  }
  return [x0, y0, x1, y1];
}
