import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticator, Caller } from './contract.js';
import { ApiError } from './error.js';

/** Cookie of the console's session. */
export const SESSION_COOKIE = 'figurehead_session';

/**
 * Who sent these headers: a bearer token wins over a cookie. `undefined` when nobody that is known.
 * Throws `crossSite` for a change that rides on a cookie from another site.
 * @param origin scheme and host of the public URL.
 */
export async function identify(
  authenticator: Authenticator,
  request: { method: string; headers: IncomingHttpHeaders; origin: string },
): Promise<Caller | undefined> {
  const header = request.headers.authorization;
  if (header !== undefined) {
    const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
    return token === undefined ? undefined : authenticator.byToken(token);
  }
  const secret = readCookie(request.headers.cookie, SESSION_COOKIE);
  if (secret === undefined) return undefined;
  const caller = await authenticator.bySession(secret);
  if (caller !== undefined && !isSafe(request.method) && !isSameOrigin(request)) throw new ApiError('crossSite');
  return caller;
}

/** The value of one cookie of a `Cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const separator = pair.indexOf('=');
    if (pair.slice(0, separator).trim() === name) return pair.slice(separator + 1).trim();
  }
  return undefined;
}

/** A `Set-Cookie` value for the session; without a secret it deletes the cookie. */
export function sessionCookie(options: { secret?: string; maxAgeSeconds: number; secure: boolean }): string {
  const parts = [
    `${SESSION_COOKIE}=${options.secret ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    `Max-Age=${options.maxAgeSeconds}`,
  ];
  return [...parts, ...(options.secure ? ['Secure'] : [])].join('; ');
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Browsers send `Sec-Fetch-Site`, old ones `Origin`; a page of another site can forge neither. */
function isSameOrigin(request: { headers: IncomingHttpHeaders; origin: string }): boolean {
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (headers.origin === undefined) return false;
  if (headers.origin === request.origin) return true;
  // The console may be reached by another name than FIGUREHEAD_URL says (localhost, an address of the network).
  return URL.canParse(headers.origin) && new URL(headers.origin).host === headers.host;
}
