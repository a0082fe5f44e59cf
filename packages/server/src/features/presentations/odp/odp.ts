import type { SlideCounts } from '../pptx/pptx.js';
import type { Archive } from '../reading/archive.js';
import type { Deck, DeckElement, DeckPage, PageBox, Paragraph, TextLook } from '../reading/deck.js';
import { PresentationProblem } from '../reading/problem.js';
import { at, attribute, child, descendants, elements, parseXml, type XmlElement } from '../reading/xml.js';
import { colorOf, points, readStyles, type Styles } from './styles.js';

/** Counts the pages of an OpenDocument presentation. Throws {@link PresentationProblem} when it is encrypted. */
export async function outlineOdp(archive: Archive): Promise<SlideCounts> {
  const { content, styles } = await readParts(archive);
  const pages = pagesOf(content);
  const hidden = pages.filter((page) => isHidden(page, styles)).length;
  const linked = descendants(content, 'image')
    .map((image) => attribute(image, 'href') ?? '')
    .filter((address) => /^[a-z][a-z0-9+.-]*:|^\.\.\/|^\//i.test(address));
  return { shown: pages.length - hidden, hidden, linked: [...new Set(linked)] };
}

/** Reads pages with their notes and the elements that the built-in rendering can draw. */
export async function readOdp(archive: Archive): Promise<Deck> {
  const { content, styles, sheet } = await readParts(archive);
  const masters = new Map(
    elements(child(sheet, 'master-styles'), 'master-page').map((master) => [attribute(master, 'name') ?? '', master]),
  );
  const pages = pagesOf(content);
  const first = masters.get(attribute(pages[0], 'master-page-name') ?? '');
  const layout = elements(child(sheet, 'automatic-styles'), 'page-layout').find(
    (one) => attribute(one, 'name') === attribute(first, 'page-layout-name'),
  );
  const size = child(layout, 'page-layout-properties');
  return {
    width: points(attribute(size, 'page-width')) || 720,
    height: points(attribute(size, 'page-height')) || 405,
    pages: pages.map((page) => readPage(page, masters.get(attribute(page, 'master-page-name') ?? ''), styles)),
  };
}

async function readParts(archive: Archive): Promise<{ content: XmlElement; sheet: XmlElement; styles: Styles }> {
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
  return { content, sheet, styles: readStyles([content, sheet]) };
}

function pagesOf(content: XmlElement): XmlElement[] {
  return elements(at(content, 'body', 'presentation'), 'page');
}

function isHidden(page: XmlElement, styles: Styles): boolean {
  return styles.find([attribute(page, 'style-name')], 'drawing-page-properties', 'visibility') === 'hidden';
}

function readPage(page: XmlElement, master: XmlElement | undefined, styles: Styles): DeckPage {
  const drawn = [
    ...elements(master)
      // A master's placeholders are only templates for those of its pages.
      .filter((shape) => attribute(shape, 'placeholder') !== 'true' && attribute(shape, 'class') === undefined)
      .flatMap((shape) => readShape(shape, styles)),
    ...elements(page).flatMap((shape) => readShape(shape, styles)),
  ];
  // Text boxes have no class; page numbers, headers and footers have others.
  const notes = elements(child(page, 'notes'), 'frame').filter((frame) =>
    ['notes', undefined].includes(attribute(frame, 'class')),
  );
  const names = [attribute(page, 'style-name'), attribute(master, 'style-name')];
  const fill = styles.find(names, 'drawing-page-properties', 'fill');
  const color = styles.find(names, 'drawing-page-properties', 'fill-color');
  return {
    hidden: isHidden(page, styles),
    notes: notes
      .flatMap((frame) => linesOf(child(frame, 'text-box')))
      .join('\n')
      .trim(),
    background: fill === 'none' ? null : (colorOf(color) ?? null),
    elements: drawn,
    leftOut: [],
  };
}

/** Shapes that consist of an outline only. */
const DRAWN = ['line', 'connector', 'polyline', 'polygon', 'path', 'circle', 'caption', 'measure', 'regular-polygon'];

function readShape(shape: XmlElement, styles: Styles): DeckElement[] {
  if (shape.name === 'g') return elements(shape).flatMap((one) => readShape(one, styles));
  const box = boxOf(shape);
  if (box === undefined) return [];
  if (shape.name === 'frame') {
    const image = child(shape, 'image');
    const text = child(shape, 'text-box');
    if (text !== undefined) return readText(shape, text, { box, styles });
    const table = child(shape, 'table');
    if (table !== undefined) return readTable(table, box, styles);
    if (child(shape, 'object') !== undefined) {
      return [{ kind: 'graphic', box, what: 'charts and embedded objects', standIn: [] }];
    }
    const part = (attribute(image, 'href') ?? '').replace(/^\.\//, '');
    return image !== undefined && part.startsWith('Pictures/') ? [{ kind: 'picture', box, picture: { part } }] : [];
  }
  if (DRAWN.includes(shape.name)) return [{ kind: 'graphic', box, what: null, standIn: [] }];
  if (!['rect', 'ellipse', 'custom-shape'].includes(shape.name)) return [];
  const names = [attribute(shape, 'style-name')];
  const fill =
    styles.find(names, 'graphic-properties', 'fill') === 'none'
      ? undefined
      : colorOf(styles.find(names, 'graphic-properties', 'fill-color'));
  const outline = attribute(child(shape, 'enhanced-geometry'), 'type') ?? shape.name;
  const form = /(^|-)ellipse$/.test(outline) ? 'ellipse' : /(^|-)round/i.test(outline) ? 'round' : 'rect';
  const plain: DeckElement[] = fill === undefined ? [] : [{ kind: 'shape', box, form, fill, line: null }];
  const isPlain = /(^|-)(rect|rectangle|ellipse)$|(^|-)round/i.test(outline);
  const surface: DeckElement[] = isPlain ? plain : [{ kind: 'graphic', box, what: null, standIn: plain }];
  return [...surface, ...readText(shape, shape, { box, styles })];
}

/** A plain grid with the cells' text, filling the frame. */
function readTable(table: XmlElement, box: PageBox, styles: Styles): DeckElement[] {
  const columns = elements(table, 'table-column').flatMap((column) => {
    const width = points(styles.find([attribute(column, 'style-name')], 'table-column-properties', 'column-width'));
    const repeated = Math.min(100, Number(attribute(column, 'number-columns-repeated') ?? 1) || 1);
    return Array.from({ length: repeated }, () => width);
  });
  const rows = elements(table, 'table-row');
  const heights = rows.map((row) =>
    points(styles.find([attribute(row, 'style-name')], 'table-row-properties', 'row-height')),
  );
  let y = box.y;
  return rows.flatMap((row, index) => {
    const height = heights[index] || box.height / rows.length;
    const top = y;
    y += height;
    let x = box.x;
    return elements(row).flatMap((cell, at): DeckElement[] => {
      const width = columns[at] || box.width / Math.max(1, columns.length);
      const place = { x, y: top, width, height, angle: 0 };
      x += width;
      if (cell.name !== 'table-cell') return [];
      const names = [
        attribute(cell, 'style-name'),
        attribute(row, 'default-cell-style-name'),
        attribute(table, 'default-cell-style-name'),
      ];
      const fill = colorOf(styles.find(names, 'graphic-properties', 'fill-color')) ?? null;
      const inner = { ...place, x: place.x + 7.2, y: place.y + 3.6, width: Math.max(1, width - 14.4) };
      const paragraphs = readParagraphs(cell, { styles, names, level: -1, mark: null });
      return [
        { kind: 'shape', box: place, form: 'rect', fill, line: { color: '#a6a6a6', width: 0.75 } },
        { kind: 'text', box: inner, paragraphs, anchor: 'top' },
      ];
    });
  });
}

function readText(
  shape: XmlElement,
  owner: XmlElement,
  { box, styles }: { box: PageBox; styles: Styles },
): DeckElement[] {
  const names = [attribute(shape, 'text-style-name'), attribute(shape, 'style-name')];
  const paragraphs = readParagraphs(owner, { styles, names, level: -1, mark: null });
  if (paragraphs.every(({ runs }) => runs.every(({ text }) => text.trim() === ''))) return [];
  const vertical = styles.find(names, 'graphic-properties', 'textarea-vertical-align');
  const anchor = vertical === 'middle' ? 'center' : vertical === 'bottom' ? 'bottom' : 'top';
  return [{ kind: 'text', box, paragraphs, anchor }];
}

interface TextContext {
  readonly styles: Styles;
  /** Styles of the surrounding shape. */
  readonly names: readonly (string | undefined)[];
  /** -1 outside of lists. */
  readonly level: number;
  readonly mark: string | null;
}

function readParagraphs(owner: XmlElement, context: TextContext): Paragraph[] {
  return elements(owner).flatMap((element): Paragraph[] => {
    if (element.name === 'list') {
      return elements(element).flatMap((item) =>
        readParagraphs(item, { ...context, level: context.level + 1, mark: '•' }),
      );
    }
    if (element.name !== 'p' && element.name !== 'h') return [];
    const { styles } = context;
    const names = [attribute(element, 'style-name'), ...context.names];
    const align = styles.find(names, 'paragraph-properties', 'text-align');
    const rightToLeft = styles.find(names, 'paragraph-properties', 'writing-mode')?.startsWith('rl') ?? false;
    // Impress writes `end` for right-aligned text in both writing directions.
    const isEnd = align === 'right' || align === 'end' || (align === undefined && rightToLeft);
    const runs = runsOf(element, [], { names, styles });
    const isBlank = runs.every(({ text }) => text.trim() === '');
    return [
      {
        runs,
        bullet: isBlank ? null : context.mark,
        level: Math.max(0, context.level),
        align: align === 'center' ? 'center' : align === 'justify' ? 'justify' : isEnd ? 'right' : 'left',
        rightToLeft,
      },
    ];
  });
}

function runsOf(
  element: XmlElement,
  spans: readonly (string | undefined)[],
  { names, styles }: { names: readonly (string | undefined)[]; styles: Styles },
): { text: string; look: TextLook }[] {
  const look = lookOf([...spans, ...names], styles);
  return element.children.flatMap((one): { text: string; look: TextLook }[] => {
    if (typeof one === 'string') return [{ text: one.replace(/\s+/g, ' '), look }];
    if (one.name === 'line-break') return [{ text: '\n', look }];
    if (one.name === 's') return [{ text: ' '.repeat(Math.min(200, Number(attribute(one, 'c') ?? 1) || 1)), look }];
    if (one.name === 'tab') return [{ text: '  ', look }];
    if (one.name === 'annotation') return [];
    return runsOf(one, [attribute(one, 'style-name'), ...spans], { names, styles });
  });
}

function lookOf(names: readonly (string | undefined)[], styles: Styles): TextLook {
  const find = (property: string) => styles.find(names, 'text-properties', property);
  const size = find('font-size');
  const underline = find('text-underline-style');
  return {
    size: points(size) || 18,
    bold: find('font-weight') === 'bold',
    italic: find('font-style') === 'italic',
    underline: underline !== undefined && underline !== 'none',
    color: colorOf(find('color')) ?? '#000000',
    font: (styles.family(names) ?? 'Liberation Sans').replace(/^['"]|['"]$/g, ''),
  };
}

function linesOf(box: XmlElement | undefined): string[] {
  return elements(box).flatMap((element) => {
    if (element.name === 'list') return elements(element).flatMap(linesOf);
    return element.name === 'p' || element.name === 'h' ? [plainText(element)] : [];
  });
}

function plainText(element: XmlElement): string {
  return element.children
    .map((one) => {
      if (typeof one === 'string') return one.replace(/\s+/g, ' ');
      if (one.name === 'line-break') return '\n';
      if (one.name === 's') return ' ';
      return one.name === 'annotation' ? '' : plainText(one);
    })
    .join('');
}

function boxOf(shape: XmlElement): PageBox | undefined {
  const end = attribute(shape, 'x2');
  if (end !== undefined) {
    const [x1, x2] = [points(attribute(shape, 'x1')), points(end)];
    const [y1, y2] = [points(attribute(shape, 'y1')), points(attribute(shape, 'y2'))];
    const size = { width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
    return { x: Math.min(x1, x2), y: Math.min(y1, y2), ...size, angle: 0 };
  }
  const [width, height] = [points(attribute(shape, 'width')), points(attribute(shape, 'height'))];
  if (width <= 0 && height <= 0) return undefined;
  return { x: points(attribute(shape, 'x')), y: points(attribute(shape, 'y')), width, height, angle: 0 };
}
