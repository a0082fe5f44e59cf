import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RECOGNISER_FILE, type SherpaModel, VOICE_FILE } from '@figurehead/media';
import { extract } from 'tar-stream';
import unbzip2 from 'unbzip2-stream';
import { OperatorError } from '../../../kernel/operator-error.js';
import { download } from './download.js';

/** Maximum unpacked size of a model's archive. */
const MAX_BYTES = 3e9;
const MAX_FILES = 5000;

/** Options of an installation. */
interface Installing {
  /** Folder of all natural voices, or of all recognisers. */
  readonly folder: string;
  /** Folder with the archive that replaces the catalogue's addresses: `https:`, `http:` or `file:`. */
  readonly mirror?: string | undefined;
  readonly onProgress: (received: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** File that describes an installed model, inside its folder. */
export function descriptionFile(model: SherpaModel): string {
  return 'speakers' in model ? VOICE_FILE : RECOGNISER_FILE;
}

/**
 * Downloads a natural voice or a recogniser of the catalogue, verifies and unpacks it atomically. The next call continues an interrupted download. Throws an
 * OperatorError.
 */
export async function installModel(
  model: SherpaModel,
  { folder, mirror, onProgress, signal }: Installing,
): Promise<string> {
  const { archive, files } = model;
  const parts = join(folder, '.downloads');
  const part = join(parts, `${archive.sha256}.part`);
  const unpacked = join(parts, `${model.name}.unpacked`);
  await mkdir(parts, { recursive: true });
  const urls = mirror === undefined ? archive.urls : [`${mirror.replace(/\/{1,8}$/u, '')}/${archive.root}.tar.bz2`];
  const digest = { algorithm: 'sha256', hex: archive.sha256 } as const;
  await download({ urls, bytes: archive.bytes, digest }, part, { onProgress, signal });
  await rm(unpacked, { recursive: true, force: true });
  try {
    await unpack(part, { root: archive.root, to: unpacked, signal });
    for (const file of Object.values(files).flat()) {
      await access(join(unpacked, file)).catch((cause: unknown) => {
        throw new OperatorError(`the archive of ${model.name} lacks ${file}`, { cause });
      });
    }
    await writeFile(join(unpacked, descriptionFile(model)), JSON.stringify(model, undefined, 2));
    const place = join(folder, model.name);
    await rm(place, { recursive: true, force: true });
    await rename(unpacked, place);
    await rm(part, { force: true });
    return place;
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}

/** Writes the regular files of an archive's folder `root`; refuses other entries and paths outside the folder. */
async function unpack(
  archive: string,
  { root, to, signal }: { readonly root: string; readonly to: string; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const entries = extract();
  let bytes = 0;
  let count = 0;
  const write = async (): Promise<void> => {
    for await (const entry of entries) {
      const { name, type, size = 0 } = entry.header;
      const path = posix.normalize(name);
      bytes += size;
      count += 1;
      if (bytes > MAX_BYTES || count > MAX_FILES) throw new OperatorError('the archive holds more than a model can');
      const inside = posix.relative(root, path);
      const isOutside = inside.startsWith('..') || posix.isAbsolute(path) || name.includes('\\');
      if (isOutside || !['file', 'directory'].includes(type ?? ''))
        throw new OperatorError(`the archive holds ${name}, which does not belong to a model`);
      if (type === 'file') {
        const file = join(to, inside);
        await mkdir(dirname(file), { recursive: true });
        await pipeline(entry, createWriteStream(file));
      } else entry.resume();
    }
  };
  const options = signal === undefined ? {} : { signal };
  await Promise.all([pipeline(createReadStream(archive), unbzip2(), entries, options), write()]);
}
