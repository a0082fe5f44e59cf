import type { Point } from '../picture.js';
import type { PlaneMap } from './spline.js';

/** A grid of nodes, px. */
export interface Lattice {
  readonly x: number;
  readonly y: number;
  readonly cell: number;
  readonly columns: number;
  readonly rows: number;
}

/** Displacements on a lattice, bilinear in between and constant beyond its edge. */
export class DisplacementField {
  private readonly values: Float32Array;

  constructor(
    readonly lattice: Lattice,
    values?: Float32Array,
  ) {
    this.values = values ?? new Float32Array(lattice.columns * lattice.rows * 2);
  }

  /** The displacements of a map. */
  static of(map: PlaneMap, lattice: Lattice): DisplacementField {
    const field = new DisplacementField(lattice);
    const { x, y, cell, columns, rows } = lattice;
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++) {
        const from = { x: x + i * cell, y: y + j * cell };
        const to = map(from);
        field.setNode(i, j, { x: to.x - from.x, y: to.y - from.y });
      }
    }
    return field;
  }

  setNode(i: number, j: number, by: Point): void {
    const at = (j * this.lattice.columns + i) * 2;
    this.values[at] = by.x;
    this.values[at + 1] = by.y;
  }

  /** The displacement at a point. */
  at({ x, y }: Point): Point {
    const by = { x: 0, y: 0 };
    this.read(x, y, by);
    return by;
  }

  /** As {@link DisplacementField.at}, into `by`: for loops over px. */
  read(x: number, y: number, by: { x: number; y: number }): void {
    const { columns, rows, cell } = this.lattice;
    const u = Math.min(Math.max((x - this.lattice.x) / cell, 0), columns - 1);
    const v = Math.min(Math.max((y - this.lattice.y) / cell, 0), rows - 1);
    const i = Math.min(Math.floor(u), columns - 2);
    const j = Math.min(Math.floor(v), rows - 2);
    const [fu, fv] = [u - i, v - j];
    const a = (j * columns + i) * 2;
    const b = a + columns * 2;
    const { values } = this;
    by.x =
      (values[a]! * (1 - fu) + values[a + 2]! * fu) * (1 - fv) + (values[b]! * (1 - fu) + values[b + 2]! * fu) * fv;
    by.y =
      (values[a + 1]! * (1 - fu) + values[a + 3]! * fu) * (1 - fv) +
      (values[b + 1]! * (1 - fu) + values[b + 3]! * fu) * fv;
  }

  /** Where a point goes. */
  move(point: Point): Point {
    const by = this.at(point);
    return { x: point.x + by.x, y: point.y + by.y };
  }

  /**
   * A binomial filter of 3 × 3 nodes, `passes` times, weighted by `share` (0…1), which gets a node's position as shares
   * of the lattice's width and height. The rim is unchanged.
   */
  smoothed(passes: number, share: (across: number, down: number) => number = () => 1): DisplacementField {
    const { columns, rows } = this.lattice;
    let from = this.values;
    for (let pass = 0; pass < passes; pass++) {
      const to = Float32Array.from(from);
      for (let j = 1; j < rows - 1; j++) {
        for (let i = 1; i < columns - 1; i++) {
          const here = share(i / (columns - 1), j / (rows - 1));
          for (let at = (j * columns + i) * 2; here > 0 && at <= (j * columns + i) * 2 + 1; at++) {
            const [up, down] = [at - columns * 2, at + columns * 2];
            const beside = from[at - 2]! + from[at + 2]! + from[up]! + from[down]!;
            const corners = from[up - 2]! + from[up + 2]! + from[down - 2]! + from[down + 2]!;
            to[at] = from[at]! + here * ((4 * from[at]! + 2 * beside + corners) / 16 - from[at]!);
          }
        }
      }
      from = to;
    }
    return new DisplacementField(this.lattice, from);
  }

  /** The point that maps to `target`, by damped fixed-point steps from `start`. */
  invert(target: Point, start: Point = target, steps = 12): Point {
    let { x, y } = start;
    const by = { x: 0, y: 0 };
    for (let step = 0; step < steps; step++) {
      this.read(x, y, by);
      x += 0.8 * (target.x - x - by.x);
      y += 0.8 * (target.y - y - by.y);
    }
    return { x, y };
  }
}

/** A lattice of `cell` px that covers a box. */
export function latticeOver(
  box: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number },
  cell: number,
): Lattice {
  return {
    x: box.x0,
    y: box.y0,
    cell,
    columns: Math.ceil((box.x1 - box.x0) / cell) + 1,
    rows: Math.ceil((box.y1 - box.y0) / cell) + 1,
  };
}
