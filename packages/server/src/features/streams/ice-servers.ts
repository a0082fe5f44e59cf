import { createHmac } from 'node:crypto';
import type { IceServer } from '@figurehead/media';
import type { Config } from '../../config.js';

/** Credentials outlive any stream by far, and are worth nothing a day later. */
const VALID_SECONDS = 24 * 3600;

/**
 * STUN and TURN servers of a stream. TURN credentials are made for this stream alone from the secret that the operator shares with the
 * server (coturn's `use-auth-secret`, the TURN REST scheme): a user name `expiry:stream`, and its HMAC-SHA1 as the password. The same
 * stream always gets the same. TURN servers are left out when no secret is set: browsers refuse them without credentials.
 */
export function iceServersFor(config: Pick<Config, 'turnUrls' | 'turnSecret'>, stream: { id: string; createdAt: Date }): IceServer[] {
  const { turnUrls, turnSecret } = config;
  const stun = turnUrls.filter((url) => url.startsWith('stun:'));
  const turn = turnUrls.filter((url) => !url.startsWith('stun:'));
  const servers: IceServer[] = stun.length > 0 ? [{ urls: stun }] : [];
  if (turn.length === 0 || turnSecret === undefined) return servers;
  const username = `${Math.floor(stream.createdAt.getTime() / 1000) + VALID_SECONDS}:${stream.id}`;
  const credential = createHmac('sha1', turnSecret).update(username).digest('base64');
  return [...servers, { urls: turn, username, credential }];
}
