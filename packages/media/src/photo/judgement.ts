import type { DetectedFace } from './detector.js';
import type { Picture, Point } from './picture.js';
import { focusOf } from './shaping/focus.js';
import { findLipLine } from './shaping/lip-line.js';
import { CHEEKS, CHIN, EYES, type FaceMesh, UPPER_LIP } from './shaping/mesh.js';
import { areLipsParted } from './shaping/parted-lips.js';
import { lumaOf, meanAround } from './shaping/sampling.js';

/** Least distance between the pupils, px: a webcam at 640 × 480. The plate shows them 148 px apart. */
const MIN_EYES = 48;

/** Greatest turn to a side, nod and tilt, degrees. */
const MAX_TURN = 20;
const MAX_NOD = 22;
const MAX_TILT = 20;

/** Nod that the mesh shows for a level face, degrees: the mean of 100 photographs. */
const LEVEL_NOD = 7;

/**
 * Greatest opening between the lips, in widths of the mouth, that can be closed: a smile with teeth has up to 0.3, laughing and speaking more.
 * Closed full lips measure up to 0.103, thin ones 0.03.
 */
const MAX_OPEN = 0.32;

/** The same for a mouth narrower than this share of the distance between the pupils, which is surprise or speech rather than a smile. */
const MAX_ROUND = 0.2;
const ROUND = 0.72;

/** Least {@link focusOf} a face. */
const MIN_FOCUS = 0.32;

/** Outer corners of the eyes. */
const [LEFT_EYE, RIGHT_EYE] = [33, 263];

/** Another face of at least this share of the first one's size is a second person, not a picture on the wall. */
const SECOND_FACE = 0.45;

/** Below this presence the face is covered, or a drawing. */
const MIN_PRESENCE = 0.6;

/** The line between the lips must be this much darker than the lips, along this share of its length. */
const LINE_CONTRAST = 0.03;
const LINE_SHARE = 0.6;

/** Mirrored points around the mouth, and the factor by which their brightness may differ beyond even light or that of the cheeks. */
const MOUTH_PAIRS = [
  [57, 287],
  [43, 273],
  [106, 335],
  [182, 406],
  [92, 322],
  [165, 391],
  [202, 422],
  [204, 424],
] as const;
const MAX_UNLIKE = 1.75;

/** Space below the chin that head movement needs, in distances from the eyes to the chin. */
const BELOW_CHIN = 0.22;

/**
 * Reasons why the faces in a picture cannot become a presenter; empty when they can.
 * @param picture `isPutRight`: a user has checked the points and thereby the mouth, so that what covers it may be a
 * beard.
 */
export function judgeFaces(
  faces: readonly DetectedFace[],
  mesh: FaceMesh | undefined,
  { picture, isPutRight }: { readonly picture: Picture; readonly isPutRight: boolean },
): string[] {
  const [first] = faces;
  if (first === undefined || mesh === undefined || mesh.presence < MIN_PRESENCE) {
    return ['There is no face in the picture.'];
  }
  const people = countPeople(faces);
  const problems: string[] = [];
  if (people > 1) problems.push(`There are ${people} faces in the picture; it must show one person.`);
  const misplaced = judgePlace(mesh.points, picture, mesh.irises);
  const blurred = focusOf(mesh, picture) < MIN_FOCUS ? ['The face is blurred: it must be in focus and still.'] : [];
  return [...problems, ...misplaced, ...blurred, ...judgeMouth(mesh, picture, isPutRight)];
}

/**
 * Reasons why a face cannot become a presenter that need no look at the picture: its size, place and attitude.
 * @param eyes their centres; default: the middles between their corners.
 */
export function judgePlace(
  points: FaceMesh['points'],
  size: Pick<Picture, 'width' | 'height'>,
  eyes: readonly [Point, Point] = eyeCentres(points),
): string[] {
  // The eyes of a face that is turned away are close together, however large it is.
  return [...judgePose(points), ...judgeSize(points, eyes, size)];
}

/** How many of the faces, the most important one first, are people and not pictures on the wall. */
export function countPeople(faces: readonly DetectedFace[]): number {
  return faces.filter((face) => face.size > SECOND_FACE * faces[0]!.size).length;
}

function eyeCentres(points: FaceMesh['points']): [Point, Point] {
  const [left, right] = EYES.map(({ lower }) => {
    const [a, b] = [points[lower[0]!]!, points[lower.at(-1)!]!];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  });
  return [left!, right!];
}

function judgeSize(
  points: FaceMesh['points'],
  [left, right]: readonly [Point, Point],
  { width, height }: Pick<Picture, 'width' | 'height'>,
): string[] {
  const apart = distance(left, right);
  if (apart < MIN_EYES) {
    return [`The face is too small: the eyes are ${Math.round(apart)} px apart, at least ${MIN_EYES} px are needed.`];
  }
  const chin = points[CHIN]!;
  const tall = chin.y - (left.y + right.y) / 2;
  const isCut = points.some(({ x, y }) => x < 0 || y < 0 || x >= width || y >= height);
  if (isCut) return ['The face is cut off by the edge of the picture.'];
  if (chin.y + BELOW_CHIN * tall > height) {
    return ['The picture ends at the chin: leave room below it for the neck, better for the shoulders too.'];
  }
  return [];
}

/** Attitude of a head, degrees: `turn` to a side, `nod` (positive looks down), `tilt` to a shoulder. */
export function attitudeOf(points: FaceMesh['points']): { turn: number; nod: number; tilt: number } {
  const [left, right] = [points[LEFT_EYE]!, points[RIGHT_EYE]!];
  return { turn: turnOf(points), nod: nodOf(points), tilt: degrees(Math.atan2(right.y - left.y, right.x - left.x)) };
}

function judgePose(points: FaceMesh['points']): string[] {
  const { turn, nod, tilt } = attitudeOf(points);
  const problems: string[] = [];
  if (Math.abs(turn) > MAX_TURN) {
    problems.push(`The face is turned ${Math.round(Math.abs(turn))}° to the side; at most ${MAX_TURN}° work.`);
  }
  if (Math.abs(nod) > MAX_NOD) problems.push(`The face looks too far ${nod > 0 ? 'down' : 'up'}.`);
  if (Math.abs(tilt) > MAX_TILT) problems.push('The head is tilted too far to the side.');
  return problems;
}

/** Turn to a side, measured by pairs of points that are at equal depth on a face. */
function turnOf(points: FaceMesh['points']): number {
  const angles = [
    [33, 263],
    [234, 454],
    [61, 291],
  ].map(([a, b]) => Math.atan2(points[b!]!.z - points[a!]!.z, points[b!]!.x - points[a!]!.x));
  return degrees(angles.reduce((sum, angle) => sum + angle, 0) / angles.length);
}

/** Nod by the depth of the forehead and the chin; positive looks down. */
function nodOf(points: FaceMesh['points']): number {
  const [top, chin] = [points[10]!, points[CHIN]!];
  return degrees(Math.atan2(chin.z - top.z, chin.y - top.y)) - LEVEL_NOD;
}

function judgeMouth(mesh: FaceMesh, picture: Picture, isPutRight: boolean): string[] {
  const { points } = mesh;
  const wide = distance(points[78]!, points[308]!);
  const open = [
    [13, 14],
    [82, 87],
    [312, 317],
  ].map(([a, b]) => distance(points[a!]!, points[b!]!));
  const isRound = wide < ROUND * distance(...mesh.irises);
  if (Math.max(...open) > (isRound ? MAX_ROUND : MAX_OPEN) * wide)
    return ['The mouth is open too far: it must be closed, or show a smile.'];
  if (isPutRight) return [];
  // Parted lips have teeth between them and not a dark line.
  const hasLine = areLipsParted(picture, mesh) || lineShare(mesh, picture) >= LINE_SHARE;
  if (!hasLine || unlikeness(mesh, picture) > MAX_UNLIKE) {
    return [
      'Something covers the mouth, such as hair or a hand, or teeth show between the lips: they must be closed and visible from corner to corner.',
    ];
  }
  return [];
}

/** Share of the mouth's columns in which a dark line between the lips is visible. */
function lineShare({ points }: FaceMesh, picture: Picture): number {
  const guess = UPPER_LIP.map((i) => points[i]!);
  const { x0, rows } = findLipLine(picture, guess);
  const bank = Math.max(3, Math.round(0.07 * rows.length));
  const lightAt = (x: number, y: number): number => lumaOf(meanAround(picture, { x, y }, 1));
  let seen = 0;
  rows.forEach((row, i) => {
    const lips = (lightAt(x0 + i, row - bank) + lightAt(x0 + i, row + bank)) / 2;
    if (lips - lightAt(x0 + i, row) > LINE_CONTRAST * lips) seen++;
  });
  return seen / rows.length;
}

/** Greatest factor by which the brightness of mirrored places around the mouth differs. */
function unlikeness({ points }: FaceMesh, picture: Picture): number {
  const radius = Math.max(2, Math.round(0.04 * distance(points[61]!, points[291]!)));
  const ratio = ([a, b]: readonly [number, number]): number =>
    (lumaOf(meanAround(picture, points[a]!, radius)) + 8) / (lumaOf(meanAround(picture, points[b]!, radius)) + 8);
  // The cheeks may be lit otherwise than the mouth, or have hair over them: it may look like them, or even, or anything in between.
  const [least, most] = [1, ratio(CHEEKS)].sort((a, b) => a - b) as [number, number];
  return Math.max(...MOUTH_PAIRS.map(ratio).map((value) => Math.max(least / value, value / most, 1)));
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
