import { CONSONANT_SHAPES, type Pose } from '../../face/contract.js';

/** Features of one frame that a model receives. */
export interface NeuralFeatures {
  readonly pose: Float32Array;
  readonly visemes: Float32Array;
  readonly loudness: Float32Array;
}

/** Lengths of the features of a frame (docs/neural.md). */
export const FEATURE_LENGTHS = { pose: 21, visemes: 15, loudness: 17 } as const;

/** A pose in numbers, in the order of docs/neural.md; a pose without sound is silence. */
export function featuresOf(pose: Pose): NeuralFeatures {
  const { mouth, head, gaze } = pose;
  const shapes = CONSONANT_SHAPES.map((shape) => mouth.consonants[shape] ?? 0);
  const heard = pose.heard?.();
  const silence = new Float32Array(FEATURE_LENGTHS.visemes);
  silence[0] = 1;
  return {
    pose: Float32Array.from([
      mouth.open,
      mouth.width,
      ...shapes,
      mouth.smile,
      pose.lids,
      gaze.x,
      gaze.y,
      head.yaw,
      head.pitch,
      head.roll,
      head.x,
      head.y,
      pose.breath,
      pose.brow,
    ]),
    visemes: heard?.visemes ?? silence,
    loudness: heard?.loudness ?? new Float32Array(FEATURE_LENGTHS.loudness),
  };
}
