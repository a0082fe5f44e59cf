import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Job, Kernel } from '../../../kernel/contract.js';
import { QUEUES } from '../../../kernel/jobs/definitions.js';
import { ProcessPool } from '../../../kernel/workers/process-pool.js';
import { INSPECTION_PROGRAM, type InspectionJob } from '../inspection/inspector.js';
import type { Transcoded } from '../inspection/media-files.js';
import * as store from './media-store.js';

/** Queue of uploaded videos and sounds to convert. */
export const MEDIA_QUEUE = 'media';

/** Data of a job. */
export interface MediaJob {
  readonly mediaId: string;
}

/** The last attempt only reports that the others failed. */
const ATTEMPTS = QUEUES.media.attempts;

/** Enough for half an hour of video, the accepted maximum, on a slow machine. */
const SECONDS = 3 * 3600;

const DEATHS = {
  crash: 'the file is damaged: it could not be converted',
  time: 'the file took too long to convert',
  memory: 'the file took too much memory to convert',
} as const;

/** Converts films and sounds to the formats of slides, each in its own process. */
export interface ClipConverter {
  /** @returns the result, written to `out`, or why the file was refused. */
  convert(
    clip: { file: string; out: string; type: 'video' | 'audio' },
    options: { workspaceId: string; signal: AbortSignal },
  ): Promise<Transcoded | { readonly refusal: string }>;
}

/** Opens a converter. Its process ends after each clip, so there is nothing to close. */
export function openClipConverter(): ClipConverter {
  const pool = new ProcessPool({
    program: INSPECTION_PROGRAM,
    processes: 1,
    heapMb: 768,
    memoryMb: 3000,
    // A conversion takes so long that a warm process would save nothing, so each process ends after its job.
    recycle: { jobs: 1, memoryMb: 0 },
    idleMs: 0,
    turns: { perWorkspace: 1, waitingPerWorkspace: 1, waitMs: 60_000 },
  });
  return {
    async convert(clip, options) {
      const task: InspectionJob = { kind: 'transcode', ...clip };
      const outcome = await pool.run<Transcoded>(task, { ...options, seconds: SECONDS });
      if (outcome.kind === 'done') return outcome.value;
      return { refusal: outcome.kind === 'refused' ? outcome.refusal : DEATHS[outcome.reason] };
    },
  };
}

/** Converts uploaded videos and sounds until the kernel closes. */
export async function workOnMedia(kernel: Kernel): Promise<void> {
  const converter = openClipConverter();
  await kernel.queue.work<MediaJob>(MEDIA_QUEUE, { concurrency: 1, ready: () => kernel.disk.hasSpace() }, (job) =>
    convert(kernel, converter, job),
  );
}

async function convert(kernel: Kernel, converter: ClipConverter, job: Job<MediaJob>): Promise<void> {
  const row = await store.media.find(kernel.db, job.data.mediaId);
  // Deleted while it waited, or finished by a worker that died before reporting it.
  if (row === undefined || row.status !== 'processing' || row.originalKey === null || row.type === 'image') return;
  const { type, originalKey, workspaceId } = row;
  if (job.attempt >= ATTEMPTS)
    return fail(kernel, row, `the conversion was interrupted ${ATTEMPTS - 1} times and was abandoned`);
  return kernel.temporary.within('convert-', async (folder) => {
    const paths = { file: join(folder, 'original'), out: join(folder, 'converted') };
    const original = await kernel.objects.get(originalKey);
    if (original === undefined) return await fail(kernel, row, 'the uploaded file no longer exists');
    await pipeline(original.body, createWriteStream(paths.file), { signal: job.signal });
    const made = await converter.convert({ type, ...paths }, { workspaceId, signal: job.signal });
    if (!('refusal' in made)) return await finish(kernel, row, { ...made, file: paths.out });
    kernel.log.info({ mediaId: row.id }, made.refusal);
    await fail(kernel, row, made.refusal);
  });
}

async function finish(kernel: Kernel, row: store.MediaRow, made: Transcoded & { file: string }): Promise<void> {
  const fileKey = `${row.workspaceId}/media/${row.id}/file.${made.extension}`;
  await kernel.objects.putFile(fileKey, made.file, made.contentType);
  const changed = await store.media.update(kernel.db, row.id, {
    status: 'ready',
    contentType: made.contentType,
    size: (await stat(made.file)).size,
    fileKey,
    originalKey: null,
    width: made.width ?? null,
    height: made.height ?? null,
    durationSeconds: made.durationSeconds,
    updatedAt: new Date(kernel.clock.now()),
  });
  // Deleted meanwhile: its objects were deleted before this one was stored.
  if (changed === undefined) await kernel.objects.delete(fileKey);
  if (row.originalKey !== null) await kernel.objects.delete(row.originalKey);
}

async function fail(kernel: Kernel, row: store.MediaRow, error: string): Promise<void> {
  const updatedAt = new Date(kernel.clock.now());
  await store.media.update(kernel.db, row.id, { status: 'error', error, originalKey: null, updatedAt });
  if (row.originalKey !== null) await kernel.objects.delete(row.originalKey);
}
