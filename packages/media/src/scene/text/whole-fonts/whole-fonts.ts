import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { FAMILY_ALIASES } from '@figurehead/contract/document/fonts';
import {
  HAN_FAMILIES,
  METRIC_FAMILIES,
  SCRIPT_FAMILIES,
  type ShippedFamily,
  STAND_IN,
  SYMBOLS,
  TEXT_FAMILIES,
} from '../font-catalogue.js';
import { covers, readSlices, type Slice } from '../font-slices.js';
import { type FaceName, mergeFaces } from './merged-font.js';

/** Describes the text to be drawn. */
interface WholeFontsRequest {
  /** Names of families as documents write them. */
  readonly families: Iterable<string>;
  /** Code points. */
  readonly codes: ReadonlySet<number>;
  /** Languages of the text (BCP 47), which decide between Han variants. */
  readonly languages: Iterable<string>;
  /** Cache of faces; several processes may share it. */
  readonly cacheFolder: string;
}

/** Fonts for a program that reads TrueType files. */
interface WholeFonts {
  /** One file per face. */
  readonly files: readonly string[];
  /** Fallback families in order of preference. */
  readonly families: readonly string[];
}

/** Family for names without a replacement: the metrics that office programs assume. */
export const OFFICE_DEFAULT = 'Arimo';

/**
 * The complete shipped families for this text. The packages split them by script and compress them with a weight axis,
 * which only browsers read. A Latin face takes 0.1 s to make and a Han one 2 s, once.
 */
export async function wholeFonts(request: WholeFontsRequest): Promise<WholeFonts> {
  const require = createRequire(import.meta.url);
  await mkdir(request.cacheFolder, { recursive: true });
  const slicesOf = (entry: ShippedFamily): Slice[] => readSlices(entry, require);
  const needed = [...namedFamilies(request.families), ...scriptFamilies(request, slicesOf)];
  const files: string[] = [];
  for (const entry of new Set(needed)) {
    for (const face of facesOf(entry)) files.push(await cachedFace(face, { entry, slicesOf, request }));
  }
  return { files, families: [...new Set(needed)].map(({ family }) => family) };
}

function namedFamilies(names: Iterable<string>): ShippedFamily[] {
  const known = [...TEXT_FAMILIES, ...METRIC_FAMILIES];
  const wanted = new Set(
    [OFFICE_DEFAULT, ...names].map((name) => (FAMILY_ALIASES[name.toLowerCase()] ?? name).toLowerCase()),
  );
  return known.filter(({ family }) => wanted.has(family.toLowerCase()));
}

function scriptFamilies(request: WholeFontsRequest, slicesOf: (entry: ShippedFamily) => Slice[]): ShippedFamily[] {
  const { codes } = request;
  // Latin letters and the punctuation among them are in every family.
  const foreign = [...codes].filter((code) => code > 0x24f && !(code >= 0x2010 && code <= 0x203a));
  if (foreign.length === 0) return [];
  // Only a script's own slice: the others contain Latin letters, and marks that many scripts share.
  const serves = (entry: ShippedFamily): boolean =>
    slicesOf(entry).some((slice) => isOwnScript(slice, entry) && foreign.some((code) => covers(slice, code)));
  const east = new Set(
    foreign.filter((code) => (code >= 0x2e80 && code < 0x1f000) || (code >= 0x1100 && code < 0x1200)),
  );
  const han = hanOrder(request).flatMap((key) => {
    const entry = HAN_FAMILIES[key];
    const served = [...east].filter((code) => slicesOf(entry).some((slice) => covers(slice, code)));
    for (const code of served) east.delete(code);
    return served.length === 0 ? [] : [entry];
  });
  return [
    STAND_IN,
    ...SCRIPT_FAMILIES.filter(serves),
    ...(foreign.some((code) => code >= 0x2000 && code < 0x2e80) ? [SYMBOLS] : []),
    ...han,
  ];
}

/** The language's own family first; the others for letters that it lacks. */
function hanOrder({ codes, languages }: WholeFontsRequest): ('zh' | 'ja' | 'ko')[] {
  const has = (script: RegExp): boolean => [...codes].some((code) => script.test(String.fromCodePoint(code)));
  const tags = [...languages].map((tag) => tag.slice(0, 2).toLowerCase());
  const isJapanese = has(/[\p{Script=Hiragana}\p{Script=Katakana}]/u) || (tags.includes('ja') && !tags.includes('zh'));
  if (isJapanese) return ['ja', 'ko', 'zh'];
  return has(/\p{Script=Hangul}/u) ? ['ko', 'zh', 'ja'] : ['zh', 'ja', 'ko'];
}

function facesOf({ family, italic = false, weights }: ShippedFamily): FaceName[] {
  const bolds = weights !== undefined && !weights.includes(700) ? [false] : [false, true];
  return bolds.flatMap((bold) => (italic ? [false, true] : [false]).map((slope) => ({ family, bold, italic: slope })));
}

interface Making {
  readonly entry: ShippedFamily;
  readonly slicesOf: (entry: ShippedFamily) => Slice[];
  readonly request: WholeFontsRequest;
}

async function cachedFace(face: FaceName, { entry, slicesOf, request }: Making): Promise<string> {
  const require = createRequire(import.meta.url);
  const manifest: unknown = JSON.parse(await readFile(require.resolve(`${entry.package}/package.json`), 'utf8'));
  const version = (manifest as { version?: unknown }).version;
  const style = `${face.bold ? 'bold' : 'regular'}${face.italic ? '-italic' : ''}`;
  const file = join(request.cacheFolder, `${entry.slug}-${String(version)}-${style}.ttf`);
  if ((await stat(file).catch(() => undefined)) !== undefined) return file;
  const font = await makeFace(face, entry, slicesOf(entry));
  // Written to a temporary file and renamed: another process may be writing the same face.
  const part = `${file}.${process.pid}.part`;
  try {
    await writeFile(part, font);
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
  return file;
}

function isOwnScript({ alias }: Slice, { slug }: ShippedFamily): boolean {
  return alias.endsWith(` ${slug.slice(slug.lastIndexOf('-') + 1)}`);
}

const JOINING = / (arabic|bengali|devanagari|hebrew|tamil|thai)$/;

async function makeFace(face: FaceName, entry: ShippedFamily, slices: readonly Slice[]): Promise<Buffer> {
  const ending = `-${entry.weights === undefined ? 'wght' : face.bold ? 700 : 400}-${face.italic ? 'italic' : 'normal'}.woff2`;
  const isFirst = (slice: Slice): boolean =>
    slices.some((one) => isOwnScript(one, entry)) ? isOwnScript(slice, entry) : slice.alias.endsWith(' latin');
  // Scripts with joining letters need the rules of their own slice; separate families draw them.
  const usable = slices.filter((slice) => isFirst(slice) || !JOINING.test(slice.alias));
  const sorted = usable.sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
  const parts: Buffer[] = [];
  for (const slice of sorted) {
    const source = slice.files.find((name) => name.endsWith(ending));
    if (source === undefined) throw new Error(`expected a file ending in ${ending} in ${entry.package}, found none`);
    const axes = entry.weights === undefined ? { variationAxes: { wght: face.bold ? 700 : 400 } } : {};
    // Loaded here, because no video needs it.
    const { default: subsetFont } = await import('subset-font');
    parts.push(await subsetFont(await readFile(source), lettersOf(slice), { targetFormat: 'truetype', ...axes }));
  }
  return mergeFaces(parts, face);
}

function lettersOf({ ranges }: Slice): string {
  const codes = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
  // Single surrogates are not characters.
  return codes
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .join('');
}
