import { posix } from 'node:path';
import type { Archive } from './archive.js';
import type { Deck, DeckClip, DeckPage } from './deck.js';
import { PresentationProblem } from './problem.js';
import { at, attribute, descendants, elements, prefixed, readMarkup, type XmlElement } from './xml.js';

/** English Metric Units of a point. */
const EMU = 12_700;

/** A relationship of a part (ECMA-376 part 2, clause 9.3). */
interface Link {
  /** Last segment of its type's URI: `slide`, `notesSlide`, `image`. */
  readonly type: string;
  /** Name of the part, or the URL of an external one. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** A markup part with its relationships by id. */
interface Part {
  readonly root: XmlElement;
  readonly links: ReadonlyMap<string, Link>;
}

/** Reads slides in their order. */
export async function readPptx(archive: Archive): Promise<Deck> {
  const main = firstOf(await readLinks(archive, ''), 'officeDocument');
  if (main === undefined) throw new PresentationProblem('The file is damaged: its list of slides is missing.');
  const presentation = await readPart(archive, main);
  // This list defines the order; the numbers in the parts' names have no meaning.
  const list = elements(at(presentation.root, 'sldIdLst'), 'sldId');
  const pages: DeckPage[] = [];
  const linked = new Set<string>();
  for (const name of list.map((entry) => partOf(presentation, prefixed(entry, 'id')))) {
    if (name === undefined) continue;
    const slide = await readPart(archive, name);
    for (const { isExternal, type, target } of slide.links.values()) {
      if (isExternal && type !== 'hyperlink') linked.add(target);
    }
    pages.push(await readSlide(archive, slide));
  }
  const size = at(presentation.root, 'sldSz');
  const [width, height] = [points(size, 'cx') || 720, points(size, 'cy') || 540];
  return { width, height, pages, linked: [...linked] };
}

async function readPart(archive: Archive, name: string): Promise<Part> {
  return { root: await readMarkup(archive, name), links: await readLinks(archive, name) };
}

/** Relationships of a part; `''` names the package itself. */
async function readLinks(archive: Archive, name: string): Promise<Part['links']> {
  const folder = posix.dirname(name);
  const list = posix.join(folder, '_rels', `${posix.basename(name)}.rels`);
  if (!archive.names.includes(list)) return new Map();
  return new Map(
    elements(await readMarkup(archive, list), 'Relationship').map((element) => {
      const isExternal = attribute(element, 'TargetMode') === 'External';
      const given = attribute(element, 'Target') ?? '';
      const target = isExternal ? given : posix.join(given.startsWith('/') ? '' : folder, given).replace(/^\/+/, '');
      const type = (attribute(element, 'Type') ?? '').split('/').at(-1) ?? '';
      return [attribute(element, 'Id') ?? '', { type, target, isExternal }];
    }),
  );
}

/** The first part with this kind of relationship. */
function firstOf(links: Part['links'], type: string): string | undefined {
  return [...links.values()].find((link) => link.type === type && !link.isExternal)?.target;
}

/** The part of a relationship; `undefined` for one elsewhere. */
function partOf({ links }: Part, id: string | undefined): string | undefined {
  const link = links.get(id ?? '');
  return link?.isExternal === false ? link.target : undefined;
}

async function readSlide(archive: Archive, slide: Part): Promise<DeckPage> {
  const notesName = firstOf(slide.links, 'notesSlide');
  const notes = notesName === undefined ? undefined : await readMarkup(archive, notesName);
  const tree = at(slide.root, 'cSld', 'spTree');
  const shapes = shapesOf(tree);
  const isTitle = (shape: XmlElement): boolean => ['title', 'ctrTitle'].includes(roleOf(shape));
  const pictures = descendants(tree, 'pic').map((picture) => ({ picture, clip: clipOf(picture, slide) }));
  return {
    hidden: !['1', 'true'].includes(attribute(slide.root, 'show') ?? '1'),
    notes: textOf(shapesOf(at(notes, 'cSld', 'spTree'))),
    title: textOf(shapes.filter(isTitle)).replace(/\s+/g, ' '),
    text: textOf([...shapes.filter((shape) => !isTitle(shape)), ...descendants(tree, 'tc')]),
    pictures: pictures.flatMap(({ picture, clip }) =>
      clip === undefined ? (partOf(slide, attribute(at(picture, 'blipFill', 'blip'), 'embed')) ?? []) : [],
    ),
    clips: pictures.flatMap(({ clip }) => clip ?? []),
    transition: transitionOf(slide.root),
  };
}

function roleOf(shape: XmlElement): string {
  return attribute(at(shape, 'nvSpPr', 'nvPr', 'ph'), 'type') ?? '';
}

/** Placeholders that are not part of a page's or its notes' text. */
const ASIDE = ['sldImg', 'sldNum', 'dt', 'hdr', 'ftr'];

/** Plain text of shapes and table cells: one line per paragraph. */
function textOf(owners: readonly XmlElement[]): string {
  return owners
    .filter((owner) => !ASIDE.includes(roleOf(owner)))
    .map((owner) => elements(at(owner, 'txBody'), 'p').map(lineOf).join('\n').trim())
    .filter((text) => text !== '')
    .join('\n');
}

/** Shapes with their text, also in groups; of alternatives the one that contains formulas as text. */
function shapesOf(tree: XmlElement | undefined): XmlElement[] {
  return elements(tree).flatMap((element) => {
    if (element.name === 'sp') return [element];
    if (element.name === 'grpSp') return shapesOf(element);
    return element.name === 'AlternateContent' ? shapesOf(at(element, 'Choice') ?? at(element, 'Fallback')) : [];
  });
}

function lineOf(paragraph: XmlElement | undefined): string {
  return elements(paragraph)
    .map((element) => {
      if (element.name === 'br') return '\n';
      // A formula: its fallback is text, or blank with a picture beside it.
      if (element.name === 'AlternateContent') {
        const [fallback, choice] = [lineOf(at(element, 'Fallback')), lineOf(at(element, 'Choice'))];
        return fallback.trim() === '' && at(element, 'Choice') !== undefined ? choice : fallback;
      }
      // Fields (page number, date) contain the text from when the deck was saved.
      return ['m', 'r', 'fld'].includes(element.name) ? descendants(element, 't').map(textOfRun).join('') : '';
    })
    .join('');
}

/** Characters that XML does not allow are written as `_x000B_` (ECMA-376 part 1, clause 22.9.2.19); a vertical tab is a line break. */
function textOfRun({ children }: XmlElement): string {
  return children
    .filter((one) => typeof one === 'string')
    .join('')
    .replace(/_x(00[01][\da-f]|005f)_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\v', '\n')
    .replace(/[^\P{Cc}\t\n\r]/gu, '');
}

/** The film or sound that a picture stands for. */
function clipOf(picture: XmlElement, slide: Part): DeckClip | undefined {
  const properties = at(picture, 'nvPicPr', 'nvPr');
  const video = at(properties, 'videoFile') ?? at(properties, 'quickTimeFile');
  const clip = video ?? at(properties, 'audioFile') ?? at(properties, 'wavAudioFile');
  if (clip === undefined) return undefined;
  const id =
    attribute(descendants(properties, 'media')[0], 'embed') ?? prefixed(clip, 'embed') ?? prefixed(clip, 'link');
  const part = partOf(slide, id) ?? null;
  const place = at(picture, 'spPr', 'xfrm');
  return {
    type: video === undefined ? 'audio' : 'video',
    part,
    name: posix.basename(slide.links.get(id ?? '')?.target ?? 'a linked file'),
    left: points(at(place, 'off'), 'x'),
    top: points(at(place, 'off'), 'y'),
    width: points(at(place, 'ext'), 'cx'),
    height: points(at(place, 'ext'), 'cy'),
  };
}

function points(element: XmlElement | undefined, name: string): number {
  return (Number(attribute(element, name)) || 0) / EMU;
}

const PUSHES: Readonly<Record<string, DeckPage['transition']>> = {
  l: 'slide_left',
  r: 'slide_right',
  u: 'slide_up',
  d: 'slide_down',
};

/** Transitions that videos have too (ECMA-376 part 1, 19.3.1.50); for newer ones the fallback that the file names. */
function transitionOf(slide: XmlElement): DeckPage['transition'] {
  const [alternative] = elements(slide, 'AlternateContent').flatMap((one) => at(one, 'Fallback', 'transition') ?? []);
  const [effect] = elements(at(slide, 'transition') ?? alternative);
  if (effect?.name === 'push') return PUSHES[attribute(effect, 'dir') ?? 'l'];
  if (effect?.name === 'zoom') return 'zoom';
  return effect?.name === 'fade' || effect?.name === 'dissolve' ? 'fade' : undefined;
}
