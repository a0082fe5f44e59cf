import type { PageAccess } from './pdfium.js';

/** The font of a text in a PDF. */
export interface PdfFont {
  /** Its name without the prefix of a subset: `Arimo-Bold`. */
  readonly font: string;
  /** 100 to 900. */
  readonly weight: number;
  readonly italic: boolean;
  readonly kind: 'sans' | 'serif' | 'monospaced';
  /** Its letters are in the file. */
  readonly embedded: boolean;
}

/** Flags of a font descriptor (ISO 32000-1, table 123). */
const FLAG = { monospaced: 1, serif: 2, italic: 64, bold: 1 << 18 } as const;

/** Weights in the names of fonts; `Semi` and `Extra` come before the shorter names that they contain. */
const WEIGHTS: readonly (readonly [name: RegExp, weight: number])[] = [
  [/semi-?bold|demi/i, 600],
  [/extra-?bold|ultra-?bold|heavy|black/i, 800],
  [/bold|^cmb/i, 700],
  [/medium/i, 500],
  [/light|thin/i, 300],
];

/** Kinds in the names of fonts, which often lack the flags: those of TeX (`CMTT10`, `SFRM1000`) and of common families. */
const KINDS: readonly (readonly [name: RegExp, kind: PdfFont['kind']])[] = [
  [/mono|courier|consol|typewriter|nimbusmon|^(cm|sf|ec)\w*tt/i, 'monospaced'],
  [/sans|^(cm|sf)ss/i, 'sans'],
  [/serif|times|roman|nimbusrom|garamond|georgia|palatino|pagella|bookman|minion|century|^(cm|sfrm|lmroman)/i, 'serif'],
];

/** Reads a font; `undefined` for fonts without a name, whose letters are drawings (Type 3). */
export function readFont(page: PageAccess, font: number): PdfFont | undefined {
  const name = page.name('FPDFFont_GetBaseFontName', font).replace(/^[A-Z]{6}\+/, '');
  if (name === '') return undefined;
  const flags = Math.max(0, page.call('FPDFFont_GetFlags', font));
  const flagged = (flags & FLAG.monospaced) !== 0 ? 'monospaced' : (flags & FLAG.serif) !== 0 ? 'serif' : 'sans';
  const weight = WEIGHTS.find(([pattern]) => pattern.test(name))?.[1];
  return {
    font: name,
    weight: weight ?? ((flags & FLAG.bold) !== 0 ? 700 : 400),
    italic: (flags & FLAG.italic) !== 0 || /italic|oblique|ital$|^cm(ti|sl)/i.test(name),
    kind: KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? flagged,
    embedded: page.call('FPDFFont_GetIsEmbedded', font) === 1,
  };
}
