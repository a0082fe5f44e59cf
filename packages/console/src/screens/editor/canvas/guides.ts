/** A box on the canvas, canvas units. */
export interface CanvasBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A guide line for a dragged object: vertical at an `x`, horizontal at a `y`. */
export interface Guide {
  readonly axis: 'x' | 'y';
  readonly at: number;
}

/** Offset that aligns a dragged box, and the guide lines to show. */
export interface Snap {
  readonly dx: number;
  readonly dy: number;
  readonly guides: readonly Guide[];
}

/**
 * Aligns edges and centres of a dragged box with the nearest lines of the canvas and other boxes, on each axis separately.
 * @param reach maximum distance to a line, canvas units.
 */
export function snap(box: CanvasBox, others: readonly CanvasBox[], reach: number): Snap {
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
