/** A sentence and the words that it is about. */
export interface Sentence {
  readonly text: string;
  /** Distinct words in lower case. */
  readonly terms: ReadonlySet<string>;
}

/** Longer sentences are lists or tables that lost their line breaks. */
const MAX_SENTENCE = 600;
/** Texts beyond this are cut: choosing compares every sentence with every chosen one. */
const MAX_SENTENCES = 4000;

/** Cuts a text into sentences, in any language that ICU knows. Line breaks end a sentence, so that list items stay apart. */
export function splitSentences(text: string, locale: string): Sentence[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
  const sentences: Sentence[] = [];
  for (const line of text.split(/\n+/)) {
    for (const { segment } of segmenter.segment(plain(line))) {
      const sentence = segment.trim();
      if (!/[\p{L}\p{N}]/u.test(sentence)) continue;
      sentences.push({ text: shorten(sentence, MAX_SENTENCE), terms: new Set(wordsOf(sentence, locale)) });
      if (sentences.length >= MAX_SENTENCES) return sentences;
    }
  }
  return sentences;
}

/** The words of a text in lower case; in scripts without spaces by dictionary. */
export function wordsOf(text: string, locale: string): string[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike) words.push(segment.toLocaleLowerCase(locale));
  }
  return words;
}

/** Cuts a text at a word, with an ellipsis, when it is longer than `max` characters. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > max / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd()}…`;
}

/** A line without the marks of Markdown and HTML. */
export function plain(line: string): string {
  return line
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:[-*+•–]|\d{1,3}[.)])\s+/, '')
    .replace(/^\s*>+\s?/, '')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
