import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { hostCandidate, type ParsedCandidate, PREFERENCES } from './candidate.js';
import { repairCheck, rewriteMappedAddress } from './ice-check.js';
import type { Endpoint } from './path-detector.js';

export interface RelayProxyOptions {
  /** The peer's address at its relay. */
  readonly peer: Endpoint;
  /** Password of the ICE agent, which signs the checks sent to it. */
  readonly password: string;
  /** Receives socket errors. */
  readonly onWarning: (doing: string, error: unknown) => void;
}

/** Forwards datagrams between an ICE agent on the loopback interface and a peer's TURN relay. The caller closes it. */
export interface RelayProxy {
  /** The proxy's address, which the agent uses as the peer's candidate. */
  readonly candidate: ParsedCandidate;
  /** Idempotent. */
  close(): void;
}

/** Address that agents behind a relay proxy listen on. */
export const PROXY_ADDRESS = '127.0.0.1';

/**
 * Opens a proxy for a peer whose connectivity checks an agent cannot parse until they are repaired ({@link repairCheck}). All datagrams except
 * checks and their responses pass unchanged. The proxy sends from its own port. The relay accepts this, because permissions are per address
 * (RFC 8656 section 9), and the proxy sends the first datagram, which opens NATs and firewalls on the path. The peer treats the port as a
 * new (peer-reflexive) candidate.
 * @throws when a socket cannot be opened.
 */
export async function openRelayProxy({ peer, password, onWarning }: RelayProxyOptions): Promise<RelayProxy> {
  const inner = createSocket('udp4');
  const outer = createSocket(isIPv6(peer.address) ? 'udp6' : 'udp4');
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    for (const socket of [inner, outer]) socket.close();
  };
  try {
    await Promise.all([open(inner, PROXY_ADDRESS), open(outer)]);
  } catch (error) {
    close();
    throw error;
  }
  for (const socket of [inner, outer])
    socket.on('error', (error) => isOpen && onWarning('forwarding a datagram from a relay', error));
  const tieBreaker = randomBytes(8);
  tieBreaker[7] = (tieBreaker[7] ?? 0) | 1;
  // Known after the agent's first check.
  let agentPort: number | undefined;
  inner.on('message', (packet, from) => {
    agentPort = from.port;
    if (!isOpen) return;
    rewriteMappedAddress(packet, password, peer);
    outer.send(packet, peer.port, peer.address);
  });
  outer.on('message', (packet, from) => {
    if (!isOpen || agentPort === undefined || from.port !== peer.port || from.address !== peer.address) return;
    repairCheck(packet, password, tieBreaker);
    inner.send(packet, agentPort, PROXY_ADDRESS);
  });
  return {
    candidate: hostCandidate(inner.address(), { foundation: 'proxy', preference: PREFERENCES.host, order: 0 }),
    close,
  };
}

async function open(socket: Socket, address?: string): Promise<void> {
  const listening = once(socket, 'listening');
  socket.bind({ port: 0, exclusive: true, address });
  await listening;
}
