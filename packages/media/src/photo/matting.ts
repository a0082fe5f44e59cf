import { chessboardDistance } from '@figurehead/presenter/distance';
import { smoothstep } from '@figurehead/presenter/easing';
import type { Picture } from './picture.js';
import { boxMean } from './shaping/box-mean.js';

/** Opacity and colour of a person before an unknown background. */
export interface Matte {
  /** 0…1 for each px. */
  readonly alpha: Float32Array;
  /** RGB of the person where `alpha` is neither 0 nor 1, else of the picture; 0…255. */
  readonly colour: Uint8Array;
}

/** Probabilities from which a px is certainly the person, and below which it certainly is not. */
const SURE = 0.9;
const NEVER = 0.08;

/**
 * Width of the uncertain band inside and outside of the network's outline, px: its cells are 6 px wide, hair reaches
 * beyond them, clothes do not.
 */
const INSIDE = 7;
const BESIDE_HAIR = 16;
const BESIDE_BODY = 8;

/** Directions in which certain px are looked for, step and greatest distance, px, and how far beyond their edge they are taken. */
const RAYS = 10;
const STEP = 2;
const FARTHEST = 80;
const BEYOND = 3;

/**
 * Weight of the network's opinion on its outline and far from it, the distance that is far, px, and weight of colours
 * that are far away; against the error of the mixed colour.
 */
const OPINION = 0.03;
const FAR_OPINION = 0.8;
const FAR = 14;
const DISTANCE = 0.005;

/** Mixing error at which an opacity is not trusted any more, and difference of two colours that cannot be distinguished; 0…1. */
const ERROR = 0.004;
const ALIKE = 0.02;

/** Opacities are averaged with pixels of similar colour: radius in px, similarity, number of passes. */
const RADIUS = 3;
const SIMILAR = 0.006;
const PASSES = 2;

/** What is known about each px: certainly the person, certainly not, or neither. */
const PERSON = 2;
const BAND = 1;

/**
 * Finds the opacity of each px of a band around a rough outline: the mixture of two colours from its surroundings, one of
 * the person and one of the background, that explains it best (after Gastal and Oliveira 2010, "Shared sampling for
 * real-time alpha matting", doi:10.1111/j.1467-8659.2009.01627.x).
 * @param rough the probability of each px to belong to the person.
 * @param hairUntil row below which there is no hair but clothes.
 */
export function findMatte(picture: Picture, rough: Float32Array, hairUntil: number): Matte {
  const { width, height } = picture;
  const size = { width, height };
  const known = trimapOf(rough, { ...size, hairUntil });
  const isPerson = (x: number, y: number): boolean => rough[y * width + x]! >= 0.5;
  const inside = chessboardDistance((x, y) => !isPerson(x, y), width, height);
  const away = chessboardDistance(isPerson, width, height).map((outside, i) => Math.max(outside, inside[i]!));
  const count = width * height;
  const smooth = [0, 1, 2].map((c) => {
    const plane = new Float32Array(count);
    for (let i = 0; i < count; i++) plane[i] = picture.data[i * 4 + c]! / 255;
    return boxMean(plane, { ...size, radius: 1 });
  }) as [Float32Array, Float32Array, Float32Array];
  let alpha = new Float32Array(known).map((kind) => kind / PERSON);
  const trust = new Float32Array(count).fill(1);
  const front = new Int32Array(count).fill(-1);
  const back = new Int32Array(count).fill(-1);
  const samples: Samples = { person: [], ground: [], toPerson: [], toGround: [] };
  for (let i = 0; i < count; i++) {
    if (known[i] !== BAND) continue;
    const opinion = OPINION + (FAR_OPINION - OPINION) * smoothstep(2, FAR, away[i]!);
    const best = bestMixture(smooth, { index: i, rough: rough[i]!, opinion }, samplesAround(known, i, size, samples));
    alpha[i] = best.alpha;
    trust[i] = best.trust;
    front[i] = best.front;
    back[i] = best.back;
  }
  for (let pass = 0; pass < PASSES; pass++) alpha = averaged(alpha, { known, trust, smooth, ...size });
  return { alpha, colour: coloursOf(picture, alpha, { front, back, smooth }) };
}

type Planes = readonly [Float32Array, Float32Array, Float32Array];

function trimapOf(
  rough: Float32Array,
  { width, height, hairUntil }: { width: number; height: number; hairUntil: number },
): Uint8Array {
  const inner = chessboardDistance((x, y) => rough[y * width + x]! < SURE, width, height);
  const outer = chessboardDistance((x, y) => rough[y * width + x]! > NEVER, width, height);
  return inner.map((depth, i) => {
    if (depth > INSIDE) return PERSON;
    return outer[i]! > (i < hairUntil * width ? BESIDE_HAIR : BESIDE_BODY) ? 0 : BAND;
  });
}

interface Samples {
  /** Indexes of px of the person, and of the background. */
  readonly person: number[];
  readonly ground: number[];
  /** Their distances, px. */
  readonly toPerson: number[];
  readonly toGround: number[];
}

/** Where rays look, px from their start: x and y of each step, and those of the place beyond an edge that they find there. */
const LOOKS = 4;

/** Neighbours look in different directions, so that together they see more. */
const RAYS_OF_PLACES: readonly (readonly Int16Array[])[] = [0, 0.25, 0.5, 0.75].map((turn) =>
  Array.from({ length: RAYS }, (_, ray) => {
    const angle = ((ray + turn) / RAYS) * 2 * Math.PI;
    const looks = Array.from({ length: FARTHEST / STEP - 1 }, (_step, i) => STEP * (i + 1)).flatMap((far) =>
      [far, far + BEYOND].flatMap((at) => [Math.round(at * Math.cos(angle)), Math.round(at * Math.sin(angle))]),
    );
    return new Int16Array(looks);
  }),
);

/** The first certain px in each direction, into `found`. */
function samplesAround(
  known: Uint8Array,
  index: number,
  { width, height }: { width: number; height: number },
  found: Samples,
): Samples {
  const x0 = index % width;
  const y0 = Math.floor(index / width);
  for (const list of [found.person, found.ground, found.toPerson, found.toGround]) list.length = 0;
  for (const ray of RAYS_OF_PLACES[(x0 + 2 * y0) % RAYS_OF_PLACES.length]!) {
    let hasPerson = false;
    let hasGround = false;
    for (let look = 0; look < ray.length && !(hasPerson && hasGround); look += LOOKS) {
      const x = x0 + ray[look]!;
      const y = y0 + ray[look + 1]!;
      if (x < 0 || y < 0 || x >= width || y >= height) break;
      const kind = known[y * width + x]!;
      if (kind === BAND || (kind === PERSON ? hasPerson : hasGround)) continue;
      const u = x0 + ray[look + 2]!;
      const v = y0 + ray[look + 3]!;
      const isInside = u >= 0 && v >= 0 && u < width && v < height && known[v * width + u] === kind;
      const at = isInside ? v * width + u : y * width + x;
      const far = STEP * (look / LOOKS + 1);
      if (kind === PERSON) {
        hasPerson = true;
        found.person.push(at);
        found.toPerson.push(far);
      } else {
        hasGround = true;
        found.ground.push(at);
        found.toGround.push(far);
      }
    }
  }
  return found;
}

/** The best mixture of a colour of the person and one of the background; `front` and `back` are the indexes of their px. */
function bestMixture(
  [red, green, blue]: Planes,
  { index, rough, opinion }: { readonly index: number; readonly rough: number; readonly opinion: number },
  { person, ground, toPerson, toGround }: Samples,
): { alpha: number; trust: number; front: number; back: number } {
  const best = { alpha: rough, trust: 0, front: person[0] ?? -1, back: ground[0] ?? -1 };
  const nearestPerson = Math.min(...toPerson);
  const nearestGround = Math.min(...toGround);
  let least = Infinity;
  for (let i = 0; i < person.length; i++) {
    const f = person[i]!;
    for (let j = 0; j < ground.length; j++) {
      const b = ground[j]!;
      const dr = red[f]! - red[b]!;
      const dg = green[f]! - green[b]!;
      const db = blue[f]! - blue[b]!;
      const apart = dr * dr + dg * dg + db * db;
      const ir = red[index]! - red[b]!;
      const ig = green[index]! - green[b]!;
      const ib = blue[index]! - blue[b]!;
      const mixed = Math.min(Math.max((ir * dr + ig * dg + ib * db) / (apart + 1e-6), 0), 1);
      const error = (ir - mixed * dr) ** 2 + (ig - mixed * dg) ** 2 + (ib - mixed * db) ** 2;
      const far = toPerson[i]! / nearestPerson + toGround[j]! / nearestGround - 2;
      const cost = error + opinion * (mixed - rough) ** 2 + DISTANCE * Math.min(far, 4);
      if (cost >= least) continue;
      least = cost;
      const clear = smoothstep(0, ALIKE, apart);
      best.alpha = rough + clear * (mixed - rough);
      best.trust = Math.exp(-error / ERROR) * clear;
      best.front = f;
      best.back = b;
    }
  }
  return best;
}

interface Averaging {
  readonly known: Uint8Array;
  readonly trust: Float32Array;
  readonly smooth: Planes;
  readonly width: number;
  readonly height: number;
}

/** Averages opacities in the band with those of similar colour around them, by trust. */
function averaged(alpha: Float32Array, { known, trust, smooth, width, height }: Averaging): Float32Array<ArrayBuffer> {
  const [red, green, blue] = smooth;
  const out = Float32Array.from(alpha);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (known[at] !== BAND) continue;
      let sum = 0;
      let total = 0;
      for (let v = Math.max(0, y - RADIUS); v <= Math.min(height - 1, y + RADIUS); v++) {
        for (let u = Math.max(0, x - RADIUS); u <= Math.min(width - 1, x + RADIUS); u++) {
          const from = v * width + u;
          const unlike =
            (red[from]! - red[at]!) ** 2 + (green[from]! - green[at]!) ** 2 + (blue[from]! - blue[at]!) ** 2;
          const weight = (0.02 + trust[from]!) / (1 + unlike / SIMILAR) ** 2;
          sum += weight * alpha[from]!;
          total += weight;
        }
      }
      out[at] = sum / total;
    }
  }
  return out;
}

/** Colours of the person without the background that shines through. */
function coloursOf(
  { data }: Picture,
  alpha: Float32Array,
  { front, back, smooth }: { front: Int32Array; back: Int32Array; smooth: Planes },
): Uint8Array {
  const colour = new Uint8Array(alpha.length * 3);
  for (let i = 0; i < alpha.length; i++) {
    const share = alpha[i]!;
    const isMixed = share < 1 && front[i]! >= 0 && back[i]! >= 0;
    const sure = isMixed ? smoothstep(0.3, 0.9, share) : 1;
    for (let c = 0; c < 3; c++) {
      const own = data[i * 4 + c]!;
      if (!isMixed) {
        colour[i * 3 + c] = own;
        continue;
      }
      const person = 255 * smooth[c]![front[i]!]!;
      const unmixed = (own - (1 - share) * 255 * smooth[c]![back[i]!]!) / Math.max(share, 0.1);
      colour[i * 3 + c] = Math.round(Math.min(Math.max(person + sure * (unmixed - person), 0), 255));
    }
  }
  return colour;
}
