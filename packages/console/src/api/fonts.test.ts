import type { Slide } from '@figurehead/sdk';
import { expect, it } from 'vitest';
import { missingFamilies } from './fonts.js';

it('lists each family once that neither the installation nor the workspace has', () => {
  const text = (fontFamily: string) => ({ type: 'textbox', fontFamily });
  const objects = [text('Brandon'), text('brandon'), text('Calibri'), text('"Inter", serif'), text('House Sans')];
  const slides = [
    { id: 1, canvas: { objects: [...objects, { type: 'group', objects: [text('Futura')] }] } },
    { id: 2, canvas: { objects: [text('Brandon')] } },
  ] as unknown as Slide[];
  expect(missingFamilies(slides, ['house sans'])).toEqual(['Brandon', 'Futura']);
});
