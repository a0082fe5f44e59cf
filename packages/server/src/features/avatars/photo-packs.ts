import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PackSource } from '@figurehead/media';
import { extract, pack } from 'tar-stream';
import type { Kernel } from '../../kernel/contract.js';
import { isThere, missingAsUndefined } from '../../kernel/storage/files.js';
import { existingPhotoAvatars, type PhotoAvatarRow } from './photo-store.js';

/** Packs that a machine keeps on its disk, about 1 MB each. */
const KEPT = 200;

/** A pack that was used this recently stays, whatever the number, ms: a render may still read it. */
const IN_USE_MS = 3_600_000;

/** Largest file of a pack, bytes: a plate without loss would not reach it. */
const MAX_FILE = 32_000_000;

const FILE_NAME = /^[A-Za-z0-9][\w.-]*$/;

/** Where the objects of a photo avatar lie. */
export function photoPrefix({ workspaceId, id }: Pick<PhotoAvatarRow, 'workspaceId' | 'id'>): string {
  return `${workspaceId}/avatars/${id}/`;
}

/** Packs of photo avatars as folders on this machine: fetched from the objects when they are first needed. */
export interface PhotoPacks {
  /** Stores the pack in `folder` as the avatar's, and gives its version. */
  store(row: PhotoAvatarRow, folder: string): Promise<string>;
  /** The folder of a ready avatar's pack. Throws when its objects are gone. */
  open(row: PhotoAvatarRow): Promise<PackSource>;
  /** Drops what this machine holds of an avatar. Who has loaded it keeps it. */
  drop(id: string): Promise<void>;
}

/** Makes the store of one process; processes on one machine share the folder. */
export function openPhotoPacks(kernel: Kernel): PhotoPacks {
  const parent = join(kernel.config.dataDir, 'cache', 'avatars');
  const fetching = new Map<string, Promise<void>>();

  async function fetchPack(row: PhotoAvatarRow, folder: string): Promise<void> {
    const object = await kernel.objects.get(packKey(row));
    if (object === undefined) throw new Error(`the pack of the avatar ${row.id} is gone`);
    const part = `${folder}.${randomUUID().slice(0, 8)}`;
    await mkdir(part, { recursive: true });
    try {
      await unpack(object.body, part);
      // Whoever reads meanwhile sees nothing or all of it; another process may have been quicker.
      await rename(part, folder).catch(async (error: unknown) => {
        if (!(await isThere(folder))) throw error;
      });
    } finally {
      await rm(part, { recursive: true, force: true });
    }
    await tidy(kernel, parent);
  }

  return {
    async store(row, folder) {
      const { bytes, version } = await packUp(folder);
      await kernel.objects.put(packKey(row), bytes, 'application/x-tar');
      return version;
    },
    async open(row) {
      const { id, version } = row;
      if (version === null) throw new Error(`expected a ready avatar, ${id} is ${row.status}`);
      const folder = join(parent, `${id}-${version}`);
      if (!(await isThere(folder))) {
        const running = fetching.get(folder) ?? fetchPack(row, folder).finally(() => fetching.delete(folder));
        fetching.set(folder, running);
        await running;
      }
      const now = new Date(kernel.clock.now());
      await utimes(folder, now, now);
      return { folder, version };
    },
    async drop(id) {
      const names = (await readdir(parent).catch(missingAsUndefined)) ?? [];
      await removeAll(
        parent,
        names.filter((name) => name.startsWith(`${id}-`)),
      );
    },
  };
}

function packKey(row: PhotoAvatarRow): string {
  return `${photoPrefix(row)}pack.tar`;
}

async function packUp(folder: string): Promise<{ bytes: Buffer; version: string }> {
  const archive = pack();
  const hash = createHash('sha256');
  const reading = (async () => {
    const parts: Buffer[] = [];
    for await (const part of archive) parts.push(part as Buffer);
    return Buffer.concat(parts);
  })();
  for (const name of (await readdir(folder)).sort()) {
    const bytes = await readFile(join(folder, name));
    hash.update(name).update(bytes);
    archive.entry({ name }, bytes);
  }
  archive.finalize();
  return { bytes: await reading, version: hash.digest('hex').slice(0, 16) };
}

async function unpack(body: NodeJS.ReadableStream, folder: string): Promise<void> {
  const reader = extract();
  reader.on('entry', (header, stream, next) => {
    const { name, size = 0 } = header;
    // Nothing but plain files of a pack is ever stored; whoever can write objects still leads no path out of the folder.
    if (header.type !== 'file' || !FILE_NAME.test(name) || size > MAX_FILE) {
      next(new Error(`a pack has no file ${name}`));
      return;
    }
    pipeline(stream, createWriteStream(join(folder, name))).then(() => next(), next);
  });
  await pipeline(body, reader);
}

/** Removes packs whose avatars are gone, and those that nobody has used for longest when there are too many. */
async function tidy(kernel: Kernel, parent: string): Promise<void> {
  const names = (await readdir(parent).catch(missingAsUndefined)) ?? [];
  const idOf = (name: string): string => name.split('-', 1)[0] ?? '';
  const existing = await existingPhotoAvatars(kernel.db, [...new Set(names.map(idOf))]);
  const now = kernel.clock.now();
  const used = await Promise.all(
    names.map(async (name) => ({
      name,
      at: await stat(join(parent, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    })),
  );
  const idle = used.filter(({ at }) => now - at > IN_USE_MS).sort((a, b) => a.at - b.at);
  // A dot is in the names of those alone that a process left half fetched when it died.
  const gone = idle.filter(({ name }) => name.includes('.') || !existing.has(idOf(name)));
  const surplus = idle.filter(({ name }) => existing.has(idOf(name))).slice(0, Math.max(0, names.length - KEPT));
  await removeAll(
    parent,
    [...gone, ...surplus].map(({ name }) => name),
  );
}

async function removeAll(parent: string, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => rm(join(parent, name), { recursive: true, force: true })));
}
