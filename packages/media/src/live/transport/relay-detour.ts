import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { Endpoint } from './arrival.js';
import type { ParsedCandidate } from './candidate.js';
import { repairCheck, tellSource } from './ice-check.js';

/** What a detour leads to. */
export interface DetourOptions {
  /** The peer's address at its relay. */
  readonly peer: Endpoint;
  /** Local address to send from; the machine's choice when absent. */
  readonly bind?: string;
  /** The agent's password, which signs the checks that it gets. */
  readonly password: string;
  /** Told of what the sockets report. */
  readonly onWarning: (doing: string, error: unknown) => void;
}

/** A way for datagrams between an ICE agent on the loopback and a peer's relay. Who opens it closes it. */
export interface Detour {
  /** What the agent takes for the peer. */
  readonly candidate: ParsedCandidate;
  /** Idempotent. */
  close(): void;
}

/** Where agents of detours listen. */
export const DETOUR_ADDRESS = '127.0.0.1';

/** Local addresses that stand for all of them. */
const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

/**
 * Opens a detour for a peer whose checks have to be repaired before an agent understands them ({@link repairCheck}); all but checks and
 * their answers passes as it is. It sends from a port of its own. The relay lets that one through like the host's: a permission is for an address (RFC 8656
 * section 9), and the first datagram goes out from here, which opens NATs and firewalls on the way. The peer learns of it as of any new
 * (peer-reflexive) candidate.
 * @throws when no socket can be had.
 */
export async function openDetour({ peer, bind, password, onWarning }: DetourOptions): Promise<Detour> {
  const family = isIPv6(peer.address) ? 6 : 4;
  const isUsable = bind !== undefined && !WILDCARDS.includes(bind) && isIPv6(bind) === (family === 6);
  const inner = createSocket('udp4');
  const outer = createSocket(family === 6 ? 'udp6' : 'udp4');
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    for (const socket of [inner, outer]) socket.close();
  };
  try {
    await Promise.all([open(inner, DETOUR_ADDRESS), open(outer, isUsable ? bind : undefined)]);
  } catch (error) {
    close();
    throw error;
  }
  for (const socket of [inner, outer])
    socket.on('error', (error) => isOpen && onWarning('passing a datagram of a relay on', error));
  const tieBreaker = randomBytes(8);
  tieBreaker[7] = (tieBreaker[7] ?? 0) | 1;
  // The agent's first check tells where it is.
  let agentPort: number | undefined;
  inner.on('message', (packet, from) => {
    agentPort = from.port;
    if (!isOpen) return;
    tellSource(packet, password, peer);
    outer.send(packet, peer.port, peer.address);
  });
  outer.on('message', (packet, from) => {
    if (!isOpen || agentPort === undefined || from.port !== peer.port || from.address !== peer.address) return;
    repairCheck(packet, password, tieBreaker);
    inner.send(packet, agentPort, DETOUR_ADDRESS);
  });
  return {
    candidate: {
      foundation: 'detour',
      component: 1,
      protocol: 'udp',
      priority: 126 * 2 ** 24 + 65_535 * 2 ** 8 + 255,
      address: DETOUR_ADDRESS,
      port: inner.address().port,
      type: 'host',
    },
    close,
  };
}

async function open(socket: Socket, address?: string): Promise<void> {
  const listening = once(socket, 'listening');
  socket.bind({ port: 0, exclusive: true, ...(address === undefined ? {} : { address }) });
  await listening;
}
