import type { Picture } from './picture.js';

/** Colours 0…255 with how well each px is known, 0…1; the colours are multiplied by it. */
interface Level {
  readonly width: number;
  readonly height: number;
  readonly colour: Float32Array;
  readonly weight: Float32Array;
}

/**
 * Continues the known colours of a picture into the rest of it, smoothly and from all sides, by a pyramid (Gortler et
 * al. 1996, "The Lumigraph", section 3.4, doi:10.1145/237170.237200).
 * @param picture its alpha is ignored.
 * @param isKnown whether the px at an index is known.
 * @returns RGB of every px; known ones are unchanged.
 */
export function fillUnknown({ width, height, data }: Picture, isKnown: (index: number) => boolean): Float32Array {
  const first = emptyLevel(width, height);
  for (let i = 0; i < width * height; i++) {
    if (!isKnown(i)) continue;
    first.weight[i] = 1;
    for (let c = 0; c < 3; c++) first.colour[i * 3 + c] = data[i * 4 + c]!;
  }
  const levels = [first];
  for (let last = first; last.width > 1 || last.height > 1; levels.push(last)) last = halved(last);
  for (let k = levels.length - 2; k >= 0; k--) complete(levels[k]!, levels[k + 1]!);
  return first.colour;
}

function emptyLevel(width: number, height: number): Level {
  return {
    width,
    height,
    colour: new Float32Array(width * height * 3),
    weight: new Float32Array(width * height),
  };
}

/** Half the size; a px is as well known as its four sources together, but not better than one known px. */
function halved(from: Level): Level {
  const to = emptyLevel(Math.max(1, Math.ceil(from.width / 2)), Math.max(1, Math.ceil(from.height / 2)));
  for (let y = 0; y < from.height; y++) {
    for (let x = 0; x < from.width; x++) {
      const source = y * from.width + x;
      const at = (y >> 1) * to.width + (x >> 1);
      to.weight[at] = to.weight[at]! + from.weight[source]!;
      for (let c = 0; c < 3; c++) to.colour[at * 3 + c] = to.colour[at * 3 + c]! + from.colour[source * 3 + c]!;
    }
  }
  for (let i = 0; i < to.weight.length; i++) {
    const sum = to.weight[i]!;
    if (sum <= 1) continue;
    to.weight[i] = 1;
    for (let c = 0; c < 3; c++) to.colour[i * 3 + c] = to.colour[i * 3 + c]! / sum;
  }
  return to;
}

/** Completes what is not known from the next coarser level, which is complete. */
function complete({ width, height, colour, weight }: Level, coarse: Level): void {
  for (let y = 0; y < height; y++) {
    const v = Math.max(0, y / 2 - 0.25);
    const j = Math.min(Math.floor(v), coarse.height - 1);
    const below = Math.min(j + 1, coarse.height - 1) - j;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const missing = 1 - weight[at]!;
      if (missing <= 0) continue;
      const u = Math.max(0, x / 2 - 0.25);
      const i = Math.min(Math.floor(u), coarse.width - 1);
      const beside = Math.min(i + 1, coarse.width - 1) - i;
      const [fu, fv] = [u - i, v - j];
      const from = (j * coarse.width + i) * 3;
      const down = below * coarse.width * 3;
      for (let c = 0; c < 3; c++) {
        const upper = coarse.colour[from + c]! * (1 - fu) + coarse.colour[from + beside * 3 + c]! * fu;
        const lower = coarse.colour[from + down + c]! * (1 - fu) + coarse.colour[from + down + beside * 3 + c]! * fu;
        colour[at * 3 + c] = colour[at * 3 + c]! + missing * (upper * (1 - fv) + lower * fv);
      }
    }
  }
}
