import type { Language } from '../language.js';
import { endsIn, isListed } from '../word-list.js';
import type { Case } from './grammar.js';

/** The form of the first case whose conditions hold. */
export function formIn(cases: readonly Case[], before: string | undefined, noun = ''): string {
  const isAlone = before === undefined || /[.,:;(]$/u.test(before);
  const found = cases.find(
    (each) =>
      (each.alone === undefined || isAlone) &&
      (each.before === undefined || isListed(each.before, before)) &&
      (each.noun === undefined || endsIn(noun, each.noun)),
  );
  return found?.form ?? 'numbering';
}

const SLOT = /\{(\p{L}{1,10})(?::([^{}|]{0,80}))?(?:\|([^{}]{0,300}))?\}/gu;

/**
 * The words of a phrase of a grammar. A slot has the name of a value, the rule sets of CLDR for a number, of which the first that exists is
 * used, and endings in the place of others, of which the first that fits is used: `{n}`, `{n:ordinal-feminine}`, `{n:ordinal|te>tel >s}`.
 */
export function fill(phrase: string, values: Readonly<Record<string, number | string>>, language: Language): string {
  return phrase.replace(SLOT, (_, name: string, forms = '', endings?: string) => {
    const value = values[name] ?? '';
    const word = typeof value === 'string' ? value : language.spellOut(value, ...forms.split(' '), 'numbering');
    const changes = endings?.split(' ').map((change) => change.split('>')) ?? [];
    const [from, to] = changes.find(([ending = '']) => word.endsWith(ending)) ?? [];
    return from === undefined ? word : word.slice(0, word.length - from.length) + (to ?? '');
  });
}
