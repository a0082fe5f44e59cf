import { u16, u32 } from '../../big-endian.js';

/** A font as its tables by tag, in any order (OpenType 1.9, "Organization of an OpenType Font"). */
export type FontTables = ReadonlyMap<string, Buffer>;

/** The tables of a font file, as views of its bytes. */
export function readSfnt(font: Buffer): FontTables {
  const tables = new Map<string, Buffer>();
  for (let at = 12; at < 12 + font.readUInt16BE(4) * 16; at += 16) {
    const start = font.readUInt32BE(at + 8);
    tables.set(font.toString('latin1', at, at + 4), font.subarray(start, start + font.readUInt32BE(at + 12)));
  }
  return tables;
}

/** A TrueType file of these tables. */
export function writeSfnt(tables: Iterable<readonly [tag: string, body: Buffer]>): Buffer {
  const sorted = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const power = Math.floor(Math.log2(sorted.length));
  const header = u16(0x0001, 0, sorted.length, 2 ** power * 16, power, (sorted.length - 2 ** power) * 16);
  const directory: Buffer[] = [];
  const bodies: Buffer[] = [];
  let offset = 12 + sorted.length * 16;
  for (const [tag, body] of sorted) {
    const padded = Buffer.concat([body, Buffer.alloc(-body.length & 3)]);
    let sum = 0;
    for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0;
    directory.push(Buffer.from(tag, 'latin1'), u32(sum, offset, body.length));
    bodies.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([header, ...directory, ...bodies]);
}

/** A `name` table with family (1), style (2), full name (4) and PostScript name (6), in English for Windows' encoding. */
export function nameTable(family: string, style: string): Buffer {
  const full = style === 'Regular' ? family : `${family} ${style}`;
  const names: readonly (readonly [id: number, text: string])[] = [
    [1, family],
    [2, style],
    [4, full],
    [6, `${family}-${style}`.replaceAll(' ', '')],
  ];
  const texts = names.map(([, text]) => Buffer.from(text, 'utf16le').swap16());
  let offset = 0;
  const records = names.map(([id], index) => {
    const length = texts[index]?.length ?? 0;
    const record = u16(3, 1, 0x409, id, length, offset);
    offset += length;
    return record;
  });
  return Buffer.concat([u16(0, records.length, 6 + records.length * 12), ...records, ...texts]);
}
