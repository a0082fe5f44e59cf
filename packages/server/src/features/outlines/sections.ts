import { plain, type SourceSentence, shorten, splitSentences } from './sentences.js';

/** A part of the source: its optional heading, and its sentences. */
export interface Section {
  readonly heading: string | null;
  readonly sentences: readonly SourceSentence[];
}

/** Longest line that counts as a heading without a mark. */
const MAX_HEADING = 80;
const MAX_TITLE = 70;
/** Sentences per chapter of a text without headings. */
const SENTENCES_PER_CHAPTER = 8;
const USUAL = { least: 3, most: 8 } as const;
const MAX_OWN_HEADINGS = 12;
/** Maximum parts that are compared with each other. A text with more headings is grouped. */
const MAX_PARTS = 200;
/** Maximum sentences of all parts together; each part gets its share. */
const MAX_SENTENCES = 12_000;

/**
 * Divides a source into exactly `count` parts in its order: by its headings where they fit; neighbours are joined when
 * there are more, long parts divided when there are fewer. Fewer than `count` only when there are too few sentences.
 */
export function divide(source: string, locale: string, count: number | undefined): Section[] {
  const own = readSections(source, locale).filter(({ sentences }) => sentences.length > 0);
  const wanted = count ?? usualCount(own);
  const parts = own.map((section) => ({ section, weight: weigh(section) }));
  while (parts.length > wanted) joinSmallest(parts);
  const sections = parts.map(({ section }) => section);
  while (sections.length < wanted && splitLargest(sections));
  return sections;
}

/** Title of a part: its heading, or the beginning of its text. */
export function titleOf(section: Section): string {
  if (section.heading !== null) return shorten(section.heading, MAX_TITLE);
  const text = section.sentences[0]?.text ?? '';
  const whole = text.replace(/[.!?。！？…।:;,]{1,20}$/u, '');
  if (whole.length <= MAX_TITLE) return whole;
  const clause = whole.split(/[,;:，；：、—–]\s*/u)[0] ?? '';
  return clause.length >= 15 && clause.length <= MAX_TITLE ? clause : shorten(whole, MAX_TITLE);
}

function usualCount(own: readonly Section[]): number {
  const headed = own.filter(({ heading }) => heading !== null).length;
  if (headed >= 2) return Math.min(own.length, MAX_OWN_HEADINGS);
  const sentences = own.reduce((sum, section) => sum + section.sentences.length, 0);
  return Math.min(USUAL.most, Math.max(USUAL.least, Math.ceil(sentences / SENTENCES_PER_CHAPTER)));
}

function readSections(source: string, locale: string): Section[] {
  const lines = source.replace(/\r\n?/g, '\n').split('\n');
  const found: { heading: string | null; body: string[] }[] = [{ heading: null, body: [] }];
  for (let index = 0; index < lines.length; index++) {
    const heading = headingAt(lines, index);
    if (heading === undefined) found.at(-1)?.body.push(lines[index] ?? '');
    else {
      found.push({ heading: heading.text, body: [] });
      index += heading.lines - 1;
    }
  }
  const parts = grouped(found);
  const most = Math.ceil(MAX_SENTENCES / parts.length);
  return parts.map(({ heading, body }) => ({ heading, sentences: splitSentences(unwrap(body), locale, most) }));
}

/** Groups neighbours under the first one's heading, to at most 200 parts. */
function grouped<Part extends { heading: string | null; body: string[] }>(parts: readonly Part[]): readonly Part[] {
  const size = Math.ceil(parts.length / MAX_PARTS);
  if (size <= 1) return parts;
  return parts.flatMap((part, index) => {
    if (index % size > 0) return [];
    const others = parts.slice(index + 1, index + size);
    const more = others.flatMap(({ heading, body }) => [...(heading === null ? [] : ['', heading, '']), ...body]);
    return [{ ...part, body: [...part.body, ...more] }];
  });
}

/** Joins the lines of a paragraph; list items and paragraphs stay separate. */
function unwrap(lines: readonly string[]): string {
  return lines
    .map((line) => (/^\s*(?:[-*+•–]|\d{1,3}[.)])\s+/.test(line) ? `\n${line}` : line))
    .join('\n')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replace(/\n(?=\S)/g, ' '))
    .join('\n');
}

/** Recognises Markdown, underlined, HTML and bare headings. */
function headingAt(lines: readonly string[], index: number): { text: string; lines: number } | undefined {
  const line = lines[index] ?? '';
  const marked =
    /^\s{0,3}#{1,6}\s(.*)$/
      .exec(line)?.[1]
      ?.trim()
      .replace(/#{1,20}$/, '') ?? /^\s*<h[1-6][^>]*>(.*)<\/h[1-6]>\s*$/i.exec(line)?.[1];
  if (marked !== undefined && plain(marked) !== '') return { text: plain(marked), lines: 1 };
  const text = plain(line);
  if (text === '' || text.length > MAX_HEADING) return undefined;
  const next = lines[index + 1] ?? '';
  if (/^\s*(?:={3,}|-{3,})\s*$/.test(next)) return { text, lines: 2 };
  // A short separate line without punctuation at its end, before a paragraph.
  const isAlone =
    (lines[index - 1] ?? '').trim() === '' &&
    (next.trim() === '' ? (lines[index + 2] ?? '') : next).trim().length > MAX_HEADING;
  const isItem = /^\s*(?:[-*+•–])\s+/.test(line);
  return isAlone && !isItem && !/[.!?。！？…।,;:]$/u.test(text) ? { text, lines: 1 } : undefined;
}

/** Number of characters of a part. */
function weigh({ sentences }: Section): number {
  return sentences.reduce((sum, { text }) => sum + text.length, 0);
}

/** Joins the two neighbours that are shortest together, under the first one's heading. */
function joinSmallest(parts: { section: Section; weight: number }[]): void {
  let at = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index + 1 < parts.length; index++) {
    const sum = parts[index]!.weight + parts[index + 1]!.weight;
    if (sum < least) [at, least] = [index, sum];
  }
  const [first, second] = [parts[at]!.section, parts[at + 1]!.section];
  const heading = first.heading ?? second.heading;
  const section = { heading, sentences: [...first.sentences, ...second.sentences] };
  parts.splice(at, 2, { section, weight: least });
}

/** Divides the longest part in the middle; false when no part has two sentences. */
function splitLargest(sections: Section[]): boolean {
  const candidates = sections.filter(({ sentences }) => sentences.length > 1);
  const largest = candidates.sort((a, b) => weigh(b) - weigh(a))[0];
  if (largest === undefined) return false;
  const half = weigh(largest) / 2;
  let said = 0;
  let cut = 0;
  while (cut < largest.sentences.length - 1 && (cut === 0 || said < half))
    said += largest.sentences[cut++]!.text.length;
  const first = { heading: largest.heading, sentences: largest.sentences.slice(0, cut) };
  sections.splice(sections.indexOf(largest), 1, first, { heading: null, sentences: largest.sentences.slice(cut) });
  return true;
}
