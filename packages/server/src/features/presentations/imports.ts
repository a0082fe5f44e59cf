import { basename, extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Video } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { Caller, UploadedFile } from '../../kernel/http/contract.js';
import { QUEUES } from '../../kernel/jobs/definitions.js';
import { insertVideos, loadVideo, presentVideo } from '../videos/index.js';
import type { Inspection } from './reading/inspection.js';
import { SOURCE_TYPES, sourceKey } from './reading/objects.js';
import { type ImportRequest, insertImport, readImportState } from './store.js';

/** Name of the queue of imports. */
export const IMPORT_QUEUE = 'presentations';

/** Attempts of the queue: the last one only cleans up after three dead workers. */
export const IMPORT_ATTEMPTS = QUEUES.presentations.attempts;

/** Data of a job. */
export interface ImportJob {
  readonly importId: string;
}

/** Polling interval of a waiting request. */
const LOOK_MS = 150;

/** Options of an import chosen by the caller. */
export interface ImportInput extends Omit<ImportRequest, 'kind' | 'filename'> {
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
  { file, inspection, input }: { file: UploadedFile; inspection: Inspection; input: ImportInput },
): Promise<{ importId: string; videoId: string }> {
  const { name, folderId, ...wishes } = input;
  const workspaceId = caller.workspace.id;
  const importId = kernel.ids.next();
  const { kind } = inspection;
  const key = sourceKey({ workspaceId, id: importId, kind });
  await kernel.objects.putFile(key, file.path, SOURCE_TYPES[kind]);
  try {
    return await kernel.transaction(async (tx) => {
      const owner = { workspaceId, userId: caller.userId };
      const document = { name: name ?? nameOf(file), status: 'importing' as const, folderId: folderId ?? null };
      const [video] = await insertVideos(kernel, tx, { owner, videos: [document] });
      const videoId = video?.id ?? '';
      const request: ImportRequest = { ...wishes, kind, filename: file.filename.slice(0, 200) };
      await insertImport(tx, { id: importId, workspaceId, videoId, request, createdAt: new Date(kernel.clock.now()) });
      await kernel.queue.enqueue<ImportJob>(tx, IMPORT_QUEUE, { importId });
      return { importId, videoId };
    });
  } catch (error) {
    await kernel.objects.delete(key);
    throw error;
  }
}

/**
 * Waits until the import has ended, `seconds` at most. Returns the video, or `undefined` while the import continues.
 */
export async function awaitImport(
  kernel: Kernel,
  caller: Caller,
  wait: { importId: string; videoId: string; seconds: number; signal: AbortSignal },
): Promise<Video | undefined> {
  // When the client disconnects or the server stops, the import continues without this request.
  const signal = AbortSignal.any([wait.signal, kernel.lifecycle.signal]);
  const until = performance.now() + wait.seconds * 1000;
  for (;;) {
    const state = await readImportState(kernel.db, wait.importId);
    if (state !== 'queued' && state !== 'running') break;
    const left = until - performance.now();
    if (left <= 0 || signal.aborted) return undefined;
    await pause(Math.min(LOOK_MS, left), undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  return presentVideo(await loadVideo(kernel, caller, wait.videoId), kernel.objects);
}

/** The file name without its extension. */
function nameOf({ filename }: UploadedFile): string {
  return basename(filename, extname(filename)).trim().slice(0, 500) || 'Presentation';
}
