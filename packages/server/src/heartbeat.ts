import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunningJob } from './kernel/contract.js';

/*
 * A role tells its supervisor every second that its event loop turns. A busy loop, a deadlock and SIGSTOP all end that, in every role, whereas a
 * question over HTTP needs a port that a worker does not have, and can go unanswered for reasons that a restart would make worse: many connections.
 */

/** How often a role reports, milliseconds. */
export const HEARTBEAT_EVERY_MS = 1000;

/** As many entries as a log line has room for. */
const MOST_TOLD = 20;

/** What a role reports. */
export interface Heartbeat {
  readonly kind: 'heartbeat';
  /** What it works on, such as `job renders {"videoId":"…"} for 3 s` and `POST /api/v1/videos for 0 s`; the oldest first. */
  readonly running: readonly string[];
}

/** True for a message of a role that is a {@link Heartbeat}. */
export function isHeartbeat(message: unknown): message is Heartbeat {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'heartbeat';
}

/**
 * Reports from now on, when a supervisor listens, until the process ends.
 * @param jobs what the role's queue runs, once there is one.
 */
export function startHeartbeat(jobs: () => readonly RunningJob[]): void {
  if (process.send === undefined) return;
  const requests = trackRequests();
  setInterval(() => {
    if (!process.connected) return;
    const running = [...jobs().map(describeJob), ...requests()].slice(0, MOST_TOLD);
    process.send?.({ kind: 'heartbeat', running } satisfies Heartbeat);
  }, HEARTBEAT_EVERY_MS).unref();
}

function describeJob({ queue, data, startedAt }: RunningJob): string {
  return `job ${queue} ${JSON.stringify(data).slice(0, 200)} for ${secondsSince(startedAt.getTime())} s`;
}

/** Follows every HTTP request of this process. @returns what is not answered yet. */
function trackRequests(): () => string[] {
  const open = new Map<ServerResponse, { readonly what: string; readonly startedAt: number }>();
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    // Without the query: links to media carry their signature there.
    const what = `${request.method} ${request.url?.split('?')[0]}`.slice(0, 200);
    open.set(response, { what, startedAt: Date.now() });
    response.once('close', () => open.delete(response));
  });
  return () => [...open.values()].map(({ what, startedAt }) => `${what} for ${secondsSince(startedAt)} s`);
}

function secondsSince(startedAt: number): number {
  return Math.round((Date.now() - startedAt) / 1000);
}
