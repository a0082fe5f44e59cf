import { describe, expect, it } from 'vitest';
import { CONSONANT_SHAPES, type MouthPose } from '../face/contract.js';
import { mouthWeights } from './weights.js';

const opens = [0, 0.3, 0.62, 1];
const widths = [-1, -0.5, 0, 1];
const grid = opens.flatMap((_, i) => widths.map((_, j) => `g${i}${j}`));
const ids = [...grid, ...CONSONANT_SHAPES, 'smile0', 'smile35'];
const mouth = {
  box: [0, 0, 80, 80] as const,
  patches: ids.map((id) => ({ id, file: `m_${id}.webp` })),
  flow: { file: 'flow.i16', cell: 8, gw: 11, gh: 11, scale: 16 },
  opens,
  widths,
};

const pose = (change: Partial<MouthPose>): MouthPose => ({ open: 0, width: 0, consonants: {}, smile: 0, ...change });
const named = (change: Partial<MouthPose>): Record<string, number> =>
  Object.fromEntries(mouthWeights(pose(change), mouth).map(({ patch, weight }) => [ids[patch], weight]));

describe('mouthWeights', () => {
  it('shows the resting patch at rest and any grid patch at its own point', () => {
    expect(named({})).toEqual({ g02: 1 });
    opens.forEach((open, i) => {
      widths.forEach((width, j) => {
        expect(named({ open, width })).toEqual({ [`g${i}${j}`]: 1 });
      });
    });
  });

  it('spreads a point between them bilinearly', () => {
    const weights = named({ open: 0.15, width: 0.25 });
    expect(weights).toEqual({
      g02: expect.closeTo(0.375),
      g12: expect.closeTo(0.375),
      g03: expect.closeTo(0.125),
      g13: expect.closeTo(0.125),
    });
  });

  it('gives consonants their share and the grid the rest', () => {
    expect(named({ consonants: { PP: 1 } })).toEqual({ PP: 1 });
    expect(named({ consonants: { SS: 0.6 } })).toEqual({ SS: expect.closeTo(0.6), g02: expect.closeTo(0.4) });
  });

  it('smiles with closed or slightly open lips, depending on the mouth', () => {
    expect(named({ smile: 0.5 })).toEqual({ smile0: expect.closeTo(0.5), g02: expect.closeTo(0.5) });
    expect(named({ smile: 1, open: 0.6 })).toEqual({ smile35: 1 });
  });

  it('falls back to the grid for a shape that the pack lacks', () => {
    const plain = { ...mouth, patches: mouth.patches.filter(({ id }) => grid.includes(id)) };
    const weights = mouthWeights(pose({ consonants: { CH: 0.8 }, smile: 0.2 }), plain);
    expect(weights).toEqual([{ patch: ids.indexOf('g02'), weight: 1, colour: 1 }]);
  });

  it('shows parted lips as open before they are far apart', () => {
    let last = 0;
    for (let step = 0; step <= 30; step++) {
      const open = step / 100;
      const shares = mouthWeights(pose({ open }), mouth);
      const parted = shares.filter(({ patch }) => patch === ids.indexOf('g12'));
      const seen = parted.reduce((sum, { colour }) => sum + colour, 0);
      const moved = parted.reduce((sum, { weight }) => sum + weight, 0);
      expect(shares.reduce((sum, { colour }) => sum + colour, 0)).toBeCloseTo(1, 9);
      expect(seen).toBeCloseTo(1 - (1 - moved) ** 4, 9);
      expect(seen).toBeGreaterThanOrEqual(last);
      last = seen;
    }
    expect(last).toBe(1);
  });

  it('shows little of the weaker of two parted shapes, whose teeth are in another place', () => {
    const [stronger, weaker] = mouthWeights(pose({ open: 0.75 }), mouth);
    expect(stronger?.weight).toBeCloseTo(0.66, 1);
    expect(stronger?.colour).toBeGreaterThan(0.85);
    expect(weaker?.colour).toBeCloseTo(1 - stronger!.colour, 9);
    // Shut shapes look alike.
    for (const { weight, colour } of mouthWeights(pose({ width: 0.5 }), mouth)) expect(colour).toBeCloseTo(weight, 9);
  });

  it('always gives one to five shares above 0 that add up to 1, and never jumps', () => {
    let last: Record<string, number> | undefined;
    for (let t = 0; t <= 2000; t++) {
      const swing = (period: number): number => 0.5 + 0.5 * Math.sin((2 * Math.PI * t) / period);
      const weights = named({
        open: swing(700),
        width: 2 * swing(1100) - 1,
        consonants: { SS: 0.35 * swing(900), DD: 0.3 * swing(800) },
        smile: 0.3 * swing(1000),
      });
      const shares = Object.values(weights);
      expect(shares.length).toBeGreaterThan(0);
      expect(shares.length).toBeLessThanOrEqual(5);
      expect(Math.min(...shares)).toBeGreaterThan(0);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
      const before = last ?? weights;
      const steps = ids.map((id) => Math.abs((weights[id] ?? 0) - (before[id] ?? 0)));
      expect(Math.max(...steps)).toBeLessThan(0.05);
      last = weights;
    }
  });
});
