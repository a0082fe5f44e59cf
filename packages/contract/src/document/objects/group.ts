import { special } from '../field.js';
import { objectType } from './base.js';

/** Objects that move as one; their places are relative to the group's centre. */
export const group = objectType({
  label: 'Group',
  edits: ['entrance'],
  fields: {
    objects: special<readonly Readonly<Record<string, unknown>>[], unknown>(
      {
        type: 'array',
        items: { type: 'object' },
        description: 'Objects of any type, positioned relative to the group’s centre.',
      },
      (raw) => raw,
    ),
  },
  holdsObjects: true,
  read: () => ({ type: 'group' }),
});
