import { inflateSync } from 'node:zlib';
import { RefusedFile } from './refused-file.js';

/** Tables without which a font cannot be drawn (OpenType 1.9, "Required tables"). */
const REQUIRED = ['cmap', 'head', 'hhea', 'hmtx', 'maxp', 'name'];
/** Outlines or pictures of glyphs: at least one of these. */
const GLYPHS = ['glyf', 'CFF ', 'CFF2', 'CBDT', 'sbix', 'SVG '];
/** More than in any real font. */
const MAX_TABLES = 256;
const MAX_TABLE_BYTES = 200_000_000;

const HEADER_BYTES = 12;
const RECORD_BYTES = 16;
const WOFF_HEADER_BYTES = 44;
const WOFF_RECORD_BYTES = 20;

/**
 * Checks that every table of an sfnt font is inside the file and that the required ones exist. Font libraries read
 * lazily: a truncated file opens without an error and fails at its first glyph. Throws {@link RefusedFile}.
 */
export function checkTables(font: Buffer): void {
  const count = font.length < HEADER_BYTES ? 0 : font.readUInt16BE(4);
  if (count === 0 || count > MAX_TABLES || font.length < HEADER_BYTES + count * RECORD_BYTES) {
    throw new RefusedFile('the font is damaged: its list of tables is not complete');
  }
  const tables = new Map<string, { offset: number; length: number }>();
  for (let at = HEADER_BYTES; at < HEADER_BYTES + count * RECORD_BYTES; at += RECORD_BYTES) {
    const tag = font.toString('latin1', at, at + 4);
    const [offset, length] = [font.readUInt32BE(at + 8), font.readUInt32BE(at + 12)];
    if (offset + length > font.length) throw new RefusedFile(`the font is damaged: its table "${tag}" is truncated`);
    tables.set(tag, { offset, length });
  }
  const missing = REQUIRED.find((tag) => !tables.has(tag));
  if (missing !== undefined) throw new RefusedFile(`the font is damaged: its table "${missing}" is missing`);
  if (!GLYPHS.some((tag) => tables.has(tag))) throw new RefusedFile('the font has no glyphs');
  checkLocations(font, tables);
}

/** The last entry of `loca` is the end of `glyf`; glyphs after it would be read outside of the table. */
function checkLocations(font: Buffer, tables: ReadonlyMap<string, { offset: number; length: number }>): void {
  const [glyf, loca, head] = ['glyf', 'loca', 'head'].map((tag) => tables.get(tag));
  if (glyf === undefined) return;
  if (loca === undefined || head === undefined || head.length < 54 || loca.length < 4) {
    throw new RefusedFile('the font is damaged: the positions of its glyphs are missing');
  }
  const isLong = font.readInt16BE(head.offset + 50) !== 0;
  const end = loca.offset + loca.length;
  const last = isLong ? font.readUInt32BE(end - 4) : font.readUInt16BE(end - 2) * 2;
  if (last > glyf.length) throw new RefusedFile('the font is damaged: its glyphs are truncated');
}

/** Unpacks WOFF 1.0 (W3C, 2012) into the sfnt font inside. Throws {@link RefusedFile}. */
export function unpackWoff(woff: Buffer): Buffer {
  const count = woff.length < WOFF_HEADER_BYTES ? 0 : woff.readUInt16BE(12);
  if (count === 0 || count > MAX_TABLES || woff.length < WOFF_HEADER_BYTES + count * WOFF_RECORD_BYTES) {
    throw new RefusedFile('the font is damaged: its list of tables is not complete');
  }
  const header = Buffer.alloc(HEADER_BYTES + count * RECORD_BYTES);
  woff.copy(header, 0, 4, 8);
  header.writeUInt16BE(count, 4);
  // Binary search fields (OpenType, "Table directory").
  const power = 2 ** Math.floor(Math.log2(count));
  header.writeUInt16BE(power * 16, 6);
  header.writeUInt16BE(Math.log2(power), 8);
  header.writeUInt16BE(count * 16 - power * 16, 10);
  const parts: Buffer[] = [header];
  let offset = header.length;
  for (let index = 0; index < count; index++) {
    const at = WOFF_HEADER_BYTES + index * WOFF_RECORD_BYTES;
    const table = unpackTable(woff, at);
    const record = HEADER_BYTES + index * RECORD_BYTES;
    woff.copy(header, record, at, at + 4);
    woff.copy(header, record + 4, at + 16, at + 20);
    header.writeUInt32BE(offset, record + 8);
    header.writeUInt32BE(table.length, record + 12);
    const padding = Buffer.alloc((4 - (table.length % 4)) % 4);
    parts.push(table, padding);
    offset += table.length + padding.length;
  }
  return Buffer.concat(parts);
}

function unpackTable(woff: Buffer, at: number): Buffer {
  const tag = woff.toString('latin1', at, at + 4);
  const [offset, packed, length] = [4, 8, 12].map((field) => woff.readUInt32BE(at + field)) as [number, number, number];
  if (offset + packed > woff.length || length > MAX_TABLE_BYTES) {
    throw new RefusedFile(`the font is damaged: its table "${tag}" is truncated`);
  }
  const bytes = woff.subarray(offset, offset + packed);
  if (packed >= length) return bytes;
  try {
    const table = inflateSync(bytes, { maxOutputLength: length });
    if (table.length === length) return table;
  } catch (cause) {
    throw new RefusedFile(`the font is damaged: its table "${tag}" cannot be unpacked`, { cause });
  }
  throw new RefusedFile(`the font is damaged: its table "${tag}" is shorter than it says`);
}
