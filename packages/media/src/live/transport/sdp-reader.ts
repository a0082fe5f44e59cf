import { LiveError } from '../contract.js';
import { isUsable, type PeerParameters, parseCandidate } from './candidate.js';

/** Longer descriptions are rejected; a browser's has about 3 kB, an offer with every codec 8 kB. */
const LONGEST = 64 * 1024;
const MAX_CANDIDATES = 16;

/** Bytes of each hash that a fingerprint may have (RFC 8122 section 5). */
const FINGERPRINT_BYTES: Readonly<Record<string, number>> = {
  'sha-1': 20,
  'sha-224': 28,
  'sha-256': 32,
  'sha-384': 48,
  'sha-512': 64,
};

/** One `m=` section of an SDP. */
export interface MediaSection {
  /** `audio`, `video`, `application` or what the peer wrote. */
  readonly media: string;
  readonly port: number;
  readonly protocol: string;
  /** Payload types as written. */
  readonly formats: readonly string[];
  readonly payloads: readonly number[];
  readonly lines: string[];
}

/** A parsed SDP. */
export interface Description {
  readonly kind: 'offer' | 'answer';
  /** Lines before the first section. */
  readonly session: readonly string[];
  readonly sections: readonly MediaSection[];
}

/**
 * Parses an SDP into sections.
 * @throws LiveError `bad_offer` or `bad_answer` for text that is not SDP or is too long.
 */
export function readSessionDescription(sdp: string, kind: 'offer' | 'answer'): Description {
  if (sdp.length > LONGEST) throw bad(kind, `at most ${LONGEST} characters`, `${sdp.length}`);
  const all = sdp
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (all[0] !== 'v=0') throw bad(kind, 'SDP that begins with v=0', JSON.stringify((all[0] ?? '').slice(0, 40)));
  const session: string[] = [];
  const sections: MediaSection[] = [];
  for (const line of all) {
    if (line.startsWith('m=')) sections.push(openSection(line));
    else (sections.at(-1)?.lines ?? session).push(line);
  }
  return { kind, session, sections };
}

/** Value of the first `a=name` or `a=name:value` line; the empty string for the former. */
export function attribute(from: readonly string[], name: string): string | undefined {
  for (const line of from) {
    if (line === `a=${name}`) return '';
    if (line.startsWith(`a=${name}:`)) return line.slice(name.length + 3).trim();
  }
  return undefined;
}

/** Values of all `a=name:value` lines. */
export function attributes(from: readonly string[], name: string): string[] {
  return from.flatMap((line) => (line.startsWith(`a=${name}:`) ? [line.slice(name.length + 3).trim()] : []));
}

/**
 * The peer's ICE and DTLS parameters from the sections of the bundle, with the candidates of all sections. One section is enough to have them
 * (RFC 9143 section 7.1.3).
 * @throws LiveError naming what is missing or malformed.
 */
export function readParameters(
  { kind, session, sections }: Description,
  bundle: readonly [MediaSection, ...MediaSection[]],
): PeerParameters {
  const carrier = bundle.find(({ lines: of }) => attribute(of, 'ice-ufrag') !== undefined) ?? bundle[0];
  const find = (name: string): string => attribute(carrier.lines, name) ?? attribute(session, name) ?? '';
  const [ufrag, pwd] = [find('ice-ufrag'), find('ice-pwd')];
  // A certificate may have several (RFC 8122 section 5).
  const [own, common] = [carrier.lines, session].map((from) => attributes(from, 'fingerprint'));
  const fingerprints = own?.length ? own : (common ?? []);
  const fingerprint = fingerprints.find((each) => hashIn(each) !== undefined) ?? fingerprints[0] ?? '';
  // Lengths and alphabet of RFC 8839 section 5.4.
  if (!/^[\w+/-]{4,256}$/.test(ufrag)) throw bad(kind, 'an ice-ufrag', JSON.stringify(ufrag.slice(0, 40)));
  if (!/^[\w+/-]{22,256}$/.test(pwd)) throw bad(kind, 'an ice-pwd', JSON.stringify(pwd.slice(0, 40)));
  if (hashIn(fingerprint) === undefined) {
    throw bad(kind, 'a fingerprint of one of SHA-1 and SHA-224 to SHA-512', JSON.stringify(fingerprint.slice(0, 40)));
  }
  const candidates = [...session, ...sections.flatMap((section) => section.lines)]
    .filter((line) => line.startsWith('a=candidate:'))
    .map(parseCandidate)
    .filter((candidate) => candidate !== undefined)
    .filter(isUsable);
  const unique = new Map(candidates.map((candidate) => [`${candidate.address} ${candidate.port}`, candidate]));
  return { ufrag, pwd, fingerprint, candidates: [...unique.values()].slice(0, MAX_CANDIDATES) };
}

/** The hash function of a fingerprint; `undefined` for an unknown one or one of another length. */
function hashIn(fingerprint: string): string | undefined {
  const [, hash, bytes] = /^(sha-\d+) ([0-9a-f]{2}(?::[0-9a-f]{2})*)$/i.exec(fingerprint) ?? [];
  const length = FINGERPRINT_BYTES[hash?.toLowerCase() ?? ''];
  return length !== undefined && bytes?.split(':').length === length ? hash : undefined;
}

/** Id of a header extension in a section; `undefined` when it is missing or does not fit the one-byte form. */
export function extensionId(section: MediaSection, uri: string): number | undefined {
  for (const line of section.lines) {
    const found = /^a=extmap:(\d{1,2})(?:\/\w+)? (\S+)(?: .*)?$/.exec(line);
    if (found?.[2] === uri && Number(found[1]) <= 14) return Number(found[1]);
  }
  return undefined;
}

/** The error for an unusable description. */
export function bad(kind: Description['kind'], expected: string, found: string): LiveError {
  return new LiveError(`bad_${kind}`, `expected ${expected} in the ${kind}, got ${found}`);
}

/** Joins lines to an SDP. */
export function lines(of: readonly string[]): string {
  return `${of.join('\r\n')}\r\n`;
}

function openSection(line: string): MediaSection {
  const [media = '', port, protocol = '', ...formats] = line.slice(2).split(' ');
  return { media, port: Number(port), protocol, formats, payloads: formats.map(Number), lines: [] };
}
