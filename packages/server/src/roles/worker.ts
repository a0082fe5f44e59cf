import { lowerPriority } from '@figurehead/media/priority';
import type { Logger } from 'pino';
import { startWorkerHeartbeats } from '../features/administration/index.js';
import { createProvenance, workOnAvatars } from '../features/avatars/index.js';
import { createPresenters } from '../features/avatars/offline.js';
import { notifyFinishedBatch } from '../features/batches/index.js';
import { workOnMedia } from '../features/library/index.js';
import { createReview } from '../features/moderation/index.js';
import { measurePipeline, measureQueues, serveRole, startRetention } from '../features/operations/index.js';
import { workOnImports } from '../features/presentations/index.js';
import { chooseEncoder, type WarmUp, warmUp } from '../features/renders/engine/index.js';
import { createCredentials, startSweep, workOnRenders } from '../features/renders/job/index.js';
import type { Config } from '../kernel/config/config.js';
import type { Kernel } from '../kernel/contract.js';
import { runPeriodically } from '../kernel/jobs/repeat.js';
import { createTemporaryFolders } from '../kernel/storage/temporary-folders.js';
import { createEngine, type EngineParts, openEngineParts } from './engine.js';

/** On machines with few processors, renders have a lower priority than the API and live streams. */
const NICENESS = 5;

/** Begins to render a short video, so that the first one of a user needs no more work than the second. @returns starts the render worker. */
export async function prepare(config: Config, log: Logger): Promise<(kernel: Kernel) => Promise<void>> {
  // Set before the threads of renders start, because they inherit it.
  lowerPriority(NICENESS);
  const parts = openEngineParts(config, log);
  const presenters = createPresenters({ config });
  const resolvePack = (code: string) => presenters.resolve('', code);
  // Without a kernel yet. The files of a process that is killed meanwhile are removed by the next one.
  const temporary = createTemporaryFolders({ dataDir: config.dataDir, lifecycle: { onClose: () => undefined } });
  const warming = warmUp({ ...parts, temporary, resolvePack }, (error) =>
    log.warn({ err: error }, 'the first video of this worker will take longer'),
  );
  return (kernel) => start(kernel, parts, warming);
}

async function start(kernel: Kernel, parts: EngineParts, warming: WarmUp): Promise<void> {
  const { pipeline, voices, avatars, speechMetrics } = createEngine(kernel, { ...chooseEncoder(kernel), parts });
  speechMetrics.register(kernel.metrics);
  measureQueues(kernel.metrics, kernel);
  startRetention(kernel);
  const sweep = { name: 'unowned voices', everyMs: 3600_000, failure: 'voices could not be removed at their provider' };
  runPeriodically(kernel, sweep, () => voices.clones.removeUnowned());
  await serveRole(kernel);
  await workOnMedia(kernel);
  await workOnAvatars(kernel);
  await workOnImports(kernel, { speakers: { voices, avatars } });
  startSweep(kernel);
  startWorkerHeartbeats(kernel);
  await workOnRenders(kernel, {
    warmUp: warming,
    pipeline: measurePipeline(pipeline, kernel),
    review: createReview(kernel.config.moderationWords),
    credentials: await createCredentials(kernel, createProvenance(kernel)),
    onEnded: ({ videoId }) => notifyFinishedBatch(kernel, videoId),
  });
}
