import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LiveError } from '@figurehead/media';
import { Value } from '@sinclair/typebox/value';
import type { Logger } from 'pino';
import { inContext, REQUEST_ID_HEADER, readCarried } from '../../../kernel/observability/call-context.js';
import { OperatorError } from '../../../kernel/operator-error.js';
import {
  EVENTS_PATH,
  HEARTBEAT_MS,
  HostRefusal,
  type HostRequest,
  isSameSecret,
  OPERATIONS,
  REFUSAL_STATUS,
  type RefusalCode,
  SECRET_HEADER,
} from './host-protocol.js';
import type { HostedStream } from './hosted-stream.js';
import { type HostParts, ON_STREAM, type StreamOperations, watch } from './operations.js';
import type { SessionRegistry } from './session-registry.js';

/** Larger than any text and any SDP that the API accepts. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Deadline for a whole request; the API is on the same network. */
const REQUEST_WITHIN_MS = 10_000;

/** Refusals of the engine. */
const LIVE_REFUSALS = {
  bad_offer: 'bad_offer',
  bad_answer: 'bad_answer',
  bad_candidate: 'bad_candidate',
  closed: 'gone',
  no_ports: 'full',
  room_refused: 'room_refused',
} as const satisfies Record<LiveError['code'], RefusalCode>;

/** The internal HTTP server of a stream host. */
export interface HostServer {
  /** Base URL at which the API reaches it. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the sessions of this process to API processes that know the secret. The caller closes it. */
export async function openHostServer(
  registry: SessionRegistry,
  options: { host: string; port: number; secret: string; log: Logger },
): Promise<HostServer> {
  const { host, secret, log } = options;
  const server = createServer((request, response) => {
    const { traceparent, [REQUEST_ID_HEADER]: requestId } = request.headers;
    void inContext(readCarried({ requestId, traceparent }), () => answer({ registry, secret, log }, request, response));
  });
  server.requestTimeout = REQUEST_WITHIN_MS;
  server.headersTimeout = REQUEST_WITHIN_MS / 2;
  await listen(server, options);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the internal server has no TCP port');
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // Every session is closed by now, so requests that are still being read are dropped.
      setTimeout(() => server.closeAllConnections(), 500).unref();
      await closed;
    },
  };
}

function listen(server: Server, { host, port, log }: { host: string; port: number; log: Logger }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', (cause: NodeJS.ErrnoException) => {
      // A connection that could not be accepted, for want of file descriptors: without a listener it would end all streams.
      if (server.listening) return log.warn({ err: cause }, 'the stream host could not accept a connection');
      const where = `${host}:${port} (FIGUREHEAD_INTERNAL_HOST, FIGUREHEAD_INTERNAL_PORT)`;
      reject(new OperatorError(`The stream host cannot listen on ${where}: ${cause.code}.`, { cause }));
    });
    server.listen({ host, port }, resolve);
  });
}

interface Serving {
  readonly registry: SessionRegistry;
  readonly secret: string;
  readonly log: Logger;
}

async function answer(
  { registry, secret, log }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const given = request.headers[SECRET_HEADER];
    if (typeof given !== 'string' || !isSameSecret(given, secret)) {
      throw new HostRefusal('wrong_secret', 'the secret is missing or belongs to another installation');
    }
    const watched = request.method === 'GET' ? EVENTS_PATH.exec(request.url ?? '')?.[1] : undefined;
    if (watched === undefined) send(response, 200, await route(registry, request));
    else await sendEvents(registry, watched, response);
  } catch (error) {
    const code = codeOf(error);
    if (code !== undefined) {
      send(response, REFUSAL_STATUS[code], { code, message: (error as Error).message });
      return;
    }
    log.error({ err: error, method: request.method, url: request.url }, 'an internal request failed');
    send(response, 500, { message: 'the stream host failed' });
  }
}

async function route(registry: SessionRegistry, request: IncomingMessage): Promise<object> {
  const url = new URL(request.url ?? '/', 'http://host');
  const [, root, id = '', ...rest] = url.pathname.split('/');
  const path = ['', root, ...(id === '' ? [] : ['{id}']), ...rest].join('/');
  const found = Object.entries(OPERATIONS).find(([, one]) => one.method === request.method && one.path === path);
  if (found === undefined) throw unknown(request);
  const [name, operation] = found;
  const hasBody = operation.method === 'POST' || operation.method === 'PUT';
  const input = hasBody ? await readJson(request) : Object.fromEntries(url.searchParams);
  if (!Value.Check(operation.request, input)) {
    const { path: field = '', message = '' } = Value.Errors(operation.request, input).First() ?? {};
    throw new HostRefusal('bad_request', `the request of ${name} is not valid: ${field} ${message}`);
  }
  if (name === 'open') return registry.open(input as HostRequest<'open'>);
  const operate: (stream: HostedStream, request: never, parts: HostParts) => unknown =
    ON_STREAM[name as keyof StreamOperations];
  const done = name === 'close' ? registry.close(id) : operate(registry.find(id), input as never, registry.parts);
  return ((await done) as object | undefined) ?? {};
}

/** Why an operation was refused; `undefined` for a failure. */
function codeOf(error: unknown): RefusalCode | undefined {
  if (error instanceof LiveError) return LIVE_REFUSALS[error.code];
  return error instanceof HostRefusal ? error.code : undefined;
}

function unknown(request: IncomingMessage): HostRefusal {
  return new HostRefusal('bad_request', `unknown operation: ${request.method} ${request.url}`);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new HostRefusal('bad_request', `a body may have ${MAX_BODY_BYTES} bytes`);
    chunks.push(bytes);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    throw Object.assign(new HostRefusal('bad_request', 'the body is not JSON'), { cause });
  }
}

/** Sends a session's events, one line each, until either side ends it. A reader that takes nothing makes them wait in the feed. */
async function sendEvents(registry: SessionRegistry, id: string, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const events = watch(registry.find(id), gone.signal);
  response.once('close', () => gone.abort());
  response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders();
  const beat = setInterval(() => response.writableNeedDrain || response.write('\n'), HEARTBEAT_MS);
  try {
    for await (const event of events) {
      if (!response.write(`${JSON.stringify(event)}\n`)) await drained(response, gone.signal);
    }
    response.end();
  } finally {
    clearInterval(beat);
    gone.abort();
  }
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  await once(response, 'drain', { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}
