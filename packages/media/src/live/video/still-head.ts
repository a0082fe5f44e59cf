import type { Pose } from '../../face/contract.js';
import type { Rect } from '../../frame.js';
import type { FaceRedrawing } from '../../presenter/contract.js';

/**
 * While head and body would lie less than this (px) from where they were drawn, for so many pictures in a row, they stay there and only
 * mouth and eyes are drawn. A step of half a pixel is not seen, and two pictures of five of a speaking presenter cost half.
 */
const STILL_PX = 0.5;
const MOST_STILL = 2;
/**
 * The body's breath and sway are taken over only in steps of so many px: five pictures of six then change no more than the head, and
 * x264 takes the body over as it is.
 */
const STILL_BODY_PX = 0.25;
/** Degrees by which the gaze has to move before it is drawn then: it drifts against the head all the time. */
const STILL_GAZE = 0.5;

/** A pose to draw, and where it differs from the picture before; all of it when `part` is absent. */
export interface Redrawing {
  readonly pose: Pose;
  readonly part?: Rect;
}

/** Keeps head and body of one stream's pictures where they were as long as nobody sees the difference. */
export class StillHead {
  private drawn: { readonly pose: Pose; readonly still: number } | undefined;

  /** What to draw for `pose`, given that what this told before has been drawn. */
  next(wanted: Pose, face: FaceRedrawing): Redrawing {
    const { drawn } = this;
    if (!drawn) {
      this.drawn = { pose: wanted, still: 0 };
      return { pose: wanted };
    }
    const { breath, sway, gaze, head, brow } = drawn.pose;
    const { mouth, lids } = wanted;
    const breathing = { mouth, lids, gaze, head, breath: wanted.breath, sway: wanted.sway, brow };
    const isBodyStill = face.distance(drawn.pose, breathing) < STILL_BODY_PX;
    const pose = isBodyStill
      ? { mouth, lids, gaze: wanted.gaze, head: wanted.head, breath, sway, brow: wanted.brow }
      : wanted;
    if (drawn.still >= MOST_STILL || face.distance(drawn.pose, pose) >= STILL_PX) {
      this.drawn = { pose, still: 0 };
      return { pose, part: face.changed(drawn.pose, pose) };
    }
    const hasLooked = Math.hypot(pose.gaze.x - gaze.x, pose.gaze.y - gaze.y) >= STILL_GAZE;
    const still = { mouth, lids, gaze: hasLooked ? pose.gaze : gaze, head, breath, sway, brow };
    this.drawn = { pose: still, still: drawn.still + 1 };
    return { pose: still, part: face.changed(drawn.pose, still) };
  }

  /** The picture before is gone: the next one is drawn whole. */
  forget(): void {
    this.drawn = undefined;
  }
}
