import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { prepareSentences } from './prepare.js';

/** How well texts of a language are read. */
export interface ReadingAccuracy {
  readonly language: string;
  readonly right: number;
  readonly pairs: number;
  /** By class of text (`abbreviation`). */
  readonly classes: ReadonlyMap<string, { readonly right: number; readonly pairs: number }>;
  /** What is read wrongly: the class, what is written, what a person says, what is said. */
  readonly wrong: readonly (readonly [kind: string, written: string, expected: string, said: string])[];
}

/** Locales that the corpus is written for. */
const LOCALES: Readonly<Record<string, string>> = { en: 'en-US', pt: 'pt-BR' };

/**
 * Reads the corpus (`packages/media/data/reading/LANGUAGE.tsv`) aloud and compares by letters and figures: case, punctuation and
 * spaces inside compounds (`per cento`, `percento`) make no other sound.
 */
export function readingAccuracy(): ReadingAccuracy[] {
  const folder = new URL('../../../data/reading/', import.meta.url);
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

/** What an engine is given for a text, in one line. */
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
