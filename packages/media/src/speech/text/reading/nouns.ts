import type { Language } from '../language.js';
import { isListed } from '../place.js';
import type { Figures } from './numbers.js';
import { endsIn } from './phrases.js';

/** How a language's figures take the gender of the noun after them: endings, and frequently counted nouns that do not follow them. */
export interface NounRules {
  /** The values whose words differ by gender: a number, or the last figures of all (`*1`, but not 11; `*00` for hundreds). */
  readonly agrees: string;
  /** True if nouns have a capital; in other languages a capital is more often a name. */
  readonly capital?: true;
  readonly feminine: string;
  readonly isFeminine: string;
  readonly masculine?: string;
  readonly isMasculine: string;
  readonly neuter?: string;
  /** Words with such an ending that are not nouns. */
  readonly others: string;
}

function agrees(value: number, kinds: string): boolean {
  return kinds.split(' ').some((kind) => {
    if (kind === '*00') return value % 1000 >= 200;
    const last = Number(kind.replace('*', ''));
    return kind.startsWith('*') ? value % 10 === last && value % 100 !== 10 + last : value === last;
  });
}

/** Gender that figures take from the noun after them; `undefined` when there is none or it makes no difference. */
export function genderOfNext(text: string, { value, fraction }: Figures, { nouns }: Language): string | undefined {
  if (nouns === undefined || fraction !== '' || !agrees(value, nouns.agrees)) return undefined;
  const [, noun = ''] = /^[\s\u00a0\u202f](\p{L}{3,30})(?![\p{L}\d])/u.exec(text) ?? [];
  const isNoun = /^\p{Lu}/u.test(noun) === (nouns.capital === true);
  if (noun === '' || !isNoun || isListed(nouns.others, noun)) return undefined;
  if (isListed(nouns.isMasculine, noun)) return 'masculine';
  if (isListed(nouns.isFeminine, noun) || endsIn(noun, nouns.feminine)) return 'feminine';
  if (endsIn(noun, nouns.neuter)) return 'neuter';
  return endsIn(noun, nouns.masculine) ? 'masculine' : undefined;
}
