import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Kernel } from '../../../kernel/contract.js';
import type { Caller } from '../../../kernel/http/contract.js';
import { ApiError, requireOwn } from '../../../kernel/http/error.js';
import { requireDiskSpace } from '../../../kernel/storage/disk-space.js';
import type { Inspector } from '../inspection/index.js';
import { createMedia, requireUploadFolder } from '../media/index.js';
import * as store from './upload-store.js';

/** How long an unfinished upload is kept. */
const KEEP_MS = 24 * 3600 * 1000;
/** A process that makes a medium of an upload renews its lease in thirds of this. */
const LEASE_MS = 60_000;
/** Unfinished uploads of a workspace; what they hold counts against nothing yet. */
const MAX_OPEN = 20;

/** What a client says of the file that it is going to send. */
export interface NewUpload {
  readonly length: number;
  readonly filename: string;
  readonly name?: string;
  readonly folderId?: string;
}

/** Announces a file. Throws a 400 when it would be too large or too many are open. */
export async function startUpload(kernel: Kernel, workspaceId: string, file: NewUpload): Promise<store.UploadRow> {
  const { config, db } = kernel;
  if (file.length > config.uploadMaxMb * 1024 * 1024) {
    throw new ApiError('bodyTooLarge', { limit: `${config.uploadMaxMb} MB` });
  }
  await requireUploadFolder(kernel, workspaceId, file.folderId);
  await requireDiskSpace(kernel, 2 * file.length);
  await removeExpired(kernel);
  if ((await store.countOpenUploads(db, workspaceId)) >= MAX_OPEN) {
    throw new ApiError('badRequest', { reason: `${MAX_OPEN} uploads are open already; finish or delete one of them` });
  }
  const now = kernel.clock.now();
  const row = {
    id: kernel.ids.next(),
    workspaceId,
    length: file.length,
    filename: file.filename,
    name: file.name ?? null,
    folderId: file.folderId ?? null,
    createdAt: new Date(now),
    expiresAt: new Date(now + KEEP_MS),
  };
  await store.insertUpload(db, row);
  return { ...row, received: 0, parts: [], mediaId: null, leaseId: null, leaseUntil: null };
}

/** The upload with this id. Throws `notFound` and `foreign`. */
export async function loadUpload(kernel: Kernel, caller: Caller, id: string): Promise<store.UploadRow> {
  const row = await store.findUpload(kernel.db, id);
  const isOver = row !== undefined && row.expiresAt.getTime() < kernel.clock.now();
  return requireOwn(isOver ? undefined : row, caller.workspace.id, 'upload');
}

/**
 * Stores what arrives of `body`, also when it breaks off, and gives the new offset; `undefined` when another request
 * has changed the upload meanwhile. Throws a 400 when more comes than was announced.
 */
export async function receivePart(kernel: Kernel, row: store.UploadRow, body: Readable): Promise<number | undefined> {
  const offset = Number(row.received);
  // Twice: it is spooled, then stored.
  await requireDiskSpace(kernel, 2 * (Number(row.length) - offset)).catch((error: unknown) => {
    body.resume();
    throw error;
  });
  const room = Number(row.length) - offset;
  return kernel.temporary.within('tus-', async (folder) => {
    const file = join(folder, 'part');
    const { excess } = await spool(body, file, room);
    if (excess)
      throw new ApiError('badRequest', { reason: `more was sent than the ${row.length} bytes of Upload-Length` });
    const { size } = await stat(file);
    if (size === 0) return offset;
    // Of two requests that send the same part, both objects exist until one of them has lost.
    const key = `${prefixOf(row)}${offset}-${kernel.ids.next()}`;
    await kernel.objects.putFile(key, file, 'application/octet-stream');
    if (await store.appendPart(kernel.db, row.id, { offset, size, key })) return offset + size;
    await kernel.objects.delete(key);
    return undefined;
  });
}

/**
 * Makes a medium of a complete upload and gives its id. A file that is refused (400) ends the upload; by quota (429) it
 * stays and may be finished later. `undefined` while another request makes it. If this process dies, another request can
 * make the medium when the lease has run out.
 */
export async function finishUpload(
  kernel: Kernel,
  inspector: Inspector,
  uploadId: string,
): Promise<string | undefined> {
  const row = await store.findUpload(kernel.db, uploadId);
  if (row === undefined) throw new ApiError('notFound', { what: 'upload' });
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
    else await store.setLease(kernel.db, lease, null);
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

/** Removes an upload and what has arrived of it. */
export async function removeUpload(kernel: Kernel, row: store.UploadRow): Promise<void> {
  await store.deleteUpload(kernel.db, row.id);
  await kernel.objects.deletePrefix(prefixOf(row));
}

/** Writes `body` to a file, at most `room` bytes; what came before it broke off stays. */
async function spool(body: Readable, file: string, room: number): Promise<{ excess: boolean }> {
  let size = 0;
  let excess = false;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      excess ||= size > room;
      // Read on to the end: a client that is still sending would never see the answer.
      done(null, excess ? undefined : chunk);
    },
  });
  const written = pipeline(limit, createWriteStream(file));
  // The end of the request, whatever it is, is the end of the part.
  const end = () => limit.end();
  body.once('end', end).once('error', end).once('close', end);
  body.pipe(limit, { end: false });
  await written;
  return { excess };
}

async function joinParts(kernel: Kernel, parts: readonly string[], path: string): Promise<void> {
  const out = createWriteStream(path);
  try {
    for (const key of parts) {
      const part = await kernel.objects.get(key);
      if (part === undefined) throw new Error(`the part ${key} of an upload is gone`);
      await pipeline(part.body, out, { end: false });
    }
  } finally {
    await new Promise<void>((resolve) => out.end(() => resolve()));
  }
}

async function removeExpired(kernel: Kernel): Promise<void> {
  for (const row of await store.expiredUploads(kernel.db, new Date(kernel.clock.now())))
    await removeUpload(kernel, row);
}

function prefixOf({ workspaceId, id }: { workspaceId: string; id: string }): string {
  return `${workspaceId}/uploads/${id}/`;
}
