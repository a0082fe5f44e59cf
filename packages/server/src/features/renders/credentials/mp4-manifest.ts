import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

// The manifest of an MP4 is a `uuid` box (C2PA 2.1, A.5.1), here at the end, so that no sample moves. The hash covers every other box of the
// file, each after its position (18.7, `c2pa.hash.bmff.v2`). The library reads whole files into memory; films are read in pieces.

const C2PA_BOX = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
const PURPOSE = 'manifest\0';
/** Size, type and id of a `uuid` box, its version and flags, its purpose, and the offset of a Merkle tree, which it lacks. */
const MANIFEST_AT = 8 + C2PA_BOX.length + 4 + PURPOSE.length + 8;
const MAX_MANIFEST_BYTES = 10_000_000;
/** Boxes that are not hashed, beside that of the manifest. */
const UNHASHED = new Set(['ftyp', 'mfra']);
const PIECE_BYTES = 1 << 20;

/** What an MP4 file holds: the hash of its content, and the bytes of its manifest store. */
export interface Mp4Content {
  /** SHA-256. */
  readonly hash: Uint8Array;
  readonly manifest: Uint8Array<ArrayBuffer> | undefined;
}

/** Reads an MP4 file once. Rejects for a file whose boxes do not fit into it. */
export async function readMp4(path: string): Promise<Mp4Content> {
  const file = await open(path);
  try {
    const hash = createHash('sha256');
    let manifest: Uint8Array<ArrayBuffer> | undefined;
    for await (const box of topLevelBoxes(file)) {
      if (UNHASHED.has(box.type)) continue;
      if (box.isManifest && box.size <= MAX_MANIFEST_BYTES) {
        manifest = new Uint8Array(box.size - MANIFEST_AT);
        await file.read(manifest, 0, manifest.length, box.at + MANIFEST_AT);
        continue;
      }
      const position = Buffer.alloc(8);
      position.writeBigUInt64BE(BigInt(box.at));
      hash.update(position);
      for await (const piece of piecesOf(file, box)) hash.update(piece);
    }
    return { hash: new Uint8Array(hash.digest()), manifest };
  } finally {
    await file.close();
  }
}

/** Adds the manifest store to a file whose hash it contains. */
export async function appendManifest(path: string, manifest: Uint8Array): Promise<void> {
  const head = Buffer.alloc(MANIFEST_AT);
  head.writeUInt32BE(MANIFEST_AT + manifest.length);
  head.write('uuid', 4, 'latin1');
  C2PA_BOX.copy(head, 8);
  head.write(PURPOSE, 8 + C2PA_BOX.length + 4, 'latin1');
  const file = await open(path, 'a');
  try {
    await file.writev([head, manifest]);
  } finally {
    await file.close();
  }
}

interface Box {
  readonly type: string;
  /** Position and size in the file, bytes. */
  readonly at: number;
  readonly size: number;
  readonly isManifest: boolean;
}

/** ISO 14496-12, 4.2: a size of 1 stands before one of 64 bits, a size of 0 reaches to the end. */
async function* topLevelBoxes(file: FileHandle): AsyncGenerator<Box> {
  const { size: length } = await file.stat();
  const head = Buffer.alloc(8 + C2PA_BOX.length);
  for (let at = 0; at < length; ) {
    head.fill(0);
    await file.read(head, 0, head.length, at);
    const [short, type] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)];
    const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? length - at : short;
    if (size < 8 || at + size > length) {
      throw new RangeError(`expected a box of 8 to ${length - at} bytes at ${at}, got ${size}: not a whole MP4 file`);
    }
    yield { type, at, size, isManifest: type === 'uuid' && head.subarray(8).equals(C2PA_BOX) && size > MANIFEST_AT };
    at += size;
  }
}

async function* piecesOf(file: FileHandle, { at, size }: Box): AsyncGenerator<Buffer> {
  const piece = Buffer.alloc(Math.min(PIECE_BYTES, size));
  for (let read = 0; read < size; ) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, size - read), at + read);
    if (bytesRead === 0) throw new RangeError('the file became shorter while it was read');
    yield piece.subarray(0, bytesRead);
    read += bytesRead;
  }
}
