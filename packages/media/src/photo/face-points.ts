import { FACE_POINTS } from '@figurehead/contract/document/face-points';
import { type FacePoint, PortraitRefused } from './contract.js';
import type { Point } from './picture.js';
import { type FaceMesh, mapMesh } from './shaping/mesh.js';
import { fitSpline, type PlaneMap } from './shaping/spline.js';

/** Numbers of {@link FACE_POINTS} in the face mesh, in their order. */
const NUMBERS = [33, 133, 362, 263, 105, 334, 1, 61, 291, 0, 17, 152];

/** Points closer than this share of the eyes' distance count as the same. */
const APART = 0.02;

/** The points of a mesh that users can correct. */
export function facePointsOf(mesh: FaceMesh, size: { width: number; height: number }): FacePoint[] {
  return FACE_POINTS.map((name, i) => {
    const { x, y } = mesh.points[NUMBERS[i]!]!;
    return { name, x: clamp((x + 0.5) / size.width), y: clamp((y + 0.5) / size.height) };
  });
}

/**
 * Moves a mesh to the points that a user has corrected, and smoothly in between.
 * @throws PortraitRefused if the points do not make a face.
 */
export function moveMesh(
  mesh: FaceMesh,
  points: readonly FacePoint[],
  size: { width: number; height: number },
): FaceMesh {
  const wanted = FACE_POINTS.map((name): Point => {
    const found = points.find((point) => point.name === name);
    if (found === undefined) throw new PortraitRefused(`The point ${name} is missing.`);
    return { x: found.x * size.width - 0.5, y: found.y * size.height - 0.5 };
  });
  checkFace(wanted);
  const [before, after] = [eyesApart(NUMBERS.map((i) => mesh.points[i]!)), eyesApart(wanted)];
  let move: PlaneMap;
  try {
    move = fitSpline(
      wanted.map((to, i) => ({ from: mesh.points[NUMBERS[i]!]!, to })),
      0,
    );
  } catch (cause) {
    throw new PortraitRefused('The points do not make a face.', { cause });
  }
  return mapMesh(mesh, move, after / before);
}

/** Checks that left is left, up is up, and no two points coincide. */
function checkFace(points: readonly Point[]): void {
  const [
    leftOuter,
    leftInner,
    rightInner,
    rightOuter,
    leftBrow,
    rightBrow,
    nose,
    mouthLeft,
    mouthRight,
    top,
    bottom,
    chin,
  ] = points as [Point, Point, Point, Point, Point, Point, Point, Point, Point, Point, Point, Point];
  const least = APART * eyesApart(points);
  const rises = (values: readonly number[]): boolean =>
    values.every((value, i) => i === 0 || value - values[i - 1]! > least);
  const isFace =
    rises([leftOuter.x, leftInner.x, rightInner.x, rightOuter.x]) &&
    rises([mouthLeft.x, mouthRight.x]) &&
    rises([(leftInner.y + rightInner.y) / 2, nose.y, top.y, bottom.y, chin.y]) &&
    rises([(leftBrow.y + rightBrow.y) / 2, (leftInner.y + rightInner.y) / 2]);
  if (!isFace)
    throw new PortraitRefused('The points do not make a face: left and right, or up and down, are mixed up.');
}

function eyesApart(points: readonly Point[]): number {
  const [left, right] = [points[0]!, points[3]!];
  return Math.hypot(right.x - left.x, right.y - left.y);
}

function clamp(share: number): number {
  return Math.min(Math.max(share, 0), 1);
}
