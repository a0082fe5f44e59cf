import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pdf } from '../../../../../../tests/fixtures/presentations/decks.js';
import { pageFrameOf } from '../reading/frame.js';
import { openPdf } from './pdf.js';
import type { PdfLine, PdfSpan } from './text-lines.js';
import { textObjects } from './text-objects.js';

/** A page of the canvas's own size, so that points are canvas units. */
const page = { width: 640, height: 360 };
/** Every letter is half as wide as it is high. */
const placing = {
  ...{ page, frame: pageFrameOf(page), familyOf: () => 'Arimo' },
  measure: (text: string) => [...text].length / 2,
};

function span(text: string, em = 10): PdfSpan {
  const look = {
    ...{ font: 'Arimo', weight: 400, italic: false, kind: 'sans' as const, embedded: true, color: '#000000' },
    ...{ stretch: 1, shadow: null },
  };
  return { text, look, em, rise: 0, underline: false, strike: false, marker: null };
}

function line(y: number, spans: readonly PdfSpan[], more: Partial<PdfLine> = {}): PdfLine {
  const width = spans.reduce((sum, { text, em }) => sum + (text.length * em) / 2, 0);
  return { spans, x: 20, y, width, em: Math.max(...spans.map(({ em }) => em)), angle: 0, ...more };
}

/** A line of 80 letters, which are 400 wide without letter spacing. */
const long = (y: number, width: number): PdfLine => line(y, [span('a'.repeat(80))], { width });

describe('lines of a page', () => {
  it('are one text as long as one letter spacing puts all their ends in place', () => {
    expect(textObjects([long(100, 400), long(112, 401), long(124, 400.5)], placing)).toHaveLength(1);
    const justified = textObjects([long(100, 400), long(112, 408)], placing);
    expect(justified.map(({ charSpacing = 0 }) => charSpacing)).toEqual([0, 10.13]);
  });

  it('are one paragraph when their words are spaced so that they end together', () => {
    const words = (count: number) => Array.from({ length: count }, () => 'abcdefg').join(' ');
    // 79 letters, which are 395 wide, in lines of 400, and a last line.
    const set = [line(100, [span(words(10))], { width: 400 }), line(112, [span(words(10))], { width: 400 })];
    const [text, ...others] = textObjects([...set, line(124, [span(words(3))])], placing);
    expect(others).toEqual([]);
    expect(text).toMatchObject({ text: words(23), textAlign: 'justify', width: 400, left: 20 });
    expect(text).not.toHaveProperty('charSpacing');
  });

  it('keep their distance to a thousandth over many lines', () => {
    const lines = Array.from({ length: 30 }, (_, index) => line(50 + index * 10.03, [span(`line ${index}`)]));
    const [text] = textObjects(lines, placing);
    const last = Number(text?.top) + 29 * 10 * 1.13 * Number(text?.lineHeight) + 10 * 1.13 * (1 - 0.222);
    expect(last).toBeCloseTo(50 + 29 * 10.03, 1);
  });

  it('start a text of their own when one has larger letters, which would move the next line', () => {
    const mixed = [line(100, [span('small '), span('LARGE', 16)]), line(118, [span('small again')])];
    expect(textObjects(mixed, placing)).toHaveLength(2);
  });

  it('have room for all their letters when these cannot be set as narrow as on the page', () => {
    const [text] = textObjects([long(100, 200)], placing);
    expect(Number(text?.charSpacing)).toBe(-150);
    expect(Number(text?.width)).toBeGreaterThan(400 - 79 * 1.5);
  });
});

describe('letters of a PDF', () => {
  /** Lines of a page on which `text` is drawn; a parenthesis in it ends the text and begins operators. */
  async function linesOf(text: string): Promise<readonly PdfLine[]> {
    const folder = await mkdtemp(join(tmpdir(), 'fh-letters-'));
    try {
      const path = join(folder, 'a.pdf');
      await writeFile(path, pdf([text]));
      const opened = await openPdf(path);
      const { lines } = await opened.draw(0, { room: { width: 96, height: 54 }, editable: true, blankFont: 'x' });
      opened.close();
      return lines;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  it('are those of a text and not of the shadow that was drawn before it', async () => {
    const [text, ...others] = await linesOf('Words) Tj 1 0 0 rg -2 2 Td (Words');
    expect(others).toEqual([]);
    expect(text).toMatchObject({ x: 58, y: 268 });
    const shadow = { color: '#ffffff', x: 2, y: 2 };
    expect(text?.spans).toMatchObject([{ text: 'Words', look: { color: '#ff0000', shadow } }]);
  });

  it('are as wide as they were stretched', async () => {
    const [text] = await linesOf(') Tj 150 Tz (Wide');
    expect(text?.spans).toMatchObject([{ text: 'Wide', em: 48, look: { stretch: 1.5 } }]);
    const [object] = textObjects([text!], { ...placing, page: { width: 960, height: 540 } });
    expect(object).toMatchObject({ scaleX: 1.5, fontSize: 32 });
  });

  it('are bold when they are filled and outlined in one colour, and stay in the picture with another outline', async () => {
    const [bold] = await linesOf(') Tj 1 1 1 RG 2 Tr (Bold');
    expect(bold?.spans).toMatchObject([{ text: 'Bold', look: { weight: 700 } }]);
    expect(await linesOf(') Tj 1 0 0 RG 2 Tr (Outlined')).toEqual([]);
  });

  it('keep all spaces between words', async () => {
    const [line] = await linesOf('One   two  three');
    expect(line?.spans.map(({ text }) => text)).toEqual(['One   two  three']);
  });
});
