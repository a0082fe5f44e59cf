/**
 * RTP packets (RFC 3550 section 5.1) with up to two header extensions in the one-byte form of RFC 8285: the transport-wide sequence number, and the bounds
 * of the playout delay (webrtc.org/experiments/rtp-hdrext/playout-delay).
 */

/** Bytes of media in one packet: with header, extension, RTX number, SRTP tag, UDP and IPv6 it stays below 1280. */
export const MAX_PAYLOAD = 1150;

const HEADER = 12;
const ONE_BYTE_PROFILE = 0xbede;
/** Profile word, then an element of two bytes and one of three, padded to two words. */
const MAX_EXTENSION = 12;
/**
 * In units of 10 ms: the player shows a picture as soon as it arrives, and may delay it by up to 400 ms to align it with the sound. With an upper bound of
 * zero, Chromium shows lips 0.14 s before their sound.
 */
const PLAYOUT_DELAY = { min: 0, max: 40 } as const;

/** The fields of an RTP packet. */
export interface RtpPacket {
  /** 0…127. */
  readonly payloadType: number;
  /** Last packet of a video frame; first sound after silence. */
  readonly marker: boolean;
  /** 16 bits. */
  readonly sequence: number;
  /** 32 bits, in ticks of the payload's clock. */
  readonly timestamp: number;
  /** 32 bits. */
  readonly ssrc: number;
  readonly payload: Uint8Array;
  /** The transport-wide sequence number and the id that the peer gave its extension (1…14). */
  readonly transport?: { readonly id: number; readonly sequence: number } | undefined;
  /** Id that the peer gave the extension of the playout delay (1…14). */
  readonly playoutDelayId?: number | undefined;
}

/** Bytes before the payload of a packet. */
export const MAX_HEADER = HEADER + MAX_EXTENSION;

/** Writes the packet into `out`, which has room for it ({@link MAX_HEADER} and the payload), ready to be protected and sent. @returns its length. */
export function writeRtp(packet: RtpPacket, out: Uint8Array): number {
  const { sequence, timestamp, ssrc, transport, playoutDelayId, payload } = packet;
  const hasExtension = transport !== undefined || playoutDelayId !== undefined;
  out[0] = hasExtension ? 0x90 : 0x80;
  out[1] = (packet.marker ? 0x80 : 0) | packet.payloadType;
  // Single bytes, not a DataView: this runs for every packet of every stream.
  out[2] = sequence >> 8;
  out[3] = sequence;
  out[4] = timestamp >>> 24;
  out[5] = timestamp >>> 16;
  out[6] = timestamp >>> 8;
  out[7] = timestamp;
  out[8] = ssrc >>> 24;
  out[9] = ssrc >>> 16;
  out[10] = ssrc >>> 8;
  out[11] = ssrc;
  const start = hasExtension ? writeExtension(packet, out) : HEADER;
  out.set(payload, start);
  return start + payload.length;
}

/** @returns where the payload begins. */
function writeExtension({ transport, playoutDelayId }: RtpPacket, out: Uint8Array): number {
  out[12] = ONE_BYTE_PROFILE >> 8;
  out[13] = ONE_BYTE_PROFILE & 255;
  let at = HEADER + 4;
  if (transport) {
    out[at++] = (transport.id << 4) | 1;
    out[at++] = transport.sequence >> 8;
    out[at++] = transport.sequence;
  }
  if (playoutDelayId !== undefined) {
    out[at++] = (playoutDelayId << 4) | 2;
    // Two numbers of 12 bits.
    out[at++] = PLAYOUT_DELAY.min >> 4;
    out[at++] = ((PLAYOUT_DELAY.min & 15) << 4) | (PLAYOUT_DELAY.max >> 8);
    out[at++] = PLAYOUT_DELAY.max & 255;
  }
  const words = Math.ceil((at - HEADER - 4) / 4);
  const end = HEADER + 4 + 4 * words;
  out.fill(0, at, end);
  out[14] = 0;
  out[15] = words;
  return end;
}

/**
 * Reads a packet; `transportId` names the extension to look for. The payload is a view into `bytes`, padding removed.
 * `undefined` for anything that is not RTP version 2 or is shorter than it claims.
 */
export function parseRtp(bytes: Uint8Array, transportId?: number): RtpPacket | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER || bytes[0]! >> 6 !== 2) return undefined;
  let at = HEADER + 4 * (bytes[0]! & 15);
  let transport: RtpPacket['transport'];
  if (bytes[0]! & 0x10) {
    if (at + 4 > bytes.length) return undefined;
    const end = at + 4 + 4 * view.getUint16(at + 2);
    if (end > bytes.length) return undefined;
    if (transportId !== undefined && view.getUint16(at) === ONE_BYTE_PROFILE) {
      const found = findElement(bytes.subarray(at + 4, end), transportId);
      if (found?.length === 2) transport = { id: transportId, sequence: (found[0]! << 8) | found[1]! };
    }
    at = end;
  }
  const padding = bytes[0]! & 0x20 ? bytes[bytes.length - 1]! : 0;
  if (at + padding > bytes.length) return undefined;
  return {
    payloadType: bytes[1]! & 0x7f,
    marker: (bytes[1]! & 0x80) !== 0,
    sequence: view.getUint16(2),
    timestamp: view.getUint32(4),
    ssrc: view.getUint32(8),
    payload: bytes.subarray(at, bytes.length - padding),
    transport,
  };
}

/** True for RTCP multiplexed with RTP on one port (RFC 5761 section 4). */
export function isRtcp(bytes: Uint8Array): boolean {
  return bytes.length >= 8 && bytes[0]! >> 6 === 2 && bytes[1]! >= 192 && bytes[1]! <= 223;
}

function findElement(elements: Uint8Array, id: number): Uint8Array | undefined {
  for (let at = 0; at < elements.length; ) {
    const head = elements[at]!;
    if (head === 0) {
      at++;
      continue;
    }
    const length = (head & 15) + 1;
    if (head >> 4 === 15) return undefined;
    if (head >> 4 === id) return elements.subarray(at + 1, at + 1 + length);
    at += 1 + length;
  }
  return undefined;
}
