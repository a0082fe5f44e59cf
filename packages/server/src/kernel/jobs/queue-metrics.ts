import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Counts of the jobs that this process runs. */
export interface JobMetrics {
  /**
   * A job starts. Call the returned function with its outcome.
   * @param waitedSeconds since it was due.
   */
  started(queue: string, waitedSeconds: number): (outcome: string) => void;
}

/** Registers the metrics of jobs. */
export function measureJobs(metrics: Registry): JobMetrics {
  const ended = new Counter({
    name: 'figurehead_jobs_total',
    help: 'Jobs that ended here, by queue and outcome: completed, failed (an attempt), released (the process had to stop), lost (another process has or gets the job).',
    labelNames: ['queue', 'outcome'] as const,
    registers: [metrics],
  });
  const running = new Gauge({
    name: 'figurehead_jobs_running',
    help: 'Jobs that this process is running.',
    labelNames: ['queue'] as const,
    registers: [metrics],
  });
  const seconds = new Histogram({
    name: 'figurehead_job_duration_seconds',
    help: 'Running time of a job.',
    labelNames: ['queue'] as const,
    buckets: [0.1, 1, 5, 15, 60, 300, 1800, 7200],
    registers: [metrics],
  });
  const waited = new Histogram({
    name: 'figurehead_job_wait_seconds',
    help: 'Time from when a job was due until a worker took it.',
    labelNames: ['queue'] as const,
    buckets: [0.5, 2, 10, 30, 120, 600, 3600],
    registers: [metrics],
  });
  return {
    started(queue, waitedSeconds) {
      const startedAt = performance.now();
      waited.observe({ queue }, Math.max(0, waitedSeconds));
      running.inc({ queue });
      return (outcome) => {
        running.dec({ queue });
        ended.inc({ queue, outcome });
        seconds.observe({ queue }, (performance.now() - startedAt) / 1000);
      };
    },
  };
}
