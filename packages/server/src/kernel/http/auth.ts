import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.js';
import type { Authenticator, Caller } from './contract.js';
import { type Slots, STRANGERS } from './slots.js';
import { bearerOfProtocols } from './sockets.js';
import type { Strangers } from './strangers.js';

/** Cookie of the console's session. */
const SESSION_COOKIE = 'figurehead_session';

/** Server functions that identifying a caller needs. */
export interface Identification {
  readonly authenticator: Authenticator;
  readonly strangers: Strangers;
  readonly slots: Slots;
  /** Scheme and host of the public URL. */
  readonly origin: string;
}

/**
 * Identifies the caller; a bearer token takes precedence over a cookie. Returns `undefined` for an unknown caller.
 * Throws `crossSite` for a change or a WebSocket from another site with our cookie, `foreignOrigin` for a client token
 * on a page of an origin that it does not allow, `rateLimited` when the address makes too many guesses, `overloaded`.
 */
export async function identify(
  { authenticator, strangers, slots, origin }: Identification,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const { headers, method } = request;
  const isSocket = headers.upgrade !== undefined;
  const credential = readCredential(headers);
  const isSigned = credential?.kind === 'token' && (await authenticator.isSigned?.(credential.secret));
  const key = credential && strangers.keyOf(credential.secret);
  const workspaceId = key && strangers.workspaceOf(key);
  if (!isSigned && workspaceId === undefined) await strangers.count(request);
  if (credential === undefined || key === undefined) return undefined;
  const { kind, secret } = credential;
  // A burst of requests of one workspace does not delay the look-up of another's credentials.
  const caller = await slots.run(workspaceId ?? STRANGERS, () =>
    kind === 'token' ? authenticator.byToken(secret) : authenticator.bySession(secret),
  );
  strangers.note(key, caller?.workspace.id);
  if (caller?.client !== undefined) requireOrigin(caller.client.origins, { headers, origin });
  if (
    caller !== undefined &&
    kind === 'session' &&
    (isSocket || !isSafe(method)) &&
    !isSameOrigin({ headers, origin })
  ) {
    throw new ApiError('crossSite');
  }
  return caller;
}

/**
 * Throws `crossSite` for a change on a public route from a page of another site: what is public may set the session's
 * cookie (login CSRF). Programs other than browsers send neither header, and have no cookies to protect.
 */
export function refuseCrossSite({ headers, method }: FastifyRequest, origin: string): void {
  const isPage = headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;
  if (isPage && !isSafe(method) && !isSameOrigin({ headers, origin })) throw new ApiError('crossSite');
}

/** Throws `roleRequired` unless the caller is an owner of the workspace; a token acts as an owner. */
export function requireOwner(caller: Caller): void {
  if (caller.role !== 'owner') throw new ApiError('roleRequired', { role: 'owner' });
}

/**
 * The page must be listed in the client token, or belong to this server (`/embed`). Browsers set `Origin` themselves,
 * so a page cannot forge it.
 */
function requireOrigin(origins: readonly string[], request: { headers: IncomingHttpHeaders; origin: string }): void {
  const { origin } = request.headers;
  if ((origin !== undefined && origins.includes(origin)) || isSameOrigin(request)) return;
  throw new ApiError('foreignOrigin', { origin: origin ?? 'an unknown origin' });
}

function readCredential(headers: IncomingHttpHeaders): { kind: 'token' | 'session'; secret: string } | undefined {
  const { authorization = bearerOfProtocols(headers['sec-websocket-protocol']) } = headers;
  const secret =
    authorization === undefined ? readSessionCookie(headers.cookie) : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  return secret === undefined ? undefined : { kind: authorization === undefined ? 'session' : 'token', secret };
}

/** The session's secret in a `Cookie` header. */
export function readSessionCookie(header: string | undefined): string | undefined {
  return header === undefined ? undefined : parseCookie(header)[SESSION_COOKIE];
}

/** A `Set-Cookie` value for the session; without a secret it deletes the cookie. */
export function sessionCookie(options: { secret?: string; maxAgeSeconds: number; secure: boolean }): string {
  const { secret: value = '', maxAgeSeconds: maxAge, secure } = options;
  return stringifySetCookie({
    name: SESSION_COOKIE,
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    maxAge,
    secure,
  });
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Browsers send `Sec-Fetch-Site`, old ones `Origin`; a page of another site cannot forge either. */
function isSameOrigin(request: { headers: IncomingHttpHeaders; origin: string }): boolean {
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (headers.origin === undefined) return false;
  if (headers.origin === request.origin) return true;
  // The console may be opened by a name other than FIGUREHEAD_URL (localhost, a network address).
  return URL.canParse(headers.origin) && new URL(headers.origin).host === headers.host;
}
