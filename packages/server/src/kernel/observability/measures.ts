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

/** Adds a gauge whose values are read at each scrape: one for each item, by the labels that `labelsOf` gives it. */
export function gaugeOfEach<Item, Label extends string>(
  metrics: Registry,
  { name, help, labels }: { readonly name: string; readonly help: string; readonly labels: readonly Label[] },
  items: () => Promise<Iterable<Item>> | Iterable<Item>,
  read: (item: Item) => readonly [labels: Readonly<Record<Label, string>>, value: number] | undefined,
): void {
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [metrics],
    async collect() {
      const all = await items();
      this.reset();
      for (const item of all) {
        const found = read(item);
        // Items with the same labels are added up.
        if (found) this.inc(...found);
      }
    },
  });
}

/** Adds a gauge without labels whose value is read at each scrape. */
export function gaugeOf(metrics: Registry, name: string, help: string, read: () => Promise<number> | number): void {
  new Gauge({
    name,
    help,
    registers: [metrics],
    async collect() {
      this.set(await read());
    },
  });
}

/** Runs one query for all gauges of a scrape, which are collected at the same time. */
export function sharedRead<T>(load: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= load().finally(() => {
      running = undefined;
    });
    return running;
  };
}
