import { fileURLToPath } from 'node:url';
import type { Compositor, PlacedPresenter } from '@figurehead/presenter';
import { asLoaded, type LoadedPack } from '@figurehead/presenter';
import { ARM_MOTIONS, type Pose } from '@figurehead/presenter/face';
import type { YuvFrame } from '@figurehead/presenter/frame';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REST_POSE } from '../../../../tests/support/poses.js';
import { layOut } from '../../../presenter/src/drawing/crop.js';
import { createCompositor, framedFolder, loadPack } from './index.js';

const AVA = fileURLToPath(new URL('../../../../presenters/packs/ava', import.meta.url));
const SIDE = 368;

describe('a presenter down to the waist', () => {
  let compositor: Compositor;
  let pack: LoadedPack;
  let placed: PlacedPresenter;
  let frame: YuvFrame;
  const draw = (pose: Pose, ground = 200): Uint8Array => {
    frame.y.fill(ground);
    placed.draw(pose, frame);
    return frame.y.slice();
  };
  const differing = (a: Uint8Array, b: Uint8Array): number => a.filter((luma, i) => Math.abs(luma - b[i]!) > 12).length;
  const moving = (amount: number, motion: (typeof ARM_MOTIONS)[number] = 'open'): Pose => ({
    ...REST_POSE,
    arms: { left: { motion, amount } },
  });

  beforeAll(async () => {
    compositor = await createCompositor();
    pack = asLoaded(await loadPack(framedFolder(AVA, 'waist')));
    frame = compositor.createFrame(SIDE, SIDE);
    placed = compositor.place(pack, { x: 0, y: 0, width: SIDE, height: SIDE, crop: 'full' }, frame);
  });
  afterAll(() => compositor.close());

  it('has the head of its plate', async () => {
    const plain = asLoaded(await loadPack(AVA));
    const left = pack.manifest.eye.box[0] - plain.manifest.eye.box[0];
    for (const y of [200, 400, 600]) {
      const [from, to] = [y * plain.width, y * pack.width + left];
      expect(pack.plate.y.subarray(to, to + plain.width)).toEqual(plain.plate.y.subarray(from, from + plain.width));
    }
    expect(pack.height).toBeGreaterThan(1.5 * plain.height);
  });

  it('shows the hands in square and upright streams too, which show a bust of other presenters', () => {
    const square = { x: 0, y: 0, width: SIDE, height: SIDE };
    for (const crop of ['full', 'bust'] as const) {
      const { region, scale } = layOut(pack.manifest, { ...square, crop }, square);
      expect(scale).toBeCloseTo(SIDE / pack.height, 3);
      expect(region.height).toBe(SIDE);
    }
  });

  it('moves one arm on its side of the picture, and is the same as before when the arm is back at rest', () => {
    const rest = draw(REST_POSE);
    for (const motion of ARM_MOTIONS) {
      const moved = draw(moving(1, motion));
      const sideOf = (index: number): string => (index % SIDE < SIDE / 2 + 4 ? 'left' : 'right');
      expect(differing(moved, rest)).toBeGreaterThan(300);
      expect(moved.some((luma, i) => luma !== rest[i] && sideOf(i) === 'right')).toBe(false);
      expect(draw(REST_POSE)).toEqual(rest);
    }
  });

  it('goes from the rest to the end of a motion without a jump', () => {
    const rest = draw(REST_POSE);
    const whole = differing(draw(moving(1)), rest);
    expect(differing(draw(moving(0.004)), rest)).toBeLessThan(0.02 * whole);
    // Every picture of the motion, also where it passes from one rendered picture to the next.
    const steps = Array.from({ length: 60 }, (_, at) => differing(draw(moving((at + 1) / 60)), draw(moving(at / 60))));
    const pictures = steps.filter((changed) => changed > 0).sort((a, b) => a - b);
    expect(pictures.length).toBeGreaterThanOrEqual(12);
    expect(pictures.at(-1)).toBeLessThan(2 * pictures[pictures.length >> 1]!);
  });

  it('redraws only what arms can reach, over any ground', () => {
    const [from, to] = [moving(0.3), moving(0.8)];
    const whole = draw(to, 60);
    draw(from, 60);
    const part = placed.face!.changed(from, to);
    expect(part.width * part.height).toBeLessThan(0.5 * SIDE * SIDE);
    const row = (y: number): [number, number] => [y * SIDE + part.x, y * SIDE + part.x + part.width];
    for (let y = part.y; y < part.y + part.height; y++) frame.y.fill(60, ...row(y));
    placed.draw(to, frame, part);
    expect(frame.y.slice()).toEqual(whole);
  });
});
