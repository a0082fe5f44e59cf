import type { RenderTemplateInput, VideoData } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { Caller } from '../../kernel/http/contract.js';
import { mapYielding } from '../../kernel/workers/map-yielding.js';
import { enqueueRenders } from '../renders/index.js';
import { insertVideos, type StoredVideo } from '../videos/index.js';
import { listOwners, readUser } from '../workspaces/index.js';
import { fillTemplate } from './placeholders.js';
import * as store from './store.js';

/** `base64url` of this many bytes is the 16 characters of a request id. */
const REQUEST_ID_BYTES = 12;

/**
 * Makes a video of every row and queues them all, or none: when the creation quota has no room for the whole batch it
 * throws. Workspaces take turns with each other, and single videos do not stand behind batches.
 */
export async function renderTemplate(
  kernel: Kernel,
  caller: Caller,
  options: { template: StoredVideo; input: RenderTemplateInput },
): Promise<{ requestId: string; videoId?: string }> {
  const { template, input } = options;
  const requestId = kernel.ids.secret(REQUEST_ID_BYTES);
  const filled = await mapYielding(input.templateData, (row) => fillTemplate(template, row));
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
    await store.insertBatch(tx, {
      id: requestId,
      workspaceId: owner.workspaceId,
      templateId: template.id,
      userId: owner.userId,
      rows: videos.length,
      emailNotification: input.emailNotification ?? false,
      createdAt: new Date(kernel.clock.now()),
    });
    const requests = videos.map((video, index) => ({ video, problems: filled[index]?.problems ?? [] }));
    await enqueueRenders(kernel, tx, requests, { inBatch: true, fitTextBox: input.fitTextBox ?? false });
    return videos;
  });
  const [only] = rows;
  return rows.length === 1 && only !== undefined ? { requestId, videoId: only.id } : { requestId };
}

/** Mails the notice of a batch after its last video has ended, once. Call it after every video that ended. */
export async function notifyFinishedBatch(kernel: Kernel, videoId: string): Promise<void> {
  const batch = await store.claimNotice(kernel.db, videoId, new Date(kernel.clock.now()));
  if (batch === undefined) return;
  const counts = await store.countByStatus(kernel.db, batch.id);
  const user = await readUser(kernel, batch.userId);
  const recipients = user === undefined ? await listOwners(kernel, batch.workspaceId) : [user];
  const lines = [...counts].map(([status, count]) => `${status}: ${count}`);
  const text = [
    `The personalized videos of the request ${batch.id} are done (${batch.rows} rows).`,
    ...lines,
    '',
    kernel.config.url,
  ];
  for (const { email } of recipients) {
    await kernel.mailer.send({
      workspaceId: batch.workspaceId,
      to: email,
      subject: `${batch.rows} personalized videos are done`,
      text: text.join('\n'),
    });
  }
}
