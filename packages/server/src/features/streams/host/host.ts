import type { LiveHost, PresenterPack, Speech } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { runPeriodically } from '../../../kernel/jobs/repeat.js';
import { OperatorError } from '../../../kernel/operator-error.js';
import { createConversations } from '../../agents/index.js';
import { BEAT_MS, beatHost, drainHost, registerHost, removeHost } from '../hosts.js';
import { openHostServer } from './host-server.js';
import { SessionRegistry, type SignRecording } from './session-registry.js';

export { createPackStore } from './packs.js';

/** Time between checks for idle streams. */
const EXPIRE_MS = 500;
/** Time that a stopping host gives its streams to finish their speech: longer than most sentences, short enough for a restart. */
const DRAIN_GRACE_MS = 10_000;

/** Share of the processors that streams may use when all of them speak at once; the rest is for sound, packets and the system. */
const MAX_CPU_SHARE = 0.75;
/** Maximum per host, because all its streams share one UDP socket and one JavaScript thread. */
const MAX_STREAMS = 200;

export interface StreamHostOptions {
  readonly live: LiveHost;
  readonly speech: Speech;
  /** The presenter of an avatar code. */
  readonly findPack: (workspaceId: string, code: string) => Promise<PresenterPack>;
  /** Marks recordings as made by a machine; tests omit it. */
  readonly signRecording?: SignRecording;
  /** Maximum concurrent streams. */
  readonly capacity: number;
  /** Encoding engines: `cpu`, `cuda`. */
  readonly engines: readonly string[];
  readonly version: string;
  readonly times?: StreamHostTimes;
}

/** Intervals that tests shorten. */
export interface StreamHostTimes {
  /** Time between two reports; {@link BEAT_MS}. */
  readonly beatMs?: number;
  /** Time between checks for idle streams. */
  readonly expireMs?: number;
  /** Time that a stopping host gives its streams to finish their speech. */
  readonly drainGraceMs?: number;
}

/**
 * Makes this process a stream host: serves its sessions to the API, joins the list of hosts and reports every {@link BEAT_MS}. The kernel's
 * lifecycle ends it: it refuses new streams, lets the others finish and then leaves the list. Register `live` and `speech` with the
 * lifecycle before, so that they close after it.
 * @returns the address of its internal HTTP server.
 */
export async function startStreamHost(
  kernel: Kernel,
  options: StreamHostOptions,
): Promise<{ id: string; url: string }> {
  const { config, log, lifecycle } = kernel;
  const { capacity, engines, version, times = {} } = options;
  const { beatMs = BEAT_MS, expireMs = EXPIRE_MS, drainGraceMs = DRAIN_GRACE_MS } = times;
  requireReachable(config.internalHost);
  const id = kernel.ids.next();
  const registry = new SessionRegistry(kernel, {
    ...options,
    hostId: id,
    idleMs: config.streamIdleSeconds * 1000,
    openConversation: createConversations(kernel),
  });
  const server = await openHostServer(registry, {
    host: config.internalHost,
    port: config.internalPort,
    secret: kernel.internalSecret,
    log,
  });
  lifecycle.onClose('internal HTTP', server.close);
  const description = { id, url: server.url, capacity, engines, version };
  await registerHost(kernel, description);

  async function beat(): Promise<void> {
    if (!(await beatHost(kernel.db, id))) {
      // The API has ended its streams; this report ends their sessions here as well.
      log.warn('this stream host was declared dead; it joins again');
      await registerHost(kernel, description);
      if (lifecycle.signal.aborted) await drainHost(kernel, id);
    }
    await registry.report();
  }
  // Closed in the opposite order: sessions end while the host still reports them.
  lifecycle.onClose('place in the list of hosts', () => removeHost(kernel.db, id));
  runPeriodically(kernel, { name: 'reports', everyMs: beatMs, failure: 'the stream host could not report' }, beat);
  runPeriodically(
    kernel,
    { name: 'expiry of streams', everyMs: expireMs, failure: 'streams did not expire' },
    async () => registry.expire(),
  );
  lifecycle.onClose('streams', async () => {
    await drainHost(kernel, id).catch((error: unknown) =>
      log.warn({ err: error }, 'the host could not say that it stops'),
    );
    await registry.drain(drainGraceMs);
  });
  return { id, url: server.url };
}

/** The API connects to this address, so a wildcard is refused. */
function requireReachable(host: string): void {
  if (host !== '0.0.0.0' && host !== '::') return;
  throw new OperatorError(
    `FIGUREHEAD_INTERNAL_HOST must be an address of this machine that the API can reach, not ${host}: the API controls streams through it.`,
  );
}

/**
 * Streams that a host can serve when all of them speak at once. Idle ones cost a tenth or less, so a full host is seldom busy.
 * @param cost per frame of one stream, ms of one processor: all streams are drawn on one thread and encoded on any.
 * @param cpus number of processors that the process may use.
 */
export function streamCapacity(
  cost: { drawMs: number; encodeMs: number },
  cpus: number,
  framesPerSecond: number,
): number {
  const onThread = (MAX_CPU_SHARE * 1000) / (cost.drawMs * framesPerSecond);
  const anywhere = (MAX_CPU_SHARE * 1000 * cpus) / ((cost.drawMs + cost.encodeMs) * framesPerSecond);
  return Math.max(1, Math.min(MAX_STREAMS, Math.floor(Math.min(onThread, anywhere))));
}
