import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PackSource } from '@figurehead/media';
import { extract, pack } from 'tar-stream';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { isThere, missingAsUndefined } from '../../kernel/storage/files.js';
import { deleteMedia, findMedia } from '../library/index.js';
import { existingPhotoAvatars, type PhotoAvatarRow } from './photo-store.js';

/** Maximum packs on a machine's disk, about 1 MB each. */
const KEPT = 200;

/** A pack used this recently is kept in any case, ms: a render may still read it. */
const IN_USE_MS = 3_600_000;

/** Maximum size of a pack's file, bytes: even a lossless plate is smaller. */
const MAX_FILE = 32_000_000;

const FILE_NAME = /^[A-Za-z0-9][\w.-]*$/;

/** Key prefix of a photo avatar's objects. */
export function photoPrefix({ workspaceId, id }: Pick<PhotoAvatarRow, 'workspaceId' | 'id'>): string {
  return `${workspaceId}/avatars/${id}/`;
}

/** Packs of photo avatars as folders on this machine, downloaded from the objects on first use. */
export interface PhotoPacks {
  /** Stores the pack in `folder` as the avatar's pack, and returns its version. */
  store(row: PhotoAvatarRow, folder: string): Promise<string>;
  /** The folder of a ready avatar's pack. Throws `unknownAvatar` when it was deleted meanwhile, and when its objects are missing. */
  open(row: PhotoAvatarRow): Promise<PackSource>;
  /** Deletes an avatar's files on this machine. Packs that are already loaded stay usable. */
  drop(id: string): Promise<void>;
}

/** Opens the store of one process; processes on one machine share the folder. */
export function openPhotoPacks(kernel: Kernel): PhotoPacks {
  const parent = join(kernel.config.dataDir, 'cache', 'avatars');
  const fetching = new Map<string, Promise<void>>();

  async function fetchPack(row: PhotoAvatarRow, folder: string): Promise<void> {
    const object = await kernel.objects.get(packKey(row));
    if (object === undefined) throw new Error(`the pack of the avatar ${row.id} is missing`);
    const part = `${folder}.${randomUUID().slice(0, 8)}`;
    await mkdir(part, { recursive: true });
    try {
      await unpack(object.body, part);
      // Atomic for concurrent readers; another process may have been faster.
      await rename(part, folder).catch(async (error: unknown) => {
        if (!(await isThere(folder))) throw error;
      });
    } finally {
      await rm(part, { recursive: true, force: true });
    }
    // Either this finds the row gone, or the deletion finds the folder.
    await requireExisting(row);
    await tidy(kernel, parent);
  }

  /** Throws `unknownAvatar` for one that was deleted while its pack was read, and removes the pack. */
  async function requireExisting({ id }: PhotoAvatarRow): Promise<void> {
    if ((await existingPhotoAvatars(kernel.db, [id])).has(id)) return;
    await drop(id);
    throw new ApiError('unknownAvatar', { avatar: id });
  }

  async function drop(id: string): Promise<void> {
    const names = (await readdir(parent).catch(missingAsUndefined)) ?? [];
    // A dot marks a download in progress; the downloading process removes it.
    await removeAll(
      parent,
      names.filter((name) => name.startsWith(`${id}-`) && !name.includes('.')),
    );
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
      try {
        if (!(await isThere(folder))) {
          const running = fetching.get(folder) ?? fetchPack(row, folder).finally(() => fetching.delete(folder));
          fetching.set(folder, running);
          await running;
        }
        const now = new Date(kernel.clock.now());
        await utimes(folder, now, now);
      } catch (error) {
        await requireExisting(row);
        throw error;
      }
      return { folder, version };
    },
    drop,
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
    // Only plain files of a pack are stored, so that a manipulated object cannot write outside of the folder.
    if (header.type !== 'file' || !FILE_NAME.test(name) || size > MAX_FILE) {
      next(new Error(`unexpected file ${name} in a pack`));
      return;
    }
    pipeline(stream, createWriteStream(join(folder, name))).then(() => next(), next);
  });
  await pipeline(body, reader);
}

/** Removes packs of deleted avatars, and the least recently used ones when there are too many. */
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
  // Only folders that a process left half downloaded have a dot in their names.
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

type Footage = Pick<PhotoAvatarRow, 'footageId' | 'workspaceId'>;

/** Opens the video that an avatar is made from; `undefined` when it was deleted from the library. */
export async function openFootage(kernel: Kernel, row: Footage): ReturnType<Kernel['objects']['get']> {
  const fileKey = (await findFootage(kernel, row))?.fileKey;
  return fileKey == null ? undefined : kernel.objects.get(fileKey);
}

/** Deletes the video that an avatar was made from, which is not needed any more. */
export async function deleteFootage(kernel: Kernel, row: Footage): Promise<void> {
  const medium = await findFootage(kernel, row);
  if (medium !== undefined) await deleteMedia(kernel, medium);
}

async function findFootage(kernel: Kernel, { footageId, workspaceId }: Footage) {
  const medium = footageId === null ? undefined : await findMedia(kernel.db, footageId);
  return medium?.workspaceId === workspaceId ? medium : undefined;
}
