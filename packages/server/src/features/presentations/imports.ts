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

/** Attempts of the queue: the last one only ends what three dead workers have left. */
export const IMPORT_ATTEMPTS = QUEUES.presentations.attempts;

/** What a job of the queue carries. */
export interface ImportJob {
  readonly importId: string;
}

/** How often a waiting request looks. */
const LOOK_MS = 150;

/** What the caller of an import decides. */
export interface ImportInput extends Omit<ImportRequest, 'kind' | 'filename'> {
  readonly name?: string;
  readonly folderId?: string;
}

/** Stores the file, then makes the video with the status `importing` and its job in one transaction. Counts as a creation. */
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

/** Waits until the import has ended, `seconds` at most. The video then, `undefined` while it goes on. */
export async function awaitImport(
  kernel: Kernel,
  caller: Caller,
  wait: { importId: string; videoId: string; seconds: number; signal: AbortSignal },
): Promise<Video | undefined> {
  // A client that went away, and a server that stops, leave the import to itself.
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

/** The file's name without its ending. */
function nameOf({ filename }: UploadedFile): string {
  return basename(filename, extname(filename)).trim().slice(0, 500) || 'Presentation';
}
