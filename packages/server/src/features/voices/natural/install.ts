import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, type FileHandle, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  findSherpa,
  type ModelFolder,
  needsSherpa,
  RECOGNISER_FILE,
  type SherpaModel,
  type SherpaPackage,
  VOICE_FILE,
} from '@figurehead/media/speech';
import { extract } from 'tar-stream';
import unbzip2 from 'unbzip2-stream';
import { OperatorError } from '../../../kernel/operator-error.js';
import { isThere, missingAsUndefined } from '../../../kernel/storage/files.js';
import { download, type Progress, type RemoteFile } from './download.js';

/** Maximum unpacked size of an archive. */
const MAX_BYTES = 3e9;
const MAX_FILES = 5000;

/** Folder of unfinished installations, next to the finished ones. */
const DOWNLOADS = '.downloads';

/** Unpacking takes a minute; older folders are those of killed processes. */
const LEFT_AFTER_MS = 60 * 60_000;

/** Options of an installation. */
interface Installing extends ModelFolder {
  /** Folder with the archives that replaces the catalogue's addresses: `https:`, `http:` or `file:`. */
  readonly mirror?: string | undefined;
  readonly onProgress: Progress;
}

/** What is downloaded for an installation: a package of sherpa-onnx, or a model. */
interface Download extends SherpaPackage {
  /** The file with what has been received; the next attempt continues it. */
  readonly part: string;
}

/** File that describes an installed model, inside its folder. */
function descriptionFile(model: SherpaModel): string {
  return 'speakers' in model ? VOICE_FILE : RECOGNISER_FILE;
}

/** Whether a model is in its folder, with or without sherpa-onnx. */
export function isAdded(model: SherpaModel, { folder }: Pick<ModelFolder, 'folder'>): Promise<boolean> {
  return isThere(join(folder, model.name, descriptionFile(model)));
}

/** What {@link installModel} downloads: sherpa-onnx if it is missing, and the model, unless sherpa-onnx is all that it lacks. */
export async function downloadsFor(
  model: SherpaModel,
  { folder, runtime }: ModelFolder,
): Promise<{ readonly packages: readonly Download[]; readonly models: readonly Download[] }> {
  const downloadOf = ({ name, archive }: SherpaPackage, home: string): Download => {
    return { name, archive, part: join(home, DOWNLOADS, `${archive.sha256}.part`) };
  };
  const packages = findSherpa(runtime) === undefined ? runtime.packages : [];
  const isEnough = packages.length > 0 && (await isAdded(model, { folder }));
  return {
    packages: packages.map((each) => downloadOf(each, dirname(runtime.place))),
    models: isEnough ? [] : [downloadOf(model, folder)],
  };
}

/** Bytes of all of them together. */
export function bytesOf(downloads: readonly SherpaPackage[]): number {
  return downloads.reduce((sum, { archive }) => sum + archive.bytes, 0);
}

/**
 * Installs a natural voice or a recogniser of the catalogue, and sherpa-onnx if it is missing: downloads, verifies and unpacks them, each in one step. The
 * next call continues an interrupted download; several processes may install the same at once. Throws an OperatorError.
 */
export async function installModel(model: SherpaModel, { mirror, onProgress, ...where }: Installing): Promise<string> {
  const { folder, runtime } = where;
  const hasRuntime = (): boolean => findSherpa(runtime) !== undefined;
  const { packages, models } = await downloadsFor(model, where);
  if (packages.length === 0 && !hasRuntime()) throw new OperatorError(needsSherpa(model.name, runtime));
  const all = [...packages, ...models];
  const place = join(folder, model.name);
  const ready: { readonly item: Download; readonly file: FileHandle }[] = [];
  try {
    for (const item of all) {
      const before = bytesOf(all.slice(0, ready.length));
      await mkdir(dirname(item.part), { recursive: true });
      const file = await download(sourceOf(item.archive, mirror), item.part, (received) =>
        onProgress(before + received, bytesOf(all)),
      );
      ready.push({ item, file });
    }
    if (packages.length > 0) {
      const unpackAll = async (to: string): Promise<void> => {
        for (const { item, file } of ready.slice(0, packages.length))
          await unpack(file, item.archive, join(to, 'node_modules', item.name));
      };
      await publish(runtime.place, unpackAll, hasRuntime);
    }
    for (const { item, file } of ready.slice(packages.length)) {
      await publish(place, async (to) => {
        await unpack(file, item.archive, to);
        await describeModel(model, to);
      });
    }
    await Promise.all(all.map(({ part }) => rm(part, { force: true })));
    return place;
  } finally {
    await Promise.all(ready.map(({ file }) => file.close()));
  }
}

function sourceOf({ urls, bytes, sha256 }: SherpaModel['archive'], mirror: string | undefined): RemoteFile {
  const [first = ''] = urls;
  const places = mirror === undefined ? urls : [`${mirror.replace(/\/{1,8}$/u, '')}/${posix.basename(first)}`];
  return { urls: places, bytes, digest: { algorithm: 'sha256', hex: sha256 } };
}

/** Writes the description of an unpacked model. Throws an OperatorError when a file is missing. */
async function describeModel(model: SherpaModel, folder: string): Promise<void> {
  for (const file of Object.values(model.files).flat()) {
    await access(join(folder, file)).catch((cause: unknown) => {
      throw new OperatorError(`the archive of ${model.name} lacks ${file}`, { cause });
    });
  }
  await writeFile(join(folder, descriptionFile(model)), JSON.stringify(model, undefined, 2));
}

/** Makes a folder and moves it to `place` in one step, in exchange for the one there. @param isDone when another process was faster. */
async function publish(place: string, make: (to: string) => Promise<void>, isDone = () => false): Promise<void> {
  const downloads = join(dirname(place), DOWNLOADS);
  for (const name of await readdir(downloads)) {
    const left = await stat(join(downloads, name)).catch(missingAsUndefined);
    if (left?.isDirectory() && Date.now() - left.mtimeMs > LEFT_AFTER_MS)
      await rm(join(downloads, name), { recursive: true, force: true });
  }
  const own = join(downloads, randomUUID());
  try {
    await make(join(own, 'new'));
    if (isDone()) return;
    await rename(place, join(own, 'old')).catch(missingAsUndefined);
    await rename(join(own, 'new'), place).catch(async (error: unknown) => {
      if (!(await isThere(place))) throw error;
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** Writes the regular files of an archive's folder `root`; refuses other entries and paths outside the folder. */
async function unpack(
  file: FileHandle,
  { root, urls }: Pick<SherpaPackage['archive'], 'root' | 'urls'>,
  to: string,
): Promise<void> {
  const entries = extract();
  let bytes = 0;
  let count = 0;
  const write = async (): Promise<void> => {
    for await (const entry of entries) {
      const { name, type, size = 0 } = entry.header;
      const whole = posix.normalize(name);
      bytes += size;
      count += 1;
      if (bytes > MAX_BYTES || count > MAX_FILES)
        throw new OperatorError(`the archive holds more than ${MAX_BYTES / 1e9} GB or ${MAX_FILES} files`);
      const inside = posix.relative(root, whole);
      const isOutside = inside.startsWith('..') || posix.isAbsolute(whole) || name.includes('\\');
      if (isOutside || !['file', 'directory'].includes(type ?? ''))
        throw new OperatorError(`the archive holds ${name}, which does not belong there`);
      if (type === 'file') {
        const path = join(to, inside);
        await mkdir(dirname(path), { recursive: true });
        await pipeline(entry, createWriteStream(path));
      } else entry.resume();
    }
  };
  const archive = file.createReadStream({ start: 0, autoClose: false });
  const decompressed = urls[0]?.endsWith('.tgz') ? createGunzip() : unbzip2();
  await Promise.all([pipeline(archive, decompressed, entries), write()]);
}
