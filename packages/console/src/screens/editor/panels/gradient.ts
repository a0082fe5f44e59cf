import type { CanvasObject } from '@figurehead/sdk/document';

/** Directions of a gradient between two colours, as corners of the object's box. */
export const DIRECTIONS = {
  right: { label: 'Gradient to the right', coords: { x1: 0, y1: 0, x2: 1, y2: 0 } },
  down: { label: 'Gradient downwards', coords: { x1: 0, y1: 0, x2: 0, y2: 1 } },
  diagonal: { label: 'Diagonal gradient', coords: { x1: 0, y1: 0, x2: 1, y2: 1 } },
} as const;
/** A key of {@link DIRECTIONS}. */
export type Direction = keyof typeof DIRECTIONS;

/** A gradient of a document: places in canvas units, or as fractions of the object's box. */
export interface StoredGradient {
  readonly type?: string;
  readonly gradientUnits?: string;
  readonly coords?: Readonly<Partial<Record<'x1' | 'y1' | 'x2' | 'y2' | 'r1' | 'r2', number>>>;
  readonly colorStops?: readonly { readonly offset: number; readonly color: string }[];
}

/** The gradient of a fill; `undefined` for a plain colour. */
export function gradientIn(fill: CanvasObject['fill']): StoredGradient | undefined {
  return typeof fill === 'object' && fill !== null && Array.isArray((fill as StoredGradient).colorStops)
    ? (fill as StoredGradient)
    : undefined;
}

/** First and last colour of a fill, and its direction; a plain colour has none. */
export function rampOf(fill: CanvasObject['fill']): { from: string; to: string; direction: Direction | undefined } {
  const gradient = gradientIn(fill);
  if (!gradient) return { from: String(fill ?? '#000000'), to: '#ffffff', direction: undefined };
  const { x1 = 0, y1 = 0, x2 = 0, y2 = 0 } = gradient.coords ?? {};
  const direction = Math.abs(x2 - x1) < 1e-3 ? 'down' : Math.abs(y2 - y1) < 1e-3 ? 'right' : 'diagonal';
  const colors = gradient.colorStops?.map(({ color }) => color) ?? [];
  return { from: colors[0] ?? '#000000', to: colors.at(-1) ?? '#ffffff', direction };
}

/** A fill as a document stores it: a colour without a direction, otherwise a gradient over the whole object. */
export function fillOf(ramp: { from: string; to: string; direction: Direction | undefined }) {
  if (ramp.direction === undefined) return ramp.from;
  const colorStops = [ramp.from, ramp.to].map((color, offset) => ({ offset, color }));
  return { type: 'linear', gradientUnits: 'percentage', coords: DIRECTIONS[ramp.direction].coords, colorStops };
}
