import { posix } from 'node:path';
import type { Archive } from './archive.js';
import type { Deck, DeckClip, DeckPage } from './deck.js';
import { PASSWORD_PROBLEM, PresentationProblem } from './problem.js';
import { at, attribute, descendants, elements, readMarkup, type XmlElement } from './xml.js';

/** Reads pages of an OpenDocument presentation. Throws {@link PresentationProblem} when it is encrypted. */
export async function readOdp(archive: Archive): Promise<Deck> {
  const manifest = await archive.read('META-INF/manifest.xml');
  if (archive.names.includes('encrypted-package') || manifest?.includes('encryption-data')) {
    throw new PresentationProblem(PASSWORD_PROBLEM);
  }
  const content = await readMarkup(archive, 'content.xml');
  const sheet = await readMarkup(archive, 'styles.xml');
  // The automatic styles of both files may share names; those of the content apply to the pages.
  const styles = elements(at(content, 'automatic-styles'), 'style');
  const pages = elements(at(content, 'body', 'presentation'), 'page');
  const master = named(elements(at(sheet, 'master-styles'), 'master-page'), pages[0], 'master-page-name');
  const layout = named(elements(at(sheet, 'automatic-styles'), 'page-layout'), master, 'page-layout-name');
  const size = at(layout, 'page-layout-properties');
  return {
    width: points(attribute(size, 'page-width')) || 720,
    height: points(attribute(size, 'page-height')) || 405,
    pages: pages.map((page) => readPage(page, at(named(styles, page, 'style-name'), 'drawing-page-properties'))),
    linked: [...new Set(descendants(content, 'image').map(partOf).filter(isElsewhere))],
  };
}

/** The element that `owner` names. */
function named(all: readonly XmlElement[], owner: XmlElement | undefined, reference: string): XmlElement | undefined {
  return all.find((one) => attribute(one, 'name') === attribute(owner, reference));
}

function isElsewhere(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:|^\.\.\/|^\//i.test(address);
}

function readPage(page: XmlElement, style: XmlElement | undefined): DeckPage {
  const shapes = elements(page).filter(({ name }) => name !== 'notes');
  const isTitle = (shape: XmlElement): boolean => attribute(shape, 'class') === 'title';
  // Text boxes have no class; page numbers, headers and footers have others.
  const notes = elements(at(page, 'notes'), 'frame').filter((frame) =>
    ['notes', undefined].includes(attribute(frame, 'class')),
  );
  const frames = shapes.flatMap((shape) => (shape.name === 'frame' ? [shape] : descendants(shape, 'frame')));
  return {
    hidden: attribute(style, 'visibility') === 'hidden',
    notes: textOf(notes),
    title: textOf(shapes.filter(isTitle)).replace(/\s+/g, ' '),
    text: textOf(shapes.filter((shape) => !isTitle(shape))),
    // The picture beside an embedded object or a film is its preview.
    pictures: frames
      .filter((frame) => at(frame, 'object') === undefined && at(frame, 'plugin') === undefined)
      .map((frame) => partOf(at(frame, 'image')))
      .filter((part) => part.startsWith('Pictures/')),
    clips: frames.flatMap(clipOf),
    transition: transitionOf(attribute(style, 'type'), attribute(style, 'subtype')),
  };
}

function partOf(owner: XmlElement | undefined): string {
  return (attribute(owner, 'href') ?? '').replace(/^(\.\/|vnd\.sun\.star\.Package:)/, '');
}

/** Impress writes films and sounds as plug-ins. */
function clipOf(frame: XmlElement): DeckClip[] {
  const part = partOf(at(frame, 'plugin'));
  if (part === '') return [];
  return [
    {
      type: /\.(mp3|m4a|aac|wav|ogg|oga|opus|flac|wma)$/i.test(part) ? 'audio' : 'video',
      part: isElsewhere(part) ? null : part,
      name: posix.basename(part),
      left: points(attribute(frame, 'x')),
      top: points(attribute(frame, 'y')),
      width: points(attribute(frame, 'width')),
      height: points(attribute(frame, 'height')),
    },
  ];
}

const PUSHES: Readonly<Record<string, DeckPage['transition']>> = {
  fromRight: 'slide_left',
  fromLeft: 'slide_right',
  fromBottom: 'slide_up',
  fromTop: 'slide_down',
};

/** Transitions that videos have too (SMIL 2.0, 12.8). */
function transitionOf(type: string | undefined, subtype: string | undefined): DeckPage['transition'] {
  if (type === 'pushWipe') return PUSHES[subtype ?? ''];
  return type === 'fade' || type === 'dissolve' ? 'fade' : type === 'zoom' ? 'zoom' : undefined;
}

/** Text of paragraphs at any depth, a line each. */
function textOf(owners: readonly XmlElement[]): string {
  const linesOf = (owner: XmlElement): string[] => {
    if (owner.name === 'p' || owner.name === 'h') return [plainText(owner)];
    return owner.name === 'annotation' ? [] : elements(owner).flatMap(linesOf);
  };
  return owners
    .flatMap(linesOf)
    .join('\n')
    .replace(/\n{2,}/g, '\n')
    .trim();
}

const BLANKS: Readonly<Record<string, string>> = { 'line-break': '\n', s: ' ', tab: ' ', annotation: '' };

function plainText(element: XmlElement | string): string {
  if (typeof element === 'string') return element.replace(/\s+/g, ' ');
  return BLANKS[element.name] ?? element.children.map(plainText).join('');
}

/** Points of a length such as `2.5cm`; 0 for others. */
function points(length: string | undefined): number {
  const [, number, unit] = /^(-?[\d.]+)(cm|mm|in|pt|pc|px)$/.exec(length ?? '') ?? [];
  const each = { cm: 72 / 2.54, mm: 72 / 25.4, in: 72, pt: 1, pc: 12, px: 0.75 }[unit ?? ''] ?? 0;
  return Number(number ?? 0) * each;
}
