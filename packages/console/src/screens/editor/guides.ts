/** A box on the canvas, canvas units. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A line that a dragged object is aligned with: vertical at an `x`, horizontal at a `y`. */
export interface Guide {
  readonly axis: 'x' | 'y';
  readonly at: number;
}

/** How far to move a dragged box so that it is aligned, and with what. */
export interface Snap {
  readonly dx: number;
  readonly dy: number;
  readonly guides: readonly Guide[];
}

/**
 * Aligns a dragged box with the canvas and with other boxes: edges and middles, each axis by itself, the nearest line first.
 * @param reach how near is near enough, canvas units.
 */
export function snap(box: Box, others: readonly Box[], reach: number): Snap {
  const x = nearest(
    [box.x, box.x + box.width / 2, box.x + box.width],
    others.flatMap(({ x: at, width }) => [at, at + width / 2, at + width]),
    reach,
  );
  const y = nearest(
    [box.y, box.y + box.height / 2, box.y + box.height],
    others.flatMap(({ y: at, height }) => [at, at + height / 2, at + height]),
    reach,
  );
  return {
    dx: x?.by ?? 0,
    dy: y?.by ?? 0,
    guides: [...(x ? [{ axis: 'x', at: x.at } as const] : []), ...(y ? [{ axis: 'y', at: y.at } as const] : [])],
  };
}

function nearest(
  own: readonly number[],
  lines: readonly number[],
  reach: number,
): { by: number; at: number } | undefined {
  let best: { by: number; at: number } | undefined;
  for (const edge of own) {
    for (const at of lines) {
      const by = at - edge;
      if (Math.abs(by) <= reach && (best === undefined || Math.abs(by) < Math.abs(best.by))) best = { by, at };
    }
  }
  return best;
}
