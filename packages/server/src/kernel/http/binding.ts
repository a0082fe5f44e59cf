import { setImmediate } from 'node:timers/promises';
import {
  type ParamsOf,
  pathParams,
  type Route,
  type RouteId,
  type Routes,
  withStoredTypes,
} from '@figurehead/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Database } from '../contract.js';
import { repeatRead } from '../database/away.js';
import { ApiError } from '../errors.js';
import type { ApiRequest, Binding, Caller, Limiter } from './contract.js';
import { etagIn } from './etag.js';
import { eventStream } from './events.js';
import { ClientGone } from './failures.js';
import { answerOnce } from './idempotency.js';
import { isStorable } from './json.js';
import { withLimit } from './limit.js';
import { type Slots, STRANGERS } from './slots.js';
import type { Upload, Uploads } from './upload.js';
import type { createValidation } from './validation.js';

/** Server functions that serving a bound route needs. */
export interface BindingContext {
  readonly validation: ReturnType<typeof createValidation>;
  readonly limiter: Limiter;
  readonly uploads: Uploads;
  readonly slots: Slots;
  /** Whether the caller's credentials are still valid. */
  readonly isKnown: (request: FastifyRequest) => Promise<boolean>;
  readonly db: Database;
  readonly log: Logger;
}

/**
 * Makes the handler of one route. The order of checks is decided here: 401 and unreadable JSON were answered before;
 * then the answer of an earlier request with the same idempotency key, 404 and 403 (`resource`), 400 (schemas,
 * `check`), 429 (rate limit; quotas inside `handle`). It takes a slot when the whole body has arrived.
 */
export function serve<K extends RouteId, T>(
  context: BindingContext,
  definition: Routes[K],
  binding: Binding<Routes[K], T>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const route: Route = definition;
  const find = finderOf(definition, binding);
  const work = workOf(context, definition, { binding, find });
  const { slots, uploads } = context;
  const checkAnswer = route.idempotencyKey && context.validation.body(route.response);
  const once = (raw: FastifyRequest, reply: FastifyReply, upload?: Upload): Promise<unknown> =>
    checkAnswer === undefined || raw.headers['idempotency-key'] === undefined
      ? work(raw, reply, upload)
      : answerOnce(context, { request: raw, reply, route, upload, checkAnswer }, () => work(raw, reply, upload));
  return async (raw, reply) => {
    requireKind(route, raw.caller);
    const workspaceId = raw.caller?.workspace.id ?? STRANGERS;
    if (route.multipart === undefined) {
      const answer = () => once(raw, reply);
      return slots.run(workspaceId, route.method === 'GET' ? () => repeatRead(answer) : answer);
    }
    // Before the body is received, and again when it has arrived.
    await slots.run(workspaceId, () => find(raw));
    if (!raw.isMultipart()) throw new ApiError('badRequest', { reason: 'it must be multipart/form-data with a file' });
    const upload = await uploads.receive(raw);
    try {
      return await slots.run(workspaceId, () => once(raw, reply, upload));
    } finally {
      await upload.discard();
    }
  };
}

/** The ids in the path, and the resource that they name. Throws 404 and 403. */
function finderOf<K extends RouteId, T>(
  definition: Routes[K],
  binding: Binding<Routes[K], T>,
): (raw: FastifyRequest) => Promise<{ params: ParamsOf<Routes[K]>; resource: T }> {
  const names = pathParams(definition.path);
  return async (raw) => {
    const params = readParams(names, raw) as ParamsOf<Routes[K]>;
    // No stored id contains such text, and PostgreSQL would reject the query.
    if (!Object.values<string>(params).every(isStorable)) throw new ApiError('notFound', { what: 'resource' });
    // Public routes have no caller; their handlers never read it.
    const resource = (await binding.resource?.({ caller: raw.caller as Caller, params })) as T;
    return { params, resource };
  };
}

function workOf<K extends RouteId, T>(
  context: BindingContext,
  definition: Routes[K],
  { binding, find }: { binding: Binding<Routes[K], T>; find: ReturnType<typeof finderOf<K, T>> },
): (raw: FastifyRequest, reply: FastifyReply, upload?: Upload) => Promise<unknown> {
  const route: Route = definition;
  const checkQuery = route.query && context.validation.query(route.query);
  const bodySchema = route.body ?? route.multipart?.fields;
  const checkBody = bodySchema && context.validation.body(bodySchema);

  return async (raw, reply, upload) => {
    const { params, resource } = await find(raw);
    const query = checkQuery ? checkQuery(readQuery(raw)) : {};
    const sent = upload ? upload.fields : raw.body;
    const given = route.document && bodySchema ? withStoredTypes(bodySchema, sent) : sent;
    // Reading and checking the largest document hold the event loop one after the other.
    if (route.document) await setImmediate();
    const isAbsent = (given === undefined || given === null) && route.bodyOptional === true;
    const body = checkBody && !isAbsent ? checkBody(given) : undefined;
    const found = { params, resource, query, body, file: upload?.file };
    const request = new BoundRequest<K, T>(context, { raw, reply, route }, found as Found<K, T>);
    if (binding.check !== undefined) await binding.check(request);
    return withLimit(context.limiter, { route, reply, request }, async () =>
      answer(route, reply, await binding.handle(request), () => context.isKnown(raw)),
    );
  };
}

/** The parsed and validated parts of a request. */
type Found<K extends RouteId, T> = Pick<ApiRequest<Routes[K], T>, 'params' | 'resource' | 'query' | 'body' | 'file'>;

/** A request for its handler. A class, because creating accessors for each request takes longer than a typical answer. */
class BoundRequest<K extends RouteId, T> implements ApiRequest<Routes[K], T> {
  readonly params: Found<K, T>['params'];
  readonly resource: T;
  readonly query: Found<K, T>['query'];
  readonly body: Found<K, T>['body'];
  readonly file: Found<K, T>['file'];
  readonly caller: Caller;
  readonly headers: ApiRequest<Routes[K], T>['headers'];
  #signal: AbortSignal | undefined;
  #log: Logger | undefined;

  constructor(
    private readonly context: BindingContext,
    private readonly served: { readonly raw: FastifyRequest; readonly reply: FastifyReply; readonly route: Route },
    found: Found<K, T>,
  ) {
    const { raw } = served;
    this.params = found.params;
    this.resource = found.resource;
    this.query = found.query;
    this.body = found.body;
    this.file = found.file;
    this.caller = raw.caller as Caller;
    this.headers = raw.headers;
  }

  get address(): string {
    return this.served.raw.ip;
  }

  get log(): Logger {
    this.#log ??= this.context.log.child({ requestId: this.served.raw.id, route: this.served.route.id });
    return this.#log;
  }

  get signal(): AbortSignal {
    this.#signal ??= abortSignal(this.served.reply);
    return this.#signal;
  }

  // Properties, because handlers take them out of the request.
  readonly setStatus = (status: number): void => void this.served.reply.code(status);
  readonly setHeader = (name: string, value: string | number): void => void this.served.reply.header(name, value);
}

/** Sends the entity tag, if any. Fastify sends JSON; empty answers, files and events are distinguished by their route. */
function answer(route: Route, reply: FastifyReply, given: unknown, isKnown: () => Promise<boolean>): unknown {
  if (route.status !== undefined) void reply.code(route.status);
  if (route.status === 204) return reply.send();
  const etag = etagIn(given);
  if (etag !== undefined) void reply.header('ETag', etag);
  if (route.binary !== undefined) {
    const { buffer, byteOffset, byteLength } = given as Uint8Array;
    void reply.type(route.binary);
    return Buffer.from(buffer, byteOffset, byteLength);
  }
  if (route.events === undefined) return given;
  // Proxies must not buffer events. The connection closes after the events, because a kept-alive one would delay the
  // server's shutdown.
  void reply.type('text/event-stream').headers({ 'X-Accel-Buffering': 'no', Connection: 'close' });
  return eventStream(given as AsyncIterable<unknown>, isKnown);
}

function requireKind(route: Route, caller: Caller | undefined): void {
  if (caller?.kind === 'client' && route.auth !== 'client') throw new ApiError('clientOnly');
  if (route.auth === 'web' && caller?.kind === 'api') throw new ApiError('webOnly');
}

function readParams(names: readonly string[], raw: FastifyRequest): Record<string, string> {
  const given = raw.params as Record<string, string>;
  return Object.fromEntries(names.map((name) => [name, given[name] ?? '']));
}

/** An empty value counts as absent: `?status=&type=` filters nothing. */
function readQuery(raw: FastifyRequest): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw.query as Record<string, string | string[]>)) {
    if (value === '') continue;
    if (![value].flat().every(isStorable))
      throw new ApiError('badRequest', { reason: `the query value of "${key}" cannot be read` });
    query[key] = Array.isArray(value) ? value.at(-1) : value;
  }
  return query;
}

/** Aborted when the connection closes before the answer is sent, or has closed before. */
function abortSignal({ raw }: FastifyReply): AbortSignal {
  if (raw.destroyed) return AbortSignal.abort(new ClientGone());
  const controller = new AbortController();
  // Also after a complete answer: events that the server ended may still be waited for.
  raw.once('close', () => controller.abort(new ClientGone()));
  return controller.signal;
}
