import { posix } from 'node:path';
import type { SlideCounts } from '../pptx/pptx.js';
import type { Archive } from '../reading/archive.js';
import type { Deck, DeckClip, DeckPage } from '../reading/deck.js';
import { PresentationProblem } from '../reading/problem.js';
import { at, attribute, child, descendants, elements, parseXml, type XmlElement } from '../reading/xml.js';

/** Counts the pages of an OpenDocument presentation. Throws {@link PresentationProblem} when it is encrypted. */
export async function outlineOdp(archive: Archive): Promise<SlideCounts> {
  const { content, pageStyle } = await readParts(archive);
  const pages = pagesOf(content);
  const hidden = pages.filter((page) => pageStyle(page, 'visibility') === 'hidden').length;
  const linked = descendants(content, 'image')
    .map((image) => attribute(image, 'href') ?? '')
    .filter(isElsewhere);
  return { shown: pages.length - hidden, hidden, linked: [...new Set(linked)] };
}

/** Reads pages in their order. */
export async function readOdp(archive: Archive): Promise<Deck> {
  const { content, sheet, pageStyle } = await readParts(archive);
  const pages = pagesOf(content);
  const first = elements(child(sheet, 'master-styles'), 'master-page').find(
    (master) => attribute(master, 'name') === attribute(pages[0], 'master-page-name'),
  );
  const layout = elements(child(sheet, 'automatic-styles'), 'page-layout').find(
    (one) => attribute(one, 'name') === attribute(first, 'page-layout-name'),
  );
  const size = child(layout, 'page-layout-properties');
  return {
    width: points(attribute(size, 'page-width')) || 720,
    height: points(attribute(size, 'page-height')) || 405,
    pages: pages.map((page) => readPage(page, (property) => pageStyle(page, property))),
  };
}

interface Parts {
  readonly content: XmlElement;
  readonly sheet: XmlElement;
  /** A property of a page's style. */
  pageStyle(page: XmlElement, property: string): string | undefined;
}

async function readParts(archive: Archive): Promise<Parts> {
  const read = async (name: string): Promise<XmlElement> => {
    const bytes = await archive.read(name);
    if (bytes === undefined) throw new PresentationProblem(`The file is damaged: its part ${name} is missing.`);
    return parseXml(bytes, name);
  };
  const manifest = await archive.read('META-INF/manifest.xml');
  if (archive.names.includes('encrypted-package') || manifest?.includes('encryption-data')) {
    throw new PresentationProblem('The presentation is protected by a password. Save it without one and try again.');
  }
  const content = await read('content.xml');
  const sheet = await read('styles.xml');
  // The automatic styles of both files may share names; those of the content apply to the pages.
  const styles = new Map(
    elements(child(content, 'automatic-styles'), 'style').map((style) => [attribute(style, 'name'), style]),
  );
  const pageStyle = (page: XmlElement, property: string): string | undefined =>
    attribute(child(styles.get(attribute(page, 'style-name')), 'drawing-page-properties'), property);
  return { content, sheet, pageStyle };
}

function pagesOf(content: XmlElement): XmlElement[] {
  return elements(at(content, 'body', 'presentation'), 'page');
}

function isElsewhere(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:|^\.\.\/|^\//i.test(address);
}

function readPage(page: XmlElement, style: (property: string) => string | undefined): DeckPage {
  const shapes = elements(page).filter(({ name }) => name !== 'notes');
  const isTitle = (shape: XmlElement): boolean => attribute(shape, 'class') === 'title';
  // Text boxes have no class; page numbers, headers and footers have others.
  const notes = elements(child(page, 'notes'), 'frame').filter((frame) =>
    ['notes', undefined].includes(attribute(frame, 'class')),
  );
  const frames = shapes.flatMap((shape) => (shape.name === 'frame' ? [shape] : descendants(shape, 'frame')));
  return {
    hidden: style('visibility') === 'hidden',
    notes: textOf(notes),
    title: textOf(shapes.filter(isTitle)).replace(/\s+/g, ' '),
    text: textOf(shapes.filter((shape) => !isTitle(shape))),
    // The picture beside an embedded object or a film is its preview.
    pictures: frames
      .filter((frame) => child(frame, 'object') === undefined && child(frame, 'plugin') === undefined)
      .map((frame) => partOf(child(frame, 'image')))
      .filter((part) => part.startsWith('Pictures/')),
    clips: frames.flatMap(clipOf),
    transition: transitionOf(style('type'), style('subtype')),
  };
}

function partOf(owner: XmlElement | undefined): string {
  return (attribute(owner, 'href') ?? '').replace(/^\.\//, '').replace(/^vnd\.sun\.star\.Package:/, '');
}

/** Impress writes films and sounds as plug-ins. */
function clipOf(frame: XmlElement): DeckClip[] {
  const plugin = child(frame, 'plugin');
  const part = partOf(plugin);
  if (plugin === undefined || part === '') return [];
  const [left, top, width, height] = ['x', 'y', 'width', 'height'].map((name) => points(attribute(frame, name)));
  return [
    {
      type: /\.(mp3|m4a|aac|wav|ogg|oga|opus|flac|wma)$/i.test(part) ? 'audio' : 'video',
      part: isElsewhere(part) ? null : part,
      name: posix.basename(part),
      ...{ left: left ?? 0, top: top ?? 0, width: width ?? 0, height: height ?? 0 },
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
  return owners
    .flatMap(linesOf)
    .join('\n')
    .replace(/\n{2,}/g, '\n')
    .trim();
}

function linesOf(owner: XmlElement): string[] {
  if (owner.name === 'p' || owner.name === 'h') return [plainText(owner)];
  return owner.name === 'annotation' ? [] : elements(owner).flatMap(linesOf);
}

function plainText(element: XmlElement): string {
  return element.children
    .map((one) => {
      if (typeof one === 'string') return one.replace(/\s+/g, ' ');
      if (one.name === 'line-break') return '\n';
      if (one.name === 's' || one.name === 'tab') return ' ';
      return one.name === 'annotation' ? '' : plainText(one);
    })
    .join('');
}

/** Points of a length such as `2.5cm`; 0 for others. */
function points(length: string | undefined): number {
  const [, number, unit] = /^(-?[\d.]+)(cm|mm|in|pt|pc|px)$/.exec(length ?? '') ?? [];
  const each = { cm: 72 / 2.54, mm: 72 / 25.4, in: 72, pt: 1, pc: 12, px: 0.75 }[unit ?? ''] ?? 0;
  return Number(number ?? 0) * each;
}
