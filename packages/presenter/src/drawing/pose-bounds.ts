import { CONSONANT_SHAPES, type Pose } from '../face/contract.js';
import type { LoadedPack } from '../pack/pack.js';

/** Rotation in radians beyond which hair and ears tear (presenters/FORMAT.md 3.3). */
const MAX_YAW = (16 * Math.PI) / 180;
const MAX_TILT = (6 * Math.PI) / 180;

/** Lift of a brow at a `brow` value of 1, in iris radii (presenters/FORMAT.md 3.3). */
const BROW_LIFT = 0.55;

/** Perspective adds up to a seventh at the plate's corners. */
const PERSPECTIVE = 1.15;

/** A rotation of the head, radians. */
interface HeadRotation {
  readonly yaw: number;
  readonly pitch: number;
  readonly roll: number;
}

/** Rotation of the head as it is drawn. */
export function headRotation({ head }: Pose): HeadRotation {
  return {
    yaw: clamp(head.yaw, MAX_YAW),
    pitch: clamp(head.pitch, MAX_TILT),
    roll: clamp(head.roll, MAX_TILT),
  };
}

/** Translation of a pose, plate px. */
export function shiftOf(
  { poseUnit: unit }: LoadedPack,
  pose: Pose,
): { shiftX: number; shiftY: number; breath: number; sway: number } {
  return {
    shiftX: pose.head.x * unit,
    shiftY: pose.head.y * unit,
    breath: pose.breath * unit,
    sway: pose.sway * unit,
  };
}

/** Upper bound of the distance of any point of the person from its resting place, plate px. */
export function strayOf(pack: LoadedPack, pose: Pose): number {
  const { head, depth, eye } = pack.manifest;
  const { shiftX, shiftY, breath, sway } = shiftOf(pack, pose);
  const turn = headRotation(pose);
  const width = pack.width / 2;
  const height = Math.max(head.pivotY, head.neckY - head.pivotY);
  const deep = Math.max(Math.abs(depth.min), Math.abs(depth.max));
  const [yaw, pitch, roll] = [Math.abs(turn.yaw), Math.abs(turn.pitch), Math.abs(turn.roll)];
  const across = yaw * deep + (yaw * yaw * width) / 2 + roll * height;
  const along = pitch * deep + (pitch * pitch * height) / 2 + roll * width;
  const moved = Math.abs(shiftX) + Math.abs(shiftY) + Math.abs(breath) + Math.abs(sway);
  return PERSPECTIVE * Math.max(across, along) + moved + BROW_LIFT * eye.eyes[0].r;
}

/** Columns and rows of the points by which head movements are measured. */
const GAUGE = { columns: 5, rows: 5 } as const;

/** Measures how far head, brows and body move between two poses. */
export class PoseGauge {
  /** Points all over the head relative to its pivot, plate px; y upwards, z towards the camera. */
  private readonly points: readonly { readonly x: number; readonly y: number; readonly z: number }[];

  constructor(private readonly pack: LoadedPack) {
    const { head } = pack.manifest;
    // Including hair and ears, a head is about as wide as it is high.
    const side = head.chinY - head.topY;
    this.points = Array.from({ length: GAUGE.columns * GAUGE.rows }, (_, index) => {
      const column = index % GAUGE.columns;
      const x = side * (column / (GAUGE.columns - 1) - 0.5);
      const y = head.topY + (side * Math.floor(index / GAUGE.columns)) / (GAUGE.rows - 1);
      return { x, y: head.pivotY - y, z: depthAt(pack, head.pivotX + x, y) };
    });
  }

  /**
   * Greatest distance that a point moves between two poses, plate px. Exact to a tenth for steps of a few degrees, as
   * between consecutive pictures.
   */
  distance(from: Pose, to: Pose): number {
    const [a, b] = [headRotation(from), headRotation(to)];
    const [yaw, pitch, roll] = [b.yaw - a.yaw, b.pitch - a.pitch, b.roll - a.roll];
    const [here, there] = [shiftOf(this.pack, from), shiftOf(this.pack, to)];
    const right = there.shiftX - here.shiftX + there.sway - here.sway;
    const up = here.shiftY - there.shiftY + there.breath - here.breath;
    const lift = Math.abs(to.brow - from.brow) * BROW_LIFT * this.pack.manifest.eye.eyes[0].r;
    let most = 0;
    for (const { x, y, z } of this.points) {
      const across = right + yaw * z - roll * y;
      const along = up - pitch * z + roll * x;
      most = Math.max(most, across * across + along * along);
    }
    return PERSPECTIVE * Math.sqrt(most) + lift;
  }
}

function depthAt({ depth, manifest }: LoadedPack, x: number, y: number): number {
  const { scale, min, max } = manifest.depth;
  const column = Math.min(Math.max(Math.round(x / scale), 0), depth.width - 1);
  const row = Math.min(Math.max(Math.round(y / scale), 0), depth.height - 1);
  return min + ((max - min) * depth.data[row * depth.width + column]!) / 255;
}

/** Whether two poses have the same mouth. */
export function sameMouth({ mouth: a }: Pose, { mouth: b }: Pose): boolean {
  if (a.open !== b.open || a.width !== b.width || a.smile !== b.smile || a.swept !== b.swept) return false;
  return CONSONANT_SHAPES.every((shape) => (a.consonants[shape] ?? 0) === (b.consonants[shape] ?? 0));
}

/** True when two poses have head and brows in the same place relative to the body. */
export function sameHead({ head: a, brow }: Pose, { head: b, brow: other }: Pose): boolean {
  return a.yaw === b.yaw && a.pitch === b.pitch && a.roll === b.roll && a.x === b.x && a.y === b.y && brow === other;
}

/** Whether two poses have the same lids and gaze. */
export function sameEyes(a: Pose, b: Pose): boolean {
  return a.lids === b.lids && a.gaze.x === b.gaze.x && a.gaze.y === b.gaze.y;
}

function clamp(value: number, limit: number): number {
  return Math.min(Math.max(value, -limit), limit);
}
