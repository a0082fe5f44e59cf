import { u16, u32 } from '../../../big-endian.js';
import { type FontTables, nameTable, readSfnt, writeSfnt } from '../sfnt.js';

/** Name of a face within its family. */
export interface FaceName {
  readonly family: string;
  readonly bold: boolean;
  readonly italic: boolean;
}

/** Composite glyphs' flags (OpenType 1.9, `glyf`, "Composite glyph description"). */
const ARGS_ARE_WORDS = 0x0001;
const HAS_SCALE = 0x0008;
const MORE_COMPONENTS = 0x0020;
const HAS_XY_SCALE = 0x0040;
const HAS_TWO_BY_TWO = 0x0080;

/** Tables of the first slice that apply to the whole font, because its glyphs keep their numbers. */
const KEPT = ['GDEF', 'GPOS', 'GSUB', 'OS/2', 'cvt ', 'fpgm', 'gasp', 'head', 'hhea', 'maxp', 'prep'];

/**
 * Merges the slices of one static TrueType face, which its package splits by script, into one font, as office programs
 * need it. Kerning and letter joining come from the first slice, which must be the one of the family's own script;
 * where slices share a character, the first one's glyph is used.
 */
export function mergeFaces(slices: readonly Buffer[], name: FaceName): Buffer {
  const parts = slices.map(readSfnt);
  const [first] = parts;
  if (first === undefined) throw new Error('expected at least one slice of a font, got none');
  const glyphs: Buffer[] = [];
  const metrics: Buffer[] = [];
  const characters = new Map<number, number>();
  for (const part of parts) {
    const base = glyphs.length;
    glyphs.push(...glyphsOf(part).map((glyph) => (base === 0 ? glyph : renumber(glyph, base))));
    metrics.push(metricsOf(part));
    for (const [code, glyph] of charactersOf(part)) if (!characters.has(code)) characters.set(code, glyph + base);
  }
  const kept = KEPT.flatMap((tag): [string, Buffer][] => {
    const body = first.get(tag);
    return body === undefined ? [] : [[tag, Buffer.from(body)]];
  });
  const tables = new Map(kept);
  const style = [name.bold ? 'Bold' : '', name.italic ? 'Italic' : ''].filter((word) => word !== '').join(' ');
  nameFace(tables, name);
  for (const [at, value] of maxima(parts)) tables.get('maxp')?.writeUInt16BE(value, at);
  tables.get('maxp')?.writeUInt16BE(glyphs.length, 4);
  tables.get('hhea')?.writeUInt16BE(glyphs.length, 34);
  tables.get('head')?.writeInt16BE(1, 50);
  tables.set('name', nameTable(name.family, style || 'Regular'));
  tables.set('post', Buffer.concat([u32(0x00030000), Buffer.alloc(28)]));
  tables.set('hmtx', Buffer.concat(metrics));
  tables.set('cmap', characterMap(characters));
  tables.set('glyf', Buffer.concat(glyphs));
  tables.set('loca', locations(glyphs));
  return writeSfnt(tables);
}

function need(part: FontTables, tag: string): Buffer {
  const table = part.get(tag);
  if (table === undefined) throw new Error(`expected a table "${tag}" in a slice of a font, found none`);
  return table;
}

/** Outlines by glyph number, each padded to whole words. */
function glyphsOf(part: FontTables): Buffer[] {
  const [glyf, loca] = [need(part, 'glyf'), need(part, 'loca')];
  const isLong = need(part, 'head').readInt16BE(50) !== 0;
  const at = (index: number): number => (isLong ? loca.readUInt32BE(index * 4) : loca.readUInt16BE(index * 2) * 2);
  return Array.from({ length: need(part, 'maxp').readUInt16BE(4) }, (_, index) => {
    const glyph = glyf.subarray(at(index), at(index + 1));
    return glyph.length % 4 === 0 ? glyph : Buffer.concat([glyph, Buffer.alloc(-glyph.length & 3)]);
  });
}

/** A composite glyph with its component numbers shifted by `base`. */
function renumber(glyph: Buffer, base: number): Buffer {
  if (glyph.length < 10 || glyph.readInt16BE(0) >= 0) return glyph;
  const moved = Buffer.from(glyph);
  let at = 10;
  let flags: number;
  do {
    flags = moved.readUInt16BE(at);
    moved.writeUInt16BE(moved.readUInt16BE(at + 2) + base, at + 2);
    at += flags & ARGS_ARE_WORDS ? 8 : 6;
    at += flags & HAS_SCALE ? 2 : flags & HAS_XY_SCALE ? 4 : flags & HAS_TWO_BY_TWO ? 8 : 0;
  } while (flags & MORE_COMPONENTS);
  return moved;
}

/** Advance and left bearing of every glyph; the short form, in which the last advance repeats, is expanded. */
function metricsOf(part: FontTables): Buffer {
  const hmtx = need(part, 'hmtx');
  const long = need(part, 'hhea').readUInt16BE(34);
  const count = need(part, 'maxp').readUInt16BE(4);
  const last = hmtx.readUInt16BE((long - 1) * 4);
  const rest = Array.from({ length: count - long }, (_, index) => u16(last, hmtx.readInt16BE(long * 4 + index * 2)));
  return Buffer.concat([hmtx.subarray(0, long * 4), ...rest]);
}

/** Glyphs by code point, from the Unicode subtables (formats 4 and 12). */
function charactersOf(part: FontTables): Map<number, number> {
  const cmap = need(part, 'cmap');
  const characters = new Map<number, number>();
  for (let record = 4; record < 4 + cmap.readUInt16BE(2) * 8; record += 8) {
    const table = cmap.subarray(cmap.readUInt32BE(record + 4));
    const format = table.readUInt16BE(0);
    if (format === 12) readFormat12(table, characters);
    else if (format === 4) readFormat4(table, characters);
  }
  return characters;
}

function readFormat12(table: Buffer, characters: Map<number, number>): void {
  for (let at = 16; at < 16 + table.readUInt32BE(12) * 12; at += 12) {
    const [from, to, glyph] = [table.readUInt32BE(at), table.readUInt32BE(at + 4), table.readUInt32BE(at + 8)];
    for (let code = from; code <= to; code++) characters.set(code, glyph + code - from);
  }
}

function readFormat4(table: Buffer, characters: Map<number, number>): void {
  const size = table.readUInt16BE(6);
  for (let at = 0; at < size; at += 2) {
    const [to, from] = [table.readUInt16BE(14 + at), table.readUInt16BE(16 + size + at)];
    const delta = table.readUInt16BE(16 + size * 2 + at);
    const offsetAt = 16 + size * 3 + at;
    const offset = table.readUInt16BE(offsetAt);
    for (let code = from; code <= to && code !== 0xffff; code++) {
      const raw = offset === 0 ? code : table.readUInt16BE(offsetAt + offset + (code - from) * 2);
      const glyph = offset !== 0 && raw === 0 ? 0 : (raw + delta) & 0xffff;
      if (glyph !== 0) characters.set(code, glyph);
    }
  }
}

/** A `cmap` of one subtable, format 12, for all of Unicode. */
export function characterMap(characters: ReadonlyMap<number, number>): Buffer {
  const groups: [from: number, to: number, glyph: number][] = [];
  for (const [code, glyph] of [...characters].sort(([a], [b]) => a - b)) {
    const last = groups.at(-1);
    if (last !== undefined && code === last[1] + 1 && glyph === last[2] + code - last[0]) last[1] = code;
    else groups.push([code, code, glyph]);
  }
  const subtable = Buffer.concat([u16(12, 0), u32(16 + groups.length * 12, 0, groups.length, ...groups.flat())]);
  return Buffer.concat([u16(0, 1, 3, 10), u32(12), subtable]);
}

function locations(glyphs: readonly Buffer[]): Buffer {
  let at = 0;
  return u32(0, ...glyphs.map(({ length }) => (at += length)));
}

/** Maximum of every limit in `maxp`, from its fourth word on. */
function maxima(parts: readonly FontTables[]): [at: number, value: number][] {
  const limits = parts.map((part) => need(part, 'maxp'));
  const [first] = limits;
  const places = Array.from({ length: ((first?.length ?? 6) - 6) / 2 }, (_, index) => 6 + index * 2);
  return places.map((at) => [at, Math.max(...limits.map((limit) => limit.readUInt16BE(at)))]);
}

/** Writes weight and slope where programs look for them: `OS/2` and `head`. */
function nameFace(tables: ReadonlyMap<string, Buffer>, { bold, italic }: FaceName): void {
  const style = tables.get('OS/2');
  style?.writeUInt16BE(bold ? 700 : 400, 4);
  const others = (style?.readUInt16BE(62) ?? 0) & ~0x0061;
  style?.writeUInt16BE(others | (bold ? 0x20 : 0) | (italic ? 0x01 : 0) | (bold || italic ? 0 : 0x40), 62);
  tables.get('head')?.writeUInt16BE((bold ? 1 : 0) | (italic ? 2 : 0), 44);
}
