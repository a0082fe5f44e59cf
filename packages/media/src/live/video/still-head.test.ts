import type { FaceRedrawing } from '@figurehead/presenter';
import type { Pose } from '@figurehead/presenter/face';
import { describe, expect, it } from 'vitest';
import { REST_POSE } from '../../../../../tests/support/poses.js';
import { StillHead } from './still-head.js';

const PART = { x: 8, y: 16, width: 32, height: 32 };
const HEAD = { x: 0, y: 0, width: 64, height: 48 };
const WHOLE = { x: 0, y: 0, width: 64, height: 64 };
/** The head moves one pixel per unit of `x`, the body one pixel per unit of breath. */
const FACE: FaceRedrawing = {
  distance: (from, to) => Math.max(Math.abs(to.head.x - from.head.x), Math.abs(to.breath - from.breath)),
  changed: (from, to) => (from.breath !== to.breath ? WHOLE : from.head.x !== to.head.x ? HEAD : PART),
};

function pose(x: number, open = 0, gaze = 0): Pose {
  return {
    ...REST_POSE,
    mouth: { ...REST_POSE.mouth, open },
    gaze: { x: gaze, y: 0 },
    head: { ...REST_POSE.head, x },
  };
}

describe('the head of a speaking presenter', () => {
  it('is held for at most two pictures while it moves by less than half a pixel; the mouth is always redrawn', () => {
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
    expect(told.map(({ part }) => part)).toEqual([undefined, PART, PART, HEAD, PART]);
  });

  it('is drawn at once when it moves by more, and when the previous picture is lost', () => {
    const head = new StillHead();
    head.next(pose(0), FACE);
    expect(head.next(pose(0.5), FACE)).toEqual({ pose: pose(0.5), part: HEAD });
    head.reset();
    expect(head.next(pose(0.5), FACE)).toEqual({ pose: pose(0.5) });
  });

  it('redraws the eyes at once for a new gaze, but not for a drift', () => {
    const head = new StillHead();
    head.next(pose(0, 0, 0), FACE);
    expect(head.next(pose(0, 0, 0.3), FACE).pose.gaze.x).toBe(0);
    expect(head.next(pose(0, 0, 0.6), FACE).pose.gaze.x).toBe(0.6);
  });

  it('moves while the body is held, whose breath moves in steps of a quarter of a pixel', () => {
    const head = new StillHead();
    const told = [0, 0.1, 0.2, 0.3, 0.4].map((breath, index) => head.next({ ...pose(index), breath }, FACE));
    expect(told.map(({ pose: { breath } }) => breath)).toEqual([0, 0, 0, 0.3, 0.3]);
    expect(told.map(({ pose: { head: at } }) => at.x)).toEqual([0, 1, 2, 3, 4]);
    expect(told.map(({ part }) => part)).toEqual([undefined, HEAD, HEAD, WHOLE, HEAD]);
  });
});
