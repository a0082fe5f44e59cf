import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { prepareSentences } from '../prepare.js';

/** Reading accuracy of a language. */
export interface ReadingAccuracy {
  readonly language: string;
  readonly right: number;
  readonly pairs: number;
  /** By class of text (`abbreviation`). */
  readonly classes: ReadonlyMap<string, { readonly right: number; readonly pairs: number }>;
  /** Errors: class, written text, expected words, spoken words. */
  readonly wrong: readonly (readonly [kind: string, written: string, expected: string, said: string])[];
}

/** Locale of a corpus, if it differs from its language code. */
const LOCALES: Readonly<Record<string, string>> = { en: 'en-US', pt: 'pt-BR' };

/**
 * Converts a corpus (`packages/media/data/reading/LANGUAGE.tsv`, or that of a folder there: `dense/`) to spoken words and compares letters and figures. Case, punctuation
 * and spaces inside compounds (`per cento`, `percento`) do not change the sound.
 */
export function readingAccuracy(corpus = ''): ReadingAccuracy[] {
  const folder = new URL(`../../../../data/reading/${corpus}`, import.meta.url);
  const files = readdirSync(fileURLToPath(folder)).filter((file) => file.endsWith('.tsv'));
  return files.sort().map((file) => accuracyOf(file.slice(0, -4), readFileSync(new URL(file, folder), 'utf8')));
}

function accuracyOf(language: string, corpus: string): ReadingAccuracy {
  const classes = new Map<string, { right: number; pairs: number }>();
  const wrong: ReadingAccuracy['wrong'][number][] = [];
  for (const line of corpus.split('\n')) {
    const [kind = '', written, ...expected] = line.split('\t');
    if (written === undefined || kind.startsWith('#')) continue;
    const said = readAloud(written, LOCALES[language] ?? `${language}-${language.toUpperCase()}`);
    const counts = classes.get(kind) ?? { right: 0, pairs: 0 };
    classes.set(kind, counts);
    counts.pairs++;
    if (expected.some((words) => lettersOf(words) === lettersOf(said))) counts.right++;
    else wrong.push([kind, written, expected[0] ?? '', said]);
  }
  const pairs = [...classes.values()].reduce((sum, counts) => sum + counts.pairs, 0);
  return { language, pairs, right: pairs - wrong.length, classes, wrong };
}

/** An engine's input for a text, in one line. */
function readAloud(text: string, locale: string): string {
  const tokens = [...prepareSentences(text, locale, {})].flatMap((sentence) => sentence.tokens);
  return tokens.map(({ spoken }) => spoken).join(' ');
}

function lettersOf(words: string): string {
  return words
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}
