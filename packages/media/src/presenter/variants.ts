import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PackError, readVariant, VARIANTS, type Variant } from '@figurehead/presenter';
import { folderFiles } from './folders.js';

/** A variant with its folder. Its avatar code is the pack's name, a dot and `name`. */
export interface ListedVariant extends Variant {
  readonly name: string;
  /** Folder that `loadPack` takes. */
  readonly folder: string;
}

/** A variant's name is part of avatar codes and URLs. */
const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/**
 * The variants of a pack, sorted by name.
 * @param pack the pack's folder
 * @throws PackError for one that cannot be read or whose folder's name cannot be part of an avatar code.
 */
export async function listVariants(pack: string): Promise<ListedVariant[]> {
  const all = join(pack, VARIANTS);
  const entries = await readdir(all, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const wrong = names.find((name) => !NAME.test(name));
  if (wrong !== undefined) {
    throw new PackError(`${all}: expected names of small letters, digits and hyphens, found ${wrong}`);
  }
  const files = folderFiles(pack);
  return Promise.all(
    names.sort().map(async (name) => ({ ...(await readVariant(files, name)), name, folder: join(all, name) })),
  );
}
