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
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

/** What a request needs to know of the caller's workspace. */
export interface CallerWorkspace {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly status: WorkspaceStatus;
  readonly allowOverlimit: boolean;
}

/** Who calls: a program with a bearer token, a person with a console session, or a web page with a client token. */
export interface Caller {
  readonly kind: 'api' | 'web' | 'client';
  readonly workspace: CallerWorkspace;
  /** Owner of the token, or the person signed in. */
  readonly userId: string;
  /** The person's role for web callers; `owner` for API callers, whose token an owner made. */
  readonly role: Role;
  /** Runs this installation; programs never do. */
  readonly operator?: boolean;
  /** The console session, for web callers. */
  readonly sessionId?: string;
  /** The client token, for client callers, and the origins of the pages that may use it. */
  readonly client?: { readonly id: string; readonly origins: readonly string[] };
}

/** Finds out who calls. `undefined` is answered with a bare 401. */
export interface Authenticator {
  /** By the bearer token (without `Bearer `). Throws a 401 that says why where a token of this installation is refused. */
  byToken(token: string): Promise<Caller | undefined>;
  /** True for a token whose signature is right: it cannot be a guess. */
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
  /** The windows that the request was counted in, to give it back. */
  readonly minuteStart: number;
  readonly hourStart: number;
}

/** Counts requests of limited endpoints (§8.1). */
export interface Limiter {
  /** Counts one request if both windows have room. */
  take(workspaceId: string, endpoint: string, rule: RateLimit): Promise<LimitState>;
  /** The state without counting. */
  peek(workspaceId: string, endpoint: string, rule: RateLimit): Promise<LimitState>;
  /** Gives one counted request back: it was answered 400, 403 or 404. */
  refund(workspaceId: string, endpoint: string, state: LimitState): Promise<void>;
}

/** An uploaded file, complete, in a temporary file that goes away when the route's handler has ended. */
export interface UploadedFile {
  /** As the client named it, without folders. */
  readonly filename: string;
  /** As the client says; sniff before trusting it. */
  readonly contentType: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** A request of route `R` after all checks. */
export interface ApiRequest<R extends Routes[RouteId], T = undefined> {
  /** Of the response header `X-Request-Id`. */
  readonly id: string;
  /** Network address of the caller; behind a trusted proxy, the one it names. */
  readonly address: string;
  readonly caller: Caller;
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  /** Validated against the contract, unknown fields removed. Of an upload: its text fields. */
  readonly body: BodyOf<R>;
  /** What the binding's `resource` found. */
  readonly resource: T;
  /** The `file` of an upload; `undefined` when there is none or the route takes none. */
  readonly file: UploadedFile | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly log: Logger;
  /** Raised when the client goes away before the answer. */
  readonly signal: AbortSignal;
  /** That of the contract unless set; 206 where the contract has it. */
  setStatus(status: 200 | 206): void;
  setHeader(name: string, value: string | number): void;
}

/** How a route is served, in the order of checks: `resource` (404, 403), validation (400), `check` (400), rate limit (429), `handle`. */
export interface Binding<R extends Routes[RouteId], T> {
  /** Loads what the path names. Throws `notFound` or `foreign`. */
  readonly resource?: (request: { caller: Caller; params: ParamsOf<R> }) => Promise<T>;
  /** What validation by schema cannot say about the content. Throws a 400. */
  readonly check?: (request: ApiRequest<R, T>) => Promise<void> | void;
  /** Does it and gives the answer's body. */
  readonly handle: (request: ApiRequest<R, T>) => Promise<ResponseOf<R>>;
}

/** How a WebSocket is served. */
export interface SocketBinding {
  /** Throws what the handshake is answered with. @returns what takes the open socket: it must listen to it at once. */
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
   * Serves a WebSocket below the API prefix, behind the same checks as a route: who calls, overload, then `open`, whose error is the answer to the
   * handshake. A browser, which cannot send `Authorization`, names the protocols `figurehead` and `bearer.TOKEN`.
   */
  bindSocket(path: string, binding: SocketBinding): void;
  /** Routes of the contract that nothing serves yet; they answer 404. */
  unbound(): RouteId[];
  /** Who sent a request to a route outside the contract; `undefined` when unknown. Throws as the API does (403, 429). */
  identify(request: FastifyRequest): Promise<Caller | undefined>;
  /** For what lies outside the contract: console files, health, media. Register before `listen`. */
  readonly app: FastifyInstance;
  /** Metrics of this process. */
  readonly metrics: Registry;
  /** Resolves with the port. Everything must be bound before. */
  listen(): Promise<number>;
}
