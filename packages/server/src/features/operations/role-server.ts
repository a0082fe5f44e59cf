import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Kernel } from '../../kernel/contract.js';
import { isLoopback } from '../../kernel/network/addresses.js';
import { OperatorError } from '../../kernel/operator-error.js';
import { expose } from './measures.js';
import { createReadiness } from './readiness.js';

/** A scraper that sends half a request must not hold a connection forever. */
const REQUEST_WITHIN_MS = 5000;

/** Headers that proxies add to forwarded requests. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

interface Served {
  readonly kernel: Kernel;
  readonly registries: readonly Registry[];
  readonly readiness: ReturnType<typeof createReadiness>;
}

/**
 * Serves `/metrics`, `/healthz` and `/readyz` of a role without its own HTTP server, when `FIGUREHEAD_METRICS_PORT` is
 * set. Closes with the kernel's lifecycle.
 * @returns the port, or `undefined` when none is configured.
 * @throws OperatorError when the port is in use.
 */
export async function serveRole(kernel: Kernel): Promise<number | undefined> {
  const { metricsPort: port, metricsHost: host } = kernel.config;
  if (port === undefined) return undefined;
  const own = new Registry();
  collectDefaultMetrics({ register: own });
  const registries = [own, kernel.metrics];
  const readiness = createReadiness(kernel, async () => true);
  const server = createServer(
    { requestTimeout: REQUEST_WITHIN_MS, headersTimeout: REQUEST_WITHIN_MS },
    (request, response) => {
      answer({ kernel, registries, readiness }, request, response).catch((error: unknown) => {
        kernel.log.warn({ err: error, url: request.url }, 'metrics or health could not be read');
        send(response, 500, 'text/plain', 'failed\n');
      });
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.on('error', (cause: NodeJS.ErrnoException) => {
      if (server.listening) return kernel.log.warn({ err: cause }, 'a connection could not be accepted');
      const where = `${host}:${port} (FIGUREHEAD_METRICS_HOST, FIGUREHEAD_METRICS_PORT)`;
      reject(new OperatorError(`Metrics cannot be served at ${where}: ${cause.code}.`, { cause }));
    });
    server.listen({ host, port }, resolve);
  });
  kernel.lifecycle.onClose('metrics', async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the metrics server has no TCP port');
  kernel.log.info({ port: address.port, host }, 'metrics and health are served');
  return address.port;
}

/**
 * Checks whether a request may read metrics: with the configured token, or without one from a program on the same
 * machine. Requests forwarded by a proxy on this machine come from elsewhere. Returns the status and message of the
 * refusal, or `undefined` to allow it.
 */
export function refuseMetrics(
  token: string | undefined,
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
): { status: 401 | 403; message: string } | undefined {
  if (token === undefined) {
    const isProxied = FORWARDED.some((name) => headers[name] !== undefined);
    if (!isProxied && isLoopback(socket.remoteAddress ?? '')) return undefined;
    return { status: 403, message: 'Set FIGUREHEAD_METRICS_TOKEN to read metrics from another machine.' };
  }
  // Hashes have a fixed length, which the comparison needs, and hide the length of the token.
  const hash = (text: string) => createHash('sha256').update(text).digest();
  if (timingSafeEqual(hash(`Bearer ${token}`), hash(headers.authorization ?? ''))) return undefined;
  return { status: 401, message: 'A bearer token is needed.' };
}

async function answer(
  { kernel, registries, readiness }: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url?.split('?')[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'text/plain', 'GET only\n');
  if (path === '/healthz') return send(response, 200, 'application/json', JSON.stringify({ status: 'ok' }));
  if (path === '/readyz') {
    const { ready, ...told } = await readiness();
    const body = JSON.stringify({ status: ready ? 'ready' : 'not ready', ...told });
    return send(response, ready ? 200 : 503, 'application/json', body);
  }
  if (path !== '/metrics') return send(response, 404, 'text/plain', 'not here\n');
  const refusal = refuseMetrics(kernel.config.metricsToken, request);
  if (refusal !== undefined) {
    if (refusal.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    return send(response, refusal.status, 'text/plain', `${refusal.message}\n`);
  }
  send(response, 200, kernel.metrics.contentType, await expose(registries));
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.headersSent || response.destroyed) return;
  response
    .writeHead(status, { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' })
    .end(body);
}
