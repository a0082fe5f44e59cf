import { join } from 'node:path';
import { readManifest } from '@figurehead/presenter';
import { expect, it } from 'vitest';
import { layOut } from '../../../presenter/src/drawing/crop.js';
import { folderFiles } from '../presenter/folders.js';
import { defaultPlacement } from './placement.js';

const AVA = join(import.meta.dirname, '../../../../presenters/packs/ava');

it.each([
  ['16_9', 1920, 1080, 0.9, 0.7],
  ['9_16', 1080, 1920, 0.55, 0.45],
  ['1_1', 1080, 1080, 0.75, 0.45],
] as const)(
  'a presenter without a place fills a %s frame: at least these shares of its height',
  async (_format, width, height, alone, beside) => {
    const manifest = await readManifest(folderFiles(AVA));
    for (const [hasObjects, least] of [
      [false, alone],
      [true, beside],
    ] as const) {
      const frame = { width, height };
      const { region } = layOut(manifest, defaultPlacement(frame, hasObjects), frame);
      expect(region.height).toBeGreaterThanOrEqual(least * height);
      expect(region.y + region.height).toBe(height);
    }
  },
);

it.each([
  ['clearly higher than wide', 576, 972, 1],
  ['narrower than the face', 240, 972, 0.4],
  ['square', 900, 900, 0.75],
])('a box %s is filled, and its sides never cut the face', async (_, width, height, filled) => {
  const manifest = await readManifest(folderFiles(AVA));
  const frame = { width: 1920, height: 1080 };
  const { region, scale, originX } = layOut(
    manifest,
    { x: 60, y: 50, width, height, crop: 'full', fills: true },
    frame,
  );
  expect(region.height / height).toBeCloseTo(filled, 1);
  expect(region).toMatchObject({ x: 60, width });
  expect(region.y + region.height).toBe(50 + height);
  const { pivotX, chinY, topY } = manifest.head;
  expect(originX + pivotX * scale).toBeCloseTo(60 + width / 2, -1);
  expect(width).toBeGreaterThan(scale * (chinY - topY));
});
