import type { Paragraph, TextLook } from '../reading/deck.js';
import { attribute, child, descendants, elements, isOn, numberOf, type XmlElement } from '../reading/xml.js';
import type { Theme } from './theme.js';

/** Sources of a paragraph's style, nearest first: list styles of shape, layout, master and presentation. */
export interface TextSources {
  /** Elements that hold `a:lvl1pPr` to `a:lvl9pPr`. */
  readonly lists: readonly XmlElement[];
  readonly theme: Theme;
  /** From `a:normAutofit`: the factor by which the program shrank the text. */
  readonly scale: number;
  /** Default colour, such as on a filled shape (`a:fontRef`). */
  readonly color: string | undefined;
}

/** Plain text of a text body: one line per paragraph, `a:br` starts a new line. */
export function paragraphsAsText(body: XmlElement | undefined): string {
  return elements(body, 'p')
    .map((paragraph) =>
      pieces(paragraph)
        .map(({ text }) => text)
        .join(''),
    )
    .join('\n');
}

/** Paragraphs with their inherited style; empty ones at the end are dropped. */
export function readParagraphs(body: XmlElement | undefined, sources: TextSources): Paragraph[] {
  const counters: number[] = [];
  const paragraphs = elements(body, 'p').map((paragraph) => readParagraph(paragraph, sources, counters));
  while (paragraphs.length > 0 && isEmpty(paragraphs.at(-1))) paragraphs.pop();
  return paragraphs;
}

function isEmpty(paragraph: Paragraph | undefined): boolean {
  return paragraph?.runs.every(({ text }) => text.trim() === '') ?? false;
}

/** Text of a paragraph with the properties of each run. */
function pieces(paragraph: XmlElement): { text: string; properties: XmlElement | undefined }[] {
  return elements(paragraph).flatMap((element) => {
    if (element.name === 'br') return [{ text: '\n', properties: child(element, 'rPr') }];
    // A formula: its fallback is text, or blank with a picture beside it.
    if (element.name === 'AlternateContent') {
      const fallback = child(element, 'Fallback');
      const written = fallback === undefined ? [] : pieces(fallback);
      const choice = child(element, 'Choice');
      return written.some(({ text }) => text.trim() !== '') || choice === undefined ? written : pieces(choice);
    }
    if (element.name === 'm') return [{ text: descendants(element, 't').map(textOf).join(''), properties: undefined }];
    // Fields (page number, date) contain the text from when the deck was saved.
    if (element.name !== 'r' && element.name !== 'fld') return [];
    return [{ text: textOf(child(element, 't')), properties: child(element, 'rPr') }];
  });
}

/** Characters that XML does not allow are written as `_x000B_` (ECMA-376 part 1, clause 22.9.2.19); a vertical tab is a line break. */
function textOf(element: XmlElement | undefined): string {
  const text = (element?.children ?? []).filter((one) => typeof one === 'string').join('');
  return text
    .replace(/_x(00[01][\da-f]|005f)_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\v', '\n')
    .replace(/[^\P{Cc}\t\n\r]/gu, '');
}

function readParagraph(paragraph: XmlElement, sources: TextSources, counters: number[]): Paragraph {
  const own = child(paragraph, 'pPr');
  const level = Math.min(8, Math.max(0, numberOf(own, 'lvl') ?? 0));
  const inherited = sources.lists.map((list) => child(list, `lvl${level + 1}pPr`)).filter((one) => one !== undefined);
  const chain = [...(own === undefined ? [] : [own]), ...inherited];
  const defaults = inherited.map((one) => child(one, 'defRPr')).filter((one) => one !== undefined);
  const runs = pieces(paragraph).map(({ text, properties }) => ({
    text,
    look: lookOf([...(properties === undefined ? [] : [properties]), ...defaults], sources),
  }));
  const isBlank = runs.every(({ text }) => text.trim() === '');
  const align = chain.map((one) => attribute(one, 'algn')).find((one) => one !== undefined);
  const rightToLeft = isOn(chain.map((one) => attribute(one, 'rtl')).find((one) => one !== undefined));
  return {
    runs: runs.length > 0 ? runs : [{ text: '', look: lookOf(defaults, sources) }],
    bullet: isBlank ? null : bulletOf(chain, level, counters),
    level,
    align:
      align === 'ctr'
        ? 'center'
        : align === 'just'
          ? 'justify'
          : // In right-to-left paragraphs `l` is the side where reading ends, as PowerPoint shows it.
            align === 'r' || (align === undefined && rightToLeft)
            ? 'right'
            : 'left',
    rightToLeft,
  };
}

function lookOf(chain: readonly XmlElement[], { theme, scale, color }: TextSources): TextLook {
  const first = (name: string) => chain.map((one) => attribute(one, name)).find((one) => one !== undefined);
  const fill = chain.map((one) => theme.color(child(one, 'solidFill'))).find((one) => one !== undefined);
  const face = chain.map((one) => attribute(child(one, 'latin'), 'typeface')).find((one) => one !== undefined);
  const underline = first('u');
  return {
    size: (Number(first('sz') ?? 1800) / 100) * scale,
    bold: isOn(first('b')),
    italic: isOn(first('i')),
    underline: underline !== undefined && underline !== 'none',
    color: fill ?? color ?? '#000000',
    font: theme.font(face) ?? theme.font('+mn-lt') ?? 'Arial',
  };
}

function bulletOf(chain: readonly XmlElement[], level: number, counters: number[]): string | null {
  for (const properties of chain) {
    if (child(properties, 'buNone') !== undefined) return restart(counters, level);
    const mark = attribute(child(properties, 'buChar'), 'char');
    if (mark !== undefined) {
      restart(counters, level);
      // Bullets of symbol fonts are in the private use area, which our fonts do not cover.
      return /^[\u0020-\ud7ff\uf900-\uffff]$/u.test(mark) && !/[§ØüvqÜ]/.test(mark) ? mark : '•';
    }
    const auto = child(properties, 'buAutoNum');
    if (auto !== undefined) {
      counters.length = Math.min(counters.length, level + 1);
      counters[level] = (counters[level] ?? (numberOf(auto, 'startAt') ?? 1) - 1) + 1;
      return `${counters[level]}.`;
    }
    if (child(properties, 'buBlip') !== undefined) return '•';
  }
  return restart(counters, level);
}

function restart(counters: number[], level: number): null {
  counters.length = Math.min(counters.length, level);
  return null;
}
