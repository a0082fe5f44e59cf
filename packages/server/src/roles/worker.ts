import { notifyFinishedBatch } from '../features/batches/index.js';
import { workOnMedia } from '../features/library/index.js';
import { createReview } from '../features/moderation/index.js';
import { defineImportQueue, startPageRemoval, workOnImports } from '../features/presentations/index.js';
import { defineRenderQueue, workOnRenders } from '../features/renders/index.js';
import type { Kernel } from '../kernel/contract.js';
import { createEngine } from './engine.js';

/** Starts a render worker; the kernel's lifecycle ends it. */
export async function start(kernel: Kernel): Promise<void> {
  const { pipeline, voices, avatars } = createEngine(kernel);
  await defineRenderQueue(kernel);
  await workOnMedia(kernel);
  await defineImportQueue(kernel);
  await workOnImports(kernel, { speakers: { voices, avatars } });
  startPageRemoval(kernel);
  await workOnRenders(kernel, {
    pipeline,
    review: createReview(kernel.config.moderationWords),
    onEnded: ({ videoId }) => notifyFinishedBatch(kernel, videoId),
  });
}
