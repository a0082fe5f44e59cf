import { plain, type TextToken } from './reading/tokens.js';
import { splitAffixes } from './trim.js';

/** Spoken forms by written form in lower case: one word, or several with single spaces. */
type Dictionary = Readonly<Record<string, string>>;

/** The entries of a dictionary that occur in a text; the others do not affect its sound. */
export function pronunciationsIn(text: string, dictionary: Dictionary): Dictionary {
  const written = folded(text);
  return Object.fromEntries(Object.entries(dictionary).filter(([word]) => written.includes(folded(word))));
}

/** Dictionary match for some tokens of a sentence. */
interface Pronunciation {
  /** Spoken form of the first token; the others are silent. */
  readonly spoken: string;
  readonly tokens: number;
}

/**
 * Looks up the tokens of a sentence from `index` on, the longest entry first, with punctuation and an English genitive `'s`.
 * Spoken forms are plain words; markup in them is removed.
 */
export function pronounced(
  text: string,
  { tokens, index, dictionary }: { tokens: readonly TextToken[]; index: number; dictionary: Dictionary },
): Pronunciation | undefined {
  const longest = Math.max(0, ...Object.keys(dictionary).map(({ length }) => length));
  const first = tokens[index];
  if (first === undefined || longest === 0) return undefined;
  let found: Pronunciation | undefined;
  for (let last = index; last < tokens.length; last++) {
    const written = text.slice(first.start, tokens[last]?.end ?? first.end);
    const [before, word, after] = splitAffixes(written, SIGN, SIGN);
    if (folded(word).length > longest + GENITIVE_LENGTH) break;
    const spoken = lookUp(written, dictionary) ?? surrounded(before, lookUp(word, dictionary), after);
    if (spoken !== undefined) found = { spoken, tokens: last - index + 1 };
  }
  return found;
}

const GENITIVE_LENGTH = 2;
const SIGN = /[\p{P}\p{S}]/u;

function lookUp(word: string, dictionary: Dictionary): string | undefined {
  const key = folded(word);
  if (Object.hasOwn(dictionary, key)) return plain(dictionary[key] ?? '');
  const owner = key.replace(/'s$/, '');
  return owner !== key && Object.hasOwn(dictionary, owner) ? `${plain(dictionary[owner] ?? '')}'s` : undefined;
}

function surrounded(before: string, spoken: string | undefined, after: string): string | undefined {
  return spoken === undefined ? undefined : plain(`${before}${spoken}${after}`);
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('’', "'").replace(/\s+/gu, ' ');
}
