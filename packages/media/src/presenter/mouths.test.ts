import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { listPacks } from './index.js';

const PACKS = fileURLToPath(new URL('../../../../presenters/packs/', import.meta.url));

/** The part of a mouth picture that contains the lips: left, top, right and bottom as shares of its sides. */
const LIPS = { left: 0.25, top: 0.1, right: 0.75, bottom: 0.72 };
/** Rows beyond the inside of the mouth in which teeth are counted. */
const RIM = 30;

/** Numbers of white pixels above and below the middle of the mouth's red inside. */
async function teethOf(pack: string, patch: string): Promise<{ upper: number; lower: number }> {
  const picture = sharp(join(PACKS, pack, `m_${patch}.webp`)).removeAlpha();
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  const inside: number[] = [];
  const white: number[] = [];
  for (let y = Math.floor(LIPS.top * info.height); y < LIPS.bottom * info.height; y++) {
    for (let x = Math.floor(LIPS.left * info.width); x < LIPS.right * info.width; x++) {
      const at = 3 * (y * info.width + x);
      const [red, green, blue] = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
      if (red > 30 && red - green > 0.55 * red) inside.push(y);
      if (red > 100 && red - blue < 0.24 * red && red - green < 0.14 * red) white.push(y);
    }
  }
  const row = (share: number) => inside[Math.floor(share * (inside.length - 1))] ?? 0;
  const teeth = white.filter((y) => y > row(0.01) - RIM && y < row(0.99) + RIM);
  const upper = teeth.filter((y) => y < row(0.5)).length;
  return { upper, lower: teeth.length - upper };
}

describe('the mouths of the rendered packs', () => {
  it('show the upper teeth more than twice as much as the lower ones when they are open', async () => {
    // Those made from portraits have no body.
    const packs = (await listPacks(PACKS)).filter((pack) => existsSync(join(PACKS, pack, 'body.json')));
    expect(packs).toHaveLength(12);
    for (const pack of packs) {
      for (const patch of ['g22', 'g32', 'g33', 'g23', 'g31', 'smile35']) {
        const { upper, lower } = await teethOf(pack, patch);
        expect(upper, `${pack} ${patch}: ${upper} upper, ${lower} lower`).toBeGreaterThan(Math.max(200, 2 * lower));
      }
    }
  });
});
