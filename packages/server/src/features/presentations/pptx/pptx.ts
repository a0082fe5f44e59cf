import type { Archive } from '../reading/archive.js';
import type { Deck, DeckPage } from '../reading/deck.js';
import { PresentationProblem } from '../reading/problem.js';
import { at, attribute, child, elements, isOn, numberOf, prefixed, type XmlElement } from '../reading/xml.js';
import { type Part, readPart, readRelationships } from './ooxml-package.js';
import { EMU, readShapes } from './shapes.js';
import { paragraphsAsText } from './text.js';
import { readTheme } from './theme.js';

/** Result of the quick check on upload: the number of pages, and external links. */
export interface SlideCounts {
  readonly shown: number;
  readonly hidden: number;
  /** URLs of linked pictures and videos; they are never fetched. */
  readonly linked: readonly string[];
}

/** Counts slides without reading their shapes. */
export async function outlinePptx(archive: Archive): Promise<SlideCounts> {
  const presentation = await readPresentation(archive);
  let hidden = 0;
  const linked: string[] = [];
  const names = slideNames(presentation);
  for (const name of names) {
    const slide = await readPart(archive, name);
    if (isHidden(slide.root)) hidden += 1;
    linked.push(...slide.linked);
  }
  return { shown: names.length - hidden, hidden, linked: [...new Set(linked)] };
}

/** Reads slides in their order, with their notes and the elements that the built-in rendering can draw. */
export async function readPptx(archive: Archive): Promise<Deck> {
  const presentation = await readPresentation(archive);
  const size = child(presentation.root, 'sldSz');
  const parts = cachedParts(archive);
  const pages: DeckPage[] = [];
  for (const name of slideNames(presentation)) pages.push(await readSlide(await parts(name), parts, presentation.root));
  return {
    width: (numberOf(size, 'cx') ?? 9_144_000) / EMU,
    height: (numberOf(size, 'cy') ?? 6_858_000) / EMU,
    pages,
  };
}

async function readPresentation(archive: Archive): Promise<Part> {
  const relationships = [...(await readRelationships(archive, '')).values()];
  const main = relationships.find(({ type, external }) => type === 'officeDocument' && !external);
  if (main === undefined) throw new PresentationProblem('The file is damaged: its list of slides is missing.');
  return readPart(archive, main.target);
}

/** `p:sldIdLst` defines the order; the numbers in the parts' names have no meaning. */
function slideNames(presentation: Part): string[] {
  return elements(child(presentation.root, 'sldIdLst'), 'sldId')
    .map((entry) => presentation.target(prefixed(entry, 'id')))
    .filter((name) => name !== undefined);
}

/** Layouts and masters are read once instead of once per slide. */
function cachedParts(archive: Archive): (name: string) => Promise<Part> {
  const parts = new Map<string, Promise<Part>>();
  return (name) => {
    const part = parts.get(name) ?? readPart(archive, name);
    if (!name.includes('/slides/')) parts.set(name, part);
    return part;
  };
}

function isHidden(slide: XmlElement): boolean {
  const show = attribute(slide, 'show');
  return show !== undefined && !isOn(show);
}

async function readSlide(
  slide: Part,
  parts: (name: string) => Promise<Part>,
  presentation: XmlElement,
): Promise<DeckPage> {
  const follow = async (part: Part | undefined, type: string): Promise<Part | undefined> => {
    const name = part?.related(type);
    return name === undefined ? undefined : parts(name);
  };
  const layout = await follow(slide, 'slideLayout');
  const master = await follow(layout, 'slideMaster');
  const themePart = await follow(master, 'theme');
  const theme = readTheme(themePart?.root, child(master?.root, 'clrMap'));
  const notes = await follow(slide, 'notesSlide');
  const levels = [slide, layout, master].filter((part) => part !== undefined);
  const { elements: drawn, leftOut } = readShapes({ slide, layout, master, theme, presentation });
  return {
    hidden: isHidden(slide.root),
    notes: notes === undefined ? '' : notesBody(notes.root),
    background: levels.map((part) => backgroundOf(part, theme)).find((found) => found !== undefined) ?? null,
    elements: drawn,
    leftOut,
  };
}

/** Placeholders of a notes page that are not spoken: the picture of the slide, page number, date, header and footer. */
const UNSPOKEN = ['sldImg', 'sldNum', 'dt', 'hdr', 'ftr'];

/** Text of the notes and of text boxes beside them. */
function notesBody(notes: XmlElement): string {
  return shapesOf(at(notes, 'cSld', 'spTree'))
    .filter((shape) => !UNSPOKEN.includes(attribute(at(shape, 'nvSpPr', 'nvPr', 'ph'), 'type') ?? ''))
    .map((shape) => paragraphsAsText(child(shape, 'txBody')).trim())
    .filter((text) => text !== '')
    .join('\n');
}

/** Shapes with their text, also in groups; of alternatives the one that contains formulas as text. */
function shapesOf(tree: XmlElement | undefined): XmlElement[] {
  return elements(tree).flatMap((element) => {
    if (element.name === 'sp') return [element];
    if (element.name === 'grpSp') return shapesOf(element);
    return element.name === 'AlternateContent' ? shapesOf(child(element, 'Choice') ?? child(element, 'Fallback')) : [];
  });
}

function backgroundOf(part: Part, theme: ReturnType<typeof readTheme>): DeckPage['background'] | undefined {
  const background = at(part.root, 'cSld', 'bg');
  if (background === undefined) return undefined;
  const properties = child(background, 'bgPr');
  const picture = part.target(attribute(at(properties, 'blipFill', 'blip'), 'embed'));
  if (picture !== undefined) return { part: picture };
  // The first colour of a gradient, so that the fill has a colour of the deck.
  const stop = at(properties, 'gradFill', 'gsLst', 'gs');
  return theme.color(child(properties, 'solidFill')) ?? theme.color(stop) ?? theme.color(child(background, 'bgRef'));
}
