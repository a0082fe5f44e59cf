import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedPacket, EncodedSegment } from '../encode/contract.js';
import type { SegmentCache } from './segments.js';

const SUFFIX = '.segment';

/** Bytes of the fixed fields: magic, frames, extradata length, packet count; then of one packet's line. */
const HEAD_BYTES = 16;
const LINE_BYTES = 24;
const MAGIC = 0x46475331;

/**
 * Keeps encoded segments as files in a folder of this size at most; the least recently used go first. Several renders
 * and processes may share it: files appear whole, and one that vanishes or is damaged is a miss. `folder` is created.
 */
export async function openSegmentCache(folder: string, options: { readonly maxBytes: number }): Promise<SegmentCache> {
  await mkdir(folder, { recursive: true });
  return new FolderCache(folder, options.maxBytes);
}

class FolderCache implements SegmentCache {
  /** Written since the folder was last measured; measuring each time would read the folder for every segment. */
  #unmeasured = Number.POSITIVE_INFINITY;
  #trimming: Promise<void> | undefined;

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
  ) {}

  async get(key: string): Promise<EncodedSegment | undefined> {
    const file = join(this.folder, key + SUFFIX);
    try {
      const segment = parseSegment(await readFile(file));
      const now = new Date();
      await utimes(file, now, now);
      return segment;
    } catch {
      // Missing, just trimmed by another process, or damaged: it is drawn again.
      return undefined;
    }
  }

  async put(key: string, segment: EncodedSegment): Promise<void> {
    const bytes = formatSegment(segment);
    if (bytes.length > this.maxBytes / 4) return;
    const part = join(this.folder, `${key}.${randomUUID().slice(0, 8)}.part`);
    try {
      await writeFile(part, bytes, { flag: 'wx' });
      await rename(part, join(this.folder, key + SUFFIX));
    } catch {
      // A full disk must not fail the render for the sake of the next one.
      await rm(part, { force: true });
      return;
    }
    this.#unmeasured += bytes.length;
    if (this.#unmeasured > this.maxBytes / 10) {
      this.#trimming ??= this.#trim().finally(() => {
        this.#trimming = undefined;
      });
      await this.#trimming;
    }
  }

  async #trim(): Promise<void> {
    this.#unmeasured = 0;
    const names = (await readdir(this.folder)).filter((name) => name.endsWith(SUFFIX));
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.folder, name);
        const found = await stat(path).catch(() => undefined);
        return { path, size: found?.size ?? 0, usedMs: found?.mtimeMs ?? 0 };
      }),
    );
    files.sort((a, b) => b.usedMs - a.usedMs);
    let kept = 0;
    for (const file of files) {
      kept += file.size;
      if (kept > this.maxBytes) await rm(file.path, { force: true });
    }
  }
}

function formatSegment(segment: EncodedSegment): Buffer {
  // A still repeats the same keyframe; it is written once and lines refer to it.
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

function parseSegment(bytes: Buffer): EncodedSegment {
  if (bytes.readUInt32LE(0) !== MAGIC) throw new RangeError('expected a kept segment');
  const count = bytes.readUInt32LE(12);
  const extradataAt = HEAD_BYTES + count * LINE_BYTES;
  const bodyAt = extradataAt + bytes.readUInt32LE(8);
  const packets = Array.from({ length: count }, (_, index): EncodedPacket => {
    const at = HEAD_BYTES + index * LINE_BYTES;
    const from = bodyAt + bytes.readUInt32LE(at + 16);
    const to = from + bytes.readUInt32LE(at + 20);
    if (to > bytes.length) throw new RangeError('expected a whole kept segment');
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
