import type { CanvasObject, ObjectBase, PathObject } from './document.js';
import { Fields, isRecord } from './fields.js';

/** Rule of a side or radius in canvas units. */
export const LENGTH = { fallback: 0, min: 0, max: 100_000 };

/** A circle by its `radius`, an ellipse by `rx` and `ry`. */
export function parseEllipse(fields: Fields, base: ObjectBase, type: 'circle' | 'ellipse'): CanvasObject {
  const size = { ...LENGTH };
  const radius = fields.number('radius', { ...size, fallback: Math.min(base.width, base.height) / 2 });
  const rx = type === 'circle' ? radius : fields.number('rx', { ...size, fallback: base.width / 2 });
  const ry = type === 'circle' ? radius : fields.number('ry', { ...size, fallback: base.height / 2 });
  return {
    ...base,
    type: 'ellipse',
    width: rx * 2,
    height: ry * 2,
    rx,
    ry,
    startAngle: type === 'circle' ? angleOf(fields, 'startAngle', 0) : 0,
    endAngle: type === 'circle' ? angleOf(fields, 'endAngle', 360) : 360,
  };
}

/** Fabric 4 gave arcs in radians with a full circle of 2π, later versions give degrees. */
function angleOf(fields: Fields, key: string, fallback: number): number {
  const value = fields.number(key, { fallback, min: -3600, max: 3600 });
  return key === 'endAngle' && Math.abs(value - 2 * Math.PI) < 1e-3 ? 360 : value;
}

/** A line by its end points. */
export function parseLine(fields: Fields, base: ObjectBase): CanvasObject {
  const place = { fallback: 0, min: -100_000, max: 100_000 };
  const [x1, y1] = [fields.number('x1', place), fields.number('y1', place)];
  const [x2, y2] = [
    fields.number('x2', { ...place, fallback: base.width }),
    fields.number('y2', { ...place, fallback: base.height }),
  ];
  const [cx, cy] = [(x1 + x2) / 2, (y1 + y2) / 2];
  return {
    ...base,
    type: 'line',
    // A hand-written line often has a colour as `fill` only, and its place only in its end points.
    left: fields.get('left') === undefined ? Math.min(x1, x2) : base.left,
    top: fields.get('top') === undefined ? Math.min(y1, y2) : base.top,
    stroke: base.stroke ?? base.fill,
    strokeWidth: fields.number('strokeWidth', { fallback: 1, min: 0, max: 1000 }),
    width: Math.abs(x2 - x1),
    height: Math.abs(y2 - y1),
    x1: x1 - cx,
    y1: y1 - cy,
    x2: x2 - cx,
    y2: y2 - cy,
  };
}

/** Longest path data taken, in characters; tracing a photograph into one path would stall a worker. */
const MAX_PATH = 200_000;

/** `path`, `polygon` or `polyline`; null and a problem when it cannot be drawn. */
export function parsePath(fields: Fields, base: ObjectBase, type: string): PathObject | null {
  const points = type === 'path' ? null : pointsOf(fields);
  const data = points === null ? pathData(fields.get('path')) : polyData(points, type === 'polygon');
  if (data === null || data.length > MAX_PATH || !/^[-+\d.,\seMmLlHhVvCcSsQqTtAaZz]*$/.test(data)) {
    fields.note(points === null ? 'path' : 'points', `expected path data of at most ${MAX_PATH} characters`);
    return null;
  }
  const offset = fields.get('pathOffset');
  const middle = points === null ? { x: base.width / 2, y: base.height / 2 } : middleOf(points);
  const at = new Fields(isRecord(offset) ? offset : {}, `${fields.at}.pathOffset`, fields.problems);
  return {
    ...base,
    type: 'path',
    data,
    offset: { x: at.number('x', { fallback: middle.x }), y: at.number('y', { fallback: middle.y }) },
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function pointsOf(fields: Fields): Point[] {
  const raw = fields.get('points');
  const list: unknown[] = Array.isArray(raw) ? raw : [];
  return list.flatMap((point) =>
    isRecord(point) && Number.isFinite(point.x) && Number.isFinite(point.y)
      ? [{ x: Number(point.x), y: Number(point.y) }]
      : [],
  );
}

function pathData(raw: unknown): string | null {
  if (typeof raw === 'string') return raw;
  if (!Array.isArray(raw)) return null;
  return raw.map((step) => (Array.isArray(step) ? step.join(' ') : '')).join(' ');
}

function polyData(points: readonly Point[], closed: boolean): string | null {
  if (points.length < 2) return null;
  const steps = points.map((point, index) => `${index === 0 ? 'M' : 'L'} ${point.x} ${point.y}`);
  return steps.join(' ') + (closed ? ' Z' : '');
}

function middleOf(points: readonly Point[]): Point {
  // Not Math.min(...points): a traced shape may have more points than a call takes arguments.
  const middle = (key: 'x' | 'y'): number => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const point of points) {
      low = Math.min(low, point[key]);
      high = Math.max(high, point[key]);
    }
    return (low + high) / 2;
  };
  return { x: middle('x'), y: middle('y') };
}
