import type { Stream } from '@figurehead/contract';
import { turnCredentials } from '@figurehead/media';
import type { Config } from '../../kernel/config/config.js';

type IceServers = Stream['webrtcData']['iceServers'];

/** Credentials are valid for a day, longer than any stream. */
const VALID_MS = 24 * 3_600_000;

/**
 * STUN and TURN servers of a stream, or of a viewer who is about to open one. TURN credentials are derived for this stream from the secret that is shared with the TURN server; the
 * same stream always gets the same. Without a secret, TURN servers are omitted, because browsers refuse them without credentials.
 */
export function iceServersFor(
  config: Pick<Config, 'turnUrls' | 'turnSecret'>,
  stream: { id: string; createdAt: Date },
): IceServers {
  const { turnUrls, turnSecret: secret } = config;
  const stun = turnUrls.filter((url) => url.startsWith('stun:'));
  const turn = turnUrls.filter((url) => !url.startsWith('stun:'));
  const servers: IceServers = stun.length > 0 ? [{ urls: stun }] : [];
  if (turn.length === 0 || secret === undefined) return servers;
  const credentials = turnCredentials({ urls: turn, secret }, stream.id, stream.createdAt.getTime() + VALID_MS);
  return [...servers, { ...credentials, urls: turn }];
}
