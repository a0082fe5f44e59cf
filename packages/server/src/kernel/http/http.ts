import { randomBytes } from 'node:crypto';
import cors from '@fastify/cors';
import multipart from '@fastify/multipart';
import {
  API_PREFIX,
  type ErrorBody,
  MAX_JSON_BYTES,
  pathParams,
  type Route,
  type RouteId,
  routes,
} from '@figurehead/contract';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Kernel } from '../contract.js';
import { PoolBusyError } from '../database/pool.js';
import { inContext, readCarried } from '../observability/call-context.js';
import { identify } from './auth.js';
import { type BindingContext, serve } from './binding.js';
import type { Authenticator, Caller, Http, Limiter } from './contract.js';
import { ApiError, overloaded } from './error.js';
import { parseJsonBody } from './json.js';
import { showLimit } from './limit.js';
import { refuseOverload } from './overload.js';
import { createUploads } from './upload.js';
import { createValidation } from './validation.js';

// The life of a request:
//
//   X-Request-Id, security headers → CORS → too much at once (429) → who calls (bare 401) → body (JSON or 400) → the bound route (http-binding.ts)
//   anything thrown → the error handler: the catalogue's answer, or a 500 that only names the request id
//
// Closing: `/readyz` fails first (lifecycle signal), new connections are refused, idle ones closed, running requests end.

/** Answers that clients of other origins may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  ...['Limit', 'Remaining', 'Reset'].flatMap((what) => [`X-RateLimit-${what}-Min`, `X-RateLimit-${what}-Hour`]),
];

/** Answers of the API are data: no browser shows them as a page, alone or in a frame, or keeps them. */
const NEVER_A_PAGE = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the first hook of the API; `undefined` on public routes without credentials. */
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** A public route: nobody has to be known. */
    isPublic?: boolean;
    routeId?: string;
    /** The answer lasts as long as its reader likes. */
    hasEvents?: boolean;
  }
}

/** Makes the HTTP server. Nothing boots before `listen` (or `app.ready`), so that everything can be bound. Its lifecycle closes it. */
export function createHttp(kernel: Kernel, options: { authenticator: Authenticator; limiter: Limiter }): Http {
  const metrics = new Registry();
  const app = createApp(kernel, options.authenticator);
  measure(app, metrics);

  const context: BindingContext = {
    validation: createValidation(),
    limiter: options.limiter,
    uploads: createUploads(kernel),
    log: kernel.log,
    callerOf: (request) => request.caller,
  };
  const handlers = new Map<RouteId, ReturnType<typeof serve>>();
  let laid = false;
  app.register(
    async (api) => {
      laid = true;
      await openApiScope(api, kernel, options.authenticator);
      const lay = (scope: FastifyInstance, isForm: boolean) => {
        for (const [id, handler] of handlers) {
          const route: Route = routes[id];
          if ((route.multipart !== undefined) !== isForm) continue;
          layRoute(scope, options.limiter, { id, handler: carrying(kernel, id, handler) });
        }
      };
      lay(api, false);
      // Apart from the others, since its hooks run with each request of their scope.
      await api.register(async (forms) => {
        // A file that is cut is found out by the reader, which then reads on: see http-upload.ts.
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
    bind(id, binding) {
      if (laid) throw new Error(`the route ${id} came after the server was ready`);
      if (handlers.has(id)) throw new Error(`the route ${id} is already bound`);
      handlers.set(id, serve(context, routes[id], binding));
    },
    unbound: () => (Object.keys(routes) as RouteId[]).filter((id) => !handlers.has(id)),
    async listen() {
      await app.listen({ port: kernel.config.port, host: kernel.config.host });
      const address = app.server.address();
      if (address === null || typeof address === 'string') throw new Error('the server has no TCP port');
      return address.port;
    },
  };
}

function createApp(kernel: Kernel, authenticator: Authenticator): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: MAX_JSON_BYTES,
    // A client cannot choose what stands in our log.
    requestIdHeader: false,
    // Fastify takes the address from X-Forwarded-For only when these have passed it on.
    trustProxy: kernel.config.trustProxy.length > 0 ? [...kernel.config.trustProxy] : false,
    genReqId: requestIds(),
    forceCloseConnections: 'idle',
    // Finished by the handler of `frameworkErrors`: a path that cannot be decoded is an unknown path.
    frameworkErrors: (error, request, reply) => void refuseBadUrl(kernel, authenticator, { error, request, reply }),
    routerOptions: { maxParamLength: 500 },
  });
  app.decorateRequest('caller', undefined);
  const isHttps = kernel.config.url.startsWith('https:');
  app.addHook('onRequest', (request, reply, done) => {
    reply
      .header('X-Request-Id', request.id)
      .header('X-Content-Type-Options', 'nosniff')
      .header('X-Frame-Options', 'SAMEORIGIN')
      .header('Referrer-Policy', 'strict-origin-when-cross-origin');
    if (isHttps) reply.header('Strict-Transport-Security', 'max-age=31536000');
    done();
  });
  app.setErrorHandler((error, request, reply) => answerError(kernel, { error, request, reply }));
  // Every body is read as JSON, whatever its type is called: `curl -d` names it a form.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: FastifyRequest, body: string) =>
    parseJsonBody(body),
  );
  return app;
}

/** CORS, authentication and the answer for unknown paths of everything under the prefix. */
async function openApiScope(api: FastifyInstance, kernel: Kernel, authenticator: Authenticator): Promise<void> {
  const origin = new URL(kernel.config.url).origin;
  await api.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  });
  refuseOverload(api);
  api.addHook('onRequest', async (request, reply) => {
    if (request.method === 'OPTIONS') return;
    reply.headers(NEVER_A_PAGE);
    if (request.routeOptions.config.isPublic) return;
    request.caller = await identify(authenticator, { method: request.method, headers: request.headers, origin });
    if (request.caller === undefined) throw new ApiError('unauthorized');
  });
  api.setNotFoundHandler((request) => {
    throw new ApiError('unknownPath', { method: request.method, path: request.url.split('?')[0] ?? '' });
  });
}

/** A handler whose doings, jobs and calls of stream hosts carry the id of its request, and are spans of one trace when traces are exported. */
function carrying(kernel: Kernel, id: RouteId, handler: ReturnType<typeof serve>): ReturnType<typeof serve> {
  const { method, path } = routes[id];
  const name = `${method} ${path}`;
  const isFailure = (error: unknown) => !(error instanceof ApiError) || error.status >= 500;
  // A read makes no job and calls no stream host, and its log lines have the id of their own: carrying it would only cost time.
  if (method === 'GET' && !kernel.tracing.enabled) return handler;
  return (request, reply) => {
    // Only the trace may come from outside: what stands in our log is ours.
    const { span } = kernel.tracing.enabled ? readCarried({ traceparent: request.headers['traceparent'] }) : {};
    const context = { requestId: request.id, ...(span === undefined ? {} : { span }) };
    return inContext(context, () =>
      kernel.tracing.span({ name, kind: 'server', isFailure, attributes: { 'http.route': path } }, () =>
        handler(request, reply),
      ),
    );
  };
}

function layRoute(
  api: FastifyInstance,
  limiter: Limiter,
  bound: { id: RouteId; handler: ReturnType<typeof serve> },
): void {
  const { id, handler } = bound;
  const route: Route = routes[id];
  const url = pathParams(route.path).reduce((path, name) => path.replace(`{${name}}`, `:${name}`), route.path);
  const config = { routeId: id, isPublic: route.auth === 'public', hasEvents: route.events !== undefined };
  const rule = route.limited;
  const limitHook = async ({ caller }: FastifyRequest, reply: FastifyReply) => {
    if (rule !== undefined && caller !== undefined) await showLimit(limiter, rule, { id, caller, reply });
  };
  const hooks = rule === undefined ? {} : { onRequest: limitHook };
  api.route({ method: route.method, url, config, handler, ...hooks });
}

/** What went wrong, and with which request. */
interface Failure {
  readonly error: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function refuseBadUrl(kernel: Kernel, authenticator: Authenticator, failure: Failure): Promise<void> {
  const { request, reply } = failure;
  reply.header('X-Request-Id', request.id);
  try {
    const origin = new URL(kernel.config.url).origin;
    const caller = await identify(authenticator, { method: request.method, headers: request.headers, origin });
    const path = request.raw.url?.split('?')[0] ?? '';
    const outside = !path.startsWith(`${API_PREFIX}/`);
    if (caller === undefined && !outside) throw new ApiError('unauthorized');
    throw new ApiError('unknownPath', { method: request.method, path });
  } catch (error) {
    answerError(kernel, { error, request, reply });
  }
}

function answerError(kernel: Kernel, { error, request, reply }: Failure): void {
  const known = knownError(error);
  if (known === undefined) {
    kernel.log.error(
      { error, requestId: request.id, method: request.method, url: request.url.split('?')[0] },
      'request failed',
    );
    void reply
      .code(500)
      .send({ message: new ApiError('internal', { requestId: request.id }).message } satisfies ErrorBody);
    return;
  }
  if (known.status === 401) {
    // Bare by §5: no body, so that nothing can be learned from it.
    void reply.code(401).header('WWW-Authenticate', 'Bearer').removeHeader('Content-Type').send();
    return;
  }
  const { errors, retryAfterSeconds } = known.details;
  if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds);
  const body: ErrorBody = {
    message: known.message,
    ...(errors === undefined ? {} : { errors: [...errors] }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfter: retryAfterSeconds }),
  };
  void reply.code(known.status).send(body);
}

function knownError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof PoolBusyError) return overloaded();
  return fromFramework(error);
}

/** What Fastify itself refuses is the client's fault: a 400 in our shape. */
function fromFramework(error: unknown): ApiError | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error)) return undefined;
  const status = Number(error.statusCode);
  if (!String(error.code).startsWith('FST_') || status < 400 || status >= 500) return undefined;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('bodyTooLarge', { limit: `${MAX_JSON_BYTES / 1024 / 1024} MB` });
  return new ApiError('badRequest', { reason: error.message });
}

function measure(app: FastifyInstance, metrics: Registry): void {
  collectDefaultMetrics({ register: metrics });
  const duration = new Histogram({
    name: 'figurehead_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [metrics],
  });
  const series = new Map<string, ReturnType<typeof duration.labels>>();
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url } = request.routeOptions;
    const route = config.routeId ?? (request.is404 ? 'unknown' : (url ?? 'other'));
    // How long somebody listens to events says nothing about this server.
    if (config.hasEvents) return done();
    // Looking a series up by its labels costs more than the rest of a small request.
    const key = `${route} ${request.method} ${reply.statusCode}`;
    const known = series.get(key) ?? duration.labels({ route, method: request.method, status: reply.statusCode });
    series.set(key, known);
    known.observe(reply.elapsedTime / 1000);
    done();
  });
}

/** Ids that nobody can guess the process by, and that cost no system call each: a random start, then counting. */
function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = randomBytes(4).readUInt32BE();
  return () => {
    count += 1;
    return prefix + count.toString(16).padStart(12, '0');
  };
}
