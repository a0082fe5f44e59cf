import { basename, extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Video } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { Caller, UploadedFile } from '../../kernel/http/contract.js';
import { insertVideos, loadVideo, presentVideo } from '../videos/index.js';
import { type ImportRequest, insertImport, isUnderWay, sourceKey } from './store.js';

/** Name of the queue of imports. */
export const IMPORT_QUEUE = 'presentations';

/** Data of a job. */
export interface ImportJob {
  readonly importId: string;
}

/** Content types of presentations (RFC 8118, IANA). */
const SOURCE_TYPES: Readonly<Record<ImportRequest['kind'], string>> = {
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ppt: 'application/vnd.ms-powerpoint',
  pdf: 'application/pdf',
};

/** Polling interval of a waiting request. */
const LOOK_MS = 150;

/** What the caller chose, and the kind that was found. */
export interface ImportInput extends Omit<ImportRequest, 'filename'> {
  readonly name?: string;
  readonly folderId?: string;
}

/**
 * Stores the file, then inserts the video with the status `importing` and its job in one transaction. Counts as a
 * creation.
 */
export async function requestImport(
  kernel: Kernel,
  caller: Caller,
  { file, input }: { file: UploadedFile; input: ImportInput },
): Promise<{ importId: string; videoId: string }> {
  const { name = basename(file.filename, extname(file.filename)).trim().slice(0, 500), folderId, ...wishes } = input;
  const request: ImportRequest = { ...wishes, filename: file.filename.slice(0, 200) };
  const row = { id: kernel.ids.next(), workspaceId: caller.workspace.id, request };
  await kernel.objects.putFile(sourceKey(row), file.path, SOURCE_TYPES[request.kind]);
  try {
    return await kernel.transaction(async (tx) => {
      const owner = { workspaceId: row.workspaceId, userId: caller.userId };
      const document = { name: name || 'Presentation', status: 'importing' as const, folderId: folderId ?? null };
      const [video] = await insertVideos(kernel, tx, { owner, videos: [document] });
      const videoId = video?.id ?? '';
      await insertImport(tx, { ...row, videoId, createdAt: new Date(kernel.clock.now()) });
      await kernel.queue.enqueue<ImportJob>(tx, IMPORT_QUEUE, { importId: row.id });
      return { importId: row.id, videoId };
    });
  } catch (error) {
    await kernel.objects.delete(sourceKey(row));
    throw error;
  }
}

/** Waits until the import has ended, `seconds` at most. Returns the video, or `undefined` while the import continues. */
export async function awaitImport(
  kernel: Kernel,
  caller: Caller,
  wait: { importId: string; videoId: string; seconds: number; signal: AbortSignal },
): Promise<Video | undefined> {
  // When the client disconnects or the server stops, the import continues without this request.
  const signal = AbortSignal.any([wait.signal, kernel.lifecycle.signal]);
  const until = performance.now() + wait.seconds * 1000;
  while (await isUnderWay(kernel.db, wait.importId)) {
    const left = until - performance.now();
    if (left <= 0 || signal.aborted) return undefined;
    await pause(Math.min(LOOK_MS, left), undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  return presentVideo(await loadVideo(kernel, caller, wait.videoId), kernel.objects);
}
