import type { EncodedPacket, EncodedSegment } from '../../encode/contract.js';

/** Bytes of the fixed fields (magic, frames, extradata length, packet count), and of one packet's entry. */
const HEAD_BYTES = 16;
const LINE_BYTES = 24;
const MAGIC = 0x46475331;

/** Serializes a segment for a file or an object. */
export function formatSegment(segment: EncodedSegment): Buffer {
  // A still repeats the same keyframe; it is stored once and entries refer to it.
  const places = new Map<Uint8Array, number>();
  const bodies: Uint8Array[] = [];
  let size = 0;
  for (const { data } of segment.packets) {
    if (places.has(data)) continue;
    places.set(data, size);
    bodies.push(data);
    size += data.length;
  }
  const head = Buffer.alloc(HEAD_BYTES + segment.packets.length * LINE_BYTES);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(segment.frames, 4);
  head.writeUInt32LE(segment.extradata.length, 8);
  head.writeUInt32LE(segment.packets.length, 12);
  segment.packets.forEach((packet, index) => {
    const at = HEAD_BYTES + index * LINE_BYTES;
    head.writeInt32LE(packet.pts, at);
    head.writeInt32LE(packet.dts, at + 4);
    head.writeUInt32LE(packet.duration, at + 8);
    head.writeUInt32LE(packet.keyframe ? 1 : 0, at + 12);
    head.writeUInt32LE(places.get(packet.data)!, at + 16);
    head.writeUInt32LE(packet.data.length, at + 20);
  });
  return Buffer.concat([head, segment.extradata, ...bodies]);
}

/** Parses the bytes of {@link formatSegment}; packets are views into them. Throws a `RangeError` when they are damaged. */
export function parseSegment(bytes: Buffer): EncodedSegment {
  if (bytes.readUInt32LE(0) !== MAGIC) throw new RangeError('expected a stored segment');
  const count = bytes.readUInt32LE(12);
  const extradataAt = HEAD_BYTES + count * LINE_BYTES;
  const bodyAt = extradataAt + bytes.readUInt32LE(8);
  const packets = Array.from({ length: count }, (_, index): EncodedPacket => {
    const at = HEAD_BYTES + index * LINE_BYTES;
    const from = bodyAt + bytes.readUInt32LE(at + 16);
    const to = from + bytes.readUInt32LE(at + 20);
    if (to > bytes.length) throw new RangeError('expected a whole stored segment');
    return {
      data: bytes.subarray(from, to),
      pts: bytes.readInt32LE(at),
      dts: bytes.readInt32LE(at + 4),
      duration: bytes.readUInt32LE(at + 8),
      keyframe: bytes.readUInt32LE(at + 12) === 1,
    };
  });
  return { frames: bytes.readUInt32LE(4), extradata: bytes.subarray(extradataAt, bodyAt), packets };
}
