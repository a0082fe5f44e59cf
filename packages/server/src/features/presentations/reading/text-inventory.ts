import type { Archive } from './archive.js';
import { decodeMarkup } from './xml.js';

/** Requirements for setting a deck's text: the fonts that it names, and its characters. */
export interface TextInventory {
  /** Names of families, also of scripts and layouts that the pages may not use. */
  readonly families: ReadonlySet<string>;
  /** Names of families that the pages' own text uses. */
  readonly shown: ReadonlySet<string>;
  /** Every character on the pages. */
  readonly codes: ReadonlySet<number>;
  /** Language tags of the text (BCP 47). */
  readonly languages: ReadonlySet<string>;
  /** Every emoji on the pages, as a whole sequence. */
  readonly emoji: ReadonlySet<string>;
}

/** Parts with text that is not on the pages. */
const UNSHOWN = /^(docProps|META-INF)\/|notesSlide|notesMaster|handoutMaster|commentAuthors|\/comments\/|^meta\.xml$/;

/** Font names in PowerPoint's and OpenDocument's markup. */
const FAMILIES = [
  /<a:(?:latin|ea|cs|sym|buFont)\s[^<>]*?typeface="([^"]*)"/g,
  /(?:font-family|font-name)(?:-asian|-complex)?="([^"]*)"/g,
];
/** The parts of the pages themselves with the fonts of their theme, and the names of Latin fonts there. */
const PAGES = /^ppt\/(slides|theme)\/[^/]+\.xml$|^content\.xml$/;
/** Those of the theme begin with a plus. LibreOffice numbers what it has twice. */
const LATIN = [
  /<a:latin\s[^<>]*?typeface="([^"+][^"]*)"/g,
  /<style:text-properties\s[^<>]*?font-name="([^"]*?)\d{0,3}"/g,
];
const LANGUAGE = [/\s(?:lang|altLang|fo:language|style:language-asian)="([A-Za-z]{2,3}[^"]{0,20})"/g];
/** Characters in attributes: list bullets. */
const MARK = [/(?:bullet-char|\schar)="([^"]*)"/g];

/** Sequences that are shown in colour (Unicode Technical Standard 51): of emoji presentation, or asked to be by U+FE0F. */
// biome-ignore lint/complexity/useRegexLiterals: the compiler takes the flag `v` in literals from ES2024 on only.
const EMOJI = new RegExp('\\p{RGI_Emoji}|\\p{Emoji_Presentation}\\p{Emoji_Modifier}?', 'gv');

/**
 * Searches all markup, including charts and diagrams, without interpreting it. A superfluous name or letter only costs
 * a font file.
 */
export async function readTextInventory(archive: Archive): Promise<TextInventory> {
  const names = { families: new Set<string>(), shown: new Set<string>(), languages: new Set<string>() };
  const [codes, emoji] = [new Set<number>(), new Set<string>()];
  for (const name of archive.names.filter((one) => one.endsWith('.xml') && !UNSHOWN.test(one))) {
    const markup = decodeMarkup((await archive.read(name)) ?? Buffer.alloc(0));
    const all = (patterns: readonly RegExp[]): string[] =>
      patterns.flatMap((pattern) => Array.from(markup.matchAll(pattern), ([, found = '']) => plain(found)));
    for (const family of all(FAMILIES)) names.families.add(family);
    for (const family of PAGES.test(name) ? all(LATIN) : []) if (family !== '') names.shown.add(family);
    for (const language of all(LANGUAGE)) names.languages.add(language);
    const text = [plain(markup.replace(/<[^<>]*>/g, '\n')), ...all(MARK)].join('\n');
    for (const letter of text) codes.add(letter.codePointAt(0) ?? 0);
    // Keycaps start with a digit, which the text's own font draws.
    for (const [sequence] of text.matchAll(EMOJI)) if (sequence > '\x7f') emoji.add(sequence);
  }
  return { ...names, codes, emoji };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** Decodes XML escapes. */
function plain(markup: string): string {
  return markup
    .replace(/&#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}));/g, (whole, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '');
}
