import { u16, u32 } from '../../big-endian.js';
import { nameTable, writeSfnt } from './sfnt.js';

/** Units of the em square, shared 4 : 1 by ascent and descent. */
const EM = 1000;

/** An upright frame, outer contour clockwise and inner one counter-clockwise, in font units. */
const FRAME: readonly (readonly (readonly [number, number])[])[] = [
  [
    [80, 0],
    [80, 700],
    [520, 700],
    [520, 0],
  ],
  [
    [130, 50],
    [470, 50],
    [470, 650],
    [130, 650],
  ],
];
const ADVANCE = 600;

/**
 * A TrueType font that draws an empty frame for every code point. As the last entry of a font list it keeps the drawing
 * library from using a font of the machine, so that the same text gives the same pixels everywhere (OpenType 1.9, cmap
 * format 13 "many-to-one").
 */
export function lastResortFont(): Buffer {
  const glyph = frameGlyph();
  const tables: [string, Buffer][] = [
    ['OS/2', os2()],
    ['cmap', cmap()],
    ['glyf', Buffer.concat([glyph, glyph])],
    ['head', head()],
    ['hhea', u16(1, 0, 800, 0x10000 - 200, 0, ADVANCE, 80, 80, 520, 1, 0, 0, 0, 0, 0, 0, 0, 2)],
    ['hmtx', u16(ADVANCE, 80, ADVANCE, 80)],
    ['loca', u16(0, glyph.length / 2, glyph.length)],
    ['maxp', u16(1, 0, 2, 8, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['name', nameTable('Last Resort', 'Regular')],
    ['post', Buffer.concat([u16(3, 0), Buffer.alloc(28)])],
  ];
  return writeSfnt(tables);
}

/** A simple glyph whose points are all on the curve and stored as absolute 16-bit steps. */
function frameGlyph(): Buffer {
  const points = FRAME.flat();
  const ends = FRAME.map((_, index) => FRAME.slice(0, index + 1).flat().length - 1);
  const steps = (axis: 0 | 1): number[] => points.map((point, index) => point[axis] - (points[index - 1]?.[axis] ?? 0));
  const flags = Buffer.alloc(points.length, 1);
  return Buffer.concat([u16(FRAME.length, 80, 0, 520, 700, ...ends, 0), flags, u16(...steps(0), ...steps(1))]);
}

function cmap(): Buffer {
  const subtable = Buffer.concat([u16(13, 0), u32(28, 0, 1, 0, 0x10ffff, 1)]);
  return Buffer.concat([u16(0, 1, 3, 10), u32(12), subtable]);
}

function head(): Buffer {
  return Buffer.concat([
    u32(0x00010000, 0x00010000, 0, 0x5f0f3cf5),
    u16(0, EM),
    Buffer.alloc(16),
    u16(80, 0, 520, 700, 0, 8, 2, 0, 0),
  ]);
}

function os2(): Buffer {
  const out = Buffer.alloc(78);
  out.writeUInt16BE(ADVANCE, 2);
  out.writeUInt16BE(400, 4);
  out.writeUInt16BE(5, 6);
  out.writeUInt16BE(64, 62);
  out.writeUInt16BE(800, 68);
  out.writeInt16BE(-200, 70);
  out.writeUInt16BE(800, 74);
  out.writeUInt16BE(200, 76);
  return out;
}
