import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Kernel } from '../../../kernel/contract.js';
import { ApiError, requireFound, requireOwn } from '../../../kernel/errors.js';
import type { Caller } from '../../../kernel/http/contract.js';
import { requireDiskSpace } from '../../../kernel/storage/disk-space.js';
import { lockWorkspace } from '../../workspaces/index.js';
import type { Inspector } from '../inspection/inspector.js';
import { createMedia, type MediaUpload, requireUploadFolder } from '../media/index.js';
import * as store from './upload-store.js';

/** Lifetime of an unfinished upload. */
const KEEP_MS = 24 * 3600 * 1000;
/** Lease of a process that creates the medium of an upload; renewed after every third of it. */
const LEASE_MS = 15_000;
/** Maximum unfinished uploads of a workspace, which do not count towards a quota yet. */
const MAX_OPEN = 20;

/** Maximum parts of an upload: every request reads their list. */
const MAX_PARTS = 5000;

/** The client's description of the file that it will send. */
export interface NewUpload extends Omit<MediaUpload, 'path'> {
  readonly length: number;
}

/** Starts an upload. Throws a 400 when the file is empty or too large or too many uploads are open. */
export async function startUpload(kernel: Kernel, workspaceId: string, file: NewUpload): Promise<store.UploadRow> {
  const { config } = kernel;
  if (file.length > config.uploadMaxMb * 1024 * 1024) {
    throw new ApiError('bodyTooLarge', { limit: `${config.uploadMaxMb} MB` });
  }
  // Clients send no part of an empty file, so that nothing would ever say so.
  if (file.length === 0) throw new ApiError('badRequest', { reason: 'the file is empty' });
  await requireUploadFolder(kernel, workspaceId, file.folderId);
  await requireDiskSpace(kernel, 2 * file.length);
  await removeExpired(kernel);
  const now = kernel.clock.now();
  const row: store.UploadRow = {
    id: kernel.ids.next(),
    workspaceId,
    length: file.length,
    filename: file.filename,
    name: file.name ?? null,
    folderId: file.folderId ?? null,
    received: 0,
    parts: [],
    mediaId: null,
    leaseId: null,
    leaseUntil: null,
    createdAt: new Date(now),
    expiresAt: new Date(now + KEEP_MS),
  };
  await kernel.transaction(async (tx) => {
    // Of two that are started at once, only one may be the last.
    await lockWorkspace(tx, workspaceId);
    if ((await store.countOpenUploads(tx, workspaceId)) >= MAX_OPEN) {
      const reason = `${MAX_OPEN} uploads are open already; finish or delete one of them`;
      throw new ApiError('badRequest', { reason });
    }
    await store.uploads.insert(tx, row);
  });
  return row;
}

/** The upload with this id. Throws `notFound` and `foreign`. */
export async function loadUpload(kernel: Kernel, caller: Caller, id: string): Promise<store.UploadRow> {
  const row = await store.uploads.find(kernel.db, id);
  const isOver = row !== undefined && row.expiresAt.getTime() < kernel.clock.now();
  return requireOwn(isOver ? undefined : row, caller.workspace.id, 'upload');
}

/**
 * Stores the received bytes of `body`, also when it breaks off, and returns the new offset; `undefined` when another
 * request has changed the upload meanwhile. Throws a 400 when more bytes arrive than announced.
 * @param inSlot runs what does not wait for the client.
 */
export async function receivePart(
  kernel: Kernel,
  row: store.UploadRow,
  body: Readable,
  inSlot: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<number | undefined> {
  const offset = Number(row.received);
  if (row.parts.length >= MAX_PARTS)
    throw new ApiError('badRequest', {
      reason: `an upload may have ${MAX_PARTS} parts; begin it again with larger ones`,
    });
  // Twice, because it is spooled and then stored.
  await requireDiskSpace(kernel, 2 * (Number(row.length) - offset));
  const room = Number(row.length) - offset;
  return kernel.temporary.within('tus-', async (folder) => {
    const file = join(folder, 'part');
    const { excess } = await spool(body, file, room);
    if (excess)
      throw new ApiError('badRequest', { reason: `more was sent than the ${row.length} bytes of Upload-Length` });
    const { size } = await stat(file);
    if (size === 0) return offset;
    return inSlot(async () => {
      // When two requests send the same part, both objects exist until one request has lost.
      const key = `${prefixOf(row)}${offset}-${kernel.ids.next()}`;
      await kernel.objects.putFile(key, file, 'application/octet-stream');
      if (await store.appendPart(kernel.db, row.id, { offset, size, key })) return offset + size;
      await kernel.objects.delete(key);
      return undefined;
    });
  });
}

/**
 * Creates the medium of a complete upload and returns its id. A refused file (400) ends the upload; with an exhausted
 * quota (429) it is kept and may be finished later. `undefined` while another request creates it. If this process dies,
 * another request can create the medium once the lease has expired.
 */
export async function finishUpload(
  kernel: Kernel,
  inspector: Inspector,
  uploadId: string,
): Promise<string | undefined> {
  const row = requireFound(await store.uploads.find(kernel.db, uploadId), 'upload');
  if (row.mediaId !== null) return row.mediaId;
  const until = () => new Date(kernel.clock.now() + LEASE_MS);
  const lease: store.Lease = { uploadId, id: kernel.ids.next(), until: until() };
  if (!(await store.takeLease(kernel.db, lease, new Date(kernel.clock.now())))) return undefined;
  const renewal = setInterval(() => {
    store.setLease(kernel.db, lease, until()).catch((error: unknown) => {
      kernel.log.warn({ err: error, uploadId }, 'the lease of an upload could not be renewed');
    });
  }, LEASE_MS / 3);
  try {
    return await makeMedium(kernel, inspector, { row, lease });
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) await removeUpload(kernel, row);
    else {
      await store.setLease(kernel.db, lease, null);
      // Deleted meanwhile, which is why its parts or its lease are missing.
      requireFound(await store.uploads.find(kernel.db, uploadId), 'upload');
    }
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

async function makeMedium(
  kernel: Kernel,
  inspector: Inspector,
  { row, lease }: { row: store.UploadRow; lease: store.Lease },
): Promise<string> {
  return kernel.temporary.within('tus-', async (folder) => {
    const path = join(folder, 'file');
    await joinParts(kernel, row.parts, path);
    const { workspaceId, filename, name, folderId } = row;
    const media = await createMedia(kernel, inspector, {
      workspaceId,
      path,
      filename,
      ...(name === null ? {} : { name }),
      ...(folderId === null ? {} : { folderId }),
      within: async (tx, mediaId) => {
        if (await store.setMedia(tx, lease, mediaId)) return;
        throw new Error(`the lease of the upload ${row.id} was lost: another request has made its medium`);
      },
    });
    await kernel.objects.deletePrefix(prefixOf(row));
    return media._id;
  });
}

/** Removes an upload and its received bytes. */
export async function removeUpload(kernel: Kernel, row: store.UploadRow): Promise<void> {
  await store.uploads.delete(kernel.db, row.id);
  await kernel.objects.deletePrefix(prefixOf(row));
}

/** Writes `body` to a file, at most `room` bytes; bytes received before it broke off are kept. */
async function spool(body: Readable, file: string, room: number): Promise<{ excess: boolean }> {
  let size = 0;
  let excess = false;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      excess ||= size > room;
      // Reads to the end, because a client that is still sending would not see the answer.
      done(null, excess ? undefined : chunk);
    },
  });
  const written = pipeline(limit, createWriteStream(file));
  // However the request ends, or has ended before, the part ends with it.
  finished(body, () => limit.end());
  body.pipe(limit, { end: false });
  await written;
  return { excess };
}

async function joinParts(kernel: Kernel, parts: readonly string[], path: string): Promise<void> {
  // One pipeline: between two of them an error of the file, such as a full disk, would end the process.
  await pipeline(async function* () {
    for (const key of parts) {
      const part = await kernel.objects.get(key);
      if (part === undefined) throw new Error(`the part ${key} of an upload is missing`);
      yield* part.body;
    }
  }, createWriteStream(path));
}

async function removeExpired(kernel: Kernel): Promise<void> {
  for (const row of await store.expiredUploads(kernel.db, new Date(kernel.clock.now())))
    await removeUpload(kernel, row);
}

function prefixOf({ workspaceId, id }: { workspaceId: string; id: string }): string {
  return `${workspaceId}/uploads/${id}/`;
}
