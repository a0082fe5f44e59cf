import { Gauge, Registry } from 'prom-client';
import type { GuardedPool } from '../database/pool.js';
import { programVersion } from '../version.js';

/** The metrics registry of a process, with the metrics of every role: version and database connections. */
export function openMetrics(role: string, pool: GuardedPool): Registry {
  const metrics = new Registry();
  new Gauge({
    name: 'figurehead_build_info',
    help: 'Always 1; the version and role of the process are its labels.',
    labelNames: ['version', 'role', 'node'] as const,
    registers: [metrics],
  }).set({ version: programVersion(), role, node: process.versions.node }, 1);
  new Gauge({
    name: 'figurehead_database_connections',
    help: 'Connections of this process to the database by state; waiting counts callers without one.',
    labelNames: ['state'] as const,
    registers: [metrics],
    collect() {
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.callersWaiting);
    },
  });
  return metrics;
}
