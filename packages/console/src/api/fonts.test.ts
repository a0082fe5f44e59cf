import type { Slide } from '@figurehead/sdk';
import { expect, it } from 'vitest';
import { drawnFamilies, missingFamilies } from './fonts.js';

it('lists each family once that neither the installation nor the workspace has', () => {
  const text = (fontFamily: string) => ({ type: 'textbox', fontFamily });
  const objects = [text('Brandon'), text('brandon'), text('Calibri'), text('"Inter", serif'), text('House Sans')];
  const slides = [
    { id: 1, canvas: { objects: [...objects, { type: 'group', objects: [text('Futura')] }] } },
    { id: 2, canvas: { objects: [text('Brandon')] } },
  ] as unknown as Slide[];
  expect(missingFamilies(slides, ['house sans'])).toEqual(['Brandon', 'Futura']);
});

it('draws with uploaded and shipped fonts, and never with one of the user’s machine', () => {
  expect(drawnFamilies('Arial')).toEqual(['fh Arial', 'Arimo Variable', 'Arimo', 'Inter Variable']);
  expect(drawnFamilies('"Roboto", serif')).toEqual(['fh Roboto', 'Roboto Variable', 'Roboto', 'Inter Variable']);
  expect(drawnFamilies('Brandon')).toEqual(['fh Brandon', 'Inter Variable']);
});
