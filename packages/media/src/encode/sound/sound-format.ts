import type { EncodedPacket, SoundStream } from '../contract.js';
import { PACKETS_PER_BATCH } from './sound.js';

/**
 * Bytes before the packets: magic; channels, Opus flag and samples per packet as 1, 1 and 2 bytes; extradata length;
 * packet count. Then one entry per packet: length, time.
 */
const HEAD_BYTES = 16;
const LINE_BYTES = 8;
const MAGIC = 0x46474131;

/** Serializes an encoded soundtrack (16 kB per second) for a file or an object. Iterates `sound` to its end. */
export async function serializeSound(sound: SoundStream): Promise<Buffer> {
  const packets: EncodedPacket[] = [];
  for await (const run of sound.packets) packets.push(...run);
  return formatSound(sound, packets);
}

/** Serializes packets of a soundtrack in the format of {@link serializeSound}. */
export function formatSound(sound: Omit<SoundStream, 'packets' | 'close'>, packets: readonly EncodedPacket[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES + packets.length * LINE_BYTES);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt8(sound.channels, 4);
  head.writeUInt8(sound.codec === 'opus' ? 1 : 0, 5);
  head.writeUInt16LE(sound.frameSamples, 6);
  head.writeUInt32LE(sound.extradata.length, 8);
  head.writeUInt32LE(packets.length, 12);
  packets.forEach(({ data, pts }, index) => {
    const at = HEAD_BYTES + index * LINE_BYTES;
    head.writeUInt32LE(data.length, at);
    head.writeInt32LE(pts, at + 4);
  });
  return Buffer.concat([head, sound.extradata, ...packets.map(({ data }) => data)]);
}

/** Parses the bytes of {@link serializeSound}. Closing is not needed. Throws a `RangeError` when they are damaged. */
export function openStoredSound(bytes: Buffer): SoundStream {
  if (bytes.length < HEAD_BYTES || bytes.readUInt32LE(0) !== MAGIC)
    throw new RangeError('expected a stored soundtrack');
  const extradataAt = HEAD_BYTES + bytes.readUInt32LE(12) * LINE_BYTES;
  const dataAt = extradataAt + bytes.readUInt32LE(8);
  return {
    extradata: bytes.subarray(extradataAt, dataAt),
    codec: bytes.readUInt8(5) === 1 ? 'opus' : 'aac',
    channels: bytes.readUInt8(4) === 2 ? 2 : 1,
    frameSamples: bytes.readUInt16LE(6),
    packets: packetsIn(bytes, dataAt),
    close: () => undefined,
  };
}

async function* packetsIn(bytes: Buffer, dataAt: number): AsyncGenerator<EncodedPacket[]> {
  const count = bytes.readUInt32LE(12);
  let from = dataAt;
  let run: EncodedPacket[] = [];
  for (let index = 0; index < count; index++) {
    const line = HEAD_BYTES + index * LINE_BYTES;
    const to = from + bytes.readUInt32LE(line);
    if (to > bytes.length) throw new RangeError('expected a whole stored soundtrack');
    const pts = bytes.readInt32LE(line + 4);
    run.push({ data: bytes.subarray(from, to), pts, dts: pts, duration: bytes.readUInt16LE(6), keyframe: true });
    from = to;
    if (run.length < PACKETS_PER_BATCH) continue;
    yield run;
    run = [];
  }
  yield run;
}
