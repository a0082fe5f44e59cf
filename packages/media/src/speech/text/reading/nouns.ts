import type { Language } from '../language.js';
import { endsIn, isListed } from '../word-list.js';
import type { Figures } from './numbers.js';

function agrees(value: number, kinds: string): boolean {
  return kinds.split(' ').some((kind) => {
    if (kind === '*000') return value >= 1000 && value < 1e6 && value % 1000 < 200;
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
