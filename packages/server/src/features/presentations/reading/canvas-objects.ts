import type { CanvasObject } from '@figurehead/contract';
import { segmentsOf } from '@figurehead/contract/document/segments';
import type { Deck, DeckElement, DeckPage, PageBox, Paragraph, PictureRef, TextLook } from './deck.js';
import type { PageFrame } from './frame.js';

/** Maps points of a page to the canvas of a video. */
interface Placement {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

/** URLs of elements that are shown as pictures. */
export interface PictureLinks {
  /** URL of a picture of the deck; `undefined` when it cannot be shown. */
  linkOf(picture: PictureRef): string | undefined;
  /** Picture and position of an element drawn by an office program; `undefined` without one. */
  cutOf(element: DeckElement): { readonly src: string; readonly box: PageBox } | undefined;
}

/** Maximum characters of a text object. */
const MAX_TEXT = 20_000;

/**
 * A page as editable canvas objects: text boxes, pictures, boxes and ellipses, bottom first.
 */
export function canvasObjects(
  { deck, page, frame }: { deck: Deck; page: DeckPage; frame: PageFrame },
  pictures: PictureLinks,
): CanvasObject[] {
  const scale = Math.min(frame.canvas.width / deck.width, frame.canvas.height / deck.height);
  const placement = {
    scale,
    left: (frame.canvas.width - deck.width * scale) / 2,
    top: (frame.canvas.height - deck.height * scale) / 2,
  };
  return page.elements.flatMap((element) => objectsOf(element, placement, pictures));
}

function objectsOf(element: DeckElement, placement: Placement, pictures: PictureLinks): CanvasObject[] {
  const image = (box: PageBox, src: string): CanvasObject[] => [
    { type: 'image', ...place(box, placement), src, fit: 'fill' },
  ];
  const cut = pictures.cutOf(element);
  if (cut !== undefined) return image(cut.box, cut.src);
  switch (element.kind) {
    case 'graphic':
      return element.standIn.flatMap((one) => objectsOf(one, placement, pictures));
    case 'text':
      return [textbox(element, placement)];
    case 'picture': {
      const src = pictures.linkOf(element.picture);
      return src === undefined ? [] : image(element.box, src);
    }
    case 'shape': {
      const { box, form, fill, line } = element;
      const at = place(box, placement);
      const surface = {
        fill: fill ?? 'transparent',
        ...(line === null ? {} : { stroke: line.color, strokeWidth: round(line.width * placement.scale) }),
      };
      // The default radius of PowerPoint's round corners is a sixth of the shorter side.
      const corner = form === 'round' ? { rx: round(Math.min(Number(at.width), Number(at.height)) / 6) } : {};
      return form !== 'ellipse'
        ? [{ type: 'rect', ...at, ...corner, ...surface }]
        : [{ type: 'ellipse', ...at, rx: round(Number(at.width) / 2), ry: round(Number(at.height) / 2), ...surface }];
    }
  }
}

/** Upright boxes are placed by their corner; turned ones around their centre. */
function place(box: PageBox, { scale, left, top }: Placement): Omit<CanvasObject, 'type'> {
  const size = { width: round(box.width * scale), height: round(box.height * scale) };
  if (box.angle === 0) return { left: round(left + box.x * scale), top: round(top + box.y * scale), ...size };
  return {
    left: round(left + (box.x + box.width / 2) * scale),
    top: round(top + (box.y + box.height / 2) * scale),
    ...size,
    originX: 'center',
    originY: 'center',
    angle: round(box.angle),
  };
}

function textbox(element: Extract<DeckElement, { kind: 'text' }>, placement: Placement): CanvasObject {
  const { box, anchor, paragraphs } = element;
  const at = place(box, placement);
  const [first] = paragraphs;
  const base = mainLook(paragraphs);
  // Paragraphs with the same bullet become a list of the editor, with hanging indents; mixed bullets become text.
  const isList = paragraphs.length > 0 && paragraphs.every(({ bullet, level }) => bullet === '•' && level === 0);
  const { text, styles } = writeText(paragraphs, { base, scale: placement.scale, withMarks: !isList });
  const height = Number(at.height);
  const vertical =
    box.angle !== 0 || anchor === 'top'
      ? { fitTextBox: true }
      : { originY: anchor, top: round(Number(at.top) + (anchor === 'center' ? height / 2 : height)) };
  return {
    type: 'textbox',
    ...at,
    ...vertical,
    text: text.slice(0, MAX_TEXT),
    ...lookFields(base, placement.scale),
    textAlign: first?.align ?? 'left',
    lineHeight: 1.05,
    ...(first?.rightToLeft ? { direction: 'rtl' } : {}),
    ...(isList ? { list: 'bullet' } : {}),
    ...(styles.length === 0 ? {} : { styles }),
  };
}

/** The style of most letters. */
function mainLook(paragraphs: readonly Paragraph[]): TextLook {
  const tally = new Map<string, { look: TextLook; letters: number }>();
  for (const { text, look } of paragraphs.flatMap(({ runs }) => runs)) {
    const key = JSON.stringify(look);
    const entry = tally.get(key) ?? { look, letters: 0 };
    entry.letters += text.length;
    tally.set(key, entry);
  }
  const [first] = [...tally.values()].sort((a, b) => b.letters - a.letters);
  return first?.look ?? { size: 18, bold: false, italic: false, underline: false, color: '#000000', font: 'Arial' };
}

/** The text with Fabric's style ranges, whose indexes count graphemes without line breaks. */
function writeText(
  paragraphs: readonly Paragraph[],
  options: { base: TextLook; scale: number; withMarks: boolean },
): { text: string; styles: { start: number; end: number; style: Record<string, unknown> }[] } {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const styles: { start: number; end: number; style: Record<string, unknown> }[] = [];
  let at = 0;
  const count = (text: string): number => [...segmentsOf(text.replaceAll('\n', ''), segmenter)].length;
  const lines = paragraphs.map(({ runs, bullet, level }) => {
    const mark = options.withMarks && bullet !== null ? `${'    '.repeat(level)}${bullet} ` : '';
    at += count(mark);
    for (const { text, look } of runs) {
      const end = at + count(text);
      const style = difference(look, options.base, options.scale);
      if (end > at && Object.keys(style).length > 0) styles.push({ start: at, end, style });
      at = end;
    }
    return mark + runs.map(({ text }) => text).join('');
  });
  return { text: lines.join('\n'), styles };
}

function difference(look: TextLook, base: TextLook, scale: number): Record<string, unknown> {
  const [own, usual] = [lookFields(look, scale), lookFields(base, scale)];
  return Object.fromEntries(Object.entries(own).filter(([key, value]) => usual[key] !== value));
}

function lookFields(look: TextLook, scale: number): Record<string, string | number | boolean> {
  return {
    fontSize: round(look.size * scale),
    fontFamily: look.font,
    fontWeight: look.bold ? 'bold' : 'normal',
    fontStyle: look.italic ? 'italic' : 'normal',
    underline: look.underline,
    fill: look.color,
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
