import { plain, type Sentence, shorten, splitSentences } from './sentences.js';

/** A part of the source: its heading, if it has one, and its sentences. */
export interface Section {
  readonly heading: string | null;
  readonly sentences: readonly Sentence[];
}

/** Longest line that is taken for a heading without a mark. */
const MAX_HEADING = 80;
const MAX_TITLE = 70;
/** Chapters of a text without headings: one for so many sentences. */
const SENTENCES_A_CHAPTER = 8;
const USUAL = { least: 3, most: 8 } as const;
const MAX_OWN_HEADINGS = 12;
/** Parts that are compared with each other. A text with more headings is read in groups of them. */
const MAX_PARTS = 200;
/** Sentences of all parts together; a part takes its share of them. */
const MAX_SENTENCES = 12_000;

/**
 * Divides a source into exactly `count` parts in its order: its own headings where they fit, neighbours joined where there
 * are more, long parts divided where there are fewer. Fewer than `count` only when there are too few sentences.
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

/** What a part is called: its heading, or the beginning of what it says. */
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
  return Math.min(USUAL.most, Math.max(USUAL.least, Math.ceil(sentences / SENTENCES_A_CHAPTER)));
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

/** At most 200 parts: neighbours together, under the first one's heading. */
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

/** Lines of one paragraph are one text; list items and paragraphs stay apart. */
function unwrap(lines: readonly string[]): string {
  return lines
    .map((line) => (/^\s*(?:[-*+•–]|\d{1,3}[.)])\s+/.test(line) ? `\n${line}` : line))
    .join('\n')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replace(/\n(?=\S)/g, ' '))
    .join('\n');
}

/** Markdown, underlined, HTML and bare headings. */
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
  // A short line by itself, without an end, before a paragraph.
  const isAlone =
    (lines[index - 1] ?? '').trim() === '' &&
    (next.trim() === '' ? (lines[index + 2] ?? '') : next).trim().length > MAX_HEADING;
  const isItem = /^\s*(?:[-*+•–])\s+/.test(line);
  return isAlone && !isItem && !/[.!?。！？…।,;:]$/u.test(text) ? { text, lines: 1 } : undefined;
}

/** Characters that a part says. */
function weigh({ sentences }: Section): number {
  return sentences.reduce((sum, { text }) => sum + text.length, 0);
}

/** Joins the two neighbours that are shortest together; the first one's heading stays. */
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

/** Divides the longest part where half of it has been said; false when no part has two sentences. */
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
