import type { SOUND_RATES } from '@figurehead/contract';
import { API_PREFIX } from '@figurehead/contract/endpoints';
import {
  ConnectionError,
  errorOf,
  type FailureDetails,
  IdempotencyError,
  RateLimitError,
  ServerError,
} from './errors.js';
import { readEvents } from './events.js';

/** A file to upload. A `File` brings its own name. */
export interface FileInput {
  readonly file: Blob;
  /** With its extension; needed when `file` is a bare `Blob`. */
  readonly fileName?: string;
}

/** Input of any call. */
export interface AnyInput extends Partial<FileInput> {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly [param: string]: unknown;
}

/** Samples per second of sound that is sent in pieces. */
export type SoundRate = (typeof SOUND_RATES)[number];

/** What a client's `openSoundSocket` returns: the part of a browser's `WebSocket` that is used. */
export interface SoundSocket {
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
}

/** How the client reaches its server. */
export interface ClientOptions {
  /** Address of the server, with or without `/api/v1`. In a console served by the server itself: `''`. */
  readonly baseUrl: string;
  /** API token (`fh_…`). Without one the browser's console session is used: the cookie travels along (`credentials: 'include'`). */
  readonly token?: string;
  /**
   * How often a call is repeated that had no answer or a 5xx; 2 by default, 0 turns it off. Only calls that may be repeated: GET, PUT, DELETE, and POSTs
   * with an idempotency key. Pauses grow from about 0.3 to 8 s, at random (exponential back-off with full jitter).
   */
  readonly maxRetries?: number;
  /** Longest wait on rate limits that one call may add up to, seconds; 120 by default, 0 turns waiting off. */
  readonly maxRateLimitWaitSeconds?: number;
  /** Time for one attempt of a call, milliseconds; 120 000 by default. Uploads have no time limit; pass a `signal`. */
  readonly timeoutMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** In place of `new WebSocket(url, protocols)`: Node.js has a `WebSocket` from version 22 on; before, use the package `ws` or `undici`. */
  readonly createWebSocket?: (url: string, protocols: string[]) => SoundSocket;
}

/** Settings of one call. */
export interface CallOptions {
  /** Ends the call, its waits included, with the signal's reason. */
  readonly signal?: AbortSignal;
  /** For calls that create: your own key, to repeat the call even from another process. By default each call gets a random one. */
  readonly idempotencyKey?: string;
  /** For `updateVideo`: the version that the change is based on, from {@link etagOf}. Another one is a `ChangedSinceError`. */
  readonly ifMatch?: string | undefined;
}

/** A call as it goes over the wire. */
export interface WireRequest extends CallOptions {
  readonly method: string;
  /** Below the API prefix, parameters put in. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** JSON, or a form with a file. */
  readonly body?: unknown;
  /** The answer is a stream of server-sent events. */
  readonly isEvents?: boolean;
}

/** Sends calls. Resolves with the parsed answer, a file's bytes or the events, rejects with one of the error classes or the signal's reason. */
export type Transport = (request: WireRequest) => Promise<unknown>;

const DEFAULT_WAIT_SECONDS = 120;
const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_RETRIES = 2;

/** Bounds of the pause before the first retry and before any, milliseconds. */
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 8_000;

/** Methods whose repetition does no more than once would (RFC 9110, 9.2.2). A repeated DELETE may answer 404: the first one arrived. */
const IDEMPOTENT = new Set(['GET', 'PUT', 'DELETE']);

/** Creates a {@link Transport}. It has no open connections, so it need not be closed. */
export function createTransport(options: ClientOptions): Transport {
  const prefix = apiUrl(options.baseUrl);
  const maxRetries = options.maxRetries ?? DEFAULT_RETRIES;
  const maxWaitSeconds = options.maxRateLimitWaitSeconds ?? DEFAULT_WAIT_SECONDS;

  return async (request) => {
    let waitedSeconds = 0;
    let retries = 0;
    for (;;) {
      try {
        return await attempt(prefix, request, options);
      } catch (error) {
        const retryAfter = retryAfterOf(error);
        if (retryAfter !== undefined) {
          // At least a moment, so that `retryAfter: 0` does not become a storm. A refused call did nothing and may be repeated.
          const waitSeconds = Math.max(retryAfter, 0.25);
          waitedSeconds += waitSeconds;
          if (waitedSeconds > maxWaitSeconds) throw error;
          await sleep(waitSeconds * 1000, request.signal);
        } else {
          if (retries >= maxRetries || !mayRepeat(request, error)) throw error;
          await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 * FIRST_PAUSE_MS * 2 ** retries), request.signal);
          retries += 1;
        }
      }
    }
  };
}

/** Seconds, where the server says when the call may come again: a rate limit, or the first call with this key still runs. */
function retryAfterOf(error: unknown): number | undefined {
  return error instanceof RateLimitError || error instanceof IdempotencyError ? error.retryAfter : undefined;
}

/** No answer, or a failure of the server; and a second arrival of the call does no harm. */
function mayRepeat({ method, isEvents, idempotencyKey }: WireRequest, error: unknown): boolean {
  const hasFailed = error instanceof ConnectionError || (error instanceof ServerError && error.status >= 500);
  return hasFailed && !isEvents && (IDEMPOTENT.has(method) || idempotencyKey !== undefined);
}

/** Opens a WebSocket below the API prefix. Browsers cannot set its headers, so that the token travels as the name of a protocol. */
export function openSocket(
  options: ClientOptions,
  path: string,
  query: Readonly<Record<string, unknown>>,
): SoundSocket {
  const { token, createWebSocket = (url: string, protocols: string[]) => new WebSocket(url, protocols) } = options;
  const url = new URL(apiUrl(options.baseUrl) + path + queryString(query), globalThis.location?.href);
  url.protocol = url.protocol.replace('http', 'ws');
  return createWebSocket(url.href, ['figurehead', ...(token === undefined ? [] : [`bearer.${token}`])]);
}

/** `…/api/v1` for both forms of the base URL. */
function apiUrl(baseUrl: string): string {
  const base = baseUrl.replace(/\/{1,8}$/, '');
  return base.endsWith(API_PREFIX) ? base : base + API_PREFIX;
}

async function attempt(prefix: string, request: WireRequest, options: ClientOptions): Promise<unknown> {
  const { method, path, query, body, signal } = request;
  const send = options.fetch ?? globalThis.fetch;
  const isForm = body instanceof FormData;
  // Event streams last as long as the caller listens.
  const timeout = isForm || request.isEvents ? undefined : AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const signals = [signal, timeout].filter((one) => one !== undefined);
  const init: RequestInit = {
    method,
    headers: {
      Accept: request.isEvents ? 'text/event-stream' : 'application/json, */*;q=0.5',
      ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
      ...(request.idempotencyKey === undefined ? {} : { 'Idempotency-Key': request.idempotencyKey }),
      ...(request.ifMatch === undefined ? {} : { 'If-Match': request.ifMatch }),
      // A form's type carries its boundary, which only `fetch` knows.
      ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
    },
    credentials: options.token === undefined ? 'include' : 'omit',
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
  };
  const url = prefix + path;
  const call = { method, url };
  let response: Response;
  let text: string;
  try {
    response = await send(url + queryString(query), init);
    if (response.ok && request.isEvents) return readEvents(response);
    if (response.status === 204) return null;
    if (response.ok && !isText(response)) return new Uint8Array(await response.arrayBuffer());
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    const reason = timeout?.aborted ? 'no answer in time' : `the server could not be reached${causeOf(error)}`;
    throw new ConnectionError(
      `${method} ${url}: ${reason}`,
      { ...call, status: 0, requestId: undefined },
      { cause: error },
    );
  }
  const details: FailureDetails = {
    ...call,
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    code: response.headers.get('error-code') ?? undefined,
  };
  const answer = parseJson(text);
  if (!response.ok) throw errorOf(details, answer, response.headers);
  if (answer === undefined)
    throw new ServerError(`The answer of ${url} is not JSON; is this address a Figurehead server?`, details);
  const etag = response.headers.get('etag');
  // A proxy that compresses makes a strong tag weak, which `If-Match` would never match. The server's own are strong.
  if (etag !== null && typeof answer === 'object' && answer !== null) etags.set(answer, etag.replace(/^W\//, ''));
  return answer;
}

/** Entity tags of answers, for as long as those are used. */
const etags = new WeakMap<object, string>();

/**
 * The `ETag` with which the server sent this object: the version of a video, for `ifMatch`. `undefined` for anything else, copies
 * included.
 */
export function etagOf(answer: object): string | undefined {
  return etags.get(answer);
}

/** ` (ECONNREFUSED)`, where the platform says so. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
}

/** `undefined` and null say nothing; arrays are joined by commas, as filters take them. */
function queryString(query: Readonly<Record<string, unknown>> | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  if (pairs.length === 0) return '';
  return `?${new URLSearchParams(pairs.map(([key, value]) => [key, String(value)]))}`;
}

/** Anything that may be JSON, or a page that a proxy put in its place. */
function isText(response: Response): boolean {
  const type = response.headers.get('content-type') ?? '';
  return type === '' || type.startsWith('application/json') || type.startsWith('text/');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A bare 401 has no body, a proxy may answer with a page: the status distinguishes them.
    return undefined;
  }
}

/** Waits, unless the signal is raised first: then it rejects with its reason. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
