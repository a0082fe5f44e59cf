import { objectType } from './base.js';

/** An isosceles triangle that fills its box. */
export const triangle = objectType({
  label: 'Triangle',
  edits: ['fill', 'entrance'],
  fields: {},
  create: () => ({ width: 120, height: 104, fill: '#2a8472' }),
  read: () => ({ type: 'triangle' }),
});
