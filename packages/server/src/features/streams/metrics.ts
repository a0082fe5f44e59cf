import type { Registry } from 'prom-client';
import type { Kernel } from '../../kernel/contract.js';
import { gaugeOfEach, sharedRead } from '../../kernel/observability/measures.js';
import { listHosts } from './hosts.js';
import { listMeasured } from './store.js';
import { PER_STREAM } from './stream-measures.js';

/** Adds hosts and open streams of the whole installation to the metrics of this API process. */
export function measureStreams(metrics: Registry, kernel: Kernel): void {
  const hosts = sharedRead(() => listHosts(kernel));
  const ofHost = (name: string, help: string, read: (host: Awaited<ReturnType<typeof hosts>>[number]) => number) =>
    gaugeOfEach(metrics, { name: `figurehead_stream_host_${name}`, help, labels: ['host'] }, hosts, (host) => [
      { host: host.id },
      read(host),
    ]);
  ofHost('capacity', 'Maximum concurrent streams of a host; 0 while it drains.', ({ draining, capacity }) =>
    draining ? 0 : capacity,
  );
  ofHost('open', 'Open streams of a host.', ({ open }) => open);
  const streams = sharedRead(() => listMeasured(kernel.db));
  const open = { name: 'figurehead_streams', help: 'Open streams by status.', labels: ['status'] } as const;
  gaugeOfEach(metrics, open, streams, ({ state }) => [{ status: state }, 1]);
  for (const [name, { help, read }] of Object.entries(PER_STREAM)) {
    const gauge = { name: `figurehead_stream_${name}`, help, labels: ['stream', 'host'] } as const;
    gaugeOfEach(metrics, gauge, streams, ({ id, hostId, stats }) => {
      const value = stats && read(stats);
      return value === null ? undefined : [{ stream: id, host: hostId }, value];
    });
  }
}
