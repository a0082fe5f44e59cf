import type { Pose } from '@figurehead/presenter/face';

/** A presenter at rest. */
export const REST_POSE: Pose = {
  mouth: { open: 0, width: 0, consonants: {}, smile: 0 },
  lids: 0,
  gaze: { x: 0, y: 0 },
  head: { yaw: 0, pitch: 0, roll: 0, x: 0, y: 0 },
  breath: 0,
  sway: 0,
  brow: 0,
};
