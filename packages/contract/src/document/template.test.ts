import { describe, expect, it } from 'vitest';
import type { Slide } from './document.js';
import { fillTemplate, placeholdersOf } from './template.js';

const text = (words: string, more: object = {}) => ({ type: 'textbox', text: words, ...more });
const SLIDES = [
  {
    id: 1,
    speech: 'Hello {{name}}.',
    canvas: {
      objects: [
        text('{{name}}'),
        text('{{title}}', { showIf: 'title' }),
        { type: 'group', objects: [text('always'), text('for {{title}}', { showIf: '{{ title }}' })] },
        { type: 'image', id: 'logo', src: 'https://example.com/a.png', showIf: 'logo' },
      ],
    },
  },
  { id: 2, speech: 'Save {{offer}}.', showIf: ' offer ' },
] as unknown as Slide[];
const fill = (row: object) => fillTemplate({ name: 'x', slides: SLIDES }, row as Record<string, unknown>);
const textsOf = (slides: readonly Slide[]) => JSON.stringify(slides).match(/"text":"[^"]*"/g);

describe('conditions of a template', () => {
  it('show slides, objects and parts of groups where the row has a value', () => {
    const { slides, problems } = fill({ name: 'Ann', title: 'CEO', offer: 0, logo: 'https://example.com/b.png' });
    expect(problems).toEqual([]);
    expect(slides.map(({ id, speech }) => [id, speech])).toEqual([
      [1, 'Hello Ann.'],
      [2, 'Save 0.'],
    ]);
    expect(textsOf(slides)).toEqual(['"text":"Ann"', '"text":"CEO"', '"text":"always"', '"text":"for CEO"']);
    expect(slides[0]?.canvas?.objects?.[3]).toEqual({ type: 'image', id: 'logo', src: 'https://example.com/b.png' });
    expect(JSON.stringify(slides)).not.toContain('showIf');
  });

  it.each([{}, { title: '', offer: ' \t', logo: null }])('leave them out, with their placeholders, for %j', (row) => {
    const { slides, problems } = fill({ name: 'Ann', ...row });
    expect(problems).toEqual([]);
    expect(slides.map(({ id }) => id)).toEqual([1]);
    expect(textsOf(slides)).toEqual(['"text":"Ann"', '"text":"always"']);
    expect(slides[0]?.canvas?.objects).toHaveLength(2);
  });

  it('leave the values of everything else required, and something to show', () => {
    expect(fill({ title: 'CEO' }).problems).toContainEqual({
      field: 'slides[0].speech',
      message: 'the value of {{name}} is missing in the row',
    });
    const { problems } = fillTemplate({ name: 'x', slides: SLIDES.slice(1) }, {});
    expect(problems).toEqual([
      { field: 'slides', message: 'the row has no value for the `showIf` of any slide: nothing is left' },
    ]);
  });

  it('are placeholders that a row may leave out', () => {
    expect(placeholdersOf(SLIDES)).toEqual({
      names: ['name', 'title', 'logo', 'offer'],
      optional: new Set(['title', 'logo', 'offer']),
    });
  });
});
