import { segmentsOf } from '@figurehead/contract/document/segments';

/** A sentence and its content words. */
export interface SourceSentence {
  readonly text: string;
  /** Distinct words in lower case. */
  readonly terms: ReadonlySet<string>;
}

/** Longer sentences are usually lists or tables that lost their line breaks. */
const MAX_SENTENCE = 600;
/** Longer texts are cut, because choosing compares every sentence with every chosen one. */
const MAX_SENTENCES = 4000;

/**
 * Splits a text into at most `most` sentences, in any language that ICU supports. Line breaks end a sentence, so that
 * list items stay separate.
 */
export function splitSentences(text: string, locale: string, most = MAX_SENTENCES): SourceSentence[] {
  const words = new Intl.Segmenter(locale, { granularity: 'word' });
  const sentences: SourceSentence[] = [];
  for (const line of text.split(/\n+/)) {
    for (const segment of sentencesIn(plain(line), locale)) {
      const sentence = shorten(segment.trim(), MAX_SENTENCE);
      if (!/[\p{L}\p{N}]/u.test(sentence)) continue;
      sentences.push({ text: sentence, terms: new Set(wordsIn(sentence, words, locale)) });
      if (sentences.length >= most) return sentences;
    }
  }
  return sentences;
}

/** A text in pieces of at most 2000 characters, each a sentence with the following space; joined they are the text. */
export function* sentencesIn(text: string, locale: string): Generator<string> {
  for (const { segment } of segmentsOf(text, new Intl.Segmenter(locale, { granularity: 'sentence' }))) yield segment;
}

/** The words of a text in lower case; in scripts without spaces by dictionary. */
export function wordsOf(text: string, locale: string): string[] {
  return wordsIn(text, new Intl.Segmenter(locale, { granularity: 'word' }), locale);
}

function wordsIn(text: string, segmenter: Intl.Segmenter, locale: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmentsOf(text, segmenter)) {
    if (isWordLike) words.push(segment.toLocaleLowerCase(locale));
  }
  return words;
}

/** Cuts a text of more than `max` characters at a word and adds an ellipsis. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > max / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd()}…`;
}

/** A line without Markdown and HTML marks. */
export function plain(line: string): string {
  return line
    .replace(/<[^<>]{0,500}>/g, ' ')
    .replace(/!?\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, '$1')
    .replace(/^\s*(?:[-*+•–]|\d{1,3}[.)])\s+/, '')
    .replace(/^\s*>+\s?/, '')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
