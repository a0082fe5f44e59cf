import { describe, expect, it } from 'vitest';
import { FORMATS, namesOf, parseDocument } from '../document/index.js';
import {
  DEFAULT_LOOK,
  dressSlide,
  type Look,
  lookIn,
  lookOf,
  SLIDE_LAYOUTS,
  slideFrom,
  slidesFrom,
  templateLook,
  VIDEO_TEMPLATES,
} from './index.js';

const cast = { avatar: { code: 'ava' }, voice: 'slt', voiceProvider: 'flite', language: 'English' };
const brand: Look = {
  background: '#102030',
  text: '#ffffff',
  accent: '#ffcc00',
  headingFont: 'Lato',
  bodyFont: 'Roboto',
};

describe('layouts and templates', () => {
  it('are at least 24 slides and 8 whole videos that parse without problems, in every format', () => {
    expect(namesOf(SLIDE_LAYOUTS).length).toBeGreaterThanOrEqual(24);
    expect(namesOf(VIDEO_TEMPLATES).length).toBeGreaterThanOrEqual(8);
    for (const format of namesOf(FORMATS)) {
      const making = { cast, look: brand, size: FORMATS[format] };
      const slides = namesOf(SLIDE_LAYOUTS).map((name, index) => slideFrom(name, { ...making, id: index + 1 }));
      expect(parseDocument({ slides, data: { format } }).problems).toEqual([]);
      for (const name of namesOf(VIDEO_TEMPLATES)) {
        expect(parseDocument({ slides: slidesFrom(name, making), data: { format } }).problems).toEqual([]);
      }
    }
  });

  it('fill in only texts that the layout has, so that no words of a template are lost', () => {
    for (const { slides } of Object.values(VIDEO_TEMPLATES)) {
      for (const { layout, ...rest } of slides) {
        const ids = (slideFrom(layout, { id: 1, cast }).canvas?.objects ?? []).map(({ id }) => id);
        expect(ids).toEqual(expect.arrayContaining(Object.keys('texts' in rest ? rest.texts : {})));
      }
    }
  });

  it('use the colours and fonts of a brand, also after the brand changes', () => {
    const plain = slideFrom('title', { id: 1, cast });
    const dressed = dressSlide(plain, brand);
    expect(dressed).toEqual(slideFrom('title', { id: 1, cast, look: brand }));
    expect(dressed.canvas).toMatchObject({ background: '#102030' });
    expect(dressed.canvas?.objects?.find(({ id }) => id === 'title')).toMatchObject({
      fill: '#ffffff',
      fontFamily: 'Lato',
    });
    expect(dressSlide(dressed, DEFAULT_LOOK)).toEqual(plain);
  });

  it('look different from each other without a brand, and a slide that is added gets the look of the others', () => {
    const firsts = namesOf(VIDEO_TEMPLATES).map((name) => slidesFrom(name, { cast })[0]?.canvas);
    expect(new Set(firsts.map((canvas) => canvas?.background)).size).toBe(firsts.length);
    const layouts = Object.values(VIDEO_TEMPLATES).map(({ slides }) => slides[0].layout);
    for (const layout of layouts) expect(layouts.filter((one) => one === layout).length).toBeLessThanOrEqual(3);
    for (const name of namesOf(VIDEO_TEMPLATES)) {
      const slides = slidesFrom(name, { cast });
      expect(lookIn(slides)).toEqual(templateLook(name));
      // One text in another colour does not change it.
      const [first] = slides;
      const objects = (first?.canvas?.objects ?? []).map((one) =>
        one.id === 'title' ? { ...one, fill: '#ff0000' } : one,
      );
      expect(lookIn([{ ...first, canvas: { ...first?.canvas, objects } } as never, ...slides.slice(1)])).toEqual(
        templateLook(name),
      );
    }
    const colors = { background: '#ffffff', text: '#000000', accent: '#ff8800' };
    const unset = { headingFont: null, bodyFont: null, logo: null };
    expect(lookOf({ ...unset, colors } as never, templateLook('event'))).toEqual({
      ...templateLook('event'),
      ...colors,
      logo: null,
    });
    expect(lookIn([])).toEqual(DEFAULT_LOOK);
  });

  it('style objects without a role by their type, and keep pictures and gradients unchanged', () => {
    const gradient = { type: 'linear', coords: {}, colorStops: [{ offset: 0, color: '#000' }] };
    const objects = [
      { type: 'textbox', text: 'Big', fontSize: 40, fill: '#000000' },
      { type: 'textbox', text: 'Small', fontSize: 12, fill: '#000000' },
      { type: 'group', objects: [{ type: 'rect', fill: '#000000' }] },
      { type: 'rect', fill: gradient },
      { type: 'image', src: 'a.png' },
    ];
    const { canvas } = dressSlide({ id: 1, canvas: { background: 'https://x.test/a.png', objects } } as never, brand);
    expect(canvas?.background).toBe('https://x.test/a.png');
    expect(canvas?.objects).toMatchObject([
      { fontFamily: 'Lato', fill: '#ffffff' },
      { fontFamily: 'Roboto', fill: '#ffffff' },
      { objects: [{ fill: '#ffcc00' }] },
      { fill: gradient },
      { type: 'image' },
    ]);
  });
});
