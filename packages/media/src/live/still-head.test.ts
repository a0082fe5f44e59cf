import { describe, expect, it } from 'vitest';
import type { Pose } from '../face/contract.js';
import type { FaceRedrawing } from '../presenter/contract.js';
import { StillHead } from './still-head.js';

const PART = { x: 8, y: 16, width: 32, height: 32 };
/** A head that moves a pixel for each unit of its `x`. */
const FACE: FaceRedrawing = {
  distance: (from, to) => Math.abs(to.head.x - from.head.x),
  changed: () => PART,
};

function pose(x: number, open = 0, gaze = 0): Pose {
  return {
    mouth: { open, width: 0, consonants: {}, smile: 0 },
    lids: 0,
    gaze: { x: gaze, y: 0 },
    head: { yaw: 0, pitch: 0, roll: 0, x, y: 0 },
    breath: 0,
    sway: 0,
    brow: 0,
  };
}

describe('the head of a speaking presenter', () => {
  it('stays for at most two pictures while it moves by less than half a pixel, and the mouth never waits for it', () => {
    const head = new StillHead();
    const told = [0, 0.1, 0.2, 0.3, 0.4].map((x, index) => head.next(pose(x, index / 10), FACE));
    expect(
      told.map(
        ({
          pose: {
            head: { x },
          },
        }) => x,
      ),
    ).toEqual([0, 0, 0, 0.3, 0.3]);
    expect(told.map(({ pose: { mouth } }) => mouth.open)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
    expect(told.map(({ part }) => part)).toEqual([undefined, PART, PART, undefined, PART]);
  });

  it('is drawn at once when it moves by more, and when the picture before is gone', () => {
    const head = new StillHead();
    head.next(pose(0), FACE);
    expect(head.next(pose(0.5), FACE)).toEqual({ pose: pose(0.5) });
    head.forget();
    expect(head.next(pose(0.5), FACE)).toEqual({ pose: pose(0.5) });
  });

  it('has eyes that look elsewhere at once, but do not drift', () => {
    const head = new StillHead();
    head.next(pose(0, 0, 0), FACE);
    expect(head.next(pose(0, 0, 0.3), FACE).pose.gaze.x).toBe(0);
    expect(head.next(pose(0, 0, 0.6), FACE).pose.gaze.x).toBe(0.6);
  });
});
