import { basename, dirname, join } from 'node:path';
import type { Framing } from '@figurehead/contract/document';
import type { Manifest, PlateBox } from './manifest.js';

/** How much of a presenter a pack shows when it is loaded; `auto` leaves it to the variant. */
const FOLDER = 'framing';

/** Space of a head around it, in heights of the head: above, and below the chin. Its picture has the shape of a plate. */
const HEAD = { above: 0.12, below: 0.2, aspect: 4 / 3 } as const;

/** Folder name that makes `loadPack` show a pack in this framing. The file system does not have it. */
export function framedFolder(folder: string, framing: Framing): string {
  return framing === 'auto' ? folder : join(folder, FOLDER, framing);
}

/** The folder of a pack or variant, and the framing asked for with it. */
export function framingOf(dir: string): { folder: string; framing: Framing } {
  const framing = basename(dir);
  const isFramed = basename(dirname(dir)) === FOLDER && isShown(framing);
  return isFramed ? { folder: dirname(dirname(dir)), framing } : { folder: dir, framing: 'auto' };
}

/** Whether a variant can show it. */
export function isShown(name: string): name is Exclude<Framing, 'auto'> {
  return name === 'head' || name === 'bust' || name === 'waist';
}

/** The part of the plate that the framing `head` shows, plate px. */
export function headFrame({ head }: Manifest): PlateBox {
  const height = head.chinY - head.topY;
  const [top, bottom] = [head.topY - HEAD.above * height, head.chinY + HEAD.below * height];
  const half = ((bottom - top) * HEAD.aspect) / 2;
  return [head.pivotX - half, top, head.pivotX + half, bottom];
}
