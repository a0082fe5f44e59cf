import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import cors from '@fastify/cors';
import multipart from '@fastify/multipart';
import underPressure from '@fastify/under-pressure';
import { API_PREFIX, MAX_JSON_BYTES, pathParams, type Route, type RouteId, routes } from '@figurehead/contract';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import type { Kernel } from '../contract.js';
import { ApiError, overloaded } from '../errors.js';
import { inContext, readCarried } from '../observability/call-context.js';
import { type Identification, identify, refuseCrossSite } from './auth.js';
import { type BindingContext, serve } from './binding.js';
import {
  CONNECTION_LIMITS,
  dropBodies,
  limitBodies,
  limitConnections,
  releaseConnections,
  watchArrivals,
  watchBodies,
} from './connections.js';
import type { Authenticator, Caller, Http, Limiter, SocketBinding } from './contract.js';
import { endOfRight } from './events.js';
import { answerError, answerUnreadable, ERROR_CODE_HEADER, type Failure } from './failures.js';
import { decodeText, isStorable, parseJsonBody } from './json.js';
import { showLimit } from './limit.js';
import { measureCalls } from './measures.js';
import { createSlots, type Slots, STRANGERS } from './slots.js';
import { openSockets, serveSockets, upgradableMessages } from './sockets.js';
import { limitStrangers } from './strangers.js';
import { createUploads } from './upload.js';
import { createValidation } from './validation.js';

// The life of a request:
//
//   X-Request-Id, security headers → CORS → overload check (429) → identify the caller, in a slot (bare 401; 429 for too many guesses)
//   → body (JSON or 400; watched by connections.ts) → a slot (waits or 429, slots.ts) → the bound route (binding.ts)
//
// Slots are given a few per turn of the event loop, and none while waiting connections are accepted (connections.ts).
//
//   anything thrown → failures.ts: the catalogue's answer, or a 500 that only names the request id
//
// Closing: `/readyz` fails first (lifecycle signal), new connections are refused, idle ones closed, running requests end.

/** Answers that clients of other origins may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  ERROR_CODE_HEADER,
  'Retry-After',
  'WWW-Authenticate',
  'ETag',
  'Location',
  'Link',
  'Idempotency-Replayed',
  ...['Limit', 'Remaining', 'Reset'].flatMap((what) => [`X-RateLimit-${what}-Min`, `X-RateLimit-${what}-Hour`]),
];

/** API answers are data: browsers must not show them as a page, frame them or cache them. */
const NEVER_A_PAGE = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/**
 * Signs of overload, in addition to the slots: the event loop is a second late on average, or the heap is nearly full.
 */
const MAX_LOOP_DELAY_MS = 1000;
const MAX_HEAP_SHARE = 0.92;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the first hook of the API; `undefined` on public routes without credentials. */
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** The route of the contract. */
    route?: Route;
    routeId?: string;
  }
}

/** Longest delays of calls. */
export interface Patience {
  /** Average delay of the event loop. */
  readonly loopMs: number;
  /** Wait for a slot. */
  readonly slotMs: number;
}

/**
 * Creates the HTTP server. Nothing starts before `listen` (or `app.ready`), so that everything can be bound. The
 * lifecycle closes it.
 * @param options.patience how long calls may be delayed before they are refused; tests on a busy machine raise it.
 */
export function createHttp(
  kernel: Kernel,
  options: { authenticator: Authenticator; limiter: Limiter; patience?: Patience | undefined },
): Http {
  const metrics = new Registry();
  const sockets = new Map<string, SocketBinding>();
  const app = createApp(kernel, sockets, (failure) => refuseBadUrl(kernel, identification, failure));
  const slots = createSlots(metrics, {
    isHeld: watchArrivals(app.server),
    limits: options.patience && { waitMs: options.patience.slotMs },
  });
  measureCalls(app, metrics);
  limitConnections(app.server, { most: kernel.config.connectionsPerAddress, proxies: kernel.config.trustProxy });
  releaseConnections(app);
  watchBodies(app);
  dropBodies(app);
  const identification: Identification = {
    authenticator: options.authenticator,
    strangers: limitStrangers(app, kernel.config.strangersPerMinute),
    slots,
    origin: new URL(kernel.config.url).origin,
  };

  const context: BindingContext = {
    validation: createValidation(),
    limiter: options.limiter,
    uploads: createUploads(kernel),
    slots,
    isKnown: (request) => isKnown(identification, request),
    db: kernel.db,
    log: kernel.log,
  };
  const handlers = new Map<RouteId, ReturnType<typeof serve>>();
  let laid = false;
  app.register(
    async (api) => {
      laid = true;
      await openSockets(api, kernel.log);
      await openApiScope(api, identification, { ...options, showLimits: showLimits(options.limiter, slots) });
      const lay = (scope: FastifyInstance, isForm: boolean) => {
        for (const [id, handler] of handlers) {
          const route: Route = routes[id];
          if ((route.multipart !== undefined) !== isForm) continue;
          layRoute(scope, { id, handler: carrying(kernel, id, handler) });
        }
      };
      serveSockets(api, sockets, context);
      lay(api, false);
      // Separate scope, because its hooks run with each request.
      await api.register(async (forms) => {
        // The upload reader detects a truncated file and reads the rest: see upload.ts.
        await forms.register(multipart, { throwFileSizeLimit: false });
        lay(forms, true);
      });
    },
    { prefix: API_PREFIX },
  );
  kernel.lifecycle.onClose('http', () => app.close());

  return {
    app,
    metrics,
    async identify(request) {
      const caller = await identify(identification, request);
      if (caller?.kind === 'client') throw new ApiError('clientOnly');
      if (caller !== undefined) guardBody(request, () => isKnown(identification, request));
      return caller;
    },
    cutAtEnd: (request, { raw }) => cutAtEnd(raw, () => isKnown(identification, request)),
    inSlot: (caller, work) => slots.run(caller?.workspace.id ?? STRANGERS, work),
    bind(id, binding) {
      if (laid) throw new Error(`the route ${id} came after the server was ready`);
      if (handlers.has(id)) throw new Error(`the route ${id} is already bound`);
      handlers.set(id, serve(context, routes[id], binding));
    },
    bindSocket: (path, binding) => void sockets.set(path, binding),
    unbound: () => (Object.keys(routes) as RouteId[]).filter((id) => !handlers.has(id)),
    async listen() {
      await app.listen({ port: kernel.config.port, host: kernel.config.host });
      // For want of file descriptors: without a listener it would end the process.
      app.server.on('error', (error) => kernel.log.warn({ err: error }, 'a connection could not be accepted'));
      const address = app.server.address();
      if (address === null || typeof address === 'string') throw new Error('the server has no TCP port');
      return address.port;
    },
  };
}

function createApp(
  kernel: Kernel,
  sockets: ReadonlyMap<string, SocketBinding>,
  refuse: (failure: Failure) => Promise<void>,
): FastifyInstance {
  const nextId = requestIds();
  const app = Fastify({
    logger: false,
    http: { ...CONNECTION_LIMITS, IncomingMessage: upgradableMessages(sockets) },
    bodyLimit: MAX_JSON_BYTES.any,
    // A client must not choose the ids in our log.
    requestIdHeader: false,
    // Fastify uses X-Forwarded-For only from these proxies.
    trustProxy: kernel.config.trustProxy.length > 0 ? [...kernel.config.trustProxy] : false,
    genReqId: nextId,
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, nextId()),
    forceCloseConnections: 'idle',
    // Finished by the handler of `frameworkErrors`: a path that cannot be decoded is an unknown path.
    frameworkErrors: (error, request, reply) => void refuse({ error, request, reply }),
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
  });
  app.decorateRequest('caller', undefined);
  const isHttps = kernel.config.url.startsWith('https:');
  app.addHook('onRequest', (request, reply, done) => {
    reply
      .header('X-Request-Id', request.id)
      .header('X-Content-Type-Options', 'nosniff')
      .header('X-Frame-Options', 'SAMEORIGIN')
      .header('Referrer-Policy', 'strict-origin-when-cross-origin');
    // An empty content type is none.
    if (request.headers['content-type']?.trim() === '') delete request.headers['content-type'];
    if (isHttps) reply.header('Strict-Transport-Security', 'max-age=31536000');
    done(hasSeveralHosts(request.raw.rawHeaders) ? new ApiError('badRequest', { reason: SEVERAL_HOSTS }) : undefined);
  });
  app.setErrorHandler((error, request, reply) => answerError(kernel.log, { error, request, reply }));
  // JSON is read regardless of its content type: `curl -d` declares a form.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const { route } = request.routeOptions.config;
    // A stranger's call to nowhere must cost nothing.
    if (request.is404 && request.caller === undefined) return undefined;
    return route?.text === undefined ? parseJsonBody(body, route) : readText(request, body, route.text);
  });
  return app;
}

const SEVERAL_HOSTS = 'it has more than one Host header';

/** True for a request that must be refused (RFC 9112 section 3.2). Node keeps the first of several in `headers`. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  // Names and values alternate.
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length > 1;
}

/** Content types of bodies that are texts. */
const TEXTS = new Set((Object.values(routes) as Route[]).flatMap(({ text }) => text ?? []));

/** A body that is a text of the content type `expected`; players that send another one of SDP are understood too. */
function readText({ headers }: FastifyRequest, body: Buffer, expected: string): string {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === undefined || !TEXTS.has(type))
    throw new ApiError('badRequest', { reason: `its Content-Type must be ${expected}, not ${type ?? 'missing'}` });
  const text = decodeText(body);
  if (text === undefined || !isStorable(text))
    throw new ApiError('badRequest', { reason: 'it has text that is not valid Unicode' });
  return text;
}

/** A reader whose credentials cannot be checked now keeps listening; one whose token has ended does not. */
async function isKnown(identification: Identification, request: FastifyRequest): Promise<boolean> {
  // The caller was known when the answer began: repeated checks do not count as guesses, and a refused guess would let an ended session go on.
  const strangers = { ...identification.strangers, count: async () => undefined };
  return identify({ ...identification, strangers }, request).then(
    (caller) => caller !== undefined,
    (error: unknown) => !(error instanceof ApiError && error.status === 401),
  );
}

/** A shorter body has arrived before its sender's credentials are checked again. */
const SHORT_BODY_BYTES = 65_536;

/** Cuts a long body off whose sender's credentials end before it has arrived. */
function guardBody({ raw, headers }: FastifyRequest, isKnown: () => Promise<boolean>): void {
  const isLong =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SHORT_BODY_BYTES;
  if (isLong) cutAtEnd(raw, isKnown);
}

/** Cuts a body or an answer off whose caller's credentials end before it has ended. */
function cutAtEnd(stream: IncomingMessage | ServerResponse, isKnown: () => Promise<boolean>): void {
  // Its client hung up while it was identified: a close that has been emitted would never end the watch.
  if (stream.destroyed) return;
  const over = new AbortController();
  stream.once('close', () => over.abort());
  void endOfRight(isKnown, over.signal).then((mayGoOn) => {
    if (!mayGoOn) stream.destroy();
  });
}

/** CORS, authentication and the answer for unknown paths under the prefix. */
async function openApiScope(
  api: FastifyInstance,
  identification: Identification,
  {
    showLimits,
    patience,
  }: {
    showLimits: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
    patience?: Patience | undefined;
  },
): Promise<void> {
  await api.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'If-Match', 'Idempotency-Key'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  });
  await api.register(underPressure, {
    maxEventLoopDelay: patience?.loopMs ?? MAX_LOOP_DELAY_MS,
    maxHeapUsedBytes: getHeapStatistics().heap_size_limit * MAX_HEAP_SHARE,
    pressureHandler: async () => {
      throw overloaded();
    },
  });
  api.addHook('onRequest', async (request, reply) => {
    if (request.method === 'OPTIONS') return;
    reply.headers(NEVER_A_PAGE);
    if (request.routeOptions.config.route?.auth === 'public') {
      refuseCrossSite(request, identification.origin);
      return identification.strangers.count(request);
    }
    request.caller = await identify(identification, request);
    if (request.caller === undefined) throw new ApiError('unauthorized');
    guardBody(request, () => isKnown(identification, request));
  });
  api.addHook('onSend', showLimits);
  limitBodies(api);
  api.setNotFoundHandler((request) => {
    throw new ApiError('unknownPath', { method: request.method, path: request.url.split('?')[0] ?? '' });
  });
}

/**
 * A handler in the context of its request: its jobs and its calls to stream hosts carry the request id and belong to
 * one trace, and its workspace takes turns with others for database connections.
 */
function carrying(kernel: Kernel, id: RouteId, handler: ReturnType<typeof serve>): ReturnType<typeof serve> {
  const { method, path } = routes[id];
  const name = `${method} ${path}`;
  const isFailure = (error: unknown) => !(error instanceof ApiError) || error.status >= 500;
  return (request, reply) => {
    // Only the trace id may come from outside: ids in our log are our own.
    const { span } = kernel.tracing.enabled ? readCarried({ traceparent: request.headers['traceparent'] }) : {};
    const workspaceId = request.caller?.workspace.id ?? STRANGERS;
    const context = { requestId: request.id, workspaceId, ...(span === undefined ? {} : { span }) };
    return inContext(context, () =>
      kernel.tracing.span({ name, kind: 'server', isFailure, attributes: { 'http.route': path } }, () =>
        handler(request, reply),
      ),
    );
  };
}

function layRoute(api: FastifyInstance, bound: { id: RouteId; handler: ReturnType<typeof serve> }): void {
  const { id, handler } = bound;
  const route: Route = routes[id];
  const url = pathParams(route.path).reduce((path, name) => path.replace(`{${name}}`, `:${name}`), route.path);
  const options = { url, config: { route, routeId: id }, handler };
  // Files have limits of their own.
  const limit = route.multipart === undefined ? { bodyLimit: MAX_JSON_BYTES[route.auth ?? 'any'] } : {};
  api.route({ method: route.method, ...options, ...limit });
}

/** Adds the state of a route's rate limit to answers that were not counted, such as that to an unreadable body. */
function showLimits(limiter: Limiter, slots: Slots) {
  return async ({ caller, routeOptions, log }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { id = '', limited: rule } = routeOptions.config.route ?? {};
    if (rule === undefined || caller === undefined || reply.hasHeader('X-RateLimit-Limit-Min')) return;
    await slots
      .run(caller.workspace.id, () => showLimit(limiter, rule, { id, caller, reply }))
      .catch((error: unknown) => log.warn({ err: error }, 'an answer does not show its rate limit'));
  };
}

async function refuseBadUrl(kernel: Kernel, identification: Identification, failure: Failure): Promise<void> {
  const { request, reply } = failure;
  reply.header('X-Request-Id', request.id);
  try {
    const caller = await identify(identification, request);
    const path = request.raw.url?.split('?')[0] ?? '';
    const outside = !path.startsWith(`${API_PREFIX}/`);
    if (caller === undefined && !outside) throw new ApiError('unauthorized');
    throw new ApiError('unknownPath', { method: request.method, path });
  } catch (error) {
    answerError(kernel.log, { error, request, reply });
  }
}

/** Request ids from a random start and a counter: they reveal nothing about the process and need no system call. */
function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = randomBytes(4).readUInt32BE();
  return () => {
    count += 1;
    return prefix + count.toString(16).padStart(12, '0');
  };
}
