import { length, maybeLength, objectType } from './base.js';

/** A rectangle, rounded by `rx`, `ry`. */
export const rect = objectType({
  label: 'Rectangle',
  edits: ['fill', 'entrance'],
  fields: {
    rx: length('Radius of its corners.'),
    ry: maybeLength('Radius of its corners downwards; `rx` when absent.'),
  },
  create: () => ({ width: 180, height: 100, fill: '#2a8472', rx: 10, ry: 10 }),
  read(read) {
    const rx = read('rx');
    return { type: 'rect', rx, ry: read('ry') ?? rx };
  },
});
