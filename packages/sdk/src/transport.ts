import { API_PATH } from './endpoints.js';
import { ConnectionError, errorOf, RateLimitError, ServerError } from './errors.js';
import { readEvents } from './events.js';

/** How the client reaches its server. */
export interface ClientOptions {
  /** Address of the server, with or without `/api/v1`. In a console served by the server itself: `''`. */
  readonly baseUrl: string;
  /** API token (`fh_…`). Without one the browser's console session is used: the cookie travels along (`credentials: 'include'`). */
  readonly token?: string;
  /** Longest wait on rate limits that one call may add up to, seconds; 120 by default, 0 turns waiting off. */
  readonly maxRateLimitWaitSeconds?: number;
  /** Time for one attempt of a call, milliseconds; 120 000 by default. Uploads have no limit of their own: give a `signal`. */
  readonly timeoutMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Settings of one call. */
export interface CallOptions {
  /** Ends the call, its waits included, with the signal's reason. */
  readonly signal?: AbortSignal;
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

/** Makes a {@link Transport}. It holds no connection of its own, so nothing has to be closed. */
export function createTransport(options: ClientOptions): Transport {
  const prefix = apiUrl(options.baseUrl);
  const maxWaitSeconds = options.maxRateLimitWaitSeconds ?? DEFAULT_WAIT_SECONDS;

  return async (request) => {
    let waitedSeconds = 0;
    for (;;) {
      try {
        return await attempt(prefix, request, options);
      } catch (error) {
        if (!(error instanceof RateLimitError)) throw error;
        // At least a moment, so that `retryAfter: 0` does not become a storm. A refused call did nothing and may be repeated.
        const waitSeconds = Math.max(error.retryAfter, 0.25);
        waitedSeconds += waitSeconds;
        if (waitedSeconds > maxWaitSeconds) throw error;
        await sleep(waitSeconds * 1000, request.signal);
      }
    }
  };
}

/** `…/api/v1`, whichever of the two forms was given. */
function apiUrl(baseUrl: string): string {
  const base = baseUrl.replace(/\/{1,8}$/, '');
  return base.endsWith(API_PATH) ? base : base + API_PATH;
}

async function attempt(prefix: string, request: WireRequest, options: ClientOptions): Promise<unknown> {
  const { method, path, query, body, signal } = request;
  const send = options.fetch ?? globalThis.fetch;
  const isForm = body instanceof FormData;
  // Events last as long as somebody listens.
  const timeout = isForm || request.isEvents ? undefined : AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const signals = [signal, timeout].filter((one) => one !== undefined);
  const init: RequestInit = {
    method,
    headers: {
      Accept: request.isEvents ? 'text/event-stream' : 'application/json, */*;q=0.5',
      ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
      // A form's type carries its boundary, which only `fetch` knows.
      ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
    },
    credentials: options.token === undefined ? 'include' : 'omit',
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
  };
  let response: Response;
  let text: string;
  try {
    response = await send(prefix + path + queryString(query), init);
    if (response.ok && request.isEvents) return readEvents(response);
    if (response.status === 204) return null;
    if (response.ok && !isText(response)) return new Uint8Array(await response.arrayBuffer());
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    const reason = timeout?.aborted ? 'No answer in time' : 'The server could not be reached';
    throw new ConnectionError(`${reason}: ${method} ${path}`, { status: 0, requestId: undefined }, { cause: error });
  }
  const details = { status: response.status, requestId: response.headers.get('x-request-id') ?? undefined };
  const answer = parseJson(text);
  if (!response.ok) throw errorOf(details, answer, response.headers);
  if (answer === undefined)
    throw new ServerError('The answer is not JSON; is this address a Figurehead server?', details);
  return answer;
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
    // A bare 401 has no body, a proxy may answer with a page: both are told apart by the status.
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
