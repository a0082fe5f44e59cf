import { hostname } from 'node:os';
import { availableCpus } from '@figurehead/media';
import type { Kernel } from '../../kernel/contract.js';
import { programVersion } from '../../kernel/version.js';
import * as store from './store.js';

/** A worker says this often what it does. */
const HEARTBEAT_MS = 5000;

/** A worker that has said nothing for this long is not shown any more: its machine is gone, or the database was. */
export const SILENT_MS = 30_000;

/** Data of a job that names what it works on, the first that is there. */
const SUBJECTS = ['videoId', 'mediaId', 'avatarId', 'renderId', 'importId'] as const;

/** Lets this worker be seen by operators: who it is, its load and its jobs. The lifecycle takes it off the list. */
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
    await store.saveWorker(kernel.db, said, SILENT_MS);
  };
  // A database that is away for a moment is told of by those who work with it.
  const tell = () =>
    void heartbeat().catch((error: unknown) => kernel.log.debug({ err: error }, 'a worker could not be noted'));
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
