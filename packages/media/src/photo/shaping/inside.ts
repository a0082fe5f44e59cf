import { clamp, smoothstep } from '@figurehead/presenter/easing';
import type { Picture } from '../picture.js';
import { blurOf } from './focus.js';
import { CHEEKS, EYES, type FaceMesh } from './mesh.js';
import { type Colour, lumaOf, meanAround } from './sampling.js';

/** The light on the inside of a portrait's mouth. */
export interface MouthLight {
  /** Colour of the front teeth. */
  readonly teeth: Colour;
  /** Factors of red, green and blue for what is not white, and its saturation, 0…1. */
  readonly flesh: Colour;
  readonly saturation: number;
  /** How much brighter the right end of the mouth is than its middle; the left end is as much darker. */
  readonly slope: number;
  /** Radius by which edges are blurred, mm. */
  readonly blur: number;
}

/** A mouth in mm from the middle of the closed lips, y down: its lips in the middle, and the share of its height that the tongue fills. */
export interface OpenMouth {
  readonly upper: number;
  readonly lower: number;
  readonly tongue: number;
}

/** Widths of the teeth from the middle of an arch to its end as seen from the front, and how far each ends above the first; mm. */
const UPPER = {
  widths: [8.5, 6.5, 6.6, 5.2, 4.4, 3.6, 3],
  raised: [0, 0.8, 0.2, 0.9, 1.5, 2.2, 3],
  crown: 9.5,
} as const;
const LOWER = { widths: [5.2, 5.7, 6.3, 5.4, 4.6, 3.8], raised: [0, 0, -0.2, 0.3, 0.8, 1.4], crown: 8 } as const;

/** The front teeth end this far below the closed lips; the lower ones show this much above the lower lip, when it is lower than the upper teeth; mm. */
const INCISAL = 1.9;
const LOWER_SHOWN = 0.5;

/** Distance of a person's pupils, mm. */
export const PUPILS_MM = 63;

/** Softness of edges, and the half width of the dark between two teeth, mm. */
const SOFT = 0.3;
const CREVICE = 0.3;

/** Distance from the middle at which teeth are half as bright as the front ones, and half the width of a tongue, mm. */
const SHADE_SIDE = 23;
const TONGUE_HALF = 17;

/** Little light falls on tongue and cheeks between narrow lips: its loss, and heights in the middle between which it vanishes, mm. */
const NARROW = { share: 0.55, heights: [4, 16] } as const;

/** Colours in a light in which teeth have a luma of {@link WHITE}. */
const WHITE = 200;
const GUM: Colour = [166, 98, 94];
const TONGUE: Colour = [176, 92, 88];
const CHEEK: Colour = [104, 44, 40];
const THROAT: Colour = [34, 12, 11];
const IVORY: Colour = [1.03, 1, 0.93];

/** Luma of teeth: that of the white of the eye, between these multiples of the cheeks' luma and something. */
const LEAST_WHITE = { plus: 60, times: 0.75 } as const;
const MOST_WHITE = { plus: 124, times: 0.6 } as const;

/** Least share of the blue in the light of a yellow picture: candle light, an old photograph, varnish. */
const YELLOWEST = 0.84;

/** How much of the tints of the eye white and of the skin teeth get, and the share of the brightest places between iris and corner that are white. */
const TINT = 0.4;
const SKIN_TINT = 0.1;
const BRIGHT_PART = 0.3;

/** In a picture whose skin has less than this saturation, the inside is greyer too. */
const COLOURED = 0.2;

/** Shade of the lips over these distances, mm, and its share. */
const UPPER_SHADE = { over: 2, share: 0.28 } as const;
const LOWER_SHADE = { over: 1.6, share: 0.25 } as const;

/** Measures the light of a portrait on its eyes and cheeks. */
export function lightOf(plate: Picture, mesh: FaceMesh): MouthLight {
  const [left, right] = CHEEKS.map((i) => meanAround(plate, mesh.points[i]!, 4)) as [Colour, Colour];
  const skin = [0, 1, 2].map((c) => (left[c]! + right[c]!) / 2) as Colour;
  const skinLuma = lumaOf(skin);
  const white = eyeWhite(plate, mesh);
  const limit = ({ plus, times }: { plus: number; times: number }): number => plus + times * skinLuma;
  const luma = clamp(lumaOf(white), limit(LEAST_WHITE), limit(MOST_WHITE));
  // Teeth follow the yellow of the light, and never its blue.
  const tint = white.map((value, c) => {
    const own =
      1 + TINT * (value / Math.max(1, lumaOf(white)) - 1) + SKIN_TINT * (skin[c]! / Math.max(1, skinLuma) - 1);
    return c === 2 ? clamp(own, YELLOWEST, 0.97) : clamp(own, 1, 1.12);
  });
  const saturation = clamp((Math.max(...skin) - Math.min(...skin)) / Math.max(...skin, 1) / COLOURED, 0, 1);
  const unit = lumaOf(IVORY.map((value, c) => value * tint[c]!));
  return {
    teeth: IVORY.map((value, c) => (luma * value * tint[c]!) / unit) as Colour,
    flesh: tint.map((value) => (value * luma) / WHITE) as Colour,
    saturation,
    blur: PUPILS_MM * blurOf(mesh, plate),
    slope: clamp((lumaOf(right) - lumaOf(left)) / Math.max(1, lumaOf(right) + lumaOf(left)), -0.3, 0.3),
  };
}

/** Colour of the white of the eyes: the brightest places between iris and corners. */
function eyeWhite(plate: Picture, { points, irises }: FaceMesh): Colour {
  const seen = EYES.flatMap(({ lower }, k) => {
    const [from, to] = [points[lower[0]!]!, points[lower.at(-1)!]!];
    const iris = irises[k]!;
    return [0.18, 0.22, 0.26, 0.3, 0.34, 0.66, 0.7, 0.74, 0.78, 0.82]
      .map((t) => {
        const line = from.y + t * (to.y - from.y);
        return { x: from.x + t * (to.x - from.x), y: (line + iris.y) / 2 };
      })
      .filter(({ x, y }) => Math.hypot(x - iris.x, y - iris.y) > 1.15 * iris.radius)
      .map((at) => meanAround(plate, at, 1));
  }).sort((a, b) => lumaOf(b) - lumaOf(a));
  const bright = seen.slice(0, Math.max(1, Math.round(BRIGHT_PART * seen.length)));
  return bright[bright.length >> 1] ?? [WHITE, WHITE, WHITE];
}

/** Colour of the inside of a mouth at a place, mm from the middle of the closed lips; `above` and `below`: distances of the lips there, mm. */
export function colourInside(
  { x, y, above, below }: { x: number; y: number; above: number; below: number },
  mouth: OpenMouth,
  light: MouthLight,
  colour: Colour,
): void {
  const side = Math.abs(x);
  const height = mouth.lower - mouth.upper;
  const deep = smoothstep(0, 0.45 * height, Math.min(above, 0.7 * below)) * (1 - smoothstep(0.3, 1, side / 27));
  mix(colour, CHEEK, 1);
  mix(colour, THROAT, deep);
  const dome = mouth.tongue * height * Math.sqrt(Math.max(0, 1 - (side / TONGUE_HALF) ** 2));
  const up = mouth.lower - y;
  if (dome > 0) {
    const front = smoothstep(0, 1, 1 - up / dome);
    const groove = 1 - 0.12 * Math.exp(-((x / 1.6) ** 2));
    mix(colour, TONGUE, smoothstep(-0.1, 0.5, 1 - up / dome), (0.5 + 0.55 * front) * groove);
  }
  const dark = 1 - NARROW.share * (1 - smoothstep(...NARROW.heights, height));
  for (let c = 0; c < 3; c++) colour[c] = colour[c]! * light.flesh[c]! * dark;
  const dim = 1 / (1 + (side / SHADE_SIDE) ** 4);
  const lowerEdge = Math.max(mouth.lower - LOWER_SHOWN, INCISAL + 0.4);
  arch(colour, { x: side, y: -y, edge: -lowerEdge }, { ...LOWER, light, dim: 0.66 * dim });
  arch(colour, { x: side, y, edge: INCISAL }, { ...UPPER, light, dim });
  const shade =
    (1 - UPPER_SHADE.share * (1 - smoothstep(0, UPPER_SHADE.over, above))) *
    (1 - LOWER_SHADE.share * (1 - smoothstep(0, LOWER_SHADE.over, below)));
  const lit = shade * (1 + (light.slope * clamp(x, -25, 25)) / 25);
  const grey = lumaOf(colour);
  for (let c = 0; c < 3; c++) colour[c] = lit * (grey + light.saturation * (colour[c]! - grey));
}

function mix(colour: Colour, other: Colour, share: number, factor = 1): void {
  for (let c = 0; c < 3; c++) colour[c] = colour[c]! + share * (factor * other[c]! - colour[c]!);
}

interface Arch {
  readonly widths: readonly number[];
  readonly raised: readonly number[];
  readonly crown: number;
  readonly light: MouthLight;
  readonly dim: number;
}

/** Draws a row of teeth and its gum; `y` grows from the gum to the tips, which the front teeth have at `edge`. */
function arch(
  colour: Colour,
  { x, y, edge }: { x: number; y: number; edge: number },
  { widths, raised, crown, light, dim }: Arch,
): void {
  let [i, from] = [0, 0];
  while (i < widths.length - 1 && x > from + widths[i]!) from += widths[i++]!;
  const half = widths[i]! / 2;
  const t = clamp((x - from - half) / half, -1, 1);
  const tip = edge - raised[i]! - 0.7 * t ** 6 - (i === 0 ? 0 : 0.25 * t * t);
  const soft = SOFT + light.blur;
  const covered = 1 - smoothstep(tip - soft, tip + soft, y);
  if (covered === 0) return;
  const between = half * (1 - Math.abs(t));
  const wide = CREVICE + light.blur;
  const crevice = 1 - ((0.24 * CREVICE) / wide) * Math.exp(-((between / wide) ** 2));
  const round = 1 - 0.13 * t * t;
  const tipShade = 1 - 0.12 * smoothstep(tip - 1.6, tip, y);
  const neck = tip - crown + 1.6 * t * t;
  const asGum = 1 - smoothstep(neck - soft, neck + soft, y);
  const bright = dim * crevice * round * tipShade;
  for (let c = 0; c < 3; c++) {
    const tooth = light.teeth[c]! * bright;
    const own = tooth + asGum * (GUM[c]! * light.flesh[c]! * dim - tooth);
    colour[c] = colour[c]! + covered * (own - colour[c]!);
  }
}
