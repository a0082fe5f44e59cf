import type { Asset } from '@trustnxt/c2pa-ts/asset';

/** Where a kind of file holds its manifest store. */
interface BlockFormat {
  readonly mediaType: string;
  /** @param head at least the first 16 bytes of a file. */
  isOf(head: Buffer): boolean;
  /** Place of the block with the manifest; without one its length is 0, and the place is where one belongs. Throws a `RangeError` for a broken file. */
  find(bytes: Buffer): Place;
  pack(manifest: Uint8Array): Buffer;
  unpack(block: Buffer): Buffer;
  /** Adapts what depends on the length of the file. */
  settle(bytes: Buffer): Buffer;
}

interface Place {
  readonly start: number;
  readonly length: number;
}

/** GIF: an application extension after the global colours (C2PA 2.1, A.3.4; GIF89a, 26). */
const GIF_MARK = Buffer.from('\x21\xff\x0bC2PA_GIF\x01\0\0', 'latin1');
const MAX_SUB_BLOCK = 255;
const GIF: BlockFormat = {
  mediaType: 'image/gif',
  isOf: (head) => /^GIF8[79]a/.test(head.toString('latin1', 0, 6)),
  find(bytes) {
    const packed = bytes.readUInt8(10);
    const start = 13 + (packed & 0x80 ? 3 << ((packed & 7) + 1) : 0);
    if (!bytes.subarray(start, start + GIF_MARK.length).equals(GIF_MARK)) return { start, length: 0 };
    let end = start + GIF_MARK.length;
    while (bytes.readUInt8(end) > 0) end += 1 + bytes.readUInt8(end);
    return { start, length: end + 1 - start };
  },
  pack(manifest) {
    const parts: Uint8Array[] = [GIF_MARK];
    for (let at = 0; at < manifest.length; at += MAX_SUB_BLOCK) {
      const part = manifest.subarray(at, at + MAX_SUB_BLOCK);
      parts.push(Uint8Array.of(part.length), part);
    }
    return Buffer.concat([...parts, Uint8Array.of(0)]);
  },
  unpack(block) {
    const parts: Buffer[] = [];
    for (let at = GIF_MARK.length; block.readUInt8(at) > 0; at += 1 + block.readUInt8(at)) {
      parts.push(block.subarray(at + 1, at + 1 + block.readUInt8(at)));
    }
    return Buffer.concat(parts);
  },
  settle(bytes) {
    bytes.write('GIF89a', 'latin1');
    return bytes;
  },
};

/** RIFF: a chunk at the end (C2PA 2.1, A.3.5). */
const CHUNK_HEAD = 8;
function riff(form: string, mediaType: string): BlockFormat {
  return {
    mediaType,
    isOf: (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === form,
    find(bytes) {
      let at = CHUNK_HEAD + form.length;
      while (at + CHUNK_HEAD <= bytes.length) {
        const size = bytes.readUInt32LE(at + 4);
        const length = CHUNK_HEAD + size;
        if (at + length > bytes.length) throw new RangeError(`expected a chunk of ${size} bytes at ${at}`);
        if (bytes.toString('latin1', at, at + 4) === 'C2PA') return { start: at, length };
        at += length + (length % 2);
      }
      return { start: bytes.length, length: 0 };
    },
    pack(manifest) {
      const block = Buffer.alloc(CHUNK_HEAD + manifest.length);
      block.write('C2PA', 'latin1');
      block.writeUInt32LE(manifest.length, 4);
      block.set(manifest, CHUNK_HEAD);
      return block;
    },
    unpack: (block) => block.subarray(CHUNK_HEAD, CHUNK_HEAD + block.readUInt32LE(4)),
    settle(bytes) {
      // The byte that fills an odd chunk is not part of the block: validators hash it.
      const whole = bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(1)]);
      whole.writeUInt32LE(whole.length - CHUNK_HEAD, 4);
      return whole;
    },
  };
}

const FORMATS = [GIF, riff('WEBP', 'image/webp'), riff('WAVE', 'audio/wav')];

/** A GIF, WebP or WAV file, which hold their manifest in one block; the library knows only others. */
export class BlockFile implements Asset {
  readonly #format: BlockFormat;
  #bytes: Buffer;
  #block: Place;

  /** Throws a `RangeError` for files of other kinds and broken ones. */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes);
    const format = FORMATS.find((each) => each.isOf(this.#bytes));
    if (format === undefined) throw new RangeError('expected a GIF, WebP or WAV file');
    this.#format = format;
    this.#block = format.find(this.#bytes);
  }

  static canRead(head: Uint8Array): boolean {
    return FORMATS.some((each) => each.isOf(Buffer.from(head)));
  }

  get mimeType(): string {
    return this.#format.mediaType;
  }

  getDataLength(): number {
    return this.#bytes.length;
  }

  async getDataRange(start = 0, length = this.#bytes.length - start): Promise<Uint8Array> {
    return this.#bytes.subarray(start, start + length);
  }

  getManifestJUMBF(): Uint8Array | undefined {
    const { start, length } = this.#block;
    return length === 0 ? undefined : this.#format.unpack(this.#bytes.subarray(start, start + length));
  }

  getHashExclusionRange(): Place {
    return this.#block;
  }

  async ensureManifestSpace(length: number): Promise<void> {
    await this.writeManifestJUMBF(new Uint8Array(length));
  }

  async writeManifestJUMBF(manifest: Uint8Array): Promise<void> {
    const { start, length } = this.#block;
    const block = this.#format.pack(manifest);
    const { settle } = this.#format;
    this.#bytes = settle(Buffer.concat([this.#bytes.subarray(0, start), block, this.#bytes.subarray(start + length)]));
    this.#block = { start, length: block.length };
  }

  dumpInfo(): string {
    return `${this.mimeType}, ${this.#bytes.length} bytes`;
  }
}
