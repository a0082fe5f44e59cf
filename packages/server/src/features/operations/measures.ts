import type { AdminQueue } from '@figurehead/contract';
import type { RenderedFiles } from '@figurehead/media';
import { sql } from 'kysely';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Kernel } from '../../kernel/contract.js';
import { gaugeOf, gaugeOfEach, sharedRead } from '../../kernel/observability/measures.js';
import { RENDER_QUEUE, type RenderPipeline } from '../renders/index.js';
import { countVideos, type StatusCount } from '../videos/index.js';
import { countDisabledWebhooks, countRecentDeliveries } from '../webhooks/index.js';

/** The metrics text of several registries, whose names do not overlap. */
export async function expose(registries: readonly Registry[]): Promise<string> {
  return (await Promise.all(registries.map((registry) => registry.metrics()))).join('\n');
}

/**
 * Adds the waiting and running jobs of the whole installation to the metrics of this process; the values are the same
 * in every process.
 */
export function measureQueues(metrics: Registry, kernel: Kernel): void {
  const overview = sharedRead(() => kernel.queue.overview());
  const gauge = (name: string, help: string, read: (queue: AdminQueue) => number) =>
    gaugeOfEach(metrics, { name, help, labels: ['queue'] }, overview, (queue) => [{ queue: queue.name }, read(queue)]);
  gauge('figurehead_queue_depth', 'Due jobs that wait for a worker.', ({ waiting }) => waiting);
  gauge('figurehead_queue_running', 'Jobs that are running.', ({ running }) => running);
  gauge(
    'figurehead_queue_oldest_seconds',
    'Seconds since the oldest waiting job became due; 0 when none waits.',
    ({ oldestWaitingSeconds }) => oldestWaitingSeconds ?? 0,
  );
  gaugeOf(metrics, 'figurehead_render_queue_depth', 'Renders that wait for a worker.', async () => {
    return (await overview()).find(({ name }) => name === RENDER_QUEUE)?.waiting ?? 0;
  });
}

/** Adds metrics of the installation from its database: videos, deliveries, size. For the API. */
export function measureInstallation(metrics: Registry, kernel: Kernel): void {
  const byStatus = (name: string, help: string, query: () => Promise<StatusCount[]>) =>
    gaugeOfEach(metrics, { name, help, labels: ['status'] }, query, ({ status, count }) => [{ status }, count]);
  byStatus('figurehead_videos', 'Videos by status.', () => countVideos(kernel));
  byStatus('figurehead_webhook_deliveries', 'Webhook deliveries of the last hour by status.', () =>
    countRecentDeliveries(kernel),
  );
  gaugeOf(metrics, 'figurehead_webhooks_disabled', 'Webhooks that ten failures have disabled.', () =>
    countDisabledWebhooks(kernel),
  );
  gaugeOf(metrics, 'figurehead_database_bytes', 'Size of the database on its disk.', async () => {
    const { rows } = await sql<{ size: string }>`select pg_database_size(current_database()) as size`.execute(
      kernel.db,
    );
    return Number(rows[0]?.size ?? 0);
  });
}

/** Stages as metrics and traces name them. */
const SHOWN_STAGES = { plan: 'prepare', render: 'finish', share: 'share', span: 'span', join: 'join' } as const;

/** Adds counts and stage durations of a pipeline to the metrics of this process, and spans to the render's trace. */
export function measurePipeline(pipeline: RenderPipeline, kernel: Pick<Kernel, 'metrics' | 'tracing'>): RenderPipeline {
  const { metrics, tracing } = kernel;
  const stageSeconds = new Histogram({
    name: 'figurehead_render_stage_seconds',
    help: 'Duration of a rendering stage: prepare (speech and plan), finish, share, span, join.',
    labelNames: ['stage'] as const,
    buckets: [0.2, 1, 3, 10, 30, 120, 600, 3600],
    registers: [metrics],
  });
  const made = new Counter({
    name: 'figurehead_rendered_seconds_total',
    help: 'Seconds of video rendered by this process.',
    registers: [metrics],
  });
  const segments = new Counter({
    name: 'figurehead_render_segments_total',
    help: 'Encoded segments by origin: encoded, or reused because they had not changed.',
    labelNames: ['from'] as const,
    registers: [metrics],
  });
  const count = ({ report, durationSeconds }: RenderedFiles): void => {
    made.inc(durationSeconds);
    segments.inc({ from: 'encoder' }, Math.max(0, report.segments - report.reusedSegments));
    segments.inc({ from: 'cache' }, report.reusedSegments);
  };
  const run: RenderPipeline['run'] = (stage, video, ...args) => {
    const name = SHOWN_STAGES[stage];
    const done = stageSeconds.startTimer({ stage: name });
    const span = { name: `render ${name}`, attributes: { 'figurehead.video': video.videoId } };
    const finished = tracing.span(span, async () => {
      const files = await pipeline.run(stage, video, ...args);
      if ('report' in files) count(files);
      return files;
    });
    return finished.finally(done) as ReturnType<typeof pipeline.run<typeof stage>>;
  };
  return { validate: pipeline.validate, run };
}
