import { Gauge, type Registry } from 'prom-client';
import type { Kernel } from '../../kernel/contract.js';
import { listHosts } from '../hosts/index.js';
import { listMeasured } from './store.js';
import { PER_STREAM } from './stream-measures.js';

/** Adds hosts and open streams of the whole installation to the metrics of this API process. */
export function measureStreams(metrics: Registry, kernel: Kernel): void {
  measureHosts(metrics, kernel);
  const measured = shared(() => listMeasured(kernel.db));
  new Gauge({
    name: 'figurehead_streams',
    help: 'Open streams by status.',
    labelNames: ['status'] as const,
    registers: [metrics],
    async collect() {
      this.reset();
      for (const { state } of await measured()) this.inc({ status: state });
    },
  });
  for (const [name, { help, read }] of Object.entries(PER_STREAM)) {
    new Gauge({
      name: `figurehead_stream_${name}`,
      help,
      labelNames: ['stream', 'host'] as const,
      registers: [metrics],
      async collect() {
        this.reset();
        for (const { id, hostId, stats } of await measured()) {
          const value = stats && read(stats);
          if (value !== null) this.set({ stream: id, host: hostId }, value);
        }
      },
    });
  }
}

function measureHosts(metrics: Registry, kernel: Kernel): void {
  const loads = shared(() => listHosts(kernel));
  const gauge = (name: string, help: string, read: (host: Awaited<ReturnType<typeof loads>>[number]) => number) =>
    new Gauge({
      name: `figurehead_stream_host_${name}`,
      help,
      labelNames: ['host'] as const,
      registers: [metrics],
      async collect() {
        this.reset();
        for (const host of await loads()) this.set({ host: host.id }, read(host));
      },
    });
  gauge('capacity', 'Maximum concurrent streams of a host; 0 while it drains.', ({ draining, capacity }) =>
    draining ? 0 : capacity,
  );
  gauge('open', 'Open streams of a host.', ({ open }) => open);
}

/** Runs one query for all gauges of a scrape, which are collected at the same time. */
function shared<T>(load: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= load().finally(() => {
      running = undefined;
    });
    return running;
  };
}
