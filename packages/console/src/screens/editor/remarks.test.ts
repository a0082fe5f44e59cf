import { FORMATS, type TextObject } from '@figurehead/sdk/document';
import { slideFrom } from '@figurehead/sdk/layouts';
import { describe, expect, it } from 'vitest';
import { inFormat } from './document.js';
import { remarksOn } from './remarks.js';

/** Every letter is half as wide as high, and a line 1.13 times as high. */
const setter = {
  layout({ text, style, width }: TextObject) {
    const line = { runs: [], left: 0, width: text.length * style.fontSize * 0.5, height: style.fontSize * 1.13 };
    const more = { top: 0, baseline: style.fontSize, rightToLeft: false, spaceExtra: 0, marker: null };
    return { width, height: line.height, lines: [{ ...line, ...more }] };
  },
};
const text = (words: string, more: object) => ({
  type: 'textbox',
  text: words,
  left: 40,
  top: 40,
  width: 200,
  fontSize: 20,
  ...more,
});
const draftOf = (objects: object[]) => ({ slides: [{ id: 1, canvas: { objects: objects as never } }], data: {} });
const messagesOf = (objects: object[]) => remarksOn(draftOf(objects), setter).map(({ message }) => message);

describe('remarks on slides', () => {
  it('name texts of a layout that were left as they are, and no others', () => {
    const slide = slideFrom('product', { id: 1, cast: { avatar: null } });
    const found = remarksOn({ slides: [slide], data: {} }, setter).map(({ message }) => message);
    expect(found).toContain('“Your picture here” is still the text of the layout');
    const objects = (slide.canvas?.objects ?? []).map((object) => (object.text ? { ...object, text: 'Ours' } : object));
    const changed = { ...slide, canvas: { ...slide.canvas, objects } };
    expect(remarksOn({ slides: [changed], data: {} }, setter)).toEqual([]);
  });

  it('name texts on other texts and beyond the edge, where their letters are and not their boxes', () => {
    expect(messagesOf([text('One', {}), text('Two', { top: 50 })])).toEqual(['“Two” is on “One”']);
    expect(messagesOf([text('One', {}), text('Two', { left: 90 })])).toEqual([]);
    expect(messagesOf([text('One', {}), text('Two', { top: 62 })])).toEqual([]);
    expect(messagesOf([text('One', { top: 350 })])).toEqual(['“One” ends beyond the edge of the slide']);
    expect(messagesOf([text('', {}), text('Two', { angle: 30 })])).toEqual([]);
  });
});

describe('another format', () => {
  it('lays out again what is where its layout put it, and fits the rest', () => {
    const cast = { avatar: { code: 'nora' } };
    const slide = slideFrom('bullets', { id: 1, cast });
    const own = { type: 'rect', left: 100, top: 100, width: 64, height: 36 };
    const objects = [...(slide.canvas?.objects ?? []), own];
    const draft = { name: '', slides: [{ ...slide, canvas: { ...slide.canvas, objects } }], data: {} };
    const tall = inFormat(draft, '9_16').slides[0]?.canvas?.objects ?? [];
    const wanted = slideFrom('bullets', { id: 1, cast, size: FORMATS['9_16'] }).canvas?.objects ?? [];
    expect(tall.slice(0, -1)).toEqual(wanted);
    expect(tall.at(-1)).toMatchObject({ scaleX: 360 / 640 });
    const back = inFormat(inFormat({ ...draft, slides: [slide] }, '9_16'), '16_9');
    expect(back.slides[0]).toEqual(slide);
  });
});
