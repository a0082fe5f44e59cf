import { objectType } from './base.js';

/** An isosceles triangle that fills its box. */
export const triangle = objectType({
  label: 'Triangle',
  edits: ['fill', 'entrance'],
  fields: {},
  read: () => ({ type: 'triangle' }),
});
