import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock, Objects } from '../contract.js';
import { assertObjectKey } from './object-key.js';

/** Path under which signed links are served. */
export const MEDIA_PATH = '/media/';

/** Creates and verifies expiring links to objects. */
export type MediaLinks = Pick<Objects, 'link' | 'verifyLink'>;

/**
 * Links `BASE/media/KEY?expires=SECONDS&signature=HMAC[&name=FILE]`. The HMAC-SHA256 covers key, expiry and name.
 * @param options.baseUrl public base URL without a trailing slash.
 * @param options.secret the same in every process, kept in the database, so links survive restarts.
 */
export function createMediaLinks(options: { baseUrl: string; secret: string; clock: Pick<Clock, 'now'> }): MediaLinks {
  const { baseUrl, secret, clock } = options;
  const signatureOf = (key: string, expires: number, name: string): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([key, expires, name]))
      .digest('base64url');

  return {
    link(key, seconds, { downloadName } = {}) {
      assertObjectKey(key);
      const expires = Math.floor(clock.now() / 1000 + seconds);
      const query = new URLSearchParams({
        expires: String(expires),
        signature: signatureOf(key, expires, downloadName ?? ''),
      });
      if (downloadName !== undefined) query.set('name', downloadName);
      return `${baseUrl}${MEDIA_PATH}${key}?${query}`;
    },
    verifyLink(key, query) {
      const { expires, signature, name = '' } = query;
      if (
        typeof expires !== 'string' ||
        typeof signature !== 'string' ||
        typeof name !== 'string' ||
        !/^\d{1,12}$/.test(expires)
      ) {
        return { verdict: 'forged' };
      }
      const seconds = Number(expires);
      if (!isSame(signature, signatureOf(key, seconds, name))) return { verdict: 'forged' };
      if (seconds * 1000 <= clock.now()) return { verdict: 'expired' };
      return { verdict: 'valid', expiresAt: new Date(seconds * 1000), ...(name === '' ? {} : { downloadName: name }) };
    },
  };
}

/** Compares in a time that does not depend on where the two differ. */
function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
