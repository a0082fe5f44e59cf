import { posix } from 'node:path';
import type { Archive } from '../reading/archive.js';
import type { Deck, DeckClip, DeckPage } from '../reading/deck.js';
import { PresentationProblem } from '../reading/problem.js';
import {
  at,
  attribute,
  child,
  descendants,
  elements,
  isOn,
  numberOf,
  prefixed,
  type XmlElement,
} from '../reading/xml.js';
import { type Part, readPart, readRelationships } from './ooxml-package.js';

/** English Metric Units of a point. */
const EMU = 12_700;

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

/** Reads slides in their order. */
export async function readPptx(archive: Archive): Promise<Deck> {
  const presentation = await readPresentation(archive);
  const size = child(presentation.root, 'sldSz');
  const pages: DeckPage[] = [];
  for (const name of slideNames(presentation)) pages.push(await readSlide(archive, await readPart(archive, name)));
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

function isHidden(slide: XmlElement): boolean {
  const show = attribute(slide, 'show');
  return show !== undefined && !isOn(show);
}

async function readSlide(archive: Archive, slide: Part): Promise<DeckPage> {
  const notesName = slide.related('notesSlide');
  const notes = notesName === undefined ? undefined : await readPart(archive, notesName);
  const tree = at(slide.root, 'cSld', 'spTree');
  const shapes = shapesOf(tree);
  const isTitle = (shape: XmlElement): boolean => ['title', 'ctrTitle'].includes(roleOf(shape));
  const tables = descendants(tree, 'tc').map((cell) => textOfBody(child(cell, 'txBody')));
  return {
    hidden: isHidden(slide.root),
    notes: notes === undefined ? '' : textOfShapes(shapesOf(at(notes.root, 'cSld', 'spTree'))),
    title: textOfShapes(shapes.filter(isTitle)).replace(/\s+/g, ' '),
    text: [textOfShapes(shapes.filter((shape) => !isTitle(shape))), ...tables].filter((text) => text !== '').join('\n'),
    pictures: descendants(tree, 'pic')
      .filter((picture) => clipOf(picture, slide) === undefined)
      .flatMap((picture) => slide.target(attribute(at(picture, 'blipFill', 'blip'), 'embed')) ?? []),
    clips: descendants(tree, 'pic').flatMap((picture) => clipOf(picture, slide) ?? []),
    transition: transitionOf(slide.root),
  };
}

function roleOf(shape: XmlElement): string {
  return attribute(at(shape, 'nvSpPr', 'nvPr', 'ph'), 'type') ?? '';
}

/** Placeholders that are not part of a page's or its notes' text. */
const ASIDE = ['sldImg', 'sldNum', 'dt', 'hdr', 'ftr'];

function textOfShapes(shapes: readonly XmlElement[]): string {
  return shapes
    .filter((shape) => !ASIDE.includes(roleOf(shape)))
    .map((shape) => textOfBody(child(shape, 'txBody')))
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

/** Plain text of a text body: one line per paragraph, `a:br` starts a new line. */
function textOfBody(body: XmlElement | undefined): string {
  return elements(body, 'p').map(textOfParagraph).join('\n').trim();
}

function textOfParagraph(paragraph: XmlElement): string {
  return elements(paragraph).map(textOfPiece).join('');
}

function textOfPiece(element: XmlElement): string {
  if (element.name === 'br') return '\n';
  // A formula: its fallback is text, or blank with a picture beside it.
  if (element.name === 'AlternateContent') {
    const fallback = child(element, 'Fallback');
    const written = fallback === undefined ? '' : textOfParagraph(fallback);
    const choice = child(element, 'Choice');
    return written.trim() !== '' || choice === undefined ? written : textOfParagraph(choice);
  }
  if (element.name === 'm') return descendants(element, 't').map(textOfRun).join('');
  // Fields (page number, date) contain the text from when the deck was saved.
  return element.name === 'r' || element.name === 'fld' ? textOfRun(child(element, 't')) : '';
}

/** Characters that XML does not allow are written as `_x000B_` (ECMA-376 part 1, clause 22.9.2.19); a vertical tab is a line break. */
function textOfRun(element: XmlElement | undefined): string {
  const text = (element?.children ?? []).filter((one) => typeof one === 'string').join('');
  return text
    .replace(/_x(00[01][\da-f]|005f)_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\v', '\n')
    .replace(/[^\P{Cc}\t\n\r]/gu, '');
}

/** The film or sound that a picture stands for. */
function clipOf(picture: XmlElement, slide: Part): DeckClip | undefined {
  const properties = at(picture, 'nvPicPr', 'nvPr');
  const [video, audio] = [
    child(properties, 'videoFile') ?? child(properties, 'quickTimeFile'),
    child(properties, 'audioFile') ?? child(properties, 'wavAudioFile'),
  ];
  const media = descendants(properties, 'media')[0];
  if (video === undefined && audio === undefined) return undefined;
  const id = attribute(media, 'embed') ?? prefixed(video ?? audio, 'embed') ?? prefixed(video ?? audio, 'link');
  const part = slide.target(id) ?? null;
  const [offset, extent] = ['off', 'ext'].map((name) => at(picture, 'spPr', 'xfrm', name));
  const length = (element: XmlElement | undefined, name: string): number => (numberOf(element, name) ?? 0) / EMU;
  return {
    type: video === undefined ? 'audio' : 'video',
    part,
    name: posix.basename(part ?? slide.external(id) ?? 'a linked file'),
    left: length(offset, 'x'),
    top: length(offset, 'y'),
    width: length(extent, 'cx'),
    height: length(extent, 'cy'),
  };
}

const PUSHES: Readonly<Record<string, DeckPage['transition']>> = {
  l: 'slide_left',
  r: 'slide_right',
  u: 'slide_up',
  d: 'slide_down',
};

/** Transitions that videos have too (ECMA-376 part 1, 19.3.1.50); for newer ones the fallback that the file names. */
function transitionOf(slide: XmlElement): DeckPage['transition'] {
  const [alternative] = elements(slide, 'AlternateContent').map((one) => at(one, 'Fallback', 'transition'));
  const [effect] = elements(child(slide, 'transition') ?? alternative);
  if (effect?.name === 'fade' || effect?.name === 'dissolve') return 'fade';
  if (effect?.name === 'push') return PUSHES[attribute(effect, 'dir') ?? 'l'];
  return effect?.name === 'zoom' ? 'zoom' : undefined;
}
