import { connect } from 'node:net';
import type { Kernel, Tx } from '../../../kernel/contract.js';
import * as store from './store.js';

/** Interval of a host's heartbeats. */
export const BEAT_MS = 2000;

/**
 * A host that has been silent for this long is dead: five heartbeats, so that a lost transaction or a slow disk does no
 * harm.
 */
const DEAD_AFTER_MS = 10_000;

/** After a missed heartbeat, connecting to the host's address shows whether it has died. */
const QUIET_AFTER_MS = 3000;

/** Description of a process that hosts streams. */
export interface HostDescription {
  readonly id: string;
  /** Base URL of its internal HTTP server, as reached by the API. */
  readonly url: string;
  /** Maximum number of concurrent streams. */
  readonly capacity: number;
  /** Encoders: `cpu`, `cuda`. */
  readonly engines: readonly string[];
  readonly version: string;
}

/** A host chosen for a stream. */
export interface ChosenHost {
  readonly id: string;
  readonly url: string;
}

/** Registers a host, with all its places free. */
export async function registerHost(kernel: Kernel, { engines, ...host }: HostDescription): Promise<void> {
  await store.insertHost(kernel.transaction, { ...host, engines: [...engines], draining: false });
}

/**
 * Records a heartbeat.
 * @returns false when the host was declared dead: its streams have ended, and it must register again.
 */
export async function beatHost(db: Kernel['db'] | Tx, id: string): Promise<boolean> {
  return store.touchHost(db, id);
}

/** Marks a host as draining: it keeps its streams and accepts no new ones. */
export async function drainHost(kernel: Kernel, id: string): Promise<void> {
  await store.setDraining(kernel.db, id);
}

/** Removes a host whose streams have ended. */
export async function removeHost(db: Kernel['db'] | Tx, id: string): Promise<void> {
  await store.deleteHost(db, id);
}

/**
 * Hosts whose streams must be ended: those silent for {@link DEAD_AFTER_MS}, and those that missed a heartbeat and
 * refuse connections, as after a crash.
 */
export async function deadHosts(kernel: Kernel): Promise<string[]> {
  const quiet = await store.listQuiet(kernel.db, QUIET_AFTER_MS, DEAD_AFTER_MS);
  const judged = quiet.map(async ({ id, url, dead }) => (dead || (await isRefused(url)) ? [id] : []));
  return (await Promise.all(judged)).flat();
}

/** Live hosts, with their load. */
export async function listHosts(kernel: Kernel): Promise<store.HostRow[]> {
  return store.listLoads(kernel.db, DEAD_AFTER_MS);
}

/** True when a host accepts streams, whether full or not. */
export async function isHostPresent(kernel: Kernel): Promise<boolean> {
  return (await listHosts(kernel)).some((host) => !host.draining);
}

/**
 * Chooses the live host with the smallest share of its capacity in use that has a free place, is not draining, and to
 * which no other stream is being added. Its row is locked until the transaction ends, so the stream that the caller
 * inserts is counted with its commit: a host never exceeds its capacity, and streams on different hosts do not wait for
 * each other.
 * @param except hosts that turned out to be unreachable or full.
 * @returns undefined when no host has a free place.
 */
export async function allocateHost(tx: Tx, except: ReadonlySet<string>): Promise<ChosenHost | undefined> {
  const options = { deadAfterMs: DEAD_AFTER_MS, except: [...except] };
  return (await store.lockFreeHost(tx, options)) ?? (await store.awaitFreeHost(tx, options));
}

/** Recounts the open streams of hosts with a wrong count. */
export async function mendHostCounts(kernel: Kernel): Promise<void> {
  const mended = await store.mendCounts(kernel);
  if (mended.length > 0) kernel.log.warn({ hosts: mended }, 'open streams of hosts were miscounted');
}

/** True when the machine refuses the connection; false without any answer, which can have other reasons. */
function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), timeout: 1000 });
    const settle = (refused: boolean) => {
      socket.destroy();
      resolve(refused);
    };
    socket.once('connect', () => settle(false));
    socket.once('timeout', () => settle(false));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code === 'ECONNREFUSED'));
  });
}
