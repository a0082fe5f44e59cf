import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { detectFaces } from '../detector.js';
import { readDonor } from '../donor.js';
import { openNetworks } from '../networks.js';
import { closingMotions, findLipGap, openingOf } from './gap.js';
import { readMesh } from './mesh.js';

const PACKS = fileURLToPath(new URL('../../../../../presenters/packs/', import.meta.url));

describe('the mouth that a donor lends', () => {
  it.each(['ava', 'helen', 'mei', 'nora', 'arjun', 'leo', 'marcus'])(
    'opens in every shape of %s as an even hole that closes at the corners',
    async (name) => {
      const donor = await readDonor(join(PACKS, name));
      const networks = await openNetworks();
      const [face] = detectFaces(networks.detector, donor.onGround);
      const gap = findLipGap(donor, readMesh(networks, donor.onGround, face!));
      const motions = closingMotions(donor, gap);
      motions.forEach((motion, index) => {
        const { id } = donor.manifest.mouth.patches[index]!;
        const { edgesAt, middle, width } = openingOf(motion, gap);
        const columns = Array.from({ length: width + 1 }, (_, i) => edgesAt(middle - width / 2 + i));
        // Rounded lips swell towards each other: the skin beside them moves as if they were parted by 15 px.
        const heights = columns.map(({ upper, lower }) => lower - upper);
        if (/^(g0\d|PP|smile0)$/.test(id))
          expect(Math.max(...heights), `${id}: gap of closed lips, px`).toBeLessThan(2);
        const steps = columns.slice(1).map(({ upper, lower }, i) => {
          const before = columns[i]!;
          return Math.max(Math.abs(upper - before.upper), Math.abs(lower - before.lower));
        });
        // The ends of an ellipse are steep; a spike in its middle measured 8 px and more.
        const inner = steps.slice(Math.round(0.2 * width), Math.round(0.8 * width));
        expect(Math.max(...inner), `${id}: step from column to column, px`).toBeLessThan(4);
        for (const end of [columns[0]!, columns.at(-1)!, edgesAt(middle - width), edgesAt(middle + width)]) {
          expect(end.lower - end.upper, `${id}: height at the corners, px`).toBeLessThan(0.01);
        }
        // Between the lips no row overtakes another: mixed shapes would show spikes there.
        const x = (gap.x0 + gap.x1) / 2;
        const { upper, lower } = gap.edgesAt(x);
        for (let y = upper; y < lower; y++) {
          expect(motion.move({ x, y: y + 1 }).y, `${id}: rows keep their order`).toBeGreaterThan(
            motion.move({ x, y }).y - 0.25,
          );
        }
      });
    },
  );
});
