import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Media, QueryOf, Routes } from '@figurehead/contract';
import type { Kernel, Tx } from '../../../kernel/contract.js';
import { requireFound, requireOwn } from '../../../kernel/errors.js';
import type { Caller } from '../../../kernel/http/contract.js';
import { recordCreations } from '../../workspaces/index.js';
import { requireOwnFolder } from '../folders/folders.js';
import type { Inspector } from '../inspection/inspector.js';
import { INSPECTED, type MediaFacts } from '../inspection/media-files.js';
import { MEDIA_QUEUE, type MediaJob } from './media-jobs.js';
import * as store from './media-store.js';

// States of a medium:
//
//   picture        → ready                    decoded and re-encoded before the upload is answered
//   video, sound   → processing → ready       by a worker (media-jobs.ts), with the file that slides use
//                               → error       problems that only the whole conversion detects

/** Validity of links to media, seconds: a week. A document that contains one may also be rendered later. */
const LINK_SECONDS = 7 * 24 * 3600;

/** A complete file to be added as a medium. */
export interface MediaUpload {
  readonly path: string;
  /** Name given by its owner. */
  readonly filename: string;
  readonly name?: string;
  readonly folderId?: string;
}

/** The medium with this id, in any workspace. */
export const findMedia = store.media.find;

/** The medium with this id. Throws `notFound` and `foreign`. */
export async function loadMedia(kernel: Kernel, caller: Caller, id: string): Promise<store.MediaRow> {
  return requireOwn(await store.media.find(kernel.db, id), caller.workspace.id, 'media file');
}

/** Throws a 400 unless the upload folder exists, before the file is processed. */
export async function requireUploadFolder(kernel: Kernel, workspaceId: string, id: string | undefined): Promise<void> {
  await kernel.transaction((tx) => requireOwnFolder(tx, { workspaceId, kind: 'media', id, field: 'folderId' }));
}

/** Adds a file to the library: 400 when slides cannot use it, 429 by quota. */
export async function createMedia(
  kernel: Kernel,
  inspector: Inspector,
  upload: MediaUpload & {
    readonly workspaceId: string;
    readonly signal?: AbortSignal;
    /** Runs in the transaction that inserts the medium; an error rolls it back. */
    readonly within?: (tx: Tx, mediaId: string) => Promise<void>;
  },
): Promise<Media> {
  const { workspaceId, path } = upload;
  const id = kernel.ids.next();
  const prefix = prefixOf({ workspaceId, id });
  return kernel.temporary.within('media-', async (folder) => {
    const facts = await inspector.inspect<MediaFacts>({ kind: 'media', file: path, folder }, upload);
    const row = await describeRow(kernel, { id, upload, facts, folder });
    try {
      await putFiles(kernel, { row, path, folder });
      await insert(kernel, row, upload.within);
    } catch (error) {
      await kernel.objects.deletePrefix(prefix);
      throw error;
    }
    return { ...presentMedia(kernel, row), ...(facts.warnings && { warnings: [...facts.warnings] }) };
  });
}

/** Renames or moves a medium. */
export async function updateMedia(
  kernel: Kernel,
  row: store.MediaRow,
  patch: { name?: string; folderId?: string | null },
): Promise<Media> {
  return kernel.transaction(async (tx) => {
    await requireOwnFolder(tx, { workspaceId: row.workspaceId, kind: 'media', id: patch.folderId, field: 'folderId' });
    const changed = await store.media.update(tx, row.id, { ...patch, updatedAt: new Date(kernel.clock.now()) });
    return presentMedia(kernel, requireFound(changed, 'media file'));
  });
}

/** Deletes a medium and its objects. A running conversion detects this and stores nothing. */
export async function deleteMedia(kernel: Kernel, row: store.MediaRow): Promise<{ _id: string; deleted: true }> {
  await store.media.delete(kernel.db, row.id);
  await kernel.objects.deletePrefix(prefixOf(row));
  return { _id: row.id, deleted: true };
}

/** A page of the workspace's media, newest first. */
export async function listMedia(kernel: Kernel, workspaceId: string, query: QueryOf<Routes['listMedia']>) {
  const { page, limit, search, ...filter } = query;
  const named = search?.trim() ? { search: search.trim() } : {};
  const found = await store.listMedia(kernel.db, { workspaceId, ...filter, ...named }, query);
  return { media: found.rows.map((row) => presentMedia(kernel, row)), page, limit, total: found.total };
}

/** A medium as the API shows it; links only while it is ready. */
export function presentMedia(kernel: Kernel, row: store.MediaRow): Media {
  const link = (key: string | null): string | undefined =>
    key === null || row.status !== 'ready' ? undefined : kernel.objects.link(key, LINK_SECONDS);
  const url = link(row.fileKey);
  const captions = link(row.captionsKey);
  const thumbnail = link(row.thumbnailKey);
  return {
    _id: row.id,
    name: row.name,
    type: row.type,
    status: row.status,
    contentType: row.contentType,
    size: Number(row.size),
    ...(url === undefined ? {} : { url }),
    ...(captions === undefined ? {} : { captions }),
    ...(thumbnail === undefined ? {} : { thumbnail }),
    ...(row.width === null ? {} : { width: row.width }),
    ...(row.height === null ? {} : { height: row.height }),
    ...(row.durationSeconds === null ? {} : { duration: row.durationSeconds }),
    ...(row.error === null ? {} : { error: row.error }),
    folderId: row.folderId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

async function describeRow(
  kernel: Kernel,
  options: { id: string; upload: MediaUpload & { workspaceId: string }; facts: MediaFacts; folder: string },
): Promise<store.MediaRow> {
  const { id, upload, facts, folder } = options;
  const { workspaceId } = upload;
  const prefix = prefixOf({ workspaceId, id });
  const now = new Date(kernel.clock.now());
  const file = facts.hasPicture ? join(folder, INSPECTED.picture) : upload.path;
  return {
    id,
    workspaceId,
    folderId: upload.folderId ?? null,
    name: (upload.name ?? upload.filename).slice(0, 200) || 'untitled',
    type: facts.type,
    status: facts.hasPicture ? 'ready' : 'processing',
    contentType: facts.contentType,
    size: (await stat(file)).size,
    fileKey: facts.hasPicture ? `${prefix}file.${facts.extension}` : null,
    originalKey: facts.hasPicture ? null : `${prefix}original`,
    captionsKey: null,
    thumbnailKey: facts.hasThumbnail ? `${prefix}${INSPECTED.thumbnail}` : null,
    width: facts.width ?? null,
    height: facts.height ?? null,
    durationSeconds: facts.durationSeconds ?? null,
    error: null,
    createdAt: now,
    updatedAt: now,
  };
}

async function putFiles(
  kernel: Kernel,
  { row, path, folder }: { row: store.MediaRow; path: string; folder: string },
): Promise<void> {
  const { objects } = kernel;
  if (row.thumbnailKey !== null)
    await objects.putFile(row.thumbnailKey, join(folder, INSPECTED.thumbnail), 'image/webp');
  if (row.fileKey !== null) await objects.putFile(row.fileKey, join(folder, INSPECTED.picture), row.contentType);
  // Never linked: only the worker reads it.
  if (row.originalKey !== null) await objects.putFile(row.originalKey, path, 'application/octet-stream');
}

async function insert(
  kernel: Kernel,
  row: store.MediaRow,
  within?: (tx: Tx, mediaId: string) => Promise<void>,
): Promise<void> {
  const { workspaceId, folderId } = row;
  await kernel.transaction(async (tx) => {
    await requireOwnFolder(tx, { workspaceId, kind: 'media', id: folderId, field: 'folderId' });
    await recordCreations(kernel, tx, { workspaceId, entity: 'media' });
    await store.media.insert(tx, row);
    await within?.(tx, row.id);
    if (row.status === 'processing') {
      await kernel.queue.enqueue<MediaJob>(tx, MEDIA_QUEUE, { mediaId: row.id });
    }
  });
}

/** Beginning of the keys of a medium's objects. */
export function prefixOf({ workspaceId, id }: { workspaceId: string; id: string }): string {
  return `${workspaceId}/media/${id}/`;
}
