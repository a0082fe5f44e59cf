import { isIP } from 'node:net';
import { type IceCandidate, LiveError } from '../contract.js';

/** Longer candidate lines are rejected. */
const LONGEST = 512;

/** One ICE candidate (RFC 8839 section 5.1). */
export interface ParsedCandidate {
  readonly foundation: string;
  readonly component: number;
  /** Lower case; hosts can use `udp`. */
  readonly protocol: string;
  readonly priority: number;
  /** IP address or name. */
  readonly address: string;
  readonly port: number;
  /** `host`, `srflx`, `prflx`, `relay` or an extension. */
  readonly type: string;
}

/** Type preferences (RFC 8445 section 5.1.2.2). */
export const PREFERENCES = { host: 126, peerReflexive: 110 } as const;

/**
 * A candidate that an agent tries as a peer's own address.
 * @param options.order from 0; candidates with a lower one are preferred.
 */
export function hostCandidate(
  { address, port }: { readonly address: string; readonly port: number },
  options: { readonly foundation: string; readonly preference: number; readonly order: number },
): ParsedCandidate {
  const { foundation, preference, order } = options;
  // RFC 8445 section 5.1.2.1: the type preference, then a decreasing local preference.
  const priority = preference * 2 ** 24 + (65_535 - order) * 2 ** 8 + 255;
  return { foundation, component: 1, protocol: 'udp', priority, address, port, type: 'host' };
}

/** One end's ICE and DTLS parameters. */
export interface PeerParameters {
  readonly ufrag: string;
  readonly pwd: string;
  /** Hash function and hex pairs, `sha-256 AB:…`. */
  readonly fingerprint: string;
  readonly candidates: readonly ParsedCandidate[];
}

const LINE =
  /^(?:a=)?candidate:([\w+/]{1,32}) (\d{1,5}) ([\w-]{1,16}) (\d{1,10}) ([\w.:%-]{1,255}) (\d{1,5}) typ ([\w-]{1,32})(?: .*)?$/i;

/** Reads a candidate line; `undefined` for anything else. */
export function parseCandidate(line: string): ParsedCandidate | undefined {
  if (line.length > LONGEST) return undefined;
  const found = LINE.exec(line.trim());
  if (!found) return undefined;
  const [, foundation, component, protocol, priority, address, port, type] = found;
  if (isIP(address!) === 0 && !isName(address!)) return undefined;
  if (Number(port) > 65_535 || Number(priority) > 2 ** 32 - 1) return undefined;
  return {
    foundation: foundation!,
    component: Number(component),
    protocol: protocol!.toLowerCase(),
    priority: Number(priority),
    address: address!,
    port: Number(port),
    type: type!.toLowerCase(),
  };
}

/** The candidate as an SDP attribute value without `a=`. */
export function formatCandidate(candidate: ParsedCandidate): string {
  const { foundation, component, protocol, priority, address, port, type } = candidate;
  // Browsers require a related address; zeros hide it (RFC 8839 section 5.1).
  const related = type === 'host' ? '' : ' raddr 0.0.0.0 rport 0';
  return `candidate:${foundation} ${component} ${protocol.toUpperCase()} ${priority} ${address} ${port} typ ${type}${related}`;
}

/** A name as RFC 8839 allows it; `999.1.1.1` is a malformed address. */
function isName(address: string): boolean {
  return /^[\w.-]+$/.test(address) && /[a-z]/i.test(address.split('.').at(-1)!);
}

/**
 * True for candidates that this host can try. Names (mDNS and others) are excluded: a lookup stalls for seconds, and the browser's own
 * check arrives first and reveals its address (a peer-reflexive candidate). TCP is for TURN servers only. Types of extensions are unknown to the transport.
 */
export function isUsable(candidate: ParsedCandidate): boolean {
  const { protocol, component, port, address, type } = candidate;
  const isKnown = ['host', 'srflx', 'prflx', 'relay'].includes(type);
  return isKnown && protocol === 'udp' && component === 1 && port > 0 && isIP(address) !== 0;
}

/**
 * Parses a client's candidate. `undefined` means the end of candidates, or a candidate that this host cannot try.
 * @throws LiveError `bad_candidate` for a malformed line.
 */
export function readCandidate(candidate: IceCandidate | null): ParsedCandidate | undefined {
  // Browsers mark the end with null or with an empty line.
  if (candidate === null || candidate.candidate === '') return undefined;
  const parsed = parseCandidate(candidate.candidate);
  if (!parsed) {
    const shown = JSON.stringify(candidate.candidate.slice(0, 80));
    throw new LiveError('bad_candidate', `expected an ICE candidate line, got ${shown}`);
  }
  return isUsable(parsed) ? parsed : undefined;
}
