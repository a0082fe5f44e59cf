import { clamp } from '@figurehead/presenter/easing';
import type { Picture } from '../picture.js';
import type { FaceMesh } from './mesh.js';
import { lumaAt } from './sampling.js';

/** The area around an iris, in steps, and distances; all in distances between the pupils. */
const AREA = { across: 18, down: 12, step: 0.015 } as const;
const DISTANCES = { fine: 0.02, coarse: 0.08 } as const;

/** Pictures of at least `sharp` have edges as sharp as a donor's; those of `blurred` are blurred by `most`. */
const BLUR = { sharp: 0.42, blurred: 0.32, most: 0.016 } as const;

/**
 * Contrast around the eyes at a small distance as a share of that at a larger one, whatever their contrast and size. Sharp pictures have 0.4 to
 * 0.6, also small ones; a blur of 2 % of the pupils' distance leaves 0.31 to 0.37, and any blur 0.25 at least.
 */
export function focusOf({ irises }: Pick<FaceMesh, 'irises'>, picture: Picture): number {
  const [left, right] = irises;
  const apart = Math.hypot(left.x - right.x, left.y - right.y);
  const sums = { fine: 0, coarse: 0 };
  for (const { x, y } of irises) {
    for (let j = -AREA.down; j <= AREA.down; j++) {
      for (let i = -AREA.across; i <= AREA.across; i++) {
        const at = { x: x + i * AREA.step * apart, y: y + j * AREA.step * apart };
        for (const scale of ['fine', 'coarse'] as const) {
          const half = (DISTANCES[scale] * apart) / 2;
          const across = lumaAt(picture, at.x + half, at.y) - lumaAt(picture, at.x - half, at.y);
          const down = lumaAt(picture, at.x, at.y + half) - lumaAt(picture, at.x, at.y - half);
          sums[scale] += across * across + down * down;
        }
      }
    }
  }
  return sums.coarse === 0 ? 0 : Math.sqrt(sums.fine / sums.coarse);
}

/** Radius by which what is drawn into a picture must be blurred to be as sharp as the picture around the eyes, in distances between the pupils. */
export function blurOf(mesh: Pick<FaceMesh, 'irises'>, picture: Picture): number {
  return BLUR.most * clamp((BLUR.sharp - focusOf(mesh, picture)) / (BLUR.sharp - BLUR.blurred), 0, 1);
}
