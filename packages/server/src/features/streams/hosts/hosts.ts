import { connect } from 'node:net';
import type { Kernel, Tx } from '../../../kernel/contract.js';
import * as store from './store.js';

/** Interval of a host's heartbeats. */
export const BEAT_MS = 2000;

/**
 * Hosts whose streams must be ended: those silent for ten seconds, and those that missed a heartbeat and
 * refuse connections, as after a crash.
 */
export async function deadHosts(kernel: Kernel): Promise<string[]> {
  const quiet = await store.listQuiet(kernel.db);
  const judged = quiet.map(async ({ id, url, dead }) => (dead || (await isRefused(url)) ? [id] : []));
  return (await Promise.all(judged)).flat();
}

/** True when a host accepts streams, whether full or not. @param except hosts that could not be reached. */
export async function isHostPresent(kernel: Kernel, except: ReadonlySet<string> = new Set()): Promise<boolean> {
  return (await store.listHosts(kernel)).some(({ id, draining }) => !draining && !except.has(id));
}

/**
 * Chooses the live host with the smallest share of its capacity in use that has a free place, is not draining, and to
 * which no other stream is being added. Its row is locked until the transaction ends, so the stream that the caller
 * inserts is counted with its commit: a host never exceeds its capacity, and streams on different hosts do not wait for
 * each other.
 * @param except hosts that turned out to be unreachable or full.
 * @returns undefined when no host has a free place.
 */
export async function allocateHost(tx: Tx, except: ReadonlySet<string>): Promise<store.ChosenHost | undefined> {
  return (await store.lockFreeHost(tx, [...except])) ?? (await store.awaitFreeHost(tx, [...except]));
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
