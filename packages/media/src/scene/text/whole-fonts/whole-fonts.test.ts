import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type Font } from 'fontkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BLANK_EMOJI, blankEmojiFont } from './blank-emoji.js';
import { wholeFonts } from './whole-fonts.js';

let cacheFolder: string;
beforeAll(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'fh-faces-'));
});
afterAll(() => rm(cacheFolder, { recursive: true, force: true }));

const codesOf = (text: string): Set<number> => new Set(Array.from(text, (letter) => letter.codePointAt(0) ?? 0));
const request = (text: string, families: string[] = [], languages: string[] = []) =>
  wholeFonts({ families, codes: codesOf(text), languages, cacheFolder });
const faceAt = async (files: readonly string[], name: RegExp): Promise<Font> =>
  create(await readFile(files.find((file) => name.test(file)) ?? '')) as Font;

describe('whole fonts', () => {
  it('have one file per face, with the letters of all slices, their own widths and names', async () => {
    const { files, families } = await request('Größe Привет αβγ', ['Calibri']);
    expect(families).toEqual(['Arimo', 'Carlito', 'Noto Sans']);
    expect(files).toHaveLength(12);
    const face = await faceAt(files, /carlito-.*-bold\.ttf$/);
    expect([face.familyName, face.subfamilyName, face.postscriptName]).toEqual(['Carlito', 'Bold', 'Carlito-Bold']);
    // Calibri Bold's own widths, of 2048 units: H, digits, and a Cyrillic letter of another slice.
    const widths = ['H', '0', 'П'].map((letter) => face.glyphForCodePoint(letter.codePointAt(0) ?? 0).advanceWidth);
    expect(widths).toEqual([1292, 1038, 1290]);
    for (const letter of 'éßЖψ') expect(face.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0)).toBe(true);
    // An accented letter is composed of glyphs whose numbers have moved.
    expect(face.glyphForCodePoint(0x416).path.bbox.height).toBeGreaterThan(1000);
  });

  it('keep the joining rules of their own script', async () => {
    const { files } = await request('नमस्ते', []);
    const face = await faceAt(files, /devanagari.*regular\.ttf$/);
    // न म स् ते: the half form of स stands for two characters.
    expect(face.layout('नमस्ते').glyphs.length).toBeLessThan(6);
    expect(face.layout('नमस्ते').glyphs.every(({ id }) => id !== 0)).toBe(true);
  });

  it('include only the scripts of a text, with the Han shapes of its language first', async () => {
    expect((await request('plain')).families).toEqual(['Arimo']);
    expect((await request('שלום')).families).toEqual(['Arimo', 'Noto Sans', 'Noto Sans Hebrew']);
    const chinese = await request('季度回顾');
    expect(chinese.families).toEqual(['Arimo', 'Noto Sans', 'Noto Sans SC']);
    const face = await faceAt(chinese.files, /sans-sc.*bold\.ttf$/);
    for (const letter of '季度回顾') expect(face.glyphForCodePoint(letter.codePointAt(0) ?? 0).advanceWidth).toBe(1000);
  });

  it('are created once', async () => {
    const [file = ''] = (await request('a')).files;
    const { mtimeMs } = await stat(file);
    await request('a');
    expect((await stat(file)).mtimeMs).toBe(mtimeMs);
  });
});

describe('the font that reserves space for emoji', () => {
  it('has a nearly empty glyph for each, of the same width', () => {
    const face = create(blankEmojiFont(['😀', '🚀', '🇩🇪', '👍🏽', '👩\u200d🚀'])) as Font;
    expect(face.familyName).toBe(BLANK_EMOJI);
    const widths = Array.from('😀🚀🇩🏽', (letter) => face.glyphForCodePoint(letter.codePointAt(0) ?? 0).advanceWidth);
    expect(widths).toEqual([1245, 1245, 623, 0]);
    const ids = Array.from('😀🚀', (letter) => face.glyphForCodePoint(letter.codePointAt(0) ?? 0).id);
    expect(new Set(ids).size).toBe(2);
    expect(face.glyphForCodePoint(0x1f600).path.bbox.width).toBe(1);
  });
});
