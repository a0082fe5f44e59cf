import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunningJob } from '../kernel/contract.js';

/*
 * A role reports to its supervisor every second that its event loop runs. A busy loop, a deadlock and SIGSTOP all stop
 * the reports, in every role. An HTTP health check would need a port, which a worker does not have, and can fail for
 * reasons that a restart makes worse, such as many connections.
 */

/** Interval of a role's reports, milliseconds. */
export const HEARTBEAT_EVERY_MS = 1000;

/** Maximum entries in a log line. */
const MAX_TOLD = 20;

/** A role's report. */
export interface Heartbeat {
  readonly kind: 'heartbeat';
  /** Current work, such as `job renders {"videoId":"…"} for 3 s` and `POST /api/v1/videos for 0 s`; oldest first. */
  readonly running: readonly string[];
}

/** True for a role's message that is a {@link Heartbeat}. */
export function isHeartbeat(message: unknown): message is Heartbeat {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'heartbeat';
}

/**
 * Starts reporting to the supervisor, if there is one, until the process ends.
 * @param jobs the running jobs of the role's queue, once it exists.
 */
export function startHeartbeat(jobs: () => readonly RunningJob[]): void {
  if (process.send === undefined) return;
  const requests = trackRequests();
  setInterval(() => {
    if (!process.connected) return;
    const running = [...jobs().map(describeJob), ...requests()].slice(0, MAX_TOLD);
    process.send?.({ kind: 'heartbeat', running } satisfies Heartbeat);
  }, HEARTBEAT_EVERY_MS).unref();
}

function describeJob({ queue, data, startedAt }: RunningJob): string {
  return `job ${queue} ${JSON.stringify(data).slice(0, 200)} for ${secondsSince(startedAt.getTime())} s`;
}

/** Tracks the HTTP requests of this process. @returns the unanswered ones. */
function trackRequests(): () => string[] {
  const open = new Map<ServerResponse, { readonly what: string; readonly startedAt: number }>();
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    // Without the query, which contains the signature of media links.
    const what = `${request.method} ${request.url?.split('?')[0]}`.slice(0, 200);
    open.set(response, { what, startedAt: performance.now() });
    response.once('close', () => open.delete(response));
  });
  return () => [...open.values()].map(({ what, startedAt }) => `${what} for ${secondsSince(startedAt)} s`);
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1000);
}
