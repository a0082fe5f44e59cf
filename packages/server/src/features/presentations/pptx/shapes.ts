import type { DeckElement, PageBox, Paragraph } from '../reading/deck.js';
import { at, attribute, child, elements, isOn, numberOf, type XmlElement } from '../reading/xml.js';
import type { Part } from './ooxml-package.js';
import { readParagraphs, type TextSources } from './text.js';
import type { Theme } from './theme.js';

/** A slide and what it inherits from. */
export interface SlideParts {
  readonly slide: Part;
  readonly layout: Part | undefined;
  readonly master: Part | undefined;
  readonly theme: Theme;
  /** Root of `presentation.xml`, for text without other styles. */
  readonly presentation: XmlElement;
}

/** English Metric Units in a point. */
export const EMU = 12_700;

/** Maps a group's inner coordinates to the page's. */
interface Frame {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly x: number;
  readonly y: number;
}

const PAGE: Frame = { scaleX: 1 / EMU, scaleY: 1 / EMU, x: 0, y: 0 };

/** The drawable elements of a slide: its own shapes over the decoration of its layout and master. */
export function readShapes(parts: SlideParts): { elements: DeckElement[]; leftOut: string[] } {
  const { slide, layout, master } = parts;
  const leftOut: string[] = [];
  const showsMaster = (part: Part | undefined): boolean => attribute(part?.root, 'showMasterSp') !== '0';
  const draw = (part: Part | undefined, decorationOnly: boolean): DeckElement[] => {
    if (part === undefined) return [];
    return readTree(at(part.root, 'cSld', 'spTree'), PAGE, { parts, part, decorationOnly, leftOut });
  };
  const drawn = [
    ...(showsMaster(slide) && showsMaster(layout) ? draw(master, true) : []),
    ...(showsMaster(slide) ? draw(layout, true) : []),
    ...draw(slide, false),
  ];
  return { elements: drawn, leftOut: [...new Set(leftOut)] };
}

interface Reading {
  readonly parts: SlideParts;
  readonly part: Part;
  /** For layouts and masters: their placeholders are only templates. */
  readonly decorationOnly: boolean;
  readonly leftOut: string[];
}

function readTree(tree: XmlElement | undefined, frame: Frame, reading: Reading): DeckElement[] {
  return elements(tree).flatMap((element): DeckElement[] => {
    switch (element.name) {
      case 'sp':
        return readShape(element, frame, reading);
      case 'pic':
        return readPicture(element, frame, reading);
      case 'grpSp':
        return readTree(element, innerFrame(child(element, 'grpSpPr'), frame), reading);
      case 'graphicFrame':
        return readGraphic(element, frame, reading);
      case 'cxnSp':
        return readLine(element, frame, reading);
      // Newer shapes include a fallback that every reader supports.
      case 'AlternateContent':
        return readTree(child(element, 'Fallback'), frame, reading);
      default:
        return [];
    }
  });
}

function placeholderOf(shape: XmlElement): XmlElement | undefined {
  return at(shape, nonVisualName(shape), 'nvPr', 'ph');
}

/** `nvSpPr`, `nvPicPr` and so on. */
function nonVisualName(shape: XmlElement): string {
  return elements(shape).find(({ name }) => name.startsWith('nv'))?.name ?? '';
}

/** The placeholders that a slide's placeholder inherits from: its layout's (by `idx`, else by type), its master's (by type). */
function modelsOf(placeholder: XmlElement | undefined, { layout, master }: SlideParts): XmlElement[] {
  if (placeholder === undefined) return [];
  const type = attribute(placeholder, 'type') ?? 'body';
  const index = attribute(placeholder, 'idx');
  const shapesOf = (part: Part | undefined) =>
    elements(at(part?.root, 'cSld', 'spTree')).filter((one) => placeholderOf(one) !== undefined);
  const typeOf = (shape: XmlElement) => attribute(placeholderOf(shape), 'type') ?? 'body';
  const inLayout =
    shapesOf(layout).find((one) => index !== undefined && attribute(placeholderOf(one), 'idx') === index) ??
    shapesOf(layout).find((one) => typeOf(one) === type);
  const general =
    type === 'ctrTitle' || type === 'title' ? 'title' : ['dt', 'ftr', 'sldNum'].includes(type) ? type : 'body';
  const inMaster = shapesOf(master).find((one) => typeOf(one) === general);
  return [inLayout, inMaster].filter((one) => one !== undefined);
}

function readShape(shape: XmlElement, frame: Frame, reading: Reading): DeckElement[] {
  const { parts, decorationOnly } = reading;
  const placeholder = placeholderOf(shape);
  if (decorationOnly && placeholder !== undefined) return [];
  const models = modelsOf(placeholder, parts);
  const box = [shape, ...models].map((one) => boxOf(at(one, 'spPr', 'xfrm'), frame)).find((one) => one !== undefined);
  if (box === undefined || isOn(attribute(at(shape, nonVisualName(shape), 'cNvPr'), 'hidden'))) return [];
  const paragraphs = readParagraphs(child(shape, 'txBody'), textSources(shape, models, reading));
  const anchor = [shape, ...models]
    .map((one) => attribute(at(one, 'txBody', 'bodyPr'), 'anchor'))
    .find((one) => one !== undefined);
  return [
    ...asGraphic(shape, box, readForm(shape, box, parts.theme)),
    ...(paragraphs.length === 0 ? [] : [textElement(box, paragraphs, anchor)]),
  ];
}

function textElement(box: PageBox, paragraphs: Paragraph[], anchor: string | undefined): DeckElement {
  // The default inner margins (21.1.2.1.1): 0.1 inch at the sides, 0.05 above and below.
  const inner = {
    ...box,
    x: box.x + 7.2,
    y: box.y + 3.6,
    width: Math.max(1, box.width - 14.4),
    height: Math.max(1, box.height - 7.2),
  };
  return {
    kind: 'text',
    box: inner,
    paragraphs,
    anchor: anchor === 'ctr' ? 'center' : anchor === 'b' ? 'bottom' : 'top',
  };
}

function textSources(shape: XmlElement, models: readonly XmlElement[], { parts }: Reading): TextSources {
  const type = attribute(placeholderOf(shape), 'type') ?? (placeholderOf(shape) === undefined ? 'other' : 'body');
  const styles = child(parts.master?.root, 'txStyles');
  const group = /title/i.test(type)
    ? 'titleStyle'
    : ['other', 'dt', 'ftr', 'sldNum'].includes(type)
      ? 'otherStyle'
      : 'bodyStyle';
  const lists = [
    ...[shape, ...models].map((one) => at(one, 'txBody', 'lstStyle')),
    child(styles, group),
    child(parts.presentation, 'defaultTextStyle'),
  ].filter((one) => one !== undefined);
  const shrunk = numberOf(at(shape, 'txBody', 'bodyPr', 'normAutofit'), 'fontScale');
  return {
    lists,
    theme: parts.theme,
    scale: shrunk === undefined ? 1 : shrunk / 100_000,
    color: parts.theme.color(at(shape, 'style', 'fontRef')),
  };
}

/** The shape's surface: boxes and ellipses; other outlines are drawn as their box. */
function readForm(shape: XmlElement, box: PageBox, theme: Theme): DeckElement[] {
  const properties = child(shape, 'spPr');
  const style = child(shape, 'style');
  const has = (name: string) => child(properties, name) !== undefined;
  const fill = has('noFill')
    ? undefined
    : (theme.color(child(properties, 'solidFill')) ??
      theme.color(at(properties, 'gradFill', 'gsLst', 'gs')) ??
      (attribute(child(style, 'fillRef'), 'idx') === '0' ? undefined : theme.color(child(style, 'fillRef'))));
  const outline = child(properties, 'ln');
  const color = child(outline, 'noFill') !== undefined ? undefined : theme.color(child(outline, 'solidFill'));
  if (fill === undefined && color === undefined) return [];
  const outlined = attribute(child(properties, 'prstGeom'), 'prst') ?? '';
  const form = outlined === 'ellipse' ? 'ellipse' : outlined.startsWith('round') ? 'round' : 'rect';
  const line = color === undefined ? null : { color, width: (numberOf(outline, 'w') ?? 9525) / EMU };
  return [{ kind: 'shape', box, form, fill: fill ?? null, line }];
}

/** Outlines that can be drawn; text boxes and placeholders often have none. */
const PLAIN = /^(|rect|ellipse|round.*)$/;

/** Arrows, stars and freehand outlines are replaced by their box. */
function asGraphic(shape: XmlElement, box: PageBox, form: DeckElement[]): DeckElement[] {
  const properties = child(shape, 'spPr');
  const outline = attribute(child(properties, 'prstGeom'), 'prst') ?? '';
  const isPlain = child(properties, 'custGeom') === undefined && PLAIN.test(outline);
  return form.length === 0 || isPlain ? form : [{ kind: 'graphic', box, what: null, standIn: form }];
}

function readLine(element: XmlElement, frame: Frame, { parts }: Reading): DeckElement[] {
  const box = boxOf(at(element, 'spPr', 'xfrm'), frame);
  const outline = at(element, 'spPr', 'ln');
  const color = parts.theme.color(child(outline, 'solidFill')) ?? parts.theme.color(at(element, 'style', 'lnRef'));
  if (box === undefined || color === undefined) return [];
  // Horizontal and vertical lines are thin boxes; a slanted line has no simple replacement.
  if (box.width > 1 && box.height > 1) return [{ kind: 'graphic', box, what: null, standIn: [] }];
  const width = Math.max(0.5, (numberOf(outline, 'w') ?? 9525) / EMU);
  const thick = { ...box, width: Math.max(box.width, width), height: Math.max(box.height, width) };
  return [{ kind: 'shape', box: thick, form: 'rect', fill: color, line: null }];
}

function readPicture(element: XmlElement, frame: Frame, reading: Reading): DeckElement[] {
  const placeholder = placeholderOf(element);
  const candidates = [element, ...modelsOf(placeholder, reading.parts)];
  const box = candidates.map((one) => boxOf(at(one, 'spPr', 'xfrm'), frame)).find((one) => one !== undefined);
  const part = reading.part.target(attribute(at(element, 'blipFill', 'blip'), 'embed'));
  if (box === undefined || part === undefined) {
    reading.leftOut.push('linked pictures');
    return [];
  }
  return [{ kind: 'picture', box, picture: { part } }];
}

function readGraphic(element: XmlElement, frame: Frame, reading: Reading): DeckElement[] {
  const box = boxOf(child(element, 'xfrm'), frame);
  const data = at(element, 'graphic', 'graphicData');
  const table = child(data, 'tbl');
  if (table !== undefined && box !== undefined) return readTable(table, box, reading);
  const uri = attribute(data, 'uri') ?? '';
  const what = uri.endsWith('/chart') ? 'charts' : uri.endsWith('/diagram') ? 'diagrams' : 'embedded objects';
  if (box !== undefined) return [{ kind: 'graphic', box, what, standIn: [] }];
  reading.leftOut.push(what);
  return [];
}

/** A plain grid with the cells' text; merged cells keep the text of the first. */
function readTable(table: XmlElement, box: PageBox, reading: Reading): DeckElement[] {
  const columns = elements(child(table, 'tblGrid'), 'gridCol').map((one) => (numberOf(one, 'w') ?? 0) / EMU);
  const result: DeckElement[] = [];
  let y = box.y;
  for (const row of elements(table, 'tr')) {
    const height = rowHeight(row, columns, reading);
    let x = box.x;
    for (const [index, cell] of elements(row, 'tc').entries()) {
      const spanned = Math.max(1, numberOf(cell, 'gridSpan') ?? 1);
      const width = columns.slice(index, index + spanned).reduce((sum, one) => sum + one, 0);
      const merged = isOn(attribute(cell, 'hMerge')) || isOn(attribute(cell, 'vMerge'));
      if (!merged) result.push(...readCell(cell, { x, y, width, height, angle: 0 }, reading));
      x += columns[index] ?? 0;
    }
    y += height;
  }
  return result;
}

/**
 * Rows grow with their text, and the file contains only the minimum height. Letters are assumed half as wide as high.
 */
function rowHeight(row: XmlElement, columns: readonly number[], reading: Reading): number {
  const needed = elements(row, 'tc').map((cell, index) => {
    const width = Math.max(1, (columns[index] ?? 0) - 14.4);
    const heights = cellText(cell, reading).map(({ runs }) => {
      const size = Math.max(...runs.map(({ look }) => look.size));
      const letters = runs.reduce((sum, { text }) => sum + text.length, 0);
      return Math.max(1, Math.ceil((letters * size * 0.5) / width)) * size * 1.2;
    });
    return heights.reduce((sum, height) => sum + height, 7.2);
  });
  return Math.max((numberOf(row, 'h') ?? 0) / EMU, ...needed);
}

function cellText(cell: XmlElement, { parts: { theme, presentation } }: Reading): Paragraph[] {
  const list = child(presentation, 'defaultTextStyle');
  return readParagraphs(child(cell, 'txBody'), {
    lists: list === undefined ? [] : [list],
    theme,
    scale: 1,
    color: undefined,
  });
}

function readCell(cell: XmlElement, box: PageBox, reading: Reading): DeckElement[] {
  const { theme } = reading.parts;
  const properties = child(cell, 'tcPr');
  const paragraphs = cellText(cell, reading);
  const fill = theme.color(child(properties, 'solidFill')) ?? null;
  return [
    { kind: 'shape', box, form: 'rect', fill, line: { color: '#a6a6a6', width: 0.75 } },
    ...(paragraphs.length === 0 ? [] : [textElement(box, paragraphs, attribute(properties, 'anchor'))]),
  ];
}

function boxOf(transform: XmlElement | undefined, frame: Frame): PageBox | undefined {
  const [offset, extent] = [child(transform, 'off'), child(transform, 'ext')];
  if (offset === undefined || extent === undefined) return undefined;
  return {
    x: frame.x + (numberOf(offset, 'x') ?? 0) * frame.scaleX,
    y: frame.y + (numberOf(offset, 'y') ?? 0) * frame.scaleY,
    width: (numberOf(extent, 'cx') ?? 0) * frame.scaleX,
    height: (numberOf(extent, 'cy') ?? 0) * frame.scaleY,
    angle: (numberOf(transform, 'rot') ?? 0) / 60_000,
  };
}

/** A group has its own inner coordinates (`chOff`, `chExt`); its rotation is ignored. */
function innerFrame(properties: XmlElement | undefined, frame: Frame): Frame {
  const transform = child(properties, 'xfrm');
  const box = boxOf(transform, frame);
  const [offset, extent] = [child(transform, 'chOff'), child(transform, 'chExt')];
  const [width, height] = [numberOf(extent, 'cx') ?? 0, numberOf(extent, 'cy') ?? 0];
  if (box === undefined || width === 0 || height === 0) return frame;
  const [scaleX, scaleY] = [box.width / width, box.height / height];
  return {
    scaleX,
    scaleY,
    x: box.x - (numberOf(offset, 'x') ?? 0) * scaleX,
    y: box.y - (numberOf(offset, 'y') ?? 0) * scaleY,
  };
}
