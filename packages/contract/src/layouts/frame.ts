import type { CanvasSize } from '../document/objects/base.js';

/** A box in canvas units: left, top, width, height. */
export type Box = readonly [left: number, top: number, width: number, height: number];

/** The canvas that a layout fills, and the areas that layouts share. All values are in canvas units. */
export interface Frame extends CanvasSize {
  readonly shape: 'wide' | 'tall' | 'square';
  /** Space around the content. */
  readonly margin: number;
  /** Width between the margins. */
  readonly inner: number;
  /** The area between the heading and the small presenter, and the whole area below the heading. */
  readonly body: Box;
  readonly page: Box;
  /** The area for texts next to the presenter, or above it. */
  readonly beside: Box;
  readonly presenter: Box;
  /** The small presenter at the lower right. */
  readonly corner: Box;
  /** Converts a length or a font size of the wide canvas to this canvas. */
  readonly scaled: (length: number) => number;
}

/**
 * The wide canvas is designed for a screen; text is nearly as large on the tall canvas, and everything is smaller on
 * the square one.
 */
const SHAPES = {
  wide: {
    letters: 1,
    margin: 40,
    body: [40, 96, 560, 216],
    page: [40, 96, 560, 216],
    beside: [40, 60, 300, 240],
    presenter: [322, 42, 318, 318],
    corner: [520, 244, 104, 104],
  },
  tall: {
    letters: 0.95,
    margin: 30,
    body: [30, 128, 300, 384],
    page: [30, 128, 300, 470],
    beside: [30, 64, 300, 230],
    presenter: [16, 300, 340, 340],
    corner: [240, 524, 100, 100],
  },
  square: {
    letters: 0.78,
    margin: 24,
    body: [24, 84, 312, 190],
    page: [24, 84, 312, 252],
    beside: [24, 28, 312, 150],
    presenter: [164, 164, 196, 196],
    corner: [278, 278, 70, 70],
  },
} as const satisfies Readonly<
  Record<
    Frame['shape'],
    { letters: number; margin: number } & Pick<Frame, 'body' | 'page' | 'beside' | 'presenter' | 'corner'>
  >
>;

export function frameOf({ width, height }: CanvasSize): Frame {
  const shape = width > height ? 'wide' : width < height ? 'tall' : 'square';
  const { letters, margin, ...areas } = SHAPES[shape];
  const scaled = (length: number) => Math.round(length * letters * 2) / 2;
  return { width, height, shape, margin, inner: width - 2 * margin, ...areas, scaled };
}

/** Boxes next to each other; on the tall canvas, and with `narrow` also on the square one, below each other. */
export function columns(
  { shape, scaled }: Frame,
  [left, top, width, height]: Box,
  { count, gap = 16, narrow = 'square' }: { count: number; gap?: number; narrow?: 'tall' | 'square' },
): Box[] {
  const stacked = shape === 'tall' || (shape === 'square' && narrow === 'square');
  const [across, down] = stacked ? [1, count] : [count, 1];
  const space = scaled(gap);
  const [w, h] = [(width - space * (across - 1)) / across, (height - space * (down - 1)) / down];
  return Array.from({ length: count }, (_one, index) =>
    stacked ? [left, top + index * (h + space), w, h] : [left + index * (w + space), top, w, h],
  );
}

/**
 * Texts next to the presenter: the box of the area, and offsets from its first text, whose top on the wide canvas is
 * `wide`.
 */
export function area(on: Frame, wide: number) {
  const [left, top, width] = on.beside;
  const first = on.shape === 'wide' ? wide : top;
  const y = (offset: number) => first + on.scaled(offset);
  return { left, width, y, at: (offset: number) => [left, y(offset), width] as const };
}

/** Width of rows that leave room for the corner presenter on the wide canvas. */
export const rowWidth = ({ shape, inner }: Frame): number => (shape === 'wide' ? 450 : inner);

/** Tops of rows that divide a height equally. */
export function rows([, top, , height]: Box, count: number): number[] {
  return Array.from({ length: count }, (_one, index) => top + (index * height) / count);
}
