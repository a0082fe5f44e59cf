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
  const images = [pairs.map(({ to }) => to)];
  const map = fitSplines({ from: pairs.map(({ from }) => from), images }, stiffness);
  return (at) => map(at)[0]!;
}

/**
 * Several splines through the same points, at little more than the cost of one; see {@link fitSpline}.
 * @param images for each spline the images of the points.
 * @returns the images of a point.
 */
export function fitSplines(
  { from, images }: { readonly from: readonly Point[]; readonly images: readonly (readonly Point[])[] },
  stiffness: number,
): (at: Point) => Point[] {
  const count = from.length;
  const size = count + 3;
  const xs = from.map(({ x }) => x / UNIT);
  const ys = from.map(({ y }) => y / UNIT);
  // Rows of the matrix, followed by two right-hand sides for each spline.
  const rows = Array.from({ length: size }, () => new Float64Array(size + 2 * images.length));
  from.forEach(({ x, y }, i) => {
    const row = rows[i]!;
    for (let j = 0; j < i; j++) row[j] = rows[j]![i] = bending((xs[i]! - xs[j]!) ** 2 + (ys[i]! - ys[j]!) ** 2);
    row[i] = stiffness;
    row.set([1, xs[i]!, ys[i]!], count);
    images.forEach((to, k) => {
      row.set([(to[i]!.x - x) / UNIT, (to[i]!.y - y) / UNIT], size + 2 * k);
    });
    rows[count]![i] = 1;
    rows[count + 1]![i] = xs[i]!;
    rows[count + 2]![i] = ys[i]!;
  });
  eliminate(rows);
  const bends = images.map((_, k) =>
    [0, 1].map((axis) => new Float64Array(size).map((__, i) => rows[i]![size + 2 * k + axis]!)),
  );
  const weights = new Float64Array(count);
  return ({ x, y }) => {
    const u = x / UNIT;
    const v = y / UNIT;
    for (let i = 0; i < count; i++) weights[i] = bending((u - xs[i]!) ** 2 + (v - ys[i]!) ** 2);
    const along = (bend: Float64Array): number => {
      let by = bend[count]! + bend[count + 1]! * u + bend[count + 2]! * v;
      for (let i = 0; i < count; i++) by += bend[i]! * weights[i]!;
      return by * UNIT;
    };
    return bends.map(([across, down]) => ({ x: x + along(across!), y: y + along(down!) }));
  };
}

/** r² log r, from r². */
function bending(squared: number): number {
  return squared === 0 ? 0 : 0.5 * squared * Math.log(squared);
}

/** Gauss–Jordan elimination with pivots; the solutions end up in the columns behind the square. */
function eliminate(rows: Float64Array[]): void {
  const size = rows.length;
  const end = rows[0]!.length;
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
    for (let k = column; k < end; k++) pivot[k] = pivot[k]! * scale;
    for (let i = 0; i < size; i++) {
      const row = rows[i]!;
      const factor = row[column]!;
      if (i === column || factor === 0) continue;
      for (let k = column; k < end; k++) row[k] = row[k]! - factor * pivot[k]!;
    }
  }
}
