/** A family from an npm package, split by script into files that are loaded when a text needs them. */
export interface ShippedFamily {
  readonly family: string;
  readonly package: string;
  /** Prefix of the file names. */
  readonly slug: string;
  /** Weights with separate files; absent: one variable file. */
  readonly weights?: readonly number[];
  readonly italic?: boolean;
}

function variable(family: string, italic = false): ShippedFamily {
  const slug = family.toLowerCase().replaceAll(' ', '-');
  return { family, package: `@fontsource-variable/${slug}`, slug, italic };
}

function fixed(family: string, weights: readonly number[], italic = false): ShippedFamily {
  const slug = family.toLowerCase().replaceAll(' ', '-');
  return { family, package: `@fontsource/${slug}`, slug, weights, italic };
}

/** Families that documents can choose; Latin and mostly Greek and Cyrillic. */
export const TEXT_FAMILIES: readonly ShippedFamily[] = [
  variable('Inter', true),
  variable('Roboto', true),
  variable('Open Sans', true),
  fixed('Lato', [300, 400, 700, 900], true),
  variable('Montserrat', true),
  variable('Playfair Display', true),
  variable('Noto Sans', true),
  variable('Noto Serif', true),
  variable('Roboto Mono', true),
  variable('Arimo', true),
  fixed('Tinos', [400, 700], true),
];

/** Metric-compatible with fonts that office programs assume, so that lines break as their authors saw them. */
export const METRIC_FAMILIES: readonly ShippedFamily[] = [
  fixed('Carlito', [400, 700], true),
  fixed('Caladea', [400, 700], true),
  fixed('Gelasio', [400, 700], true),
  fixed('Cousine', [400, 700], true),
];

/** Fallback for letters that the chosen family lacks although its package lists them: the broadest family. */
export const STAND_IN: ShippedFamily = variable('Noto Sans', true);

/** Families for one script each. */
export const SCRIPT_FAMILIES: readonly ShippedFamily[] = [
  variable('Noto Sans Arabic'),
  variable('Noto Sans Hebrew'),
  variable('Noto Sans Devanagari'),
  variable('Noto Sans Bengali'),
  variable('Noto Sans Tamil'),
  variable('Noto Sans Thai'),
];

/** Han characters differ by language; the language of the text decides which family comes first. */
export const HAN_FAMILIES: Readonly<Record<'zh' | 'ja' | 'ko', ShippedFamily>> = {
  zh: variable('Noto Sans SC'),
  ja: variable('Noto Sans JP'),
  ko: variable('Noto Sans KR'),
};

/** Arrows, ticks, mathematics, braille. */
export const SYMBOLS: ShippedFamily = fixed('Noto Sans Symbols 2', [400]);

/** Colour emoji (Noto, COLRv1); its style sheet lists the contents of each file. */
export const EMOJI_PACKAGE = '@infolektuell/noto-color-emoji';
