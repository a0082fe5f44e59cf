import { type DocumentPosition, isRecord, number, reading, special } from '../field.js';
import { objectType, type Placed, type ReadingContext } from './base.js';

/** Maximum length of path data, characters; a traced photograph in one path would block a worker. */
const MAX_PATH = 200_000;

/** A point in canvas units. */
export interface PathPoint {
  readonly x: number;
  readonly y: number;
}

const MIDDLE = { x: number({}), y: number({}) };

const pathOffset = special<PathPoint | null, { x: number | null; y: number | null }>(
  { type: 'object', properties: MIDDLE, description: 'Middle of the bounding box of its data.' },
  (raw, place) => {
    const read = reading(MIDDLE, isRecord(raw) ? raw : {}, place);
    return { x: read('x'), y: read('y') };
  },
);

const pathData = special<string | readonly (readonly (string | number)[])[], string | null>(
  {
    description: 'SVG path data in canvas units, as text or as a list of steps.',
    anyOf: [
      { type: 'string', maxLength: MAX_PATH, examples: ['M 0 0 L 40 0 L 20 30 Z'] },
      { type: 'array', items: { type: 'array', items: {} } },
    ],
  },
  (raw) => {
    if (typeof raw === 'string') return raw;
    if (!Array.isArray(raw)) return null;
    return raw.map((step) => (Array.isArray(step) ? step.join(' ') : '')).join(' ');
  },
);

const points = special<readonly PathPoint[], readonly PathPoint[]>(
  {
    type: 'array',
    minItems: 2,
    items: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } } },
    description: 'Corners, canvas units.',
  },
  (raw) =>
    (Array.isArray(raw) ? raw : []).flatMap((point: unknown) =>
      isRecord(point) && Number.isFinite(point['x']) && Number.isFinite(point['y'])
        ? [{ x: Number(point['x']), y: Number(point['y']) }]
        : [],
    ),
);

/** A free shape by SVG path data. */
export const path = objectType({
  label: 'Shape',
  edits: ['fill', 'entrance'],
  fields: { path: pathData, pathOffset },
  read(read, base, { place }) {
    const middle = { x: base.width / 2, y: base.height / 2 };
    return shapeOf(read('path'), place.at('path'), () => ({ middle, offset: read('pathOffset') }));
  },
});

const linesOf = (label: string, closed: boolean) =>
  objectType({
    label,
    edits: ['fill', 'entrance'],
    fields: { points, pathOffset },
    read: (read, _base: Placed, { place }: ReadingContext) =>
      shapeOf(polyData(read('points'), closed), place.at('points'), () => ({
        middle: middleOf(read('points')),
        offset: read('pathOffset'),
      })),
  });

/** A closed shape by its corners. */
export const polygon = linesOf('Polygon', true);

/** An open run of lines by its corners. */
export const polyline = linesOf('Polyline', false);

function shapeOf(
  data: string | null,
  place: DocumentPosition,
  placed: () => { middle: PathPoint; offset: { x: number | null; y: number | null } },
): { readonly type: 'path'; readonly data: string; readonly offset: PathPoint } | null {
  if (data === null || data.length > MAX_PATH || !/^[-+\d.,\seMmLlHhVvCcSsQqTtAaZz]*$/.test(data)) {
    place.note(`expected path data of at most ${MAX_PATH} characters`);
    return null;
  }
  const { middle, offset } = placed();
  return { type: 'path', data, offset: { x: offset.x ?? middle.x, y: offset.y ?? middle.y } };
}

function polyData(corners: readonly PathPoint[], closed: boolean): string | null {
  if (corners.length < 2) return null;
  const steps = corners.map((point, index) => `${index === 0 ? 'M' : 'L'} ${point.x} ${point.y}`);
  return steps.join(' ') + (closed ? ' Z' : '');
}

function middleOf(corners: readonly PathPoint[]): PathPoint {
  // Not Math.min(...corners), because a traced shape may have more points than a call can have arguments.
  const middle = (key: 'x' | 'y'): number => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const point of corners) {
      low = Math.min(low, point[key]);
      high = Math.max(high, point[key]);
    }
    return (low + high) / 2;
  };
  return { x: middle('x'), y: middle('y') };
}
