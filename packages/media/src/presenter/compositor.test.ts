import { fileURLToPath } from 'node:url';
import type { Compositor, PresenterPack, PresenterPlacement } from '@figurehead/presenter';
import { rgbaToYuva } from '@figurehead/presenter/colour';
import type { Pose } from '@figurehead/presenter/face';
import { allocateYuv, type Rect, type YuvFrame } from '@figurehead/presenter/frame';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { REST_POSE as REST } from '../../../../tests/support/poses.js';
import { createCompositor, loadPack } from './index.js';

const AVA = fileURLToPath(new URL('../../../../presenters/packs/ava', import.meta.url));

const TURNED: Pose = {
  ...REST,
  lids: 0.3,
  mouth: { ...REST.mouth, open: 0.8 },
  head: { ...REST.head, yaw: 0.12, roll: 0.05 },
};

let compositor: Compositor;
let pack: PresenterPack;
beforeAll(async () => {
  pack = await loadPack(AVA);
});
beforeEach(async () => {
  compositor?.close();
  compositor = await createCompositor();
});
afterAll(() => compositor.close());

function paint(frame: YuvFrame, y: number, u = 128, v = 128): YuvFrame {
  frame.y.fill(y);
  frame.u.fill(u);
  frame.v.fill(v);
  return frame;
}

/** Draws one pose on grey. */
function drawn(
  placement: PresenterPlacement,
  pose: Pose,
  size = { width: 320, height: 240 },
): { frame: YuvFrame; bounds: Rect } {
  const frame = paint(compositor.createFrame(size.width, size.height), 90);
  const placed = compositor.place(pack, placement, size);
  placed.draw(pose, frame);
  placed.close();
  return { frame, bounds: placed.bounds };
}

const bytes = ({ y, u, v }: YuvFrame): Buffer => Buffer.concat([y, u, v]);

/** Pixels whose colour is not the grey of `drawn`. */
function touched({ y, u, v, width }: YuvFrame): { x: number; y: number }[] {
  const places: { x: number; y: number }[] = [];
  y.forEach((value, i) => {
    if (value !== 90) places.push({ x: i % width, y: Math.floor(i / width) });
  });
  u.forEach((value, i) => {
    if (value !== 128 || v[i] !== 128) places.push({ x: 2 * (i % (width / 2)), y: 2 * Math.floor(i / (width / 2)) });
  });
  return places;
}

describe('a placed presenter', () => {
  it('draws a swept mouth as the mean of both its shapes', () => {
    const placement = { x: 0, y: 0, width: 320, height: 240, crop: 'bust' } as const;
    const [narrow, wide] = [0.2, 0.7].map((open) => ({ ...REST.mouth, open }));
    const [from, to, mean] = [narrow!, wide!, { ...REST.mouth, open: 0.45, swept: [narrow!, wide!] as const }].map(
      (mouth) => drawn(placement, { ...REST, mouth }).frame.y,
    );
    const errors = mean!.map((value, i) => Math.abs(value - (from![i]! + to![i]!) / 2));
    expect(Math.max(...errors)).toBeLessThanOrEqual(3);
    expect(from!.some((value, i) => Math.abs(value - to![i]!) > 60)).toBe(true);
  });

  it('draws nothing outside its bounds, which are even and inside the frame', () => {
    for (const crop of ['full', 'bust', 'circle'] as const) {
      const { frame, bounds } = drawn({ x: 31, y: 17, width: 161, height: 133, crop }, TURNED);
      expect([bounds.x, bounds.y, bounds.width, bounds.height].every((side) => side % 2 === 0)).toBe(true);
      const places = touched(frame);
      expect(places.length).toBeGreaterThan(1000);
      for (const { x, y } of places) {
        expect(x >= bounds.x && x < bounds.x + bounds.width && y >= bounds.y && y < bounds.y + bounds.height).toBe(
          true,
        );
      }
    }
  });

  it('is drawn at the bottom of its box, centred, as large as possible', () => {
    const { bounds } = drawn({ x: 100, y: 20, width: 160, height: 200, crop: 'full' }, REST);
    expect(bounds).toEqual({ x: 100, y: 100, width: 160, height: 120 });
  });

  it('is cut at the edges of the frame, and the rest is unchanged', () => {
    const whole = drawn({ x: 80, y: 32, width: 200, height: 200, crop: 'bust' }, TURNED).frame;
    const cut = drawn({ x: -80, y: -128, width: 200, height: 200, crop: 'bust' }, TURNED).frame;
    // Shifted by whole cells of the warp's grid, which starts at the region's corner.
    let largest = 0;
    for (let y = 0; y < 72; y++) {
      for (let x = 0; x < 120; x++)
        largest = Math.max(largest, Math.abs(cut.y[y * 320 + x]! - whole.y[(y + 160) * 320 + x + 160]!));
    }
    expect(largest).toBeLessThanOrEqual(1);
    expect(drawn({ x: 400, y: 0, width: 100, height: 100, crop: 'full' }, REST).bounds.width).toBe(0);
  });

  it('shows a circle as a disc', () => {
    const { frame, bounds } = drawn({ x: 60, y: 20, width: 200, height: 200, crop: 'circle' }, REST);
    expect(bounds).toEqual({ x: 60, y: 20, width: 200, height: 200 });
    for (const { x, y } of touched(frame)) expect(Math.hypot(x - 159.5, y - 119.5)).toBeLessThan(102);
    // The shoulders reach the disc's rim and end there.
    expect(frame.y[(20 + 195) * 320 + 159]).not.toBe(90);
  });

  it('shows nothing of an earlier pose, and presenters that share textures do not affect each other', () => {
    const box = { x: 0, y: 0, width: 240, height: 240, crop: 'bust' } as const;
    const fresh = bytes(drawn(box, TURNED).frame);
    const size = { width: 320, height: 240 };
    const [one, two] = [compositor.place(pack, box, size), compositor.place(pack, box, size)];
    const frame = compositor.createFrame(320, 240);
    for (const pose of [REST, TURNED, { ...REST, lids: 1 }, REST]) {
      one.draw(pose, paint(frame, 90));
      two.draw(TURNED, paint(frame, 90));
      expect(bytes(frame).equals(fresh)).toBe(true);
    }
    one.close();
    two.draw(TURNED, paint(frame, 90));
    expect(bytes(frame).equals(fresh)).toBe(true);
  });

  it('is the same when only the part changed by mouth or eyes is drawn', () => {
    const size = { width: 320, height: 240 };
    for (const crop of ['bust', 'circle', 'full'] as const) {
      const placed = compositor.place(pack, { x: 31, y: 0, width: 240, height: 240, crop }, size);
      const frame = compositor.createFrame(size.width, size.height);
      const grey = paint(compositor.createFrame(size.width, size.height), 90);
      const whole = (pose: Pose): Buffer => {
        compositor.restore(grey, frame, { x: 0, y: 0, ...size });
        placed.draw(pose, frame);
        return bytes(frame);
      };
      const partly = (to: Pose): Rect => {
        const expected = whole(to);
        const part = placed.face!.changed(TURNED, to);
        whole(TURNED);
        compositor.restore(grey, frame, part);
        placed.draw(to, frame, part);
        expect(bytes(frame).equals(expected)).toBe(true);
        return part;
      };
      for (const to of [
        { ...TURNED, mouth: { open: 0.3, width: -0.6, consonants: { SS: 0.4 }, smile: 0.2 } },
        { ...TURNED, lids: 1, gaze: { x: 3, y: -2 } },
        { ...TURNED, lids: 1, mouth: REST.mouth },
      ]) {
        const part = partly(to);
        expect(part.width * part.height).toBeLessThan(0.5 * placed.bounds.width * placed.bounds.height);
      }
      // Another head, on the same body and on a different one.
      const other = { ...TURNED, head: { ...REST.head, pitch: -0.05, x: 3 }, mouth: REST.mouth, brow: 0.5 };
      const head = partly(other);
      if (crop !== 'circle') expect(head.height).toBeLessThan(placed.bounds.height);
      partly({ ...other, breath: 3, sway: -2 });
      expect(placed.face!.changed(TURNED, { ...TURNED }).width).toBe(0);
      placed.close();
    }
  });

  it('measures the distance of two poses close to what the picture shows', () => {
    const placed = compositor.place(
      pack,
      { x: 0, y: 0, width: 240, height: 240, crop: 'full' },
      { width: 240, height: 240 },
    );
    const scale = 240 / pack.width;
    const apart = (head: Partial<Pose['head']>): number =>
      placed.face!.distance(REST, { ...REST, head: { ...REST.head, ...head } }) / scale;
    expect(apart({})).toBe(0);
    // A shift moves every point alike; a turn moves the nose by its depth times the angle.
    expect(apart({ x: 3, y: -4 })).toBeGreaterThanOrEqual(5);
    expect(apart({ x: 3, y: -4 })).toBeLessThan(6);
    expect(apart({ yaw: 0.02 })).toBeGreaterThan(2);
    expect(apart({ yaw: 0.02 })).toBeLessThan(10);
    expect(apart({ roll: 0.02 })).toBeGreaterThan(4);
    placed.close();
  });

  it('moves smoothly: a small turn changes a small part of the picture', () => {
    const box = { x: 0, y: 0, width: 240, height: 240, crop: 'bust' } as const;
    const at = (yaw: number): Uint8Array => drawn(box, { ...REST, head: { ...REST.head, yaw } }).frame.y;
    const from = at(0.05);
    const to = at(0.0505);
    const largest = from.reduce((most, value, i) => Math.max(most, Math.abs(value - to[i]!)), 0);
    expect(largest).toBeLessThan(24);
  });

  it('refuses foreign frames, another size, and use after close', () => {
    const size = { width: 64, height: 64 };
    const placed = compositor.place(pack, { x: 0, y: 0, width: 64, height: 64, crop: 'bust' }, size);
    expect(() => placed.draw(REST, allocateYuv(64, 64))).toThrow(/expected a frame from createFrame/);
    expect(() => placed.draw(REST, compositor.createFrame(32, 64))).toThrow(/expected a frame of 64×64 px, got 32×64/);
    placed.close();
    placed.close();
    expect(() => placed.draw(REST, compositor.createFrame(64, 64))).toThrow(/closed/);
    expect(() =>
      compositor.place({ name: 'x', width: 1, height: 1 }, { x: 0, y: 0, width: 9, height: 9, crop: 'full' }, size),
    ).toThrow(/expected a pack from loadPack/);
  });
});

describe('restore', () => {
  it.each(['its own memory', 'foreign memory'])('copies only the rectangle from %s', (memory) => {
    const source = paint(
      memory === 'its own memory' ? compositor.createFrame(64, 32) : allocateYuv(64, 32),
      200,
      90,
      60,
    );
    const target = paint(compositor.createFrame(64, 32), 90);
    compositor.restore(source, target, { x: 10, y: 4, width: 20, height: 8 });
    const places = touched(target);
    expect(places.length).toBe(20 * 8 + 10 * 4);
    expect(places.every(({ x, y }) => x >= 10 && x < 30 && y >= 4 && y < 12)).toBe(true);
  });

  it('keeps frames valid while the memory grows', () => {
    const early = paint(compositor.createFrame(64, 32), 55);
    compositor.createFrame(3840, 2160);
    const late = compositor.createFrame(64, 32);
    compositor.restore(early, late, { x: 0, y: 0, width: 64, height: 32 });
    expect(new Set(late.y)).toEqual(new Set([55]));
  });
});

describe('a sprite', () => {
  const picture = (
    width: number,
    height: number,
    alpha: (x: number, y: number) => number,
  ): ReturnType<typeof rgbaToYuva> => {
    const data = new Uint8Array(width * height * 4);
    for (let i = 0; i < width * height; i++) data.set([255, 255, 255, alpha(i % width, Math.floor(i / width))], i * 4);
    return rgbaToYuva({ width, height, data });
  };

  it('covers the frame exactly where it is placed', () => {
    const sprite = compositor.createSprite(picture(16, 12, () => 255));
    const frame = paint(compositor.createFrame(64, 32), 90);
    expect(sprite.draw(frame, { x: 20, y: 8, scale: 1, opacity: 1 })).toEqual({ x: 20, y: 8, width: 16, height: 12 });
    const places = touched(frame);
    expect(places.length).toBe(16 * 12);
    expect(places.every(({ x, y }) => frame.y[y * 64 + x] === 235)).toBe(true);
  });

  it('blends by its alpha and opacity', () => {
    const sprite = compositor.createSprite(picture(16, 16, () => 128));
    const frame = paint(compositor.createFrame(32, 32), 90);
    sprite.draw(frame, { x: 0, y: 0, scale: 1, opacity: 0.5 });
    expect(Math.abs(frame.y[5 * 32 + 5]! - (90 + 145 * 0.25))).toBeLessThanOrEqual(1);
  });

  it.each([2, 0.5, 0.2, 0.06])('keeps its place and size at scale %d', (scale) => {
    const sprite = compositor.createSprite(picture(64, 64, () => 255));
    const frame = paint(compositor.createFrame(192, 192), 90);
    const rect = sprite.draw(frame, { x: 20.5, y: 30, scale, opacity: 1 });
    const covered = frame.y.reduce((sum, value) => sum + (value - 90) / 145, 0);
    expect(Math.abs(covered / (64 * scale) ** 2 - 1)).toBeLessThan(0.06);
    const mean = touched(frame).reduce((sum, { x, y }) => sum + (x * (frame.y[y * 192 + x]! - 90)) / 145, 0) / covered;
    expect(mean).toBeCloseTo(20.5 + 32 * scale - 0.5, 0);
    for (const { x, y } of touched(frame)) {
      expect(x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height).toBe(true);
    }
  });

  it('is cut at the frame and may be outside of it', () => {
    const sprite = compositor.createSprite(picture(32, 32, () => 255));
    const frame = paint(compositor.createFrame(32, 32), 90);
    expect(sprite.draw(frame, { x: -20, y: 24, scale: 1, opacity: 1 })).toEqual({ x: 0, y: 24, width: 12, height: 8 });
    expect(touched(frame).length).toBe(12 * 8);
    expect(sprite.draw(frame, { x: 50, y: 0, scale: 1, opacity: 1 }).width).toBe(0);
    sprite.close();
    sprite.close();
  });
});
