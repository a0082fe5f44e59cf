import { join } from 'node:path';
import { expect, it } from 'vitest';
import { layOut } from '../presenter/crop.js';
import { readManifest } from '../presenter/pack/manifest.js';
import { defaultPlacement } from './placement.js';

const AVA = join(import.meta.dirname, '../../../../presenters/packs/ava/manifest.json');

it.each([
  ['16_9', 1920, 1080, 0.9, 0.7],
  ['9_16', 1080, 1920, 0.55, 0.45],
  ['1_1', 1080, 1080, 0.75, 0.45],
] as const)(
  'a presenter without a place fills a %s frame: at least these shares of its height',
  async (_format, width, height, alone, beside) => {
    const manifest = await readManifest(AVA);
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
