import {
  type Batch,
  type BatchSummary,
  fillTemplate,
  type RenderTemplateInput,
  type VideoData,
  type VideoStatus,
} from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { PageQuery } from '../../kernel/database/page.js';
import { requireOwn } from '../../kernel/errors.js';
import type { Caller } from '../../kernel/http/contract.js';
import { mapYielding } from '../../kernel/workers/map-yielding.js';
import { enqueueRenders } from '../renders/index.js';
import {
  type BatchCounts,
  countBatchVideos,
  endedBatchOf,
  insertVideos,
  listBatchVideos,
  type StoredVideo,
} from '../videos/index.js';
import { listOwners, readUser } from '../workspaces/index.js';
import * as store from './store.js';

/** This many bytes in `base64url` are the 16 characters of a request id. */
const REQUEST_ID_BYTES = 12;

/**
 * Creates a video for every row and queues them all, or none: throws when the creation quota does not allow the whole
 * batch. The queue is shared fairly between workspaces, and single videos do not wait behind batches.
 */
export async function renderTemplate(
  kernel: Kernel,
  caller: Caller,
  options: { template: StoredVideo; input: RenderTemplateInput },
): Promise<{ requestId: string; videoId?: string }> {
  const { template, input } = options;
  const requestId = kernel.ids.secret(REQUEST_ID_BYTES);
  const filled = await mapYielding(input.templateData, (row) => fillTemplate(template, row, input.nameKey));
  const owner = { workspaceId: caller.workspace.id, userId: caller.userId };
  const rows = await kernel.transaction(async (tx) => {
    const videos = await insertVideos(kernel, tx, {
      owner,
      videos: filled.map(({ name, slides }, batchRowId) => ({
        name,
        slides,
        type: 'video',
        data: template.data as VideoData,
        folderId: template.folderId,
        tags: input.tags ?? template.tags,
        public: input.public ?? template.public,
        requestId,
        batchRowId,
      })),
    });
    await store.batches.insert(tx, {
      id: requestId,
      workspaceId: owner.workspaceId,
      templateId: template.id,
      name: template.name,
      userId: owner.userId,
      rows: videos.length,
      emailNotification: input.emailNotification ?? false,
      createdAt: new Date(kernel.clock.now()),
    });
    const callbackUrls = input.callbackUrl === undefined ? [] : [input.callbackUrl];
    const requests = videos.map((video, index) => ({ video, problems: filled[index]?.problems ?? [], callbackUrls }));
    await enqueueRenders(kernel, tx, requests, { inBatch: true, fitTextBox: input.fitTextBox ?? false });
    return videos;
  });
  const [only] = rows;
  return rows.length === 1 && only !== undefined ? { requestId, videoId: only.id } : { requestId };
}

/** A page of the workspace's batches, newest first. */
export async function listBatches(kernel: Kernel, workspaceId: string, { page, limit }: PageQuery) {
  const { rows, total } = await store.listBatches(kernel.db, workspaceId, { page, limit });
  const ids = rows.map(({ id }) => id);
  const counts = await countBatchVideos(kernel, ids);
  return { batches: rows.map((row) => present(row, counts)), page, limit, total };
}

/** The batch with this request id. Throws `notFound` and `foreign`. */
export async function loadBatch(kernel: Kernel, caller: Caller, id: string): Promise<store.BatchRow> {
  return requireOwn(await store.batches.find(kernel.db, id), caller.workspace.id, 'batch');
}

/** A batch as returned by the API, with the video of each row. */
export async function describeBatch(kernel: Kernel, batch: store.BatchRow): Promise<Batch> {
  const videos = await listBatchVideos(kernel, batch.id);
  const counts = await countBatchVideos(kernel, [batch.id]);
  return { ...present(batch, counts), videos };
}

function present(batch: store.BatchRow, counts: BatchCounts): BatchSummary {
  const { id, templateId, name, rows, emailNotification, createdAt } = batch;
  return {
    requestId: id,
    templateId,
    name,
    rows,
    counts: Object.fromEntries(counts.get(id) ?? []),
    emailNotification,
    createdAt: createdAt.toISOString(),
  };
}

/** Names of statuses in e-mails. */
const STATUS_WORDS = {
  draft: 'not rendered',
  importing: 'importing',
  queued: 'waiting',
  rendering: 'rendering',
  moderation: 'in review',
  ready: 'ready',
  error: 'failed',
} as const satisfies Readonly<Record<VideoStatus, string>>;

/** E-mails the notice of a batch once, after its last video has ended. Call it after every ended video. */
export async function notifyFinishedBatch(kernel: Kernel, videoId: string): Promise<void> {
  const ended = await endedBatchOf(kernel, videoId);
  const batch = ended && (await store.claimNotice(kernel.db, ended, new Date(kernel.clock.now())));
  if (!batch) return;
  const counts = (await countBatchVideos(kernel, [batch.id])).get(batch.id) ?? [];
  const user = await readUser(kernel, batch.userId);
  const recipients = user === undefined ? await listOwners(kernel, batch.workspaceId) : [user];
  const lines = [...counts].map(([status, count]) => `${count} ${STATUS_WORDS[status]}`);
  const text = [
    `The personalized videos of “${batch.name}” are finished: ${lines.join(', ')}.`,
    '',
    'Links, downloads, and what failed:',
    `${kernel.config.url}/batches/${batch.id}`,
  ];
  for (const { email } of recipients) {
    await kernel.mailer.send({
      workspaceId: batch.workspaceId,
      to: email,
      subject: `${batch.rows} personalized videos are finished`,
      text: text.join('\n'),
    });
  }
}
