import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { endpoints, type HttpMethod } from './endpoints.js';
import type { QuotaEntity } from './limits.js';

/** A request limit of §8.1; `api`: only API callers are counted. */
export interface RateLimit {
  readonly perMinute: number;
  readonly perHour: number;
  readonly counts: 'all' | 'api';
}

/** An upload: one `file` and text fields. */
export interface Multipart {
  readonly fields: TObject;
  /** Description of `file`. */
  readonly file: string;
}

/** Definition of a route. Paths are relative to the API prefix, their parameters in braces (`/videos/{videoId}`). */
export interface RouteDefinition {
  readonly method: HttpMethod;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Absent: an API token or a console session; `client` these and client tokens; `web` a console session; `public` no credentials. */
  readonly auth?: 'client' | 'web' | 'public';
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly multipart?: Multipart;
  /** The body contains a video document: its booleans and numbers may be text, see `withStoredTypes`. */
  readonly document?: true;
  /** The body may be omitted. */
  readonly bodyOptional?: true;
  readonly response: TSchema;
  /** Media type of a text body; `body` is then a string schema. The same text as a JSON string is also accepted. */
  readonly text?: string;
  /** Its texts may begin or end with half of a surrogate pair, whose other half is in another request. */
  readonly cutsCharacters?: true;
  /** Status of the response, if not 200. With 204 there is no body, and `response` is `Type.Null()`. */
  readonly status?: 201 | 204;
  /** Media type of an answer that is not JSON; `response` is then {@link Bytes}. */
  readonly binary?: string;
  /**
   * The answer is a stream of server-sent events, one JSON object each; `response` is then created by {@link EventsOf}.
   */
  readonly events?: TSchema;
  /** Body of a 206. */
  readonly partial?: TSchema;
  /**
   * A POST that creates: with a header `Idempotency-Key` it may be repeated. Not for answers with a secret, because
   * they are stored.
   */
  readonly idempotencyKey?: true;
  /** The answer has a strong `ETag`; a PATCH takes it as `If-Match` and answers 412 when the resource has another one. */
  readonly versioned?: true;
  readonly limited?: RateLimit;
  /** Creation quota that applies (§8.2). */
  readonly quota?: QuotaEntity;
}

/** A route under its id. */
export interface Route extends RouteDefinition {
  readonly id: string;
}

/** The names in braces of a path, e.g. `'videoId' | 'slideId'`. */
export type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never;

/** Path parameters of a route, as strings. */
export type ParamsOf<R extends RouteDefinition> = { readonly [K in PathParams<R['path']>]: string };
/** Query of a route after defaults. */
export type QueryOf<R extends RouteDefinition> = R extends { query: infer Q extends TSchema }
  ? Static<Q>
  : Record<never, never>;
/** Body of a route; includes `undefined` when it may be omitted. */
export type BodyOf<R extends RouteDefinition> = R extends { body: infer B extends TSchema }
  ? R extends { bodyOptional: true }
    ? Static<B> | undefined
    : Static<B>
  : R extends { multipart: { fields: infer F extends TSchema } }
    ? Static<F>
    : undefined;
/** Answer of a route, 206 included. */
export type ResponseOf<R extends RouteDefinition> =
  | Static<R['response']>
  | (R extends { partial: infer P extends TSchema } ? Static<P> : never);

/** A route without its line in {@link endpoints}, and without the heading that groups routes in the documentation. */
type RouteDetails = Omit<RouteDefinition, 'method' | 'path' | 'tag'>;

/** Method and path of a line of {@link endpoints}. */
type Endpoint<E extends string> = E extends `${infer M extends HttpMethod} ${infer P}`
  ? { readonly method: M; readonly path: P }
  : never;

/** Completes the definitions of the routes under one heading, keeping literal types. */
export function routesOf<const T extends Partial<Record<keyof typeof endpoints, RouteDetails>>>(
  tag: string,
  definitions: T,
): {
  readonly [K in keyof T & keyof typeof endpoints]: T[K] &
    Endpoint<(typeof endpoints)[K]> & { readonly id: K; readonly tag: string };
} {
  const named = Object.entries(definitions).map(([id, details]) => {
    const [method, path] = endpoints[id as keyof typeof endpoints].split(' ');
    return [id, Object.freeze({ ...details, id, tag, method, path })] as const;
  });
  // The mapped type expresses what `Object.fromEntries` cannot: each key keeps its own definition.
  return Object.freeze(Object.fromEntries(named)) as never;
}

/** The names in braces of a path, in order. */
export function pathParams(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}
