import type { LookupFunction } from 'node:net';
import { guardedLookup, isPrivateHost } from '../../kernel/network/fetch.js';
import { HostRefusal } from './host/host-protocol.js';

/**
 * Throws `HostRefusal('room_refused')` unless streams may join rooms of this server.
 * @param listed the operator's servers, whose addresses may be private; when empty, all public servers are allowed.
 * @returns how its name must be resolved.
 */
export function requireRoomServer(text: string, listed: readonly string[]): LookupFunction | undefined {
  if (!URL.canParse(text)) throw refused('must be an absolute URL, like wss://livekit.example.com');
  const url = new URL(text);
  if (!/^(ws|http)s?:$/.test(url.protocol)) throw refused(`must be ws, wss, http or https, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '') throw refused('must not contain a user name or password');
  if (listed.some((entry) => originOf(new URL(entry)) === originOf(url))) return undefined;
  if (listed.length > 0) throw refused(`must be one of FIGUREHEAD_LIVEKIT_URLS, which ${originOf(url)} is not`);
  if (isPrivateHost(url))
    throw refused(
      `must not point to ${url.hostname}, a private, loopback or reserved address, unless FIGUREHEAD_LIVEKIT_URLS has it`,
    );
  return guardedLookup;
}

/** `wss:` and `https:` name the same server. */
function originOf({ protocol, host }: URL): string {
  return new URL(`${protocol.replace('ws', 'http')}//${host}`).origin;
}

function refused(reason: string): HostRefusal {
  return new HostRefusal('room_refused', `The URL of the LiveKit server ${reason}.`);
}
