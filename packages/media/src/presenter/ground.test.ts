import { fileURLToPath } from 'node:url';
import type { Compositor, PresenterCrop } from '@figurehead/presenter';
import { asLoaded, type LoadedPack } from '@figurehead/presenter';
import type { Pose } from '@figurehead/presenter/face';
import { allocateYuv, type YuvFrame } from '@figurehead/presenter/frame';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REST_POSE as REST } from '../../../../tests/support/poses.js';
import { createCompositor, loadPack } from './index.js';

const AVA = fileURLToPath(new URL('../../../../presenters/packs/ava', import.meta.url));
const SIZE = { width: 320, height: 240 };
const BOX = { x: 40, y: 0, width: 240, height: 240 };
const SLIDE = 90;

const TURNED: Pose = {
  ...REST,
  mouth: { ...REST.mouth, open: 0.8 },
  head: { yaw: 0.12, pitch: 0.03, roll: 0.05, x: 8, y: 4 },
  breath: 2,
  sway: 3,
};

/** Vertical stripes, which a warp would bend. */
function stripes(width: number, height: number): YuvFrame {
  const frame = allocateYuv(width, height);
  for (let i = 0; i < width * height; i++) frame.y[i] = (i % width) % 64 < 32 ? 60 : 200;
  frame.u.fill(110);
  frame.v.fill(150);
  return frame;
}

describe('a presenter with a background', () => {
  let compositor: Compositor;
  let ava: LoadedPack;
  let framed: LoadedPack;
  beforeAll(async () => {
    compositor = await createCompositor();
    ava = asLoaded(await loadPack(AVA));
    framed = {
      ...ava,
      manifest: { ...ava.manifest, ground: 'ground.webp' },
      ground: stripes(ava.width, ava.height),
    };
  });
  afterAll(() => compositor.close());

  function drawn(pack: LoadedPack, crop: PresenterCrop, pose: Pose): YuvFrame {
    const frame = compositor.createFrame(SIZE.width, SIZE.height);
    frame.y.fill(SLIDE);
    frame.u.fill(128);
    frame.v.fill(128);
    const placed = compositor.place(pack, { ...BOX, crop }, SIZE);
    placed.draw(pose, frame);
    placed.close();
    return frame;
  }

  it.each(['full', 'bust', 'circle'] as const)('keeps its background still while the head turns: %s', (crop) => {
    const [rest, turned] = [drawn(framed, crop, REST), drawn(framed, crop, TURNED)];
    const person = { ...framed, ground: allocateYuv(ava.width, ava.height) };
    const [silhouette, moved] = [drawn(person, crop, REST), drawn(person, crop, TURNED)];
    let still = 0;
    let moving = 0;
    rest.y.forEach((value, i) => {
      // Black in both pictures: neither pose shows the person there.
      if (silhouette.y[i] !== 0 || moved.y[i] !== 0) return;
      still++;
      // Nearly transparent dark hair does not change black; a bent stripe would differ by up to 140.
      if (Math.abs(turned.y[i]! - value) > 8) moving++;
    });
    expect(still).toBeGreaterThan(4000);
    expect(moving).toBe(0);
    expect(turned.y).not.toEqual(rest.y);
  });

  it.each(['full', 'bust', 'circle'] as const)('covers the whole shape, and nothing outside of it: %s', (crop) => {
    const placed = compositor.place(framed, { ...BOX, crop }, SIZE);
    const { x, y, width, height } = placed.bounds;
    placed.close();
    const frame = drawn(framed, crop, TURNED);
    let [gaps, stray] = [0, 0];
    for (let row = 0; row < SIZE.height; row++) {
      for (let column = 0; column < SIZE.width; column++) {
        const far = Math.hypot(column - (x + width / 2 - 0.5), row - (y + height / 2 - 0.5));
        const isInside = column >= x && row >= y && column < x + width && row < y + height;
        const isShape = isInside && (crop !== 'circle' || far < width / 2 - 3);
        const isOutside = !isInside || (crop === 'circle' && far > width / 2 + 3);
        const value = frame.y[row * SIZE.width + column];
        // Stripes and person never have exactly the grey of the slide in both planes.
        const isSlide = value === SLIDE && frame.u[(row >> 1) * (SIZE.width / 2) + (column >> 1)] === 128;
        if (isShape && isSlide) gaps++;
        if (isOutside && !isSlide) stray++;
      }
    }
    expect({ gaps, stray }).toEqual({ gaps: 0, stray: 0 });
  });

  it('is the same when only the part that changed is drawn', () => {
    const placed = compositor.place(framed, { ...BOX, crop: 'full' }, SIZE);
    const frame = compositor.createFrame(SIZE.width, SIZE.height);
    const slide = allocateYuv(SIZE.width, SIZE.height);
    slide.y.fill(SLIDE);
    const other = { ...TURNED, head: { ...TURNED.head, yaw: -0.05 }, mouth: REST.mouth };
    const whole = (pose: Pose): Buffer => {
      compositor.restore(slide, frame, { x: 0, y: 0, ...SIZE });
      placed.draw(pose, frame);
      return Buffer.concat([frame.y, frame.u, frame.v]);
    };
    const expected = whole(other);
    whole(TURNED);
    const part = placed.face!.changed(TURNED, other);
    compositor.restore(slide, frame, part);
    placed.draw(other, frame, part);
    expect(Buffer.concat([frame.y, frame.u, frame.v]).equals(expected)).toBe(true);
    placed.close();
  });
});
