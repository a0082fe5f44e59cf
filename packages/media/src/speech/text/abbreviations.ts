/** What abbreviations stand for, by language and in lower case without their last full stop. Those that engines read well are left to them. */
const ABBREVIATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: {
    vs: 'versus',
    'e.g': 'for example',
    'i.e': 'that is',
    approx: 'approximately',
    dept: 'department',
    incl: 'including',
    'w/o': 'without',
  },
  de: {
    'z.b': 'zum Beispiel',
    'd.h': 'das heißt',
    'u.a': 'unter anderem',
    'o.ä': 'oder ähnliches',
    bzw: 'beziehungsweise',
    ca: 'zirka',
    usw: 'und so weiter',
    etc: 'et cetera',
    nr: 'Nummer',
    std: 'Stunden',
    inkl: 'inklusive',
    exkl: 'exklusive',
    zzgl: 'zuzüglich',
    mwst: 'Mehrwertsteuer',
    mio: 'Millionen',
    mrd: 'Milliarden',
    tel: 'Telefon',
    ggf: 'gegebenenfalls',
    evtl: 'eventuell',
    abb: 'Abbildung',
    vgl: 'vergleiche',
    dr: 'Doktor',
    prof: 'Professor',
  },
  fr: { m: 'monsieur', mm: 'messieurs', 'n°': 'numéro', 'p.ex': 'par exemple', env: 'environ' },
  es: { 'n.º': 'número', 'p.ej': 'por ejemplo', aprox: 'aproximadamente', ee: 'Estados', uu: 'Unidos' },
};

/** Abbreviations that are words or names without their full stop, or mean something else in small letters. */
const ONLY_AS_WRITTEN: Readonly<Record<string, RegExp>> = {
  std: /^Std\.$/,
  m: /^M\.$/,
  mm: /^MM\.$/,
  ee: /^EE\.$/,
  uu: /^UU\.?$/,
  dr: /^Dr\.$/,
  tel: /\.$/,
  ca: /\.$/,
  env: /\.$/,
  abb: /\.$/,
  dept: /\.$/,
  nr: /^Nr\.$/,
};

/** The words that an abbreviation stands for in the language (`de`); `undefined` when it is none. `word` has its full stop. */
export function expandAbbreviation(word: string, language: string): string | undefined {
  const key = word.toLowerCase().replace(/\.$/, '');
  const table = ABBREVIATIONS[language];
  if (!table || !Object.hasOwn(table, key)) return undefined;
  return (ONLY_AS_WRITTEN[key]?.test(word) ?? true) ? table[key] : undefined;
}
