import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Framing } from '@figurehead/contract/document';
import { PackError } from '../contract.js';
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

/** A variant with its folder. Its avatar code is the pack's name, a dot and `name`. */
export interface ListedVariant extends Variant {
  readonly name: string;
  /** Folder that `loadPack` takes. */
  readonly folder: string;
}

const FOLDER = 'variants';
const FILE = 'variant.json';
/** A variant's name is part of avatar codes and URLs. */
const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
/** Limit for a frame's coordinates in plate px: twice the largest plate. */
const FAR_OUT = 16_384;

/** True when `dir` is a variant's folder, judged by its path. */
export function isVariantFolder(dir: string): boolean {
  return basename(dirname(dir)) === FOLDER;
}

/** Folder of the pack that a variant belongs to. */
export function packOfVariant(dir: string): string {
  return dirname(dirname(dir));
}

/**
 * Reads a variant.
 * @param dir its folder, `PACK/variants/NAME`
 * @throws PackError naming the file, the field, what was expected of it and what was found.
 */
export async function readVariant(dir: string): Promise<Variant> {
  const file = join(dir, FILE);
  const root = await readManifestFile(file);
  const [base, frame, framing] = [root.at('base'), root.at('frame'), root.at('framing')];
  if (![base, frame, framing].some((part) => part.isThere())) {
    throw new PackError(`${file}: expected base, frame or framing, found none of them`);
  }
  return {
    title: root.at('title').text(),
    ...(base.isThere() ? { base: base.fileName() } : {}),
    ...(frame.isThere() ? { frame: readFrame(frame) } : {}),
    ...(framing.isThere() ? { framing: readFraming(framing) } : {}),
  };
}

/**
 * The variants of a pack, sorted by name.
 * @param pack the pack's folder
 * @throws PackError for one that cannot be read or whose folder's name cannot be part of an avatar code.
 */
export async function listVariants(pack: string): Promise<ListedVariant[]> {
  const entries = await readdir(join(pack, FOLDER), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const wrong = names.find((name) => !NAME.test(name));
  if (wrong !== undefined) {
    throw new PackError(`${join(pack, FOLDER)}: expected names of small letters, digits and hyphens, found ${wrong}`);
  }
  return Promise.all(
    names.sort().map(async (name) => {
      const folder = join(pack, FOLDER, name);
      return { ...(await readVariant(folder)), name, folder };
    }),
  );
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
