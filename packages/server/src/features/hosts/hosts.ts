import { connect } from 'node:net';
import type { Kernel, Tx } from '../../kernel/contract.js';
import * as store from './store.js';

/** A host says this often that it lives. */
export const BEAT_MS = 2000;

/** A host that has been silent for this long is dead: five beats, so that one lost transaction or a slow disk kills nobody. */
const DEAD_AFTER_MS = 10_000;

/** A host that missed a beat; a look at its address may tell whether it has died. */
const QUIET_AFTER_MS = 3000;

/** What a process that hosts streams says of itself. */
export interface HostDescription {
  readonly id: string;
  /** Base URL of its internal HTTP, as the API reaches it. */
  readonly url: string;
  /** Streams that it carries at once. */
  readonly capacity: number;
  /** What it encodes with: `cpu`, `cuda`. */
  readonly engines: readonly string[];
  readonly version: string;
}

/** A host that an allocation chose. */
export interface ChosenHost {
  readonly id: string;
  readonly url: string;
}

/** Makes a host known, with room for all its streams. */
export async function registerHost(kernel: Kernel, { engines, ...host }: HostDescription): Promise<void> {
  await store.insertHost(kernel.transaction, { ...host, engines: [...engines], draining: false });
}

/** Says that a host lives. @returns false when it was given up as dead: its streams have ended, and it must register again. */
export async function beatHost(db: Kernel['db'] | Tx, id: string): Promise<boolean> {
  return store.touchHost(db, id);
}

/** A draining host keeps its streams and takes no new ones. */
export async function drainHost(kernel: Kernel, id: string): Promise<void> {
  await store.setDraining(kernel.db, id);
}

/** Takes a host off the list; its streams have ended before. */
export async function removeHost(db: Kernel['db'] | Tx, id: string): Promise<void> {
  await store.deleteHost(db, id);
}

/**
 * Hosts whose streams must be ended: those silent for {@link DEAD_AFTER_MS}, and those that missed a beat and at whose address nobody
 * listens any more, as after a crash.
 */
export async function deadHosts(kernel: Kernel): Promise<string[]> {
  const quiet = await store.listQuiet(kernel.db, QUIET_AFTER_MS, DEAD_AFTER_MS);
  const judged = quiet.map(async ({ id, url, dead }) => (dead || (await isRefused(url)) ? [id] : []));
  return (await Promise.all(judged)).flat();
}

/** Hosts that live, with their load. */
export async function listHosts(kernel: Kernel): Promise<store.HostLoad[]> {
  return store.listLoads(kernel.db, DEAD_AFTER_MS);
}

/** True when a host is there that takes streams, full or not. */
export async function isHostPresent(kernel: Kernel): Promise<boolean> {
  return (await listHosts(kernel)).some((host) => !host.draining);
}

/**
 * The host with the smallest share of its capacity in use, among those that live, have room, are not draining, and to which no other stream is
 * being added at this moment. Its row is locked until the transaction ends: the stream that the caller writes is counted with its commit, so
 * that no host ever has more than it carries, and streams on different hosts do not wait for each other.
 * @param except hosts that turned out to be out of reach or full.
 * @returns undefined when nobody has room.
 */
export async function allocateHost(tx: Tx, except: ReadonlySet<string>): Promise<ChosenHost | undefined> {
  const options = { deadAfterMs: DEAD_AFTER_MS, except: [...except] };
  return (await store.lockFreeHost(tx, options)) ?? (await store.awaitFreeHost(tx, options));
}

/** Counts the open streams of all hosts anew where that is needed. */
export async function mendHostCounts(kernel: Kernel): Promise<void> {
  const mended = await store.mendCounts(kernel);
  if (mended.length > 0) kernel.log.warn({ hosts: mended }, 'open streams of hosts were miscounted');
}

/** True when a machine answers that nobody listens at the address. No answer at all proves nothing. */
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
