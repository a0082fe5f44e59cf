import { number } from '../field.js';
import { objectType, place } from './base.js';

const end = (description: string) => number({ minimum: -100_000, maximum: 100_000, description });

/** A line by its end points, which become relative to the middle of its box. */
export const line = objectType({
  label: 'Line',
  edits: ['fill', 'entrance'],
  fields: {
    x1: place('First end point.'),
    y1: place('First end point.'),
    x2: end('Second end point; `width` when absent.'),
    y2: end('Second end point; `height` when absent.'),
  },
  create: () => ({ width: 220, height: 0, fill: null, stroke: '#22211e', strokeWidth: 3 }),
  read(read, base, { source }) {
    const [x1, y1] = [read('x1'), read('y1')];
    const [x2, y2] = [read('x2') ?? base.width, read('y2') ?? base.height];
    const [cx, cy] = [(x1 + x2) / 2, (y1 + y2) / 2];
    return {
      type: 'line',
      // A line in a hand-written document often has its colour only as `fill`, and its position only in its end points.
      left: source['left'] === undefined ? Math.min(x1, x2) : base.left,
      top: source['top'] === undefined ? Math.min(y1, y2) : base.top,
      stroke: base.stroke ?? base.fill,
      strokeWidth: base.stroke === null ? read('strokeWidth') : base.strokeWidth,
      width: Math.abs(x2 - x1),
      height: Math.abs(y2 - y1),
      x1: x1 - cx,
      y1: y1 - cy,
      x2: x2 - cx,
      y2: y2 - cy,
    };
  },
});
