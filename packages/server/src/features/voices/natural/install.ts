import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, type FileHandle, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  findSherpa,
  type ModelFolder,
  makeModel,
  needsSherpa,
  RECOGNISER_FILE,
  type SherpaModel,
  type SherpaPackage,
  VOICE_FILE,
} from '@figurehead/media/speech';
import { extract } from 'tar-stream';
import unbzip2 from 'unbzip2-stream';
import { fromFdPromise } from 'yauzl';
import { OperatorError } from '../../../kernel/operator-error.js';
import { isThere, missingAsUndefined } from '../../../kernel/storage/files.js';
import { download, type Progress, type RemoteFile } from './download.js';

/** Maximum unpacked size of an archive. */
const MAX_BYTES = 3e9;
const MAX_FILES = 5000;

/** Folder of unfinished installations, next to the finished ones. */
const DOWNLOADS = '.downloads';

/** Folder of what a model is made of, until it is made. */
const PARTS = '.parts';

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
  const packages = packagesFor(runtime);
  const isEnough = packages.length > 0 && (await isAdded(model, { folder }));
  const { name, archive, more = [] } = model;
  return {
    packages,
    models: isEnough ? [] : [archive, ...more].map((each) => downloadOf({ name, archive: each }, folder)),
  };
}

function packagesFor(runtime: ModelFolder['runtime']): Download[] {
  const packages = findSherpa(runtime) === undefined ? runtime.packages : [];
  return packages.map((each) => downloadOf(each, dirname(runtime.place)));
}

function downloadOf({ name, archive }: SherpaPackage, home: string): Download {
  return { name, archive, part: join(home, DOWNLOADS, `${archive.sha256 ?? archive.md5}.part`) };
}

/** Bytes of all of them together. */
export function bytesOf(downloads: readonly SherpaPackage[]): number {
  return downloads.reduce((sum, { archive }) => sum + archive.bytes, 0);
}

/**
 * Installs a natural voice or a recogniser of the catalogue, and sherpa-onnx if it is missing: downloads, verifies and unpacks them, each in one step. The
 * next call continues an interrupted download; several processes may install the same at once. Throws an OperatorError.
 */
export async function installModel(model: SherpaModel, { folder, runtime, ...options }: Installing): Promise<string> {
  const { packages, models } = await downloadsFor(model, { folder, runtime });
  if (packages.length === 0 && findSherpa(runtime) === undefined)
    throw new OperatorError(needsSherpa(model.name, runtime));
  const place = join(folder, model.name);
  await withFiles([...packages, ...models], options, async (ready) => {
    if (packages.length > 0) await publishSherpa(runtime, ready.slice(0, packages.length));
    if (models.length > 0) await publish(place, (to) => unpackModel(model, ready.slice(packages.length), to));
  });
  return place;
}

/** Installs sherpa-onnx if it is missing, for models that come another way. Otherwise as {@link installModel}. @param what needs it. */
export async function installSherpa(what: string, { runtime, ...options }: Omit<Installing, 'folder'>): Promise<void> {
  if (findSherpa(runtime) !== undefined) return;
  const packages = packagesFor(runtime);
  if (packages.length === 0) throw new OperatorError(needsSherpa(what, runtime));
  await withFiles(packages, options, (ready) => publishSherpa(runtime, ready));
}

/** A complete download. */
interface Ready {
  readonly item: Download;
  readonly file: FileHandle;
}

/** Downloads all, uses them, and removes them once they have been used. */
async function withFiles(
  all: readonly Download[],
  { mirror, onProgress }: Pick<Installing, 'mirror' | 'onProgress'>,
  use: (ready: readonly Ready[]) => Promise<void>,
): Promise<void> {
  const ready: Ready[] = [];
  try {
    for (const item of all) {
      const before = bytesOf(all.slice(0, ready.length));
      await mkdir(dirname(item.part), { recursive: true });
      const file = await download(sourceOf(item.archive, mirror), item.part, (received) =>
        onProgress(before + received, bytesOf(all)),
      );
      ready.push({ item, file });
    }
    await use(ready);
    await Promise.all(all.map(({ part }) => rm(part, { force: true })));
  } finally {
    await Promise.all(ready.map(({ file }) => file.close()));
  }
}

async function publishSherpa(runtime: ModelFolder['runtime'], packages: readonly Ready[]): Promise<void> {
  const unpackAll = async (to: string): Promise<void> => {
    for (const { item, file } of packages) await unpack(file, item.archive, join(to, 'node_modules', item.name));
  };
  await publish(runtime.place, unpackAll, () => findSherpa(runtime) !== undefined);
}

/** Unpacks the archives of a model, and makes the files that it has not. */
async function unpackModel(model: SherpaModel, archives: readonly Ready[], to: string): Promise<void> {
  const parts = model.made === undefined ? to : join(to, PARTS);
  for (const { item, file } of archives) await unpack(file, item.archive, parts);
  if (model.made !== undefined) {
    await makeModel(model.made, parts, to);
    await rm(parts, { recursive: true });
  }
  await describeModel(model, to);
}

function sourceOf({ urls, bytes, sha256, md5 = '' }: SherpaModel['archive'], mirror: string | undefined): RemoteFile {
  const [first = ''] = urls;
  const places = mirror === undefined ? urls : [`${mirror.replace(/\/{1,8}$/u, '')}/${posix.basename(first)}`];
  const digest =
    sha256 === undefined ? { algorithm: 'md5' as const, hex: md5 } : { algorithm: 'sha256' as const, hex: sha256 };
  return { urls: places, bytes, digest };
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

/** A file or a folder in an archive. */
interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
  readonly bytes: number;
  /** Of a file; it must be read to its end. */
  content(): Promise<Readable>;
  /** In place of the content. */
  skip(): void;
}

/** Writes the regular files of an archive's folder `root`; refuses other entries and paths outside the folder. */
async function unpack(
  file: FileHandle,
  { root, urls }: Pick<SherpaPackage['archive'], 'root' | 'urls'>,
  to: string,
): Promise<void> {
  let bytes = 0;
  let count = 0;
  for await (const entry of entriesOf(file, urls)) {
    const { name, kind } = entry;
    const whole = posix.normalize(name);
    bytes += entry.bytes;
    count += 1;
    if (bytes > MAX_BYTES || count > MAX_FILES)
      throw new OperatorError(`the archive holds more than ${MAX_BYTES / 1e9} GB or ${MAX_FILES} files`);
    const inside = posix.relative(root, whole);
    const isOutside = inside.startsWith('..') || posix.isAbsolute(whole) || name.includes('\\');
    if (isOutside || kind === 'other')
      throw new OperatorError(`the archive holds ${name}, which does not belong there`);
    if (kind === 'file') {
      const path = join(to, inside);
      await mkdir(dirname(path), { recursive: true });
      await pipeline(await entry.content(), createWriteStream(path));
    } else entry.skip();
  }
}

function entriesOf(file: FileHandle, urls: readonly string[]): AsyncIterable<Entry> {
  const name = decodeURIComponent(posix.basename(new URL(urls[0] ?? '').pathname));
  if (/\.(?:whl|zip)$/u.test(name)) return zipEntries(file);
  return /\.(?:tgz|tar\.bz2)$/u.test(name) ? tarEntries(file, urls) : plainEntry(file, name);
}

/** A file that is used as it is, in the form of an archive. */
async function* plainEntry(file: FileHandle, name: string): AsyncGenerator<Entry> {
  const content = async () => file.createReadStream({ start: 0, autoClose: false });
  yield { name, kind: 'file', bytes: (await file.stat()).size, content, skip: () => undefined };
}

async function* tarEntries(file: FileHandle, urls: readonly string[]): AsyncGenerator<Entry> {
  const entries = extract();
  const archive = file.createReadStream({ start: 0, autoClose: false });
  const decompressed = urls[0]?.endsWith('.tgz') ? createGunzip() : unbzip2();
  const reading = pipeline(archive, decompressed, entries);
  // It is awaited at the end; a failure also ends the entries.
  reading.catch(() => undefined);
  for await (const entry of entries) {
    const { name, type, size = 0 } = entry.header;
    const kind = type === 'file' ? 'file' : type === 'directory' ? 'folder' : 'other';
    yield { name, kind, bytes: size, content: async () => entry, skip: () => entry.resume() };
  }
  await reading;
}

async function* zipEntries(file: FileHandle): AsyncGenerator<Entry> {
  try {
    const zip = await fromFdPromise(file.fd, { lazyEntries: true, autoClose: false });
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName;
      const kind = name.endsWith('/') ? 'folder' : 'file';
      const content = () => zip.openReadStreamPromise(entry);
      yield { name, kind, bytes: entry.uncompressedSize, content, skip: () => undefined };
    }
  } catch (cause) {
    throw new OperatorError(`the archive cannot be unpacked: ${(cause as Error).message}`, { cause });
  }
}
