/** H.264 network abstraction layer: bits, units and the `avcC` record (ISO/IEC 14496-10, 14496-15). */

/** Writes big-endian bit fields and Exp-Golomb numbers (14496-10 clause 9.1). */
export class BitWriter {
  readonly #bytes: number[] = [];
  #current = 0;
  #used = 0;

  /** The low `count` bits of `value`, 1 to 32. */
  bits(value: number, count: number): this {
    for (let bit = count - 1; bit >= 0; bit--) {
      this.#current = (this.#current << 1) | ((value >>> bit) & 1);
      if (++this.#used === 8) {
        this.#bytes.push(this.#current);
        this.#current = 0;
        this.#used = 0;
      }
    }
    return this;
  }

  /** ue(v), 0 to 2³¹ − 2. */
  ue(value: number): this {
    const width = 32 - Math.clz32(value + 1);
    if (width > 1) this.bits(0, width - 1);
    return this.bits(value + 1, width);
  }

  /** Appends the stop bit and zeros up to the next byte; returns all bytes. */
  finish(): Uint8Array {
    this.bits(1, 1);
    while (this.#used > 0) this.bits(0, 1);
    return Uint8Array.from(this.#bytes);
  }
}

/** Reads what {@link BitWriter} writes. Beyond the end it reads zeros. */
export class BitReader {
  #at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      value = value * 2 + (((this.bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1);
      this.#at++;
    }
    return value;
  }

  ue(): number {
    let zeros = 0;
    while (zeros < 32 && this.bits(1) === 0) zeros++;
    return 2 ** zeros - 1 + this.bits(zeros);
  }
}

/** Inserts emulation prevention bytes (clause 7.4.1): 00 00 0x must not occur in a unit. */
export function escapeNal(payload: Uint8Array): Uint8Array {
  const out: number[] = [];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      out.push(3);
      zeros = 0;
    }
    out.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Uint8Array.from(out);
}

/** Removes emulation prevention bytes. */
export function unescapeNal(unit: Uint8Array): Uint8Array {
  const out: number[] = [];
  let zeros = 0;
  for (const byte of unit) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    out.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Uint8Array.from(out);
}

/** The units of an Annex B stream (ISO/IEC 14496-10 annex B) without start codes and trailing zeros; views, not copies. */
export function splitAnnexB(stream: Uint8Array): Uint8Array[] {
  const units: Uint8Array[] = [];
  let start = -1;
  const end = (at: number): void => {
    let last = at;
    while (last > start && stream[last - 1] === 0) last--;
    if (start >= 0 && last > start) units.push(stream.subarray(start, last));
  };
  for (let at = 0; at + 2 < stream.length; at++) {
    // Examines every third byte where possible, because most bytes of a frame are above 1.
    if (stream[at + 2]! > 1) {
      at += 2;
      continue;
    }
    if (stream[at] === 0 && stream[at + 1] === 0 && stream[at + 2] === 1) {
      end(at);
      start = at + 3;
      at += 2;
    }
  }
  end(stream.length);
  return units;
}

/** The units of a sample with four-byte unit lengths, as views. */
export function splitSample(sample: Uint8Array): Uint8Array[] {
  const units: Uint8Array[] = [];
  const view = new DataView(sample.buffer, sample.byteOffset, sample.byteLength);
  for (let at = 0; at + 4 <= sample.length; ) {
    const length = view.getUint32(at);
    units.push(sample.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return units;
}

/** A sample holding `units`, each after its four-byte length. */
export function joinSample(units: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(units.reduce((sum, unit) => sum + 4 + unit.length, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const unit of units) {
    view.setUint32(at, unit.length);
    out.set(unit, at + 4);
    at += 4 + unit.length;
  }
  return out;
}

/** The parameter sets of an `avcC` record (14496-15 clause 5.3.3.1). */
export interface AvcConfig {
  readonly sps: readonly Uint8Array[];
  readonly pps: readonly Uint8Array[];
  /** What follows the sets: chroma format and bit depths of the High profiles. */
  readonly tail: Uint8Array;
}

/** Reads an `avcC` record. */
export function parseAvcConfig(record: Uint8Array): AvcConfig {
  if (record[0] !== 1 || record.length < 7) throw new RangeError('expected an avcC record of version 1');
  let at = 6;
  const sets = (count: number): Uint8Array[] => {
    const out: Uint8Array[] = [];
    for (let i = 0; i < count; i++) {
      const length = (record[at]! << 8) | record[at + 1]!;
      out.push(record.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
    return out;
  };
  const sps = sets(record[5]! & 31);
  const count = record[at++]!;
  return { sps, pps: sets(count), tail: record.subarray(at) };
}

/** Writes an `avcC` record with four-byte lengths; profile and level come from the first SPS. */
export function formatAvcConfig(config: AvcConfig): Uint8Array {
  const sps = config.sps[0]!;
  const set = (unit: Uint8Array): number[] => [unit.length >> 8, unit.length & 255, ...unit];
  return Uint8Array.from([
    1,
    sps[1]!,
    sps[2]!,
    sps[3]!,
    0xff,
    0xe0 | config.sps.length,
    ...config.sps.flatMap(set),
    config.pps.length,
    ...config.pps.flatMap(set),
    ...config.tail,
  ]);
}

/** Fields of the SPS that writing a slice header needs. */
export interface SpsFields {
  readonly frameNumBits: number;
  readonly pocBits: number;
  readonly macroblocks: number;
}

/** Reads the fields of a progressive 4:2:0 SPS with picture order count type 0, which is what x264 writes with B-frames. */
export function parseSps(unit: Uint8Array): SpsFields {
  const bits = new BitReader(unescapeNal(unit.subarray(1)));
  const profile = bits.bits(8);
  bits.bits(16);
  bits.ue();
  if (profile >= 100) {
    const chroma = bits.ue();
    bits.ue();
    bits.ue();
    bits.bits(1);
    if (chroma !== 1 || bits.bits(1) === 1) throw new RangeError('expected a 4:2:0 SPS without scaling lists');
  }
  const frameNumBits = bits.ue() + 4;
  if (bits.ue() !== 0) throw new RangeError('expected picture order count type 0');
  const pocBits = bits.ue() + 4;
  bits.ue();
  bits.bits(1);
  const columns = bits.ue() + 1;
  const rows = bits.ue() + 1;
  if (bits.bits(1) !== 1) throw new RangeError('expected a progressive SPS');
  return { frameNumBits, pocBits, macroblocks: columns * rows };
}
