import { readFile, writeFile } from 'node:fs/promises';
import type { Font } from '@figurehead/contract';
import { FontError, tryFont } from '@figurehead/media/painter';
import { create } from 'fontkit';
import wawoff2 from 'wawoff2';
import { RefusedFile } from './refused-file.js';
import { checkTables, unpackWoff } from './sfnt.js';

/** Metadata of a font. */
export interface FontFacts {
  readonly family: string;
  readonly style: string;
  /** 1 to 1000; 400 is regular. */
  readonly weight: number;
  /** Type of the written file. */
  readonly format: Font['format'];
  readonly size: number;
}

/** A method that the library has and its types lack. */
interface NameReader {
  getName(key: string, language: string): string | null;
}

/** Glyphs whose outlines are read as a trial. */
const TRIAL_GLYPHS = 200;

/**
 * Checks all of a font and writes it to `out`. WOFF is stored unpacked, other formats unchanged. Runs in a separate
 * process. Throws {@link RefusedFile}.
 */
export async function inspectFont({ file, out }: { file: string; out: string }): Promise<FontFacts> {
  const bytes = await readFile(file);
  const packing = packingOf(bytes);
  const sfnt = packing === 'woff2' ? await unpackWoff2(bytes) : packing === 'woff' ? unpackWoff(bytes) : bytes;
  checkTables(sfnt);
  const isCff = sfnt.toString('latin1', 0, 4) === 'OTTO';
  const stored = packing === 'woff' ? sfnt : bytes;
  const facts = readFacts(sfnt);
  await requireDrawable(stored);
  await writeFile(out, stored);
  return { ...facts, format: packing === 'woff2' ? 'woff2' : isCff ? 'otf' : 'ttf', size: stored.length };
}

/** Renders register all fonts with another library than the one that reads their metadata. */
async function requireDrawable(bytes: Buffer): Promise<void> {
  try {
    await tryFont(bytes);
  } catch (cause) {
    if (!(cause instanceof FontError)) throw cause;
    throw new RefusedFile(`the font is damaged: ${cause.message}`, { cause });
  }
}

function packingOf(bytes: Buffer): 'sfnt' | 'woff' | 'woff2' {
  if (bytes.length === 0) throw new RefusedFile('the file is empty');
  switch (bytes.toString('latin1', 0, 4)) {
    case '\0\x01\0\0':
    case 'true':
    case 'OTTO':
      return 'sfnt';
    case 'wOFF':
      return 'woff';
    case 'wOF2':
      return 'woff2';
    case 'ttcf':
      throw new RefusedFile('the file is a collection of fonts; upload its fonts one by one');
    default:
      throw new RefusedFile('expected a .ttf, .otf, .woff or .woff2 file, got another type');
  }
}

async function unpackWoff2(bytes: Buffer): Promise<Buffer> {
  try {
    return Buffer.from(await wawoff2.decompress(bytes));
  } catch (cause) {
    throw new RefusedFile('the font is damaged: it cannot be unpacked', { cause });
  }
}

function readFacts(sfnt: Buffer): Pick<FontFacts, 'family' | 'style' | 'weight'> {
  try {
    const font = create(sfnt);
    if (!('layout' in font)) throw new RefusedFile('the file is a collection of fonts; upload its fonts one by one');
    // Names 16 and 17 group all weights under one family; 1 and 2 distinguish only four styles.
    const { getName } = font as unknown as NameReader;
    const family = clean(getName.call(font, 'preferredFamily', 'en') ?? font.familyName);
    if (family === '') throw new RefusedFile('the font has no family name');
    const style = clean(getName.call(font, 'preferredSubfamily', 'en') ?? font.subfamilyName) || 'Regular';
    const weight = Number(font['OS/2']?.usWeightClass ?? 400);
    const glyphs = Math.min(font.numGlyphs, TRIAL_GLYPHS);
    for (let index = 0; index < glyphs; index++) void font.getGlyph(index).path.commands.length;
    return { family, style, weight: Number.isInteger(weight) && weight >= 1 && weight <= 1000 ? weight : 400 };
  } catch (cause) {
    if (cause instanceof RefusedFile) throw cause;
    throw new RefusedFile('the font is damaged: it cannot be read', { cause });
  }
}

/** Names end up in a database and in style lists. */
function clean(name: unknown): string {
  return typeof name === 'string'
    ? name
        .replace(/[\p{Cc}\p{Cs}"'\\;,{}]/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, 200)
    : '';
}
