import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareDrawingFonts } from './drawing-fonts.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-drawing-fonts-'));
  process.env['FONTCONFIG_FILE'] = join(folder, 'fonts', 'fonts.conf');
  process.env['PANGOCAIRO_BACKEND'] = 'fontconfig';
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const drawing = (text: string, style = '') =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="60"><text x="4" y="44" font-size="40" ${style}>${text}</text></svg>`,
  );
/** The dark pixels of a drawing: their number, and the width of what they cover. */
async function inked(svg: Buffer): Promise<{ pixels: number; width: number }> {
  await prepareDrawingFonts(svg);
  const { data, info } = await sharp(svg).ensureAlpha().extractChannel(3).raw().toBuffer({ resolveWithObject: true });
  const columns = new Set<number>();
  let pixels = 0;
  for (const [at, alpha] of data.entries()) {
    if (alpha < 128) continue;
    pixels++;
    columns.add(at % info.width);
  }
  return { pixels, width: Math.max(...columns) - Math.min(...columns) + 1 };
}

describe('the fonts of drawings', () => {
  it('are written when a drawing with text first needs them, and once', async () => {
    await prepareDrawingFonts(drawing('').subarray(0, 60));
    expect(await readdir(folder)).toEqual([]);
    await Promise.all([
      prepareDrawingFonts(drawing('a')),
      prepareDrawingFonts(Buffer.from(drawing('b').toString(), 'utf16le')),
    ]);
    expect(await readdir(folder)).toEqual(['fonts']);
    expect((await readdir(join(folder, 'fonts'))).filter((name) => name.endsWith('.ttf')).length).toBeGreaterThan(500);
  });

  it.each([
    ['Japanese', '日本語かな', '日本語かな'],
    ['Chinese', '季度回顾', '季度回顾'],
    ['Korean', '한국어', '한국어'],
    ['Thai', 'ไทยแลนด์', 'ไทยแลนด์'],
    ['Arabic', 'مرحبا', 'مرحبا'],
    ['Hebrew', 'שלום', 'שלום'],
    ['Hindi', 'नमस्ते', 'नमस्ते'],
    ['Bengali', 'বাংলা', 'বাংলা'],
    ['Tamil', 'தமிழ்', 'தமிழ்'],
    ['Greek and Russian', 'Ωμέγα Привет', 'Ωμέγα Привет'],
    ['symbols', '→✓∑', '→✓∑'],
    ['references', '&#x65E5;&#26412;', '日本'],
  ])('have letters of %s', async (_, text, letters) => {
    const drawn = await inked(drawing(text));
    // A box with a number, which stands for a missing letter, is the same for letters of one block.
    const boxes = await inked(drawing('\u{10FFF0}'.repeat([...letters].length)));
    expect(drawn.pixels).toBeGreaterThan(100);
    expect(drawn.width).not.toBe(boxes.width);
  });

  it('replace the families of other programs by those with the same widths, in every style', async () => {
    const widths = async (style: string) => (await inked(drawing('Quarterly Figures', style))).width;
    for (const [name, shipped] of [
      ["font-family='Arial'", "font-family='Arimo'"],
      ["font-family='Times New Roman'", "font-family='Tinos'"],
      ["style='font-family:Calibri,sans-serif'", "style='font-family:Carlito'"],
      ["font-family='sans-serif' font-weight='bold'", "font-family='Inter' font-weight='700'"],
      ["font-family='monospace' font-style='italic'", "font-family='Roboto Mono' font-style='italic'"],
      ["font-family='No Such Font'", "font-family='Inter'"],
    ] as const)
      expect([name, await widths(name)]).toEqual([name, await widths(shipped)]);
    expect(await widths("font-family='Arial'")).not.toBe(await widths("font-family='Inter'"));
    expect((await inked(drawing('Bold', "font-family='Inter' font-weight='bold'"))).pixels).toBeGreaterThan(
      1.2 * (await inked(drawing('Bold', "font-family='Inter'"))).pixels,
    );
    expect(await widths("font-family='monospace'")).toBeGreaterThan(380);
  });
});
