import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { inContext, REQUEST_ID_HEADER, readCarried } from '../../kernel/observability/call-context.js';
import { OperatorError } from '../../kernel/operator-error.js';
import {
  type CandidateRequest,
  HostRefusal,
  isSameSecret,
  type OpenRequest,
  REFUSAL_STATUS,
  SECRET_HEADER,
  type SpeechRequest,
} from './host-protocol.js';
import type { Stage } from './stage.js';

/** Larger than any text and any SDP that the API lets through. */
const MAX_BODY_BYTES = 1024 * 1024;
/** A request must be here whole by then: the API is near. */
const REQUEST_WITHIN_MS = 10_000;

/** The internal HTTP of a stream host. */
export interface HostServer {
  /** Base URL as the API reaches it. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the sessions of this process to API processes that know the secret. The caller closes it. */
export async function openHostServer(
  stage: Stage,
  options: { host: string; port: number; secret: string; log: Logger },
): Promise<HostServer> {
  const { host, port, secret, log } = options;
  const server = createServer((request, response) => {
    const { traceparent, [REQUEST_ID_HEADER]: requestId } = request.headers;
    void inContext(readCarried({ requestId, traceparent }), () => answer({ stage, secret, log }, request, response));
  });
  server.requestTimeout = REQUEST_WITHIN_MS;
  server.headersTimeout = REQUEST_WITHIN_MS / 2;
  await listen(server, host, port);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the internal server has no TCP port');
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // By now every session is closed: what is still being read is answered by nobody.
      setTimeout(() => server.closeAllConnections(), 500).unref();
      await closed;
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const where = `${host}:${port} (FIGUREHEAD_INTERNAL_HOST, FIGUREHEAD_INTERNAL_PORT)`;
      reject(new OperatorError(`The stream host cannot listen on ${where}: ${cause.code}.`, { cause }));
    });
    server.listen({ host, port }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

interface Serving {
  readonly stage: Stage;
  readonly secret: string;
  readonly log: Logger;
}

async function answer(
  { stage, secret, log }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const given = request.headers[SECRET_HEADER];
    if (typeof given !== 'string' || !isSameSecret(given, secret)) {
      throw new HostRefusal('wrong_secret', 'the secret is missing or not the one of this installation');
    }
    send(response, 200, (await route(stage, request)) ?? {});
  } catch (error) {
    if (error instanceof HostRefusal) {
      send(response, REFUSAL_STATUS[error.code], { code: error.code, message: error.message });
      return;
    }
    log.error({ err: error, method: request.method, url: request.url }, 'an internal request failed');
    send(response, 500, { message: 'the stream host failed' });
  }
}

async function route(stage: Stage, request: IncomingMessage): Promise<object | undefined> {
  const url = new URL(request.url ?? '/', 'http://host');
  const [, root, id, part, more] = url.pathname.split('/');
  const method = request.method ?? '';
  if (root !== 'streams' || more !== undefined) throw unknown(request);
  if (id === undefined && method === 'POST') return stage.open((await readJson(request)) as OpenRequest);
  if (id === undefined) throw unknown(request);
  switch (`${method} ${part ?? ''}`) {
    case 'PUT ':
      return void (await stage.answer(id, ((await readJson(request)) as { sdp: string }).sdp));
    case 'POST candidates':
      return void (await stage.addCandidate(id, ((await readJson(request)) as CandidateRequest).candidate));
    case 'POST speech':
      return stage.speak(id, (await readJson(request)) as SpeechRequest);
    case 'DELETE speech':
      return stage.interrupt(id, url.searchParams.get('scope') === 'current' ? 'current' : 'all');
    case 'GET stats':
      return stage.stats(id);
    case 'DELETE ':
      return void (await stage.end(id, 'requested'));
    default:
      throw unknown(request);
  }
}

function unknown(request: IncomingMessage): HostRefusal {
  return new HostRefusal('bad_request', `there is no ${request.method} ${request.url} here`);
}

async function readJson(request: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new HostRefusal('bad_request', `a body may have ${MAX_BODY_BYTES} bytes`);
    chunks.push(bytes);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as object;
  } catch (cause) {
    throw Object.assign(new HostRefusal('bad_request', 'the body is no JSON'), { cause });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}
