import type { Point } from '../picture.js';

/** A smooth map of the plane. */
export type PlaneMap = (at: Point) => Point;

/** A point and its image. */
export interface Pair {
  readonly from: Point;
  readonly to: Point;
}

/** Coordinates are divided by this, so that the system of equations is well conditioned. */
const UNIT = 100;

/**
 * The thin-plate spline through pairs of points (Bookstein 1989, doi:10.1109/34.24792).
 * @param stiffness 0 passes through every point; more smooths out errors of single points, in units of the bending
 * energy of points 100 px apart.
 * @throws RangeError if the pairs do not span the plane.
 */
export function fitSpline(pairs: readonly Pair[], stiffness: number): PlaneMap {
  const count = pairs.length;
  const size = count + 3;
  const xs = pairs.map(({ from }) => from.x / UNIT);
  const ys = pairs.map(({ from }) => from.y / UNIT);
  // Rows of the matrix, followed by the two right-hand sides.
  const rows = Array.from({ length: size }, () => new Float64Array(size + 2));
  pairs.forEach(({ from, to }, i) => {
    const row = rows[i]!;
    for (let j = 0; j < count; j++) row[j] = bending((xs[i]! - xs[j]!) ** 2 + (ys[i]! - ys[j]!) ** 2);
    row[i] = stiffness;
    row.set([1, xs[i]!, ys[i]!, (to.x - from.x) / UNIT, (to.y - from.y) / UNIT], count);
    rows[count]![i] = 1;
    rows[count + 1]![i] = xs[i]!;
    rows[count + 2]![i] = ys[i]!;
  });
  eliminate(rows);
  const bendX = new Float64Array(size).map((_, i) => rows[i]![size]!);
  const bendY = new Float64Array(size).map((_, i) => rows[i]![size + 1]!);
  return ({ x, y }) => {
    const [u, v] = [x / UNIT, y / UNIT];
    let dx = bendX[count]! + bendX[count + 1]! * u + bendX[count + 2]! * v;
    let dy = bendY[count]! + bendY[count + 1]! * u + bendY[count + 2]! * v;
    for (let i = 0; i < count; i++) {
      const weight = bending((u - xs[i]!) ** 2 + (v - ys[i]!) ** 2);
      dx += bendX[i]! * weight;
      dy += bendY[i]! * weight;
    }
    return { x: x + dx * UNIT, y: y + dy * UNIT };
  };
}

/** r² log r, from r². */
function bending(squared: number): number {
  return squared === 0 ? 0 : 0.5 * squared * Math.log(squared);
}

/** Gauss–Jordan elimination with pivots; the solutions end up in the last two columns. */
function eliminate(rows: Float64Array[]): void {
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    let best = column;
    for (let i = column + 1; i < size; i++) {
      if (Math.abs(rows[i]![column]!) > Math.abs(rows[best]![column]!)) best = i;
    }
    const pivot = rows[best]!;
    if (Math.abs(pivot[column]!) < 1e-12) throw new RangeError('expected points that span the plane');
    rows[best] = rows[column]!;
    rows[column] = pivot;
    const scale = 1 / pivot[column]!;
    for (let k = column; k < size + 2; k++) pivot[k] = pivot[k]! * scale;
    for (let i = 0; i < size; i++) {
      const row = rows[i]!;
      const factor = row[column]!;
      if (i === column || factor === 0) continue;
      for (let k = column; k < size + 2; k++) row[k] = row[k]! - factor * pivot[k]!;
    }
  }
}
