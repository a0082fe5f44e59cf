import { u16, u32 } from '../../../big-endian.js';
import { nameTable, writeSfnt } from '../sfnt.js';
import { characterMap } from './merged-font.js';

/** Family of the font that reserves space for emoji. */
export const BLANK_EMOJI = 'Figurehead Blank Emoji';

/** Units of the em square. */
const EM = 1000;
/** Noto's colour emoji: their advance, and how far they reach above and below the baseline. */
const [ADVANCE, ASCENT, DESCENT] = [1245, 950, 250];

/**
 * Private-use letters of many widths. LibreOffice does not substitute letters from a monospaced font, nor (measured: up
 * to seven glyphs) from a font that is nearly empty.
 */
const FILLING: readonly (readonly [code: number, ems: number])[] = Array.from({ length: 32 }, (_, index) => [
  0xf8c0 + index,
  0.1 + index / 50,
]);

/**
 * Joiners, variation selectors and the tags of regional flags: they modify the emoji before them and are never drawn.
 */
export const EMOJI_GLUE = /[\u200d\ufe0e\ufe0f\u20e3\u{e0020}-\u{e007f}]/u;

/**
 * Width of each letter of these emoji, in font sizes. The two letters of a flag share the width of one; a letter that
 * only follows another in a sequence has none, so that the sequence is as wide as its single picture.
 */
function emojiAdvances(emoji: Iterable<string>): ReadonlyMap<number, number> {
  const sequences = Array.from(emoji, (sequence) => Array.from(sequence));
  const leading = new Set(sequences.map(([first]) => first));
  return new Map(
    sequences
      .flat()
      // Digits of keycaps exist in every font; including them here would replace all digits.
      .filter((letter) => letter > '\x7f')
      .map((letter) => [letter.codePointAt(0) ?? 0, advanceOf(letter, leading.has(letter)) / EM]),
  );
}

/**
 * A font of blank glyphs for these emoji, as wide as they are. A program that cannot draw colour fonts leaves the space
 * empty, and the emoji are painted into the drawn pages later. Each code point has its own glyph, so that the PDF shows
 * which one it was.
 */
export function blankEmojiFont(emoji: Iterable<string>): Buffer {
  const widths = [...emojiAdvances(emoji), ...FILLING].sort(([a], [b]) => a - b);
  const advances = [0, ...widths.map(([, width]) => Math.round(width * EM))];
  const speck = speckGlyph();
  const head = Buffer.concat([
    u32(0x00010000, 0x00010000, 0, 0x5f0f3cf5),
    u16(0, EM),
    Buffer.alloc(16),
    u16(0, -DESCENT, ADVANCE, ASCENT, 0, 8, 2, 1, 0),
  ]);
  return writeSfnt([
    ['OS/2', style()],
    ['cmap', characterMap(new Map(widths.map(([code], index) => [code, index + 1])))],
    ['glyf', Buffer.concat(advances.map(() => speck))],
    ['head', head],
    ['hhea', u16(1, 0, ASCENT, -DESCENT, 0, ADVANCE, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, advances.length)],
    ['hmtx', u16(...advances.flatMap((advance) => [advance, 0]))],
    ['loca', u32(0, ...advances.map((_, index) => (index + 1) * speck.length))],
    ['maxp', u16(1, 0, advances.length, 3, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['name', nameTable(BLANK_EMOJI, 'Regular')],
    ['post', Buffer.concat([u32(0x00030000), Buffer.alloc(28)])],
  ]);
}

/**
 * A triangle of a thousandth of the letter, below the middle of the emoji that covers it: glyphs without an outline are
 * not written to PDFs.
 */
function speckGlyph(): Buffer {
  const [x, y] = [300, 350];
  const glyph = Buffer.concat([u16(1, x, y, x + 1, y + 1, 2, 0), Buffer.alloc(3, 1), u16(x, 1, 0, y, 0, 1)]);
  return Buffer.concat([glyph, Buffer.alloc(-glyph.length & 3)]);
}

function advanceOf(letter: string, isLeading: boolean): number {
  if (/\p{Regional_Indicator}/u.test(letter)) return ADVANCE / 2;
  return isLeading && !EMOJI_GLUE.test(letter) ? ADVANCE : 0;
}

/** An `OS/2` table of version 4. */
function style(): Buffer {
  const os2 = Buffer.alloc(96);
  const words: readonly (readonly [at: number, value: number])[] = [
    [0, 4],
    [2, EM],
    [4, 400],
    [6, 5],
    [62, 0x40],
    [68, ASCENT],
    [74, ASCENT],
    [76, DESCENT],
  ];
  for (const [at, value] of words) os2.writeUInt16BE(value, at);
  os2.writeInt16BE(-DESCENT, 70);
  return os2;
}
