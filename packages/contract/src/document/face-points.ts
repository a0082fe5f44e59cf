/** Points of a face that users can correct; left and right as seen in the picture. */
export const FACE_POINTS = [
  'leftEyeOuter',
  'leftEyeInner',
  'rightEyeInner',
  'rightEyeOuter',
  'leftBrow',
  'rightBrow',
  'noseTip',
  'mouthLeft',
  'mouthRight',
  'mouthTop',
  'mouthBottom',
  'chin',
] as const;
export type FacePointName = (typeof FACE_POINTS)[number];
