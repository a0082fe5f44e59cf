import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { repairCheck, rewriteMappedAddress } from './ice-check.js';

const PASSWORD = 'a password of 24 letters';
const TIE_BREAKER = Buffer.from('0102030405060708', 'hex');

/** A STUN message (RFC 8489), built without the code under test. */
function message(type: number, attributes: readonly (readonly [number, Buffer])[], password = PASSWORD): Buffer {
  const padded = (value: Buffer): Buffer => Buffer.concat([value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
  const attribute = (name: number, value: Buffer): Buffer => {
    const header = Buffer.alloc(4);
    header.writeUInt16BE(name, 0);
    header.writeUInt16BE(value.length, 2);
    return Buffer.concat([header, padded(value)]);
  };
  const header = Buffer.alloc(20, 7);
  header.writeUInt16BE(type, 0);
  header.writeUInt32BE(0x2112a442, 4);
  const body = Buffer.concat(attributes.map(([name, value]) => attribute(name, value)));
  const withLength = (length: number): Buffer => {
    header.writeUInt16BE(length, 2);
    return Buffer.concat([header, body]);
  };
  const signature = createHmac('sha1', password)
    .update(withLength(body.length + 24))
    .digest();
  const signed = Buffer.concat([withLength(body.length + 32), attribute(0x0008, signature)]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((crc32(signed) ^ 0x5354554e) >>> 0, 0);
  return Buffer.concat([signed, attribute(0x8028, sum)]);
}

const USERNAME = [0x0006, Buffer.from('ours:theirs!')] as const;
const check = (tieBreaker: Buffer, password?: string): Buffer =>
  message(0x0001, [USERNAME, [0x8029, tieBreaker], [0x0024, Buffer.from('6e7f1eff', 'hex')]], password);

describe('a connectivity check on its way to the agent', () => {
  it('gets a tie-breaker instead of zero, and a valid signature', () => {
    const packet = check(Buffer.alloc(8));
    repairCheck(packet, PASSWORD, TIE_BREAKER);
    expect(packet).toEqual(check(TIE_BREAKER));
  });

  it.each([
    ['has a tie-breaker', check(Buffer.from('00000000000000ff', 'hex'))],
    ['is signed with another password', check(Buffer.alloc(8), 'another')],
    ['is not signed', message(0x0001, [USERNAME]).subarray(0, 36)],
    ['is an answer', message(0x0101, [[0x8029, Buffer.alloc(8)]])],
    ['is shorter than it claims', check(Buffer.alloc(8)).subarray(0, 60)],
    ['is a media packet', Buffer.concat([Buffer.from([0x80, 0x60]), randomBytes(200)])],
    ['is empty', Buffer.alloc(0)],
  ])('stays unchanged when it %s', (_, packet) => {
    const before = Buffer.from(packet);
    repairCheck(packet, PASSWORD, TIE_BREAKER);
    rewriteMappedAddress(packet, 'a third', { address: '192.0.2.1', port: 32853 });
    expect(packet).toEqual(before);
  });

  it('stays unchanged after its signature when its sender adds a malformed second one', () => {
    // A viewer can sign correctly and then append an attribute of four bytes; writing twenty would overflow it.
    const packet = Buffer.concat([check(Buffer.alloc(8)), Buffer.from('0008000400000000', 'hex')]);
    packet.writeUInt16BE(packet.length - 20, 2);
    repairCheck(packet, PASSWORD, TIE_BREAKER);
    expect(packet.includes(TIE_BREAKER)).toBe(true);
    expect(packet.subarray(-8)).toEqual(Buffer.from('0008000400000000', 'hex'));
  });

  it('is answered with the address at the relay, as in the test vector of RFC 5769', () => {
    // Section 2.2: 192.0.2.1, port 32853, under the magic cookie.
    const vector = Buffer.from('0001a147e112a643', 'hex');
    const packet = message(0x0101, [[0x0020, Buffer.from('0001c2bd5e12a443', 'hex')]]);
    rewriteMappedAddress(packet, PASSWORD, { address: '192.0.2.1', port: 32853 });
    expect(packet).toEqual(message(0x0101, [[0x0020, vector]]));
  });
});
