import { createRequire } from 'node:module';
import type { TextObject } from '@figurehead/contract/document';
import { parseDocument } from '@figurehead/contract/document';
import { type TextLayout, TextSetter } from '@figurehead/presenter/painting';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectLinearIn } from '../../../../../tests/support/growth.js';
import { type CanvasLibrary, loadCanvas } from '../objects/canvas.js';
import { checkFonts } from './font-check.js';
import { type Fonts, openFonts } from './fonts.js';

let library: CanvasLibrary;
let fonts: Fonts;

beforeAll(async () => {
  library = await loadCanvas();
  fonts = await openFonts();
});

function layoutOf(fields: Partial<Record<string, unknown>>): TextLayout {
  const source = { type: 'textbox', width: 300, fontFamily: 'Inter', fontSize: 20, ...fields };
  const object = parseDocument({ slides: [{ canvas: { objects: [source] } }] }).document.slides[0]?.objects[0];
  return new TextSetter(library, fonts, null).layout(object as TextObject);
}

function linesOf(layout: TextLayout): string[] {
  return layout.lines.map((line) => line.runs.map((run) => run.text).join(''));
}

describe('text layout', () => {
  it('wraps a textbox at its width and does not wrap other text', () => {
    const text = 'The quick brown fox jumps over the lazy dog and runs away';
    const lines = linesOf(layoutOf({ text }));
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.join(' ')).toBe(text);
    expect(linesOf(layoutOf({ text, type: 'text' }))).toEqual([text]);
  });

  it('spaces lines as Fabric does: 1.13 × 1.16 of the font size', () => {
    const { lines, height } = layoutOf({ text: 'one\ntwo\nthree' });
    expect(lines[1]?.top).toBeCloseTo(20 * 1.13 * 1.16, 6);
    expect(lines[0]?.baseline).toBeCloseTo(20 * 1.13 * 0.778, 6);
    expect(height).toBeCloseTo(2 * 20 * 1.13 * 1.16 + 20 * 1.13, 6);
  });

  it('aligns lines to either side, the middle and both margins', () => {
    const lineOf = (textAlign: string): TextLayout['lines'][number] | undefined =>
      layoutOf({ text: 'some words here that wrap into lines', textAlign }).lines[0];
    const width = lineOf('left')?.width ?? 0;
    expect(lineOf('left')?.left).toBe(0);
    expect(lineOf('right')?.left).toBeCloseTo(300 - width, 6);
    expect(lineOf('center')?.left).toBeCloseTo((300 - width) / 2, 6);
    expect(lineOf('justify')?.width).toBeCloseTo(300, 6);
  });

  it('breaks an address that is wider than its box, so that it stays in the picture', () => {
    const layout = layoutOf({ text: 'x'.repeat(200), width: 100 });
    expect(layout.lines.length).toBeGreaterThan(5);
    expect(Math.max(...layout.lines.map((line) => line.width))).toBeLessThanOrEqual(100.01);
  });

  it('breaks Chinese without spaces, but never before a full stop', () => {
    const lines = linesOf(layoutOf({ text: '这是一个很长的句子。'.repeat(8), width: 200 }));
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.some((line) => line.startsWith('。'))).toBe(false);
  });

  it('sets Hebrew and Arabic from the right when no alignment is given', () => {
    const [line] = layoutOf({ text: 'שלום עולם' }).lines;
    expect(line?.rightToLeft).toBe(true);
    expect((line?.left ?? 0) + (line?.width ?? 0)).toBeCloseTo(300, 6);
  });

  // Proves: D.videos.40
  it('shrinks the font until the text fits its box', () => {
    const layout = layoutOf({ text: 'many words '.repeat(40), height: 60, fontSize: 40, fitTextBox: true });
    expect(layout.height).toBeLessThanOrEqual(60);
    expect(layout.height).toBeGreaterThan(40);
  });

  it('widens letters by charSpacing, measured in thousandths of an em', () => {
    const [plain, spaced] = [0, 100].map((charSpacing) => layoutOf({ text: 'abcd', type: 'text', charSpacing }).width);
    expect((spaced ?? 0) - (plain ?? 0)).toBeCloseTo(3 * 0.1 * 20, 2);
  });

  it('indents list items and hangs their markers before them', () => {
    const { lines } = layoutOf({ text: 'first\nsecond', list: 'number' });
    expect(lines.map((line) => line.marker?.run.text)).toEqual(['1.', '2.']);
    for (const line of lines) expect(line.marker?.left).toBeLessThan(line.left);
  });

  it('lays out texts up to the maximum length in time proportional to their length', async () => {
    await expectLinearIn(1660, (words) => {
      const text = 'lorem ipsum '.repeat(words);
      return () => layoutOf({ text, height: 300, fitTextBox: true });
    });
  });
});

describe('fonts', () => {
  it('end every list with the last resort, so that no font of the machine is used', () => {
    const list = fonts.familiesFor('No Such Family', 'Ab 漢字 🎉 𓂀', null).split(', ');
    expect(list.at(-1)).toBe('"fh last resort"');
    expect(list[0]).toBe('"fh Inter latin"');
    expect(list.some((name) => name.startsWith('"fh emoji'))).toBe(true);
  });

  it('draw a frame for a character that no font has', () => {
    const ctx = library.createCanvas(10, 10).getContext('2d');
    ctx.font = `100px ${fonts.familiesFor('Inter', '𓂀', null)}`;
    expect(ctx.measureText('𓂀').width).toBeCloseTo(60, 1);
  });

  it('choose Japanese or Chinese shapes of Han characters by language', () => {
    expect(fonts.familiesFor('Inter', '直', 'ja-JP')).toContain('Noto Sans JP');
    expect(fonts.familiesFor('Inter', '直', 'zh-CN')).toContain('Noto Sans SC');
    expect(fonts.familiesFor('Inter', '直', 'ja-JP')).not.toContain('Noto Sans SC');
  });

  it('are checked: an unknown family is a warning', () => {
    const text = (fontFamily: string): object => ({ type: 'text', text: 'x', fontFamily });
    const { document } = parseDocument({ slides: [{ canvas: { objects: [text('Arial'), text('Comic Sans MS')] } }] });
    expect(checkFonts(document, fonts)).toMatchObject([
      { path: 'slides[0].canvas.objects[1].fontFamily', level: 'warning' },
    ]);
  });

  it('of the user come before all others', async () => {
    const file = createRequire(import.meta.url).resolve('@fontsource/lato/files/lato-latin-900-normal.woff2');
    const own = await openFonts([{ family: 'House Font', file }]);
    expect(own.has('house font')).toBe(true);
    expect(own.familiesFor('House Font', 'x', null)).toMatch(/^"fh custom /);
    expect(own.fingerprint).not.toBe(fonts.fingerprint);
  });

  it('refuse a custom font that is not a font, by name, where a text uses it and only there', async () => {
    const own = await openFonts([{ family: 'Broken', file: import.meta.filename }]);
    for (let time = 0; time < 2; time++) expect(() => own.familiesFor('Broken', 'x', null)).toThrow(/broken/i);
    expect(own.familiesFor('Inter', 'x', null)).toBe(fonts.familiesFor('Inter', 'x', null));
  });
});
