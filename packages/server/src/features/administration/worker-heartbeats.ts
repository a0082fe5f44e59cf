import { hostname } from 'node:os';
import { availableCpus } from '@figurehead/media/basic';
import type { Kernel } from '../../kernel/contract.js';
import { programVersion } from '../../kernel/version.js';
import * as store from './store.js';

/** Interval of a worker's heartbeats. */
const HEARTBEAT_MS = 5000;

/** Fields of a job's data that name its subject; the first one present is used. */
const SUBJECTS = ['videoId', 'mediaId', 'avatarId', 'renderId', 'importId'] as const;

/** Lists this worker for administrators: name, load and jobs. The lifecycle removes it. */
export function startWorkerHeartbeats(kernel: Kernel): void {
  const id = kernel.ids.next();
  const threads = availableCpus();
  let cpu = process.cpuUsage();
  let at = performance.now();

  const heartbeat = async () => {
    const used = process.cpuUsage(cpu);
    const now = performance.now();
    const load = (used.user + used.system) / 1000 / (now - at) / threads;
    cpu = process.cpuUsage();
    at = now;
    const jobs = kernel.queue.running().map(({ queue, data, startedAt }) => ({
      kind: queue,
      subjectId: subjectOf(data),
      startedAt: startedAt.toISOString(),
    }));
    const said = {
      id,
      machine: hostname(),
      version: programVersion(),
      threads,
      load,
      memory: process.memoryUsage.rss(),
      jobs,
    };
    await store.saveWorker(kernel.db, said);
  };
  // A database failure is already reported by the code that depends on it.
  const tell = () =>
    void heartbeat().catch((error: unknown) =>
      kernel.log.debug({ err: error }, 'the worker’s state could not be saved'),
    );
  tell();
  const timer = setInterval(tell, HEARTBEAT_MS);
  kernel.lifecycle.onClose('worker heartbeats', async () => {
    clearInterval(timer);
    await store.deleteWorker(kernel.db, id);
  });
}

function subjectOf(data: object): string | null {
  for (const key of SUBJECTS) {
    const value = (data as Record<string, unknown>)[key];
    if (typeof value === 'string') return value;
  }
  return null;
}
