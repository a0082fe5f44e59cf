import { nameTable, u16, u32, writeSfnt } from '../sfnt.js';
import { characterMap } from './merged-font.js';

/** Family of the font that keeps room for emoji. */
export const BLANK_EMOJI = 'Figurehead Blank Emoji';

/** Units of the em square. */
const EM = 1000;
/** Noto's colour emoji: their advance, and how far they reach above and below the baseline. */
const [ADVANCE, ASCENT, DESCENT] = [1245, 950, 250];

/**
 * Letters for private use, of many widths: LibreOffice takes no letter for another text from a typewriter's font, nor (measured: up to
 * seven glyphs) from one that has nearly none.
 */
const FILLING: readonly (readonly [code: number, ems: number])[] = Array.from({ length: 32 }, (_, index) => [
  0xf8c0 + index,
  0.1 + index / 50,
]);

/** Joiners, variation selectors, and the tags of regional flags: they change the emoji before them and are never drawn. */
export const EMOJI_GLUE = /[\u200d\ufe0e\ufe0f\u20e3\u{e0020}-\u{e007f}]/u;

/**
 * How wide each letter of these emoji is, in font sizes. The two letters of a flag share the width of one; a letter that only ever
 * follows another in a sequence has none, so that the sequence is as wide as the one picture that it becomes.
 */
export function emojiAdvances(emoji: Iterable<string>): ReadonlyMap<number, number> {
  const sequences = Array.from(emoji, (sequence) => Array.from(sequence));
  const leading = new Set(sequences.map(([first]) => first));
  return new Map(
    sequences
      .flat()
      // Digits of keycaps are letters of any font; taking them would take all digits.
      .filter((letter) => letter > '\x7f')
      .map((letter) => [letter.codePointAt(0) ?? 0, advanceOf(letter, leading.has(letter)) / EM]),
  );
}

/**
 * A font of blank glyphs for these emoji, as wide as they are. A program that cannot draw colour fonts leaves the room, and whoever
 * draws its pages paints the emoji into it. Each code point has a glyph of its own, so that PDFs tell which it was.
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

/** A triangle of a thousandth of the letter, below the middle of the emoji that hides it: glyphs without any outline are not written into PDFs. */
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
