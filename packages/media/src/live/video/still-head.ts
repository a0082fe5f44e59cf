import type { FaceRedrawing } from '@figurehead/presenter';
import type { Pose } from '@figurehead/presenter/face';
import type { Rect } from '@figurehead/presenter/frame';

/**
 * While head and body would move by less than this (px), for at most this many pictures in a row, they are not redrawn; only mouth and
 * eyes are. A step of half a pixel is invisible, and two of five pictures of a speaking presenter then cost half.
 */
const STILL_PX = 0.5;
const MAX_STILL = 2;
/**
 * The body's breath and sway change only in steps of this many px: in five of six pictures then only the head changes, and
 * x264 skips the body.
 */
const STILL_BODY_PX = 0.25;
/** Least gaze movement in degrees that is drawn while the head stays: the gaze drifts against the head all the time. */
const STILL_GAZE = 0.5;

/** A pose to draw and the area that differs from the last picture; the whole picture when `part` is absent. */
export interface Redrawing {
  readonly pose: Pose;
  readonly part?: Rect;
}

/** Holds head and body of one stream's pictures still while the movement is invisible, which saves drawing and bits. */
export class StillHead {
  private drawn: { readonly pose: Pose; readonly still: number } | undefined;

  /** What to draw for `wanted`, given that the last result has been drawn. */
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
    if (drawn.still >= MAX_STILL || face.distance(drawn.pose, pose) >= STILL_PX) {
      this.drawn = { pose, still: 0 };
      return { pose, part: face.changed(drawn.pose, pose) };
    }
    const hasLooked = Math.hypot(pose.gaze.x - gaze.x, pose.gaze.y - gaze.y) >= STILL_GAZE;
    const still = { mouth, lids, gaze: hasLooked ? pose.gaze : gaze, head, breath, sway, brow };
    this.drawn = { pose: still, still: drawn.still + 1 };
    return { pose: still, part: face.changed(drawn.pose, still) };
  }

  /** Forces the next picture to be drawn whole, because the last one is lost. */
  reset(): void {
    this.drawn = undefined;
  }
}
