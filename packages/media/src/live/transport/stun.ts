import { createHmac } from 'node:crypto';

/** Bytes before the first attribute of a STUN message (RFC 8489 section 5). */
export const STUN_HEADER = 20;
/** Magic cookie at byte 4 of every STUN message. */
export const STUN_COOKIE = 0x2112a442;
const ATTRIBUTE_HEADER = 4;
/** Bytes of a MESSAGE-INTEGRITY. */
export const INTEGRITY_BYTES = 20;

/** An attribute; a view into the message's memory. */
export interface StunAttribute {
  readonly type: number;
  /** Offset of its header. */
  readonly at: number;
  readonly value: Buffer;
}

/** Attributes of a message in order, without those that exceed its end. */
export function* stunAttributes(message: Buffer): Generator<StunAttribute> {
  let at = STUN_HEADER;
  while (at + ATTRIBUTE_HEADER <= message.length) {
    const from = at + ATTRIBUTE_HEADER;
    const end = from + message.readUInt16BE(at + 2);
    if (end > message.length) return;
    yield { type: message.readUInt16BE(at), at, value: message.subarray(from, end) };
    // Values are padded to four bytes.
    at = from + Math.ceil((end - from) / 4) * 4;
  }
}

/**
 * The value of the MESSAGE-INTEGRITY at offset `integrityAt`: an HMAC of everything before it, with the message length as if the message ended after
 * it (RFC 8489 section 14.5). `key`: the password of a short-term credential, or the hash of a long-term one.
 */
export function stunIntegrity(message: Buffer, integrityAt: number, key: string | Buffer): Buffer {
  const signed = Buffer.from(message.subarray(0, integrityAt));
  signed.writeUInt16BE(integrityAt + ATTRIBUTE_HEADER + INTEGRITY_BYTES - STUN_HEADER, 2);
  return createHmac('sha1', key).update(signed).digest();
}
