import { createRequire } from 'node:module';

/** A rule of CLDR's rule-based number format: the numbers from `base` on and their words (UTS 35, part 3, clause 7). */
interface Rule {
  readonly base: number;
  readonly divisor: number;
  readonly body: string;
}

/** A whole number in words by the first named rule set (`ordinal`) that the language has; in figures when it has none of them. */
export type SpellOut = (value: number, ...ruleSets: readonly string[]) => string;

/** The rules of a language (`de`), read from CLDR's data; `undefined` for languages without them. */
export function createSpellOut(language: string): SpellOut | undefined {
  const sets = readRules(language);
  if (sets === undefined) return undefined;
  const plurals = new Intl.PluralRules(language);
  const format = (value: number, name: string): string => {
    const rules = sets.get(name);
    if (rules === undefined || !Number.isSafeInteger(value)) return String(value);
    const rule = ruleFor(rules, value);
    if (rule === undefined) return String(value);
    const fill = (body: string): string =>
      body
        .replace(/\$\(cardinal,([^()$]{0,200})\)\$/gu, (_, forms: string) =>
          pluralForm(forms, plurals.select(Math.floor(value / rule.divisor))),
        )
        .replace(/([→←=])([^→←=]{0,60})\1/gu, (_, arrow: string, target: string) => {
          if (target.startsWith('#') || target.startsWith('0')) return String(value);
          const part = { '→': value % rule.divisor, '←': Math.floor(value / rule.divisor) }[arrow] ?? value;
          return format(part, target === '' ? name : target);
        });
    // Brackets contain the words for numbers with a remainder and, after `|`, for those without.
    const isEven = value % rule.divisor === 0;
    return fill(rule.body.replace(/\[([^[\]|]{0,120})(?:\|([^[\]|]{0,120}))?\]/gu, isEven ? '$2' : '$1'));
  };
  return (value, ...ruleSets) => {
    const name = ruleSets.map((set) => `%spellout-${set}`).find((set) => sets.has(set));
    if (name === undefined) return String(value);
    // Soft hyphens separate the parts of long German words; the other is a slip in CLDR's Polish.
    return format(value, name)
      .replaceAll('\u00ad', '')
      .replaceAll('dziewiętdziesiąt', 'dziewięćdziesiąt')
      .replace(/\s{2,9}/gu, ' ')
      .trim();
  };
}

/** Numbers with names of large ones that CLDR does not have, from the largest: `twelve lakh thirty-four thousand`. Ordinals keep their own words. */
export function withLarge(spellOut: SpellOut, large: Readonly<Record<string, string>>): SpellOut {
  const names = Object.entries(large).map(([size, name]) => [Number(size), name] as const);
  const spell: SpellOut = (value, ...ruleSets) => {
    const [size, name] = names.findLast(([each]) => value >= each) ?? [0, ''];
    if (size === 0 || !ruleSets.some((set) => /^(?:cardinal|numbering$)/u.test(set)))
      return spellOut(value, ...ruleSets);
    const rest = value % size;
    return `${spell(Math.floor(value / size), ...ruleSets)} ${name}${rest === 0 ? '' : ` ${spell(rest, ...ruleSets)}`}`;
  };
  return spell;
}

function ruleFor(rules: readonly Rule[], value: number): Rule | undefined {
  const index = rules.findLastIndex(({ base }) => base <= value);
  const rule = rules[index];
  if (rule === undefined) return undefined;
  // The rollback rule: a rule for both parts whose base is not a multiple of its divisor (`1010/100`) leaves round numbers to the rule before it.
  const hasBoth = rule.body.includes('←') && rule.body.replace(/\[[^[\]]{0,120}\]/gu, '').includes('→');
  return hasBoth && rule.base % rule.divisor !== 0 && value % rule.divisor === 0 ? rules[index - 1] : rule;
}

function pluralForm(forms: string, category: string): string {
  const all: Readonly<Record<string, string>> = Object.fromEntries(forms.split('}').map((form) => form.split('{')));
  return all[category] ?? all.other ?? '';
}

/** The data of a file that only some languages have; `undefined` for the others. */
export function optionalJson(path: string): unknown {
  try {
    return createRequire(import.meta.url)(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function readRules(language: string): ReadonlyMap<string, readonly Rule[]> | undefined {
  const data = optionalJson(`cldr-rbnf/rbnf/${language}.json`);
  if (data === undefined) return undefined;
  const { SpelloutRules } = (data as { rbnf: { rbnf: { SpelloutRules?: Record<string, unknown> } } }).rbnf.rbnf;
  const sets = Object.entries(SpelloutRules ?? {}).filter((entry): entry is [string, [string, string][]] =>
    Array.isArray(entry[1]),
  );
  return new Map(sets.map(([name, rules]) => [name, rules.flatMap(([key, body]) => readRule(key, body))]));
}

/** Skips rules for signs, fractions and infinity, because only non-negative whole numbers are spelt out. */
function readRule(key: string, body: string): Rule[] {
  const [, base, radix = '10'] = /^(\d{1,18})(?:\/(\d{1,6}))?$/u.exec(key) ?? [];
  if (base === undefined) return [];
  const from = Number(base);
  let divisor = 1;
  while (from >= divisor * Number(radix)) divisor *= Number(radix);
  return [{ base: from, divisor, body: body.replace(/;$/u, '').replace(/^'/u, '') }];
}
