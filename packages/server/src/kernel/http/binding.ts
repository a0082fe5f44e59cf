import {
  type BodyOf,
  type ParamsOf,
  pathParams,
  type QueryOf,
  type Route,
  type RouteId,
  type Routes,
} from '@figurehead/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ApiRequest, Binding, Caller, Limiter } from './contract.js';
import { ApiError } from './error.js';
import { eventStream } from './events.js';
import { isStorable } from './json.js';
import { guardLimit } from './limit.js';
import type { Upload, Uploads } from './upload.js';
import type { createValidation } from './validation.js';

/** What serving a bound route takes from the server. */
export interface BindingContext {
  readonly validation: ReturnType<typeof createValidation>;
  readonly limiter: Limiter;
  readonly uploads: Uploads;
  readonly log: Logger;
  callerOf(request: FastifyRequest): Caller | undefined;
}

/**
 * Makes the handler of one route. The order of checks is decided here: 401 and unreadable JSON were answered before;
 * then 404 and 403 (`resource`), 400 (schemas, `check`), 429 (rate limit; quotas inside `handle`).
 */
export function serve<K extends RouteId, T>(
  context: BindingContext,
  definition: Routes[K],
  binding: Binding<Routes[K], T>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const route: Route = definition;
  const checkQuery = route.query && context.validation.query(route.query);
  const bodySchema = route.body ?? route.multipart?.fields;
  const checkBody = bodySchema && context.validation.body(bodySchema);
  const names = pathParams(route.path);

  return async (raw, reply) => {
    const caller = requireCaller(route, context.callerOf(raw));
    const limit = guardLimit(context.limiter, { route, caller, reply });
    // Both are made only for the handlers that ask: most answers take less time than their making.
    let signal: AbortSignal | undefined;
    let log: Logger | undefined;
    let upload: Upload | undefined;
    try {
      const params = readParams(names, raw) as ParamsOf<Routes[K]>;
      // No stored id has such text, and PostgreSQL would refuse to look for it.
      if (!Object.values<string>(params).every(isStorable)) throw new ApiError('notFound', { what: 'resource' });
      if (route.multipart && !raw.isMultipart()) {
        throw new ApiError('badRequest', { reason: 'it must be multipart/form-data with a file' });
      }
      const resource = (await binding.resource?.({ caller, params })) as T;
      upload = route.multipart ? await context.uploads.receive(raw) : undefined;
      const query = checkQuery ? checkQuery(readQuery(raw)) : {};
      const given = upload ? upload.fields : raw.body;
      const body = checkBody && !(given === undefined && route.bodyOptional) ? checkBody(given) : undefined;
      const request: ApiRequest<Routes[K], T> = {
        id: raw.id,
        address: raw.ip,
        caller,
        params,
        query: query as QueryOf<Routes[K]>,
        body: body as BodyOf<Routes[K]>,
        resource,
        file: upload?.file,
        headers: raw.headers,
        get log() {
          log ??= context.log.child({ requestId: raw.id, route: route.id });
          return log;
        },
        get signal() {
          signal ??= abortSignal(reply);
          return signal;
        },
        setStatus: (status) => void reply.code(status),
        setHeader: (name, value) => void reply.header(name, value),
      };
      await binding.check?.(request);
      await limit.take();
      return answer(route, reply, await binding.handle(request));
    } catch (error) {
      await limit.failed(error);
      throw error;
    } finally {
      await upload?.discard();
    }
  };
}

/** JSON is left to Fastify; files and events are told apart by their route. */
function answer(route: Route, reply: FastifyReply, given: unknown): unknown {
  if (route.binary !== undefined) {
    const { buffer, byteOffset, byteLength } = given as Uint8Array;
    void reply.type(route.binary);
    return Buffer.from(buffer, byteOffset, byteLength);
  }
  if (route.events === undefined) return given;
  // Proxies must hand each event on as it comes. The connection ends with the events: kept alive, it would hold up the server's closing.
  void reply.type('text/event-stream').headers({ 'X-Accel-Buffering': 'no', Connection: 'close' });
  return eventStream(given as AsyncIterable<unknown>);
}

function requireCaller(route: Route, caller: Caller | undefined): Caller {
  if (route.auth === 'web' && caller?.kind === 'api') throw new ApiError('webOnly');
  // Public routes have no caller to speak of; their handlers never read it.
  return caller as Caller;
}

function readParams(names: readonly string[], raw: FastifyRequest): Record<string, string> {
  const given = raw.params as Record<string, string>;
  return Object.fromEntries(names.map((name) => [name, given[name] ?? '']));
}

/** An empty value is the same as none: `?status=&type=` filters nothing. */
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

/** Raised when the connection closes before the answer is out. */
function abortSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new Error('the client went away'));
  });
  return controller.signal;
}
