import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { FAMILY_ALIASES } from '@figurehead/contract/document/fonts';
import { type CanvasLibrary, loadCanvas } from '../objects/canvas.js';
import {
  EMOJI_PACKAGE,
  HAN_FAMILIES,
  METRIC_FAMILIES,
  SCRIPT_FAMILIES,
  type ShippedFamily,
  STAND_IN,
  SYMBOLS,
  TEXT_FAMILIES,
} from './font-catalogue.js';
import { covers, parseRanges, readSlices, type Slice } from './font-slices.js';
import { lastResortFont } from './last-resort-font.js';

/** A font file uploaded by the user; several files (weights, italics) may share a family. */
export interface CustomFont {
  /** Name that documents use. */
  readonly family: string;
  /** TTF, OTF, WOFF or WOFF2. */
  readonly file: string;
}

/** Fonts for drawing. Only shipped and uploaded fonts are used, never the machine's. */
export interface Fonts {
  /**
   * The CSS font-family list that draws `text`, files loaded: the requested family, then fallbacks for missing scripts,
   * then the last resort. `language` (BCP 47 or English name) decides between Han variants. Throws {@link FontError} for
   * a custom font that cannot be drawn.
   */
  familiesFor(family: string, text: string, language: string | null): string;
  /** True when `family` is shipped, uploaded or a known alias; otherwise Inter is used. */
  has(family: string): boolean;
  /** Changes whenever a custom font's bytes change; part of content hashes. */
  readonly fingerprint: string;
}

/** A custom font was refused. */
export class FontError extends Error {
  override readonly name = 'FontError';
}

/** Names of the families that documents can use without uploading a font. */
export function shippedFamilies(): string[] {
  return TEXT_FAMILIES.map((entry) => entry.family);
}

/**
 * Opens the fonts. Custom fonts are registered when a text first uses their family, so that a damaged one fails only
 * what uses it. Throws {@link FontError} for a custom font whose file cannot be read.
 */
export async function openFonts(custom: readonly CustomFont[] = []): Promise<Fonts> {
  const { GlobalFonts } = await loadCanvas();
  const require = createRequire(import.meta.url);
  // The library's registry is global, so names contain their origin and are registered once.
  const register = (alias: string, files: readonly string[]): void => {
    if (GlobalFonts.has(alias)) return;
    for (const file of files) {
      if (GlobalFonts.register(readFileSync(file), alias) === null)
        throw new FontError(`the font ${file} cannot be read`);
    }
  };
  let emojiSlices: readonly Slice[] | null = null;
  const slices = new Map<string, readonly Slice[]>();
  const slicesOf = (entry: ShippedFamily): readonly Slice[] => {
    const known = slices.get(entry.family) ?? readSlices(entry, require);
    slices.set(entry.family, known);
    return known;
  };
  const lastResort = 'fh last resort';
  if (!GlobalFonts.has(lastResort)) GlobalFonts.register(lastResortFont(), lastResort);
  const own = await readCustom(custom);
  const lists = new Map<string, string>();

  const load = (entry: ShippedFamily, codes: ReadonlySet<number>, covered?: Set<number>): string[] => {
    const used = slicesOf(entry).filter((slice) => {
      const hits = [...codes].filter((code) => covers(slice, code) && !covered?.has(code));
      for (const code of hits) covered?.add(code);
      return hits.length > 0;
    });
    for (const slice of used) register(slice.alias, slice.files);
    return used.map((slice) => slice.alias);
  };

  /** Pictographs in `text`, and whether colour glyphs are preferred over plain symbols. */
  const emojiIn = (text: string, codes: ReadonlySet<number>): { aliases: string[]; first: boolean } => {
    const first = /\p{Emoji_Presentation}|\uFE0F|\u20E3/u.test(text);
    if (!first && !/(?![©®™])\p{Extended_Pictographic}/u.test(text)) return { aliases: [], first };
    const pictographs = new Set([...codes].filter((code) => code > 0x7f && code !== 0x200d && code !== 0xfe0f));
    emojiSlices ??= readEmojiSlices(require);
    const used = emojiSlices.filter((slice) => [...pictographs].some((code) => covers(slice, code)));
    for (const slice of used) register(slice.alias, slice.files);
    return { aliases: used.map((slice) => slice.alias), first };
  };

  const familiesFor = (family: string, text: string, language: string | null): string => {
    const codes = new Set(Array.from(text, (letter) => letter.codePointAt(0) ?? 0));
    // A space is always included: an empty text still needs a font to be measured.
    codes.add(32);
    const name = plainName(family);
    const cacheKey = `${name}\n${language}\n${text}`;
    const cached = lists.get(cacheKey);
    if (cached !== undefined) return cached;
    const custom = own.get(name);
    if (custom !== undefined) registerCustom(custom, GlobalFonts);
    const foreign = new Set([...codes].filter((code) => code > 0x7f));
    const emoji = emojiIn(text, codes);
    const covered = new Set<number>();
    const symbols = load(SYMBOLS, new Set([...foreign].filter((code) => code >= 0x2000)));
    const list = [
      ...(custom === undefined ? [] : [custom.alias]),
      ...load(familyOf(name), codes),
      ...(emoji.first ? emoji.aliases : []),
      ...load(STAND_IN, foreign, covered),
      ...SCRIPT_FAMILIES.flatMap((entry) => load(entry, foreign, covered)),
      ...symbols,
      ...loadHan(foreign, language, load),
      ...(emoji.first ? [] : emoji.aliases),
      lastResort,
    ];
    const value = [...new Set(list)].map((alias) => `"${alias}"`).join(', ');
    // Long texts are not repeated, so they are not cached.
    if (text.length < 200 && lists.size < 5000) lists.set(cacheKey, value);
    return value;
  };
  const has = (family: string): boolean => {
    const name = plainName(family);
    return own.has(name) || name in FAMILY_ALIASES || shippedNamed(name) !== undefined;
  };
  return {
    familiesFor,
    has,
    fingerprint: [...own.values()]
      .map(({ alias }) => alias)
      .sort()
      .join(' '),
  };
}

/** The shipped family for this lower-case name; Inter when there is none. */
export function familyOf(name: string): ShippedFamily {
  const found = shippedNamed((FAMILY_ALIASES[name] ?? name).toLowerCase()) ?? TEXT_FAMILIES[0];
  if (found === undefined) throw new FontError('no font is shipped');
  return found;
}

/** A family's name as CSS writes it, without quotes, in lower case. */
function plainName(family: string): string {
  return family
    .trim()
    .replace(/^["']|["']$/g, '')
    .toLowerCase();
}

function shippedNamed(name: string): ShippedFamily | undefined {
  return [...TEXT_FAMILIES, ...METRIC_FAMILIES].find((entry) => entry.family.toLowerCase() === name);
}

function loadHan(
  codes: ReadonlySet<number>,
  language: string | null,
  load: (entry: ShippedFamily, codes: ReadonlySet<number>, covered?: Set<number>) => string[],
): string[] {
  // Below U+2100 are alphabets and punctuation, which every text family has. Arrows and other symbols are often only in
  // these families.
  const codesAbove = [...codes].filter((code) => code >= 0x2100 || (code >= 0x1100 && code < 0x1200));
  if (codesAbove.length === 0) return [];
  const hangul = new Set(codesAbove.filter((code) => /\p{Script=Hangul}/u.test(String.fromCodePoint(code))));
  const kana = new Set(codesAbove.filter((code) => code >= 0x3040 && code < 0x3100));
  const rest = new Set(codesAbove.filter((code) => !hangul.has(code) && !kana.has(code)));
  const tag = (language ?? '').toLowerCase();
  const isJapanese = /^(ja|japanese)/.test(tag) || (kana.size > 0 && !/^(zh|chinese|ko)/.test(tag));
  const isKorean = /^(ko|korean)/.test(tag) || (hangul.size > 0 && !/^(zh|chinese|ja)/.test(tag));
  const first = isJapanese ? 'ja' : isKorean ? 'ko' : 'zh';
  const order = [first, ...(['zh', 'ja', 'ko'] as const).filter((key) => key !== first)] as const;
  // Once a family covers a character, the others with their hundreds of files are not loaded for it.
  const covered = new Set<number>();
  const han = order.flatMap((key) => load(HAN_FAMILIES[key], rest, covered));
  return [...load(HAN_FAMILIES.ja, kana), ...load(HAN_FAMILIES.ko, hangul), ...han];
}

function readEmojiSlices(require: NodeJS.Require): Slice[] {
  const css = readFileSync(require.resolve(`${EMOJI_PACKAGE}/index.css`), 'utf8');
  return css.split('}').flatMap((face) => {
    const [, file, number] = /url\(\.\/(files\/(\d+)\.woff2)\)/.exec(face) ?? [];
    const [, ranges] = /unicode-range:([^;]+)/.exec(face) ?? [];
    if (file === undefined || ranges === undefined) return [];
    const files = [require.resolve(`${EMOJI_PACKAGE}/${file}`)];
    return [{ alias: `fh emoji ${number}`, files, ranges: parseRanges(ranges) }];
  });
}

/** The files of a custom family, and the name under which they are registered. */
interface CustomFamily {
  readonly name: string;
  readonly alias: string;
  readonly files: readonly Buffer[];
}

async function readCustom(custom: readonly CustomFont[]): Promise<Map<string, CustomFamily>> {
  const files = new Map<string, Buffer[]>();
  for (const font of custom) {
    const bytes = await readFile(font.file).catch((cause: unknown) => {
      throw new FontError(`the font file of ${font.family} cannot be read`, { cause });
    });
    const name = font.family.trim().toLowerCase();
    files.set(name, [...(files.get(name) ?? []), bytes]);
  }
  const families = new Map<string, CustomFamily>();
  for (const [name, list] of files) {
    const hash = createHash('sha256');
    for (const bytes of list) hash.update(createHash('sha256').update(bytes).digest());
    families.set(name, { name, alias: `fh custom ${hash.digest('hex').slice(0, 16)}`, files: list });
  }
  return families;
}

/** Registers all files of a family or, when one of them cannot be drawn, none. */
function registerCustom({ name, alias, files }: CustomFamily, registry: CanvasLibrary['GlobalFonts']): void {
  if (registry.has(alias)) return;
  const keys = files.map((bytes) => registry.register(bytes, alias));
  if (!keys.includes(null)) return;
  registry.removeBatch(keys.filter((key) => key !== null));
  throw new FontError(`the font ${name} is not a font that can be drawn`);
}
