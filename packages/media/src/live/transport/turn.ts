import { createHmac } from 'node:crypto';
import type { IceServer } from '../contract.js';

/** The relay's URLs and secret, from which TURN credentials are derived. */
export interface TurnSettings {
  /** `turn:` and `turns:` URLs of the relay. */
  readonly urls: readonly string[];
  /** coturn's `static-auth-secret`. */
  readonly secret: string;
}

/**
 * Credentials for one stream by coturn's REST scheme (draft-uberti-behave-turn-rest-00 section 2.2): the user name is
 * `expiry:id`, the password its HMAC-SHA1 under the shared secret. `expiresAt` in ms since 1970.
 */
export function turnCredentials(settings: TurnSettings, streamId: string, expiresAt: number): IceServer {
  const username = `${Math.floor(expiresAt / 1000)}:${streamId}`;
  const credential = createHmac('sha1', settings.secret).update(username).digest('base64');
  return { urls: [...settings.urls], username, credential };
}
