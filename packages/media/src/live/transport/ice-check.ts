import { timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { crc32 } from 'node:zlib';
import type { Endpoint } from './path-detector.js';
import { INTEGRITY_BYTES, STUN_COOKIE, STUN_HEADER, stunAttributes, stunIntegrity } from './stun.js';

/** Binding, as request and as success response (RFC 8489 section 5). */
const REQUEST = 0x0001;
const SUCCESS = 0x0101;
/** MESSAGE-INTEGRITY, FINGERPRINT and XOR-MAPPED-ADDRESS (RFC 8489 section 18.3). */
const INTEGRITY = 0x0008;
const FINGERPRINT = 0x8028;
const MAPPED = 0x0020;
/** ICE-CONTROLLED and ICE-CONTROLLING (RFC 8445 section 16.1). */
const ROLES: readonly number[] = [0x8029, 0x802a];
const FINGERPRINT_XOR = 0x5354554e;

/**
 * Replaces a zero tie-breaker in a connectivity check and signs the check again. RFC 8445 section 7.1.1 requires a random number; Chromium
 * sends zero when it reaches its TURN server over TCP, and libjuice treats zero as missing. Other packets and wrong signatures stay unchanged.
 * @param packet any datagram; changed in place.
 * @param password of the checked agent, which signs checks and responses (RFC 8445 section 7.2.2).
 * @param tieBreaker 8 bytes, not all zero.
 */
export function repairCheck(packet: Buffer, password: string, tieBreaker: Uint8Array): void {
  const values = signedValues(packet, REQUEST, password);
  const value = ROLES.map((type) => values?.get(type)).find((role) => role?.length === 8);
  if (!value || value.some((byte) => byte !== 0)) return;
  value.set(tieBreaker);
  sign(packet, password);
}

/**
 * Sets the mapped address of a check's success response to `seen`, in place, and signs it again. Wrongly signed responses stay unchanged.
 * Without it, a peer behind a relay proxy would take the proxy's inner address for a new candidate of its own. IPv4 only, because an IPv6
 * address is longer.
 */
export function rewriteMappedAddress(packet: Buffer, password: string, seen: Endpoint): void {
  const value = isIPv4(seen.address) ? signedValues(packet, SUCCESS, password)?.get(MAPPED) : undefined;
  if (value?.length !== 8) return;
  const address = Buffer.from(seen.address.split('.').map(Number));
  value.writeUInt16BE(seen.port ^ (STUN_COOKIE >>> 16), 2);
  value.writeUInt32BE((address.readUInt32BE(0) ^ STUN_COOKIE) >>> 0, 4);
  sign(packet, password);
}

/** Values of the attributes that the signature covers; `undefined` for other messages and for wrong signatures. */
function signedValues(packet: Buffer, type: number, password: string): Map<number, Buffer> | undefined {
  const isStun =
    packet.length >= STUN_HEADER &&
    packet.readUInt16BE(0) === type &&
    packet.readUInt32BE(4) === STUN_COOKIE &&
    packet.readUInt16BE(2) === packet.length - STUN_HEADER;
  if (!isStun) return undefined;
  const values = new Map<number, Buffer>();
  for (const { type: name, at, value } of stunAttributes(packet)) {
    if (name === INTEGRITY)
      return value.length === INTEGRITY_BYTES && timingSafeEqual(value, stunIntegrity(packet, at, password))
        ? values
        : undefined;
    if (!values.has(name)) values.set(name, value);
  }
  return undefined;
}

/** Recomputes the signature and the fingerprint, if present. Attributes of these types with another length stay unchanged. */
function sign(packet: Buffer, password: string): void {
  for (const { type, at, value } of stunAttributes(packet)) {
    if (type === INTEGRITY && value.length === INTEGRITY_BYTES) value.set(stunIntegrity(packet, at, password));
    else if (type === FINGERPRINT && value.length === 4)
      value.writeUInt32BE((crc32(packet.subarray(0, at)) ^ FINGERPRINT_XOR) >>> 0, 0);
  }
}
