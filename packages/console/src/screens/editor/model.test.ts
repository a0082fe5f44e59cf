import { prepare } from '@figurehead/presenter/painting';
import { type CanvasObject, parseDocument } from '@figurehead/sdk/document';
import { describe, expect, it } from 'vitest';
import { sceneOf, UNMOVED } from '../../shell/slide-painting.js';
import { centreOf, cropOf, cropped, masked, maskOf, replaced, windowed } from './canvas/picture-crop.js';
import { castAs, isCastAs } from './document.js';
import { boxAround, grouped, ungrouped } from './grouping.js';
import { fillOf, rampOf } from './panels/gradient.js';

const rect = (more: object) => ({ type: 'rect', left: 10, top: 20, width: 30, height: 40, ...more });
const picture = { type: 'image', src: 'https://x.test/a.png', left: 0, top: 0, width: 100, height: 100 };
const NATURAL = { width: 400, height: 200 };

/** The box that a picture fills, around the middle of its frame, and the part of it that is shown; `null`: all of it. */
function pictureBoxes(object: CanvasObject) {
  const scene = sceneOf(object);
  if (!scene) throw new Error('expected a picture that is drawn');
  const tools = { view: UNMOVED, frame: NATURAL, setter: { layout: () => ({ width: 0, height: 0, lines: [] }) } };
  const steps = prepare(scene, UNMOVED, tools);
  const asked = steps.next();
  const window = asked.done ? undefined : asked.value.place(NATURAL).window;
  const end = steps.next({ natural: NATURAL, canvas: {} });
  return { box: end.done ? end.value.picture?.box : undefined, window };
}

describe('groups', () => {
  it('look the same after grouping, and after ungrouping a group that was moved, rotated and resized', () => {
    const objects = [rect({}), rect({ left: 100, angle: 90 }), rect({ left: 50, originX: 'center', scaleX: 2 })];
    const group = grouped(objects);
    expect(boxAround(group)).toEqual({ x: 10, y: 20, width: 90, height: 40 });
    expect(ungrouped(group).map(boxAround)).toEqual(objects.map(boxAround));
    const [moved] = ungrouped({ ...group, left: 20, scaleX: 2, scaleY: 2 });
    expect(moved && boxAround(moved)).toEqual({ x: 20, y: 20, width: 60, height: 80 });
    const [turned] = ungrouped({ ...grouped([rect({})]), angle: 90 });
    expect(turned && boxAround(turned)).toMatchObject({ width: 40, height: 30 });
    expect(parseDocument({ slides: [{ canvas: { objects: [group] } }] }).problems).toEqual([]);
  });
});

describe('pictures', () => {
  it('are fitted as in rendering', () => {
    expect(pictureBoxes(picture)).toEqual({ box: { x: -50, y: -25, width: 100, height: 50 }, window: null });
    expect(pictureBoxes({ ...picture, fit: 'cover' }).window).toEqual({
      x: 100,
      y: 0,
      width: 200,
      height: 200,
    });
  });

  it('are cropped without changing their position, in any order of zooming and moving', () => {
    const first = { ...picture, ...cropped(picture, NATURAL, { zoom: 2, x: 1, y: 0 }) };
    expect([first.width, first.cropX]).toEqual([100, 300]);
    expect(boxAround(first)).toMatchObject({ width: 100, height: 100 });
    expect(cropOf(first, NATURAL)).toMatchObject({ zoom: 2, x: 1 });
    const again = { ...first, ...cropped(first, NATURAL, { zoom: 1, x: 0, y: 0 }) };
    expect(boxAround(again)).toMatchObject({ width: 100, height: 100 });
    expect(pictureBoxes(again).window).toMatchObject({ width: 200, height: 200 });
    expect(parseDocument({ slides: [{ canvas: { objects: [again] } }] }).problems).toEqual([]);
  });

  it('are cropped by their edges: what remains stays in its place, also of a turned and mirrored picture', () => {
    const whole = { ...picture, ...cropped(picture, NATURAL, { zoom: 1, x: 0, y: 0 }), angle: 90, flipX: true };
    // Of the 200×200 px in the box of 100×100, the right half.
    const part = { x: 100, y: 0, width: 100, height: 200 };
    const half = { ...whole, ...windowed(whole, part, { x: 150, y: 100 }) };
    expect(boxAround(half)).toMatchObject({ width: expect.closeTo(100), height: expect.closeTo(50) });
    expect(half).toMatchObject({ scaleX: 0.5, scaleY: 0.5, cropX: 100 });
    // Mirrored, the right half is on the left, which a quarter turn puts at the top.
    const [[x, y], [x0, y0]] = [centreOf(half), centreOf(whole)];
    expect([x - x0, y - y0]).toEqual([expect.closeTo(0), expect.closeTo(-25)]);
    expect(parseDocument({ slides: [{ canvas: { objects: [half] } }] }).problems).toEqual([]);
  });

  it('are masked as a circle or with rounded corners, and unmasked', () => {
    const round = { ...picture, ...masked(picture, 'circle') };
    expect(maskOf(round)).toBe('circle');
    expect(parseDocument({ slides: [{ canvas: { objects: [round] } }] }).problems).toEqual([]);
    expect(maskOf({ ...round, ...masked(round, 'rounded') })).toBe('rounded');
    expect(maskOf({ ...round, ...masked(round, 'none') })).toBe('none');
  });
});

describe('gradients', () => {
  it('are stored as rendering reads them, and come back as colours and direction', () => {
    for (const direction of ['right', 'down', 'diagonal'] as const) {
      const fill = fillOf({ from: '#ff0000', to: '#0000ff', direction });
      expect(rampOf(fill as object as Readonly<Record<string, unknown>>)).toEqual({
        from: '#ff0000',
        to: '#0000ff',
        direction,
      });
      expect(parseDocument({ slides: [{ canvas: { objects: [rect({ fill })] } }] }).problems).toEqual([]);
    }
    expect(fillOf({ ...rampOf('#123456'), from: '#654321' })).toBe('#654321');
  });
});

describe('a picture that takes the place of another', () => {
  it('keeps the frame and its mask, and covers it', () => {
    const before = {
      ...picture,
      scaleY: 2,
      ...cropped(picture, NATURAL, { zoom: 2, x: 1, y: 0 }),
      scaleX: 0.5,
    };
    const after = { ...before, ...masked(before, 'circle') };
    const next = { ...after, ...replaced(after, 'https://x.test/b.png') };
    expect(boxAround(next)).toEqual(boxAround(after));
    expect(next).toMatchObject({ src: 'https://x.test/b.png', fit: 'cover', cropX: 0, cropY: 0 });
    expect(maskOf(next)).toBe('circle');
    expect(pictureBoxes(next).box).toMatchObject({ x: -Number(next.width) / 2, y: -Number(next.height) / 2 });
  });
});

describe('one presenter and voice for all slides', () => {
  const marcus = { id: 2, avatar: { code: 'marcus' }, voice: 'rms', voiceProvider: 'flite', language: 'English' };

  it('leaves slides without a presenter and in another language as they are', () => {
    const slide = { id: 1, avatar: { code: 'amara' }, voice: 'slt', voiceProvider: 'flite', language: 'English' };
    expect(castAs(slide, marcus)).toEqual({ ...marcus, id: 1 });
    expect(castAs({ ...slide, language: 'German' }, marcus)).toMatchObject({ avatar: marcus.avatar, voice: 'slt' });
    expect(castAs({ ...slide, hasAvatar: false }, marcus)).toMatchObject({ avatar: { code: 'amara' }, voice: 'rms' });
    expect([isCastAs(slide, marcus), isCastAs(castAs(slide, marcus), marcus)]).toEqual([false, true]);
  });
});
