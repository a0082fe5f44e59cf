import { lowerPriority } from '@figurehead/media/priority';
import { startWorkerHeartbeats } from '../features/administration/index.js';
import { workOnAvatars } from '../features/avatars/index.js';
import { notifyFinishedBatch } from '../features/batches/index.js';
import { workOnMedia } from '../features/library/index.js';
import { createReview } from '../features/moderation/index.js';
import { measurePipeline, measureQueues, serveRole, startRetention } from '../features/operations/index.js';
import { startPageRemoval, workOnImports } from '../features/presentations/index.js';
import { chooseEncoder, startSweep, workOnRenders } from '../features/renders/index.js';
import type { Kernel } from '../kernel/contract.js';
import { createEngine } from './engine.js';

/** On machines with few processors, renders have a lower priority than the API and live streams. */
const NICENESS = 5;

/** Starts a render worker; the kernel's lifecycle ends it. */
export async function start(kernel: Kernel): Promise<void> {
  // Set before the threads of renders start, because they inherit it.
  lowerPriority(NICENESS);
  const { pipeline, voices, avatars, speechMetrics } = createEngine(kernel, chooseEncoder(kernel));
  speechMetrics.register(kernel.metrics);
  measureQueues(kernel.metrics, kernel);
  startRetention(kernel);
  await serveRole(kernel);
  await workOnMedia(kernel);
  await workOnAvatars(kernel);
  await workOnImports(kernel, { speakers: { voices, avatars } });
  startPageRemoval(kernel);
  startSweep(kernel);
  startWorkerHeartbeats(kernel);
  await workOnRenders(kernel, {
    pipeline: measurePipeline(pipeline, kernel),
    review: createReview(kernel.config.moderationWords),
    onEnded: ({ videoId }) => notifyFinishedBatch(kernel, videoId),
  });
}
