import type { MeshPoint } from '../shaping/mesh.js';

/** Points of the mesh that move with the skull only: eye corners, bridge and base of the nose, forehead, temples. */
const RIGID = [
  ...[33, 133, 362, 263, 168, 6, 197, 195, 5, 4, 2, 98, 327],
  ...[10, 151, 9, 8, 109, 338, 67, 297, 103, 332, 127, 356, 234, 454, 162, 389],
];

/** Steps of the power iteration; heads of one film differ little, so that it converges quickly. */
const STEPS = 60;

/** Moves points in space. */
export type SpaceMap = (point: MeshPoint) => MeshPoint;

/**
 * The rotation, scale and shift in space that lay the skull of one mesh over that of another (Horn 1987,
 * doi:10.1364/JOSAA.4.000629).
 */
export function alignSkull(from: readonly MeshPoint[], to: readonly MeshPoint[]): SpaceMap {
  const [a, b] = [centred(from), centred(to)];
  const m = [0, 1, 2].map((i) =>
    [0, 1, 2].map((j) => a.rest.reduce((sum, point, k) => sum + point[i]! * b.rest[k]![j]!, 0)),
  );
  const [q0, q1, q2, q3] = rotationOf(m as Matrix3);
  const scale = Math.sqrt(sizeOf(b.rest) / sizeOf(a.rest));
  const rows = [
    [q0 * q0 + q1 * q1 - q2 * q2 - q3 * q3, 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
    [2 * (q1 * q2 + q0 * q3), q0 * q0 - q1 * q1 + q2 * q2 - q3 * q3, 2 * (q2 * q3 - q0 * q1)],
    [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), q0 * q0 - q1 * q1 - q2 * q2 + q3 * q3],
  ] as Matrix3;
  return ({ x, y, z }) => {
    const [u, v, w] = [x - a.middle[0], y - a.middle[1], z - a.middle[2]];
    const along = (i: number): number => {
      const row = rows[i]!;
      return b.middle[i]! + scale * (row[0] * u + row[1] * v + row[2] * w);
    };
    return { x: along(0), y: along(1), z: along(2) };
  };
}

type Vector = [number, number, number];
type Matrix3 = [Vector, Vector, Vector];

function centred(points: readonly MeshPoint[]): { middle: Vector; rest: Vector[] } {
  const used = RIGID.map((i): Vector => [points[i]!.x, points[i]!.y, points[i]!.z]);
  const middle = [0, 1, 2].map((c) => used.reduce((sum, point) => sum + point[c]!, 0) / used.length) as Vector;
  return { middle, rest: used.map((point) => point.map((value, c) => value - middle[c]!) as Vector) };
}

function sizeOf(points: readonly Vector[]): number {
  return points.reduce((sum, [x, y, z]) => sum + x * x + y * y + z * z, 0);
}

/** The unit quaternion of the best rotation: the eigenvector of Horn's matrix with the greatest eigenvalue. */
function rotationOf([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]]: Matrix3): [number, number, number, number] {
  const n = [
    [xx + yy + zz, yz - zy, zx - xz, xy - yx],
    [yz - zy, xx - yy - zz, xy + yx, zx + xz],
    [zx - xz, xy + yx, yy - xx - zz, yz + zy],
    [xy - yx, zx + xz, yz + zy, zz - xx - yy],
  ];
  // Shifted, so that the greatest eigenvalue is also the greatest in size.
  const shift = Math.sqrt(n.flat().reduce((sum, value) => sum + value * value, 0));
  let q = [1, 0, 0, 0];
  for (let step = 0; step < STEPS; step++) {
    const next = n.map((row, i) => row.reduce((sum, value, j) => sum + value * q[j]!, shift * q[i]!));
    const length = Math.hypot(...next);
    q = next.map((value) => value / length);
  }
  return q as [number, number, number, number];
}
