import { randomUUID } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectInfo, Objects } from '../contract.js';
import { isOutOfSpace, missingAsUndefined } from './files.js';
import type { MediaLinks } from './media-links.js';
import { assertObjectKey, assertObjectPrefix } from './object-key.js';

/** The content type is stored in a second file; `~` cannot occur in a key, so the names do not collide. */
const TYPE_SUFFIX = '~type';

/** Unfinished files of a killed process are removed after a day. */
const STALE_AFTER_MS = 24 * 3600 * 1000;

/**
 * Objects as files under `folder`. A file is written under another name, synced and renamed, so it is complete or
 * absent.
 * @throws Error with one sentence when the disk is full.
 */
export async function openLocalObjects(options: { folder: string; links: MediaLinks }): Promise<Objects> {
  const { folder, links } = options;
  const incoming = join(folder, 'incoming~');
  await mkdir(incoming, { recursive: true });
  await sweep(incoming);

  function pathOf(key: string): string {
    assertObjectKey(key);
    return join(folder, key);
  }

  async function store(key: string, contentType: string, write: (path: string) => Promise<void>): Promise<ObjectInfo> {
    const path = pathOf(key);
    const temporary = join(incoming, randomUUID());
    try {
      await write(temporary);
      await sync(temporary);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${temporary}${TYPE_SUFFIX}`, contentType);
      await rename(`${temporary}${TYPE_SUFFIX}`, `${path}${TYPE_SUFFIX}`);
      await rename(temporary, path);
      await sync(dirname(path));
    } catch (error) {
      await rm(temporary, { force: true });
      await rm(`${temporary}${TYPE_SUFFIX}`, { force: true });
      throw explain(error, folder);
    }
    const info = await stat(path);
    return { key, size: info.size, contentType, modifiedAt: info.mtime };
  }

  return {
    ...links,
    put: (key, body, contentType) =>
      store(key, contentType, (path) =>
        pipeline(body instanceof Uint8Array ? Readable.from([body]) : body, createWriteStream(path)),
      ),
    putFile: (key, source, contentType) =>
      store(key, contentType, (path) => copyFile(source, path, constants.COPYFILE_FICLONE)),
    get: async (key, range) => {
      const path = pathOf(key);
      const file = await open(path).catch(missingAsUndefined);
      if (file === undefined) return undefined;
      try {
        const { size, mtime } = await file.stat();
        const info = { key, size, contentType: await contentTypeOf(path), modifiedAt: mtime };
        return { info, body: file.createReadStream(range === undefined ? {} : { start: range.start, end: range.end }) };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    info: async (key) => {
      const path = pathOf(key);
      const found = await stat(path).catch(missingAsUndefined);
      if (found === undefined || !found.isFile()) return undefined;
      return { key, size: found.size, contentType: await contentTypeOf(path), modifiedAt: found.mtime };
    },
    delete: async (key) => {
      const path = pathOf(key);
      await rm(path, { force: true });
      await rm(`${path}${TYPE_SUFFIX}`, { force: true });
    },
    deletePrefix: async (prefix) => {
      assertObjectPrefix(prefix);
      if (prefix.endsWith('/')) {
        await rm(join(folder, prefix), { recursive: true, force: true });
        return;
      }
      const parent = dirname(join(folder, prefix));
      const start = prefix.slice(prefix.lastIndexOf('/') + 1);
      for (const name of (await readdir(parent).catch(missingAsUndefined)) ?? []) {
        if (name.startsWith(start)) await rm(join(parent, name), { recursive: true, force: true });
      }
    },
    list: (prefix) => {
      assertObjectPrefix(prefix);
      return listFiles(folder, prefix);
    },
  };
}

/** Files whose keys begin with the prefix, folder by folder, so that memory does not grow with their number. */
async function* listFiles(folder: string, prefix: string): AsyncGenerator<ObjectInfo> {
  const waiting = [prefix.slice(0, prefix.lastIndexOf('/') + 1)];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    for (const entry of (await readdir(join(folder, place), { withFileTypes: true }).catch(missingAsUndefined)) ?? []) {
      const key = place + entry.name;
      const isInside = key.startsWith(prefix) || prefix.startsWith(`${key}/`);
      if (entry.name.includes('~') || !isInside) continue;
      if (entry.isDirectory()) waiting.push(`${key}/`);
      const path = join(folder, key);
      const found = entry.isFile() ? await stat(path).catch(missingAsUndefined) : undefined;
      if (found === undefined) continue;
      yield {
        key: relative(folder, path).split(sep).join('/'),
        size: found.size,
        contentType: await contentTypeOf(path),
        modifiedAt: found.mtime,
      };
    }
  }
}

async function contentTypeOf(path: string): Promise<string> {
  return (await readFile(`${path}${TYPE_SUFFIX}`, 'utf8').catch(missingAsUndefined)) ?? 'application/octet-stream';
}

/** Until a file or folder is synced, a power cut may undo the rename. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sweep(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const info = await stat(path).catch(missingAsUndefined);
    if (info !== undefined && Date.now() - info.mtimeMs > STALE_AFTER_MS) await rm(path, { force: true });
  }
}

function explain(error: unknown, folder: string): unknown {
  if (!isOutOfSpace(error)) return error;
  return new Error(`The disk of the data folder is full: nothing can be stored in ${folder}.`, { cause: error });
}
