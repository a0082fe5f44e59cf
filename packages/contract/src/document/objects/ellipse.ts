import { number } from '../field.js';
import { maybeLength, objectType } from './base.js';

const angle = (fallback: number) =>
  number({ default: fallback, minimum: -3600, maximum: 3600, description: 'Degrees, clockwise from three o’clock.' });

/** An ellipse by `rx` and `ry`. */
export const ellipse = objectType({
  label: 'Ellipse',
  edits: ['fill', 'entrance'],
  fields: {
    rx: maybeLength('Half of its width; from `width` when absent.'),
    ry: maybeLength('Half of its height; from `height` when absent.'),
  },
  read(read, base) {
    const [rx, ry] = [read('rx') ?? base.width / 2, read('ry') ?? base.height / 2];
    return { type: 'ellipse', width: rx * 2, height: ry * 2, rx, ry, startAngle: 0, endAngle: 360 };
  },
});

/** A circle by its `radius`, or an arc of one. */
export const circle = objectType({
  label: 'Circle',
  edits: ['fill', 'entrance'],
  fields: {
    radius: maybeLength('From its box when absent.'),
    startAngle: angle(0),
    endAngle: angle(360),
  },
  create: () => ({ width: 110, height: 110, radius: 55, fill: '#f3c77b' }),
  read(read, base) {
    const radius = read('radius') ?? Math.min(base.width, base.height) / 2;
    const [side, end] = [radius * 2, read('endAngle')];
    // Fabric 4 gave arcs in radians with a full circle of 2π, later versions give degrees.
    const endAngle = Math.abs(end - 2 * Math.PI) < 1e-3 ? 360 : end;
    return {
      type: 'ellipse',
      width: side,
      height: side,
      rx: radius,
      ry: radius,
      startAngle: read('startAngle'),
      endAngle,
    };
  },
});
