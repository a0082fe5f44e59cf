import { access, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Framing } from '@figurehead/contract/document';
import { isShown, PackError, type PackFiles, type PackLook, VARIANTS } from '@figurehead/presenter';

/** How much of a presenter a pack shows when it is loaded; `auto` leaves it to the variant. */
const FRAMING = 'framing';

/** Folder name that makes `loadPack` show a pack in this framing. The file system does not have it. */
export function framedFolder(folder: string, framing: Framing): string {
  return framing === 'auto' ? folder : join(folder, FRAMING, framing);
}

/** The folder of a pack or variant, and the framing asked for with it. */
export function framingOf(dir: string): { folder: string; framing: Framing } {
  const framing = basename(dir);
  const isFramed = basename(dirname(dir)) === FRAMING && isShown(framing);
  return isFramed ? { folder: dirname(dirname(dir)), framing } : { folder: dir, framing: 'auto' };
}

/** True when `dir` is a variant's folder, judged by its path. */
export function isVariantFolder(dir: string): boolean {
  return basename(dirname(dir)) === VARIANTS;
}

/** Folder of the pack that a variant belongs to. */
export function packOfVariant(dir: string): string {
  return dirname(dirname(dir));
}

/** The pack to which `dir` belongs, and what of it is shown. */
export function lookOf(dir: string): { home: string; look: PackLook } {
  const { folder, framing } = framingOf(dir);
  if (!isVariantFolder(folder)) return { home: folder, look: { framing } };
  return { home: packOfVariant(folder), look: { variant: basename(folder), framing } };
}

/** The files of a pack in a folder. */
export function folderFiles(folder: string): PackFiles {
  const pathOf = (name: string): string => join(folder, name);
  return {
    pathOf,
    shrinkOf: () => 1,
    read: (name) =>
      readFile(pathOf(name)).catch((cause: Error) => {
        throw new PackError(`${pathOf(name)}: expected a readable file, found ${cause.message}`, { cause });
      }),
    has: (name) =>
      access(pathOf(name)).then(
        () => true,
        () => false,
      ),
  };
}
