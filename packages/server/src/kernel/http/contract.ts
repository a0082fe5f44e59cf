import type { WebSocket } from '@fastify/websocket';
import type {
  BodyOf,
  ParamsOf,
  Plan,
  QueryOf,
  RateLimit,
  ResponseOf,
  Role,
  RouteId,
  Routes,
  WorkspaceStatus,
} from '@figurehead/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

/** The caller's workspace, as far as requests need it. */
export interface CallerWorkspace {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly status: WorkspaceStatus;
  readonly allowOverlimit: boolean;
}

/** The caller: a program with a bearer token, a user with a console session, or a web page with a client token. */
export interface Caller {
  readonly kind: 'api' | 'web' | 'client';
  readonly workspace: CallerWorkspace;
  /** Owner of the token, or the signed-in user. */
  readonly userId: string;
  /** The user's role for web callers; `owner` for API callers, whose token an owner created. */
  readonly role: Role;
  /** True for an administrator of this installation; always false for programs. */
  readonly operator?: boolean;
  /** The console session, for web callers. */
  readonly sessionId?: string;
  /** The client token, for client callers, and the origins of the pages that may use it. */
  readonly client?: { readonly id: string; readonly origins: readonly string[] };
}

/** Identifies callers. `undefined` results in a bare 401. */
export interface Authenticator {
  /** By the bearer token (without `Bearer `). Throws a 401 with the reason when a token of this installation is refused. */
  byToken(token: string): Promise<Caller | undefined>;
  /** True for a token with a valid signature, which cannot be a guess. */
  isSigned?(token: string): Promise<boolean>;
  /** By the value of the session cookie. */
  bySession(secret: string): Promise<Caller | undefined>;
}

/** State of one limited endpoint for one workspace; resets are Unix seconds. */
export interface LimitState {
  readonly allowed: boolean;
  readonly remainingMinute: number;
  readonly remainingHour: number;
  readonly resetMinute: number;
  readonly resetHour: number;
  /** Seconds until every full window is over; at least 1. */
  readonly waitSeconds: number;
  /** The windows in which the request was counted, for a refund. */
  readonly minuteStart: number;
  readonly hourStart: number;
}

/** Counts requests of limited endpoints (§8.1). */
export interface Limiter {
  /** Counts one request if neither window is full. */
  take(workspaceId: string, endpoint: string, rule: RateLimit): Promise<LimitState>;
  /** The state without counting. */
  peek(workspaceId: string, endpoint: string, rule: RateLimit): Promise<LimitState>;
  /** Refunds a counted request that was answered 400, 403 or 404. */
  refund(workspaceId: string, endpoint: string, state: LimitState): Promise<void>;
}

/** A complete upload in a temporary file, which is removed after the route's handler. */
export interface UploadedFile {
  /** Name from the client, without folders. */
  readonly filename: string;
  readonly path: string;
}

/** A request of route `R` after all checks. */
export interface ApiRequest<R extends Routes[RouteId], T = undefined> {
  /** Network address of the caller; behind a trusted proxy, the forwarded one. */
  readonly address: string;
  readonly caller: Caller;
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  /** Validated against the contract, without unknown fields. For an upload, its text fields. */
  readonly body: BodyOf<R>;
  /** Result of the binding's `resource`. */
  readonly resource: T;
  /** The `file` of an upload. */
  readonly file: R extends { multipart: unknown } ? UploadedFile : undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly log: Logger;
  /** Aborted when the client disconnects before the response. */
  readonly signal: AbortSignal;
  /** Status of the response; the contract's default when absent. */
  setStatus(status: 200 | 206): void;
  setHeader(name: string, value: string | number): void;
}

/** How a route is served, in the order of checks: `resource` (404, 403), validation (400), `check` (400), rate limit (429), `handle`. */
export interface Binding<R extends Routes[RouteId], T> {
  /** Loads the resource of the path. Throws `notFound` or `foreign`. */
  readonly resource?: (request: { caller: Caller; params: ParamsOf<R> }) => Promise<T>;
  /** Checks of the content that the schema cannot express. Throws a 400. */
  readonly check?: (request: ApiRequest<R, T>) => Promise<void> | void;
  /** Handles the request and returns the response body. */
  readonly handle: (request: ApiRequest<R, T>) => Promise<ResponseOf<R>>;
}

/** How a WebSocket is served. */
export interface SocketBinding {
  /**
   * Throws the error with which the handshake is answered.
   * @returns a handler for the open socket; it must add its listeners synchronously.
   */
  readonly open: (request: {
    readonly caller: Caller;
    readonly params: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, unknown>>;
    readonly log: Logger;
  }) => Promise<(socket: WebSocket) => void>;
}

/** The HTTP server of a process. */
export interface Http {
  /** Serves a route of the contract. Throws when it is already bound. */
  bind<K extends RouteId, T = undefined>(id: K, binding: Binding<Routes[K], T>): void;
  /**
   * Serves a WebSocket below the API prefix, behind the same checks as a route: the caller, overload, then `open`, whose error is the answer to the
   * handshake. A browser, which cannot send `Authorization`, names the protocols `figurehead` and `bearer.TOKEN`.
   */
  bindSocket(path: string, binding: SocketBinding): void;
  /** Routes of the contract without a handler; they answer 404. */
  unbound(): RouteId[];
  /** The caller of a request outside the contract; `undefined` when unknown. Throws like the API (403, 429). */
  identify(request: FastifyRequest): Promise<Caller | undefined>;
  /** Cuts a long answer to an identified caller off at most 2 s after its credentials have become invalid. */
  cutAtEnd(request: FastifyRequest, reply: FastifyReply): void;
  /** Runs work for a route outside the contract in a slot of the caller's workspace; unknown callers share theirs. Throws `overloaded`. */
  inSlot<T>(caller: Caller | undefined, work: () => Promise<T>): Promise<T>;
  /** The Fastify instance, for routes outside the contract: console files, health, media. Register before `listen`. */
  readonly app: FastifyInstance;
  /** Metrics of this process. */
  readonly metrics: Registry;
  /** Resolves with the port. Everything must be bound before. */
  listen(): Promise<number>;
}
