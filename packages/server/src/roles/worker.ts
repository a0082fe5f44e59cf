import { notifyFinishedBatch } from '../features/batches/index.js';
import { reviewVideo } from '../features/moderation/index.js';
import { defineRenderQueue, workOnRenders } from '../features/renders/index.js';
import type { Kernel } from '../kernel/contract.js';
import { createEngine } from './engine.js';

/** Starts a render worker; the kernel's lifecycle ends it. */
export async function start(kernel: Kernel): Promise<void> {
  const { pipeline } = createEngine(kernel);
  await defineRenderQueue(kernel);
  await workOnRenders(kernel, {
    pipeline,
    review: reviewVideo,
    onEnded: ({ videoId }) => notifyFinishedBatch(kernel, videoId),
  });
}
