import type { CanvasSize } from '../document/objects/base.js';
import type { CanvasObject } from '../document/objects/index.js';
import { type Box, columns, type Frame } from './frame.js';
import type { BrandRole } from './look.js';

const LINE_HEIGHT = 1.16;
/** Height of a line in font sizes, as rendering has it; the line height separates lines only. */
const PITCH = 1.13;
const PLACE = { originX: 'left', originY: 'top' } as const;

function boxed([left, top, width, height]: Box) {
  return { ...PLACE, left, top, width, height };
}

/** Aligns a text to the middle of its box. */
export const CENTRE = { textAlign: 'center' } as const;
/** A list with bullets. */
export const BULLETS = { lineHeight: 1.7, list: 'bullet' } as const;
/** Running text of several lines. */
export const PROSE = { lineHeight: 1.35 } as const;

/** Content, position and style of a text; `size` is the font size on the wide canvas. */
interface Words extends Partial<CanvasObject> {
  readonly words: string;
  readonly at: readonly [left: number, top: number, width: number];
  readonly size: number;
  readonly role: BrandRole;
}

/** A text. Its box is as high as its own lines, until {@link withRoom}. */
export function text(on: Frame, id: string, { words, at, size, role, ...more }: Words): CanvasObject {
  const fontSize = on.scaled(size);
  const lineHeight = Number(more.lineHeight ?? LINE_HEIGHT);
  const lines = words.split('\n').length;
  const height = Math.ceil(fontSize * PITCH * (1 + (lines - 1) * lineHeight));
  const isHeading = role.toLowerCase().endsWith('heading');
  const letters = { fontSize, fontWeight: isHeading ? 'bold' : 'normal', lineHeight, textAlign: 'left' } as const;
  return { type: 'textbox', id, text: words, ...boxed([...at, height]), ...letters, brandRole: role, ...more };
}

/** Space between a text that has grown and what is below it, canvas units. */
const GAP = 4;

/** Empty share of a presenter's box above the head. */
const ABOVE_PERSON = 0.12;

/** The texts of a layout with the room below them: longer words fill it, and shrink where it ends, before they meet anything. */
export function withRoom(objects: readonly CanvasObject[], { height: end }: CanvasSize): CanvasObject[] {
  return objects.map((object, index) => {
    if (object.type !== 'textbox') return object;
    const [above, own] = [object.top ?? 0, object.height ?? 0];
    const limits = objects.flatMap((other, at) => {
      if (at === index || !isAcross(object, other)) return [];
      const bottom = (other.top ?? 0) + (other.height ?? 0);
      const isPerson = other.type === 'avatar' && other['shape'] !== 'circle';
      const top = (other.top ?? 0) + (isPerson ? ABOVE_PERSON * (other.height ?? 0) : 0);
      if (top >= above + own) return [top - GAP];
      // A panel that the text is on.
      return at < index && other.type !== 'avatar' && bottom > above + own ? [bottom - 2 * GAP] : [];
    });
    // The last line has its line height too, so that words do not stick to what is below.
    const rest = (object.fontSize ?? 0) * PITCH * Math.max(0, Number(object.lineHeight ?? LINE_HEIGHT) - 1);
    const room = Math.min(end - 3 * GAP, ...limits) - above - rest;
    return { ...object, height: Math.max(own, Math.floor(room)), fitTextBox: true };
  });
}

/** Whether two objects are, in part, above each other. */
function isAcross(a: CanvasObject, b: CanvasObject): boolean {
  const endOf = ({ left = 0, width = 0 }: CanvasObject) => left + width;
  return (a.left ?? 0) < endOf(b) && (b.left ?? 0) < endOf(a);
}

/** A rectangle with rounded corners. */
export const rect = (box: Box, brandRole: BrandRole, rx = 0): CanvasObject => ({
  type: 'rect',
  ...boxed(box),
  rx,
  ry: rx,
  fill: '#000000',
  brandRole,
});

export const disc = (left: number, top: number, side: number, brandRole: BrandRole): CanvasObject => ({
  type: 'circle',
  ...boxed([left, top, side, side]),
  radius: side / 2,
  fill: '#000000',
  brandRole,
});

/** A line along a path of SVG data whose box begins at 0, 0. */
export const stroke = (path: string, box: Box, strokeWidth: number, brandRole: BrandRole): CanvasObject => ({
  type: 'path',
  ...boxed(box),
  path,
  pathOffset: { x: box[2] / 2, y: box[3] / 2 },
  fill: null,
  stroke: '#000000',
  strokeWidth,
  strokeLineCap: 'round',
  strokeLineJoin: 'round',
  brandRole,
});

/** The presenter of a slide. */
export const presenter = (box: Box, shape: 'full' | 'circle' = 'full'): CanvasObject => ({
  type: 'avatar',
  ...boxed(box),
  shape,
  ...(shape === 'circle' && { fill: '#000000', brandRole: 'accentSoft' }),
});

export const largePresenter = (on: Frame): CanvasObject => presenter(on.presenter);
/** The small presenter at the lower right. */
export const corner = (on: Frame): CanvasObject => presenter(on.corner, 'circle');

/** The heading of a slide without a large presenter. */
export function heading(on: Frame, words: string): CanvasObject {
  const top = { wide: 36, tall: 52, square: 24 }[on.shape];
  return text(on, 'title', { words, at: [on.margin, top, on.inner], size: 28, role: 'heading' });
}

/** A disc with a number or a letter in its middle; `size` is the letter's font size on the wide canvas. */
export function badge(
  on: Frame,
  id: string,
  { words, box: [left, top, side], size, roles }: { words: string; box: Box; size: number; roles: Badge },
): CanvasObject[] {
  // A line is 1.13 times as high as its letters.
  const offset = (side - on.scaled(size) * 1.13) / 2;
  const letters = text(on, id, { words, at: [left, top + offset, side], size, role: roles[1], ...CENTRE });
  return [disc(left, top, side, roles[0]), letters];
}
type Badge = readonly [disc: BrandRole, letters: BrandRole];

/** Badges of numbers. */
export const NUMBERED: Badge = ['accent', 'onAccentHeading'];

/** A card with a heading and a text. */
export function card(on: Frame, id: string, box: Box, [title, words]: readonly [string, string]): CanvasObject[] {
  const [left, top, width] = box;
  const [pad, above] = [on.scaled(16), on.scaled(18)];
  const at = (down: number) => [left + pad, top + down, width - 2 * pad] as const;
  return [
    rect(box, 'surface', 12),
    text(on, `${id}Title`, { words: title, at: at(above), size: 18, role: 'accentHeading' }),
    text(on, id, { words, at: at(above + on.scaled(32)), size: 14, role: 'text', ...PROSE }),
  ];
}

/** An entry with a badge, a title and a text: below each other, or next to each other when the entries are stacked. */
export function entries(
  on: Frame,
  list: readonly { title: string; words: string; badge: string }[],
  { side, size, box, ids, roles, centred = false }: Entries,
): CanvasObject[] {
  return columns(on, box, { count: list.length }).flatMap(([left, top, width], index) => {
    const { title, words, badge: letters } = list[index] ?? { title: '', words: '', badge: '' };
    const across = on.shape !== 'wide';
    const d = on.scaled(side);
    const x = across ? left + d + on.scaled(18) : left;
    const y = across ? top : top + d + on.scaled(22);
    const w = left + width - x;
    const align = centred && !across ? CENTRE : {};
    const place: Box = [centred && !across ? left + (width - d) / 2 : left, top, d, d];
    return [
      ...badge(on, `${ids}${index + 1}`, { words: letters, box: place, size, roles }),
      text(on, `item${index + 1}Title`, { words: title, at: [x, y, w], size: 19, role: 'heading', ...align }),
      text(on, `item${index + 1}`, {
        words,
        at: [x, y + on.scaled(28), w],
        size: 14,
        role: 'muted',
        ...PROSE,
        ...align,
      }),
    ];
  });
}
interface Entries {
  /** Diameter of the badge and font size of its letters, on the wide canvas. */
  readonly side: number;
  readonly size: number;
  readonly box: Box;
  /** Prefix of the ids of the texts. */
  readonly ids: string;
  readonly roles: Badge;
  readonly centred?: boolean;
}

/** A title in the middle of the canvas with a line below it; `size` is the title's font size on the wide canvas. */
export function opening(
  on: Frame,
  size: number,
  [words, line]: readonly [title: string, line: string],
): CanvasObject[] {
  const [wide, tall] = [on.shape === 'wide', on.shape === 'tall'];
  const at = (offset: number) => [on.margin, on.height / 2 + on.scaled(offset), on.inner] as const;
  const title = { words, at: at(tall ? -86 : -60), size: wide ? size : size * 0.8, ...CENTRE };
  return [
    text(on, 'title', { ...title, role: 'onAccentHeading' }),
    text(on, 'subtitle', { words: line, at: at(tall ? 36 : 16), size: 17, role: 'onAccent', ...CENTRE }),
  ];
}
