import { boxSize, type PlateBox } from '@figurehead/presenter';
import { clamp, smoothstep } from '@figurehead/presenter/easing';
import { even } from '@figurehead/presenter/even';
import type { Donor } from '../donor.js';
import type { Picture, Point } from '../picture.js';
import type { Alignment } from './alignment.js';
import { DisplacementField, latticeOver } from './field.js';
import { closingMotion, closingMotions, findLipGap, type LipGap, openingOf } from './gap.js';
import { colourInside, lightOf, type MouthLight, PUPILS_MM } from './inside.js';
import type { FaceMesh } from './mesh.js';
import { type Colour, plateIndex, sampleSharp } from './sampling.js';
import { fitSpline, type Pair } from './spline.js';

/** The mouth of a pack: pictures in the order of the donor's patches, and the motion between them. */
export interface Mouth {
  /** Plate px, the last two exclusive. */
  readonly box: PlateBox;
  /** RGB, size of the box. */
  readonly patches: readonly Uint8Array[];
  /** presenters/FORMAT.md 1, `flow.i16`. */
  readonly flow: Buffer;
  readonly cell: number;
  readonly gw: number;
  readonly gh: number;
  readonly scale: number;
}

/** Inputs of {@link drawMouth}. */
export interface MouthParts {
  readonly donor: Donor;
  readonly alignment: Alignment;
  readonly plate: Picture;
  readonly mesh: FaceMesh;
  readonly donorMesh: FaceMesh;
}

/** Cell of the lattice on which motion is inverted, px. */
const CELL = 4;

/** Cell and unit of the written motion. */
const FLOW_CELL = 8;
const FLOW_SCALE = 16;

/** Width at the gap's edge over which the portrait's skin blends into the donor's mouth, px. */
const EDGE = 3;

/** Lip openings up to the first show nothing of the donor, from the second on everything, px. */
const SHUT = 0.7;
const OPEN = 5;

/**
 * The shadow between closed lips must not be drawn when they part: skin this close to it is taken from further away,
 * px.
 */
const SHADOW = 3.5;

/** Skin that moves less than this is left unchanged, px. */
const STILL = 0.03;

/** Within this distance of the gap, motion is computed for every px. */
const NEAR_LIPS = 22;

/** Teeth do not bend with the lips: heights around the closed lips, px of the donor, by which they are placed, and how little their row bends. */
const JAWS = { around: [-14, 0, 14, 28], samples: 9, stiffness: 100 } as const;

/** Share of the gap that the tongue fills, and in sounds for which its tip rises. */
const TONGUE = 0.5;
const RAISED_TONGUE: Readonly<Record<string, number>> = { TH: 0.95, nn: 0.7, DD: 0.62 };

/**
 * Draws a portrait's mouth in every shape: the skin is the portrait's, moved like the donor's; the inside of the lips
 * is rendered in the portrait's light.
 */
export function drawMouth(whole: MouthParts): Mouth {
  const { alignment, plate } = whole;
  const gap = findLipGap(whole.donor, whole.donorMesh);
  const donor = { ...whole.donor, motions: closingMotions(whole.donor, gap) };
  const parts = { ...whole, donor };
  const { mouth } = donor.manifest;
  const box = boxInPortrait(mouth.box, alignment, plate);
  const light = lightOf(plate, whole.mesh);
  const lattice = latticeOver({ x0: box[0], y0: box[1], x1: box[2], y1: box[3] }, CELL);
  const onDonor = DisplacementField.of((at) => alignment.toDonor(at), lattice);
  const jaws = DisplacementField.of(fitSpline(jawPairs(gap, alignment), JAWS.stiffness), lattice);
  const places = placesOf(onDonor, box);
  const patches = mouth.patches.map((_, index) => drawPatch(parts, { index, box, gap, light, onDonor, places, jaws }));
  const flow = writeFlow(box, patches.length, (point) => {
    const at = alignment.toDonor(point);
    const rest = alignment.face.move(at);
    return donor.motions.map((motion) => {
      const there = alignment.face.move(motion.move(at));
      return { x: there.x - rest.x, y: there.y - rest.y };
    });
  });
  return { box, patches, ...flow };
}

/**
 * The motion between the mouths of a box (presenters/FORMAT.md 1, `flow.i16`).
 * @param motionsAt how far a point of the reference mouth moves in each of `count` patches, plate px.
 */
export function writeFlow(
  box: PlateBox,
  count: number,
  motionsAt: (at: Point) => readonly Point[],
): Omit<Mouth, 'box' | 'patches'> {
  const { columns: gw, rows: gh } = latticeOver({ x0: box[0], y0: box[1], x1: box[2], y1: box[3] }, FLOW_CELL);
  const flow = Buffer.alloc(count * gw * gh * 4);
  for (let j = 0; j < gh; j++) {
    for (let i = 0; i < gw; i++) {
      motionsAt({ x: box[0] + i * FLOW_CELL, y: box[1] + j * FLOW_CELL }).forEach(({ x, y }, patch) => {
        const to = ((patch * gh + j) * gw + i) * 4;
        flow.writeInt16LE(Math.round(x * FLOW_SCALE), to);
        flow.writeInt16LE(Math.round(y * FLOW_SCALE), to + 2);
      });
    }
  }
  return { flow, cell: FLOW_CELL, gw, gh, scale: FLOW_SCALE };
}

/** The smallest even box around the donor's box in the portrait, inside its plate. */
export function boxInPortrait([x0, y0, x1, y1]: PlateBox, { face }: Alignment, { width, height }: Picture): PlateBox {
  const along = [0, 0.25, 0.5, 0.75, 1];
  const rim = along.flatMap((t) => [
    face.move({ x: x0 + t * (x1 - x0), y: y0 }),
    face.move({ x: x0 + t * (x1 - x0), y: y1 }),
    face.move({ x: x0, y: y0 + t * (y1 - y0) }),
    face.move({ x: x1, y: y0 + t * (y1 - y0) }),
  ]);
  const inside = (value: number, limit: number): number => Math.min(Math.max(even(value), 0), limit);
  const xs = rim.map((point) => point.x);
  const ys = rim.map((point) => point.y);
  return [
    inside(Math.min(...xs), width - 16),
    inside(Math.min(...ys), height - 16),
    inside(Math.max(...xs), width),
    inside(Math.max(...ys), height),
  ];
}

/** Points around the portrait's closed lips and the same ones of the donor. */
function jawPairs({ x0, x1, lineAt }: LipGap, { face }: Alignment): Pair[] {
  return Array.from({ length: JAWS.samples }, (_, i) => x0 + ((i + 1) / (JAWS.samples + 1)) * (x1 - x0)).flatMap(
    (x) => {
      const line = lineAt(x);
      return line === undefined
        ? []
        : JAWS.around.map((by) => ({ from: face.move({ x, y: line + by }), to: { x, y: line + by } }));
    },
  );
}

/** The places of a box's px on the donor, x and y of each. */
function placesOf(onDonor: DisplacementField, box: PlateBox): Float64Array {
  const { width, height } = boxSize(box);
  const places = new Float64Array(width * height * 2);
  const by = { x: 0, y: 0 };
  for (let i = 0; i < width * height; i++) {
    const x = box[0] + (i % width);
    const y = box[1] + Math.floor(i / width);
    onDonor.read(x, y, by);
    places[2 * i] = by.x + x;
    places[2 * i + 1] = by.y + y;
  }
  return places;
}

interface PatchPlan {
  readonly index: number;
  readonly box: PlateBox;
  readonly gap: LipGap;
  readonly light: MouthLight;
  /** Maps px of the portrait to the donor's. */
  readonly onDonor: DisplacementField;
  /** The same for each px of the box, x and y. */
  readonly places: Float64Array;
  /** The same without bends: for teeth. */
  readonly jaws: DisplacementField;
}

function drawPatch(parts: MouthParts, plan: PatchPlan): Uint8Array {
  const { donor, alignment, plate } = parts;
  const { index, box, gap, light, onDonor, places, jaws } = plan;
  const { width, height } = boxSize(box);
  const closing = closingMotion(donor.manifest, donor.motions);
  const motion = donor.motions[index]!;
  // The plate shows the closed mouth.
  if (motion === closing) return cutBox(plate, box);
  const opening = openingOf(motion, gap);
  const inMm = mouthInMm(donor, gap);
  const { upper: top, lower: foot } = opening.edgesAt(opening.middle);
  const edge = EDGE + (2 * light.blur) / inMm.scale;
  const { id } = donor.manifest.mouth.patches[index]!;
  const mouth = {
    upper: (top - inMm.line) * inMm.scale,
    lower: (foot - inMm.line) * inMm.scale,
    tongue: RAISED_TONGUE[id] ?? TONGUE,
  };
  // The point of the reference mouth that moves to a px, and the position of that point's skin in the portrait.
  const reference = DisplacementField.of((at) => motion.invert(onDonor.move(at), undefined, 14), onDonor.lattice);
  const source = DisplacementField.of((at) => {
    const here = onDonor.move(at);
    return carried(alignment, at, { here, there: closing.move(reference.move(at)) });
  }, onDonor.lattice).smoothed(2);
  const out = new Uint8Array(width * height * 3);
  const skin: Colour = [0, 0, 0];
  const inner: Colour = [0, 0, 0];
  const r = { x: 0, y: 0 };
  const by = { x: 0, y: 0 };
  const here = { x: 0, y: 0 };
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const x = box[0] + column;
      const y = box[1] + row;
      const px = row * width + column;
      const to = px * 3;
      const own = (y * plate.width + x) * 4;
      source.read(x, y, by);
      here.x = places[2 * px]!;
      here.y = places[2 * px + 1]!;
      const { upper, lower } = opening.edgesAt(here.x);
      const depth = Math.min(here.y - upper, lower - here.y);
      const parted = smoothstep(SHUT, OPEN, lower - upper);
      const share = parted * smoothstep(-edge / 2, edge / 2, depth);
      if (share === 0 && Math.abs(by.x) + Math.abs(by.y) < STILL) {
        for (let c = 0; c < 3; c++) out[to + c] = plate.data[own + c]!;
        continue;
      }
      // Next to parting lips the motion is too uneven for the lattice; on closed lips only the lattice is smooth.
      const precise = depth > -NEAR_LIPS ? smoothstep(0.1, 0.7, parted) : 0;
      if (share < 1 && precise > 0) {
        reference.read(x, y, r);
        r.x += x;
        r.y += y;
        const there = outOfShadow(closing.move(r), { gap, r, parted });
        const from = carried(alignment, { x, y }, { here, there });
        by.x += precise * (from.x - x - by.x);
        by.y += precise * (from.y - y - by.y);
      }
      if (share < 1) sampleSharp(plate, x + by.x, y + by.y, skin);
      if (share > 0) {
        const tooth = jaws.move({ x, y });
        const place = {
          x: (tooth.x - inMm.middle) * inMm.scale,
          y: (tooth.y - inMm.line) * inMm.scale,
          above: (here.y - upper) * inMm.scale,
          below: (lower - here.y) * inMm.scale,
        };
        colourInside(place, mouth, light, inner);
      }
      for (let c = 0; c < 3; c++) out[to + c] = Math.round(clamp(skin[c]! + share * (inner[c]! - skin[c]!), 0, 255));
    }
  }
  return out;
}

/** RGB of a box of a plate. */
export function cutBox(plate: Picture, box: PlateBox): Uint8Array {
  const { width, height } = boxSize(box);
  const out = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) {
    const from = plateIndex(plate, box, i);
    for (let c = 0; c < 3; c++) out[i * 3 + c] = plate.data[from + c]!;
  }
  return out;
}

/**
 * Source in the portrait of skin that on the donor moves from `there` to `here`; exactly `at` when it has not moved.
 */
function carried({ face }: Alignment, at: Point, { here, there }: { here: Point; there: Point }): Point {
  const [from, to] = [face.at(here), face.at(there)];
  return { x: at.x + there.x - here.x + to.x - from.x, y: at.y + there.y - here.y + to.y - from.y };
}

/** Moves the source of a px near the lip line away from it by as much as the lips are parted. */
function outOfShadow(source: Point, { gap, r, parted }: { gap: LipGap; r: Point; parted: number }): Point {
  const line = parted > 0 ? gap.lineAt(source.x) : undefined;
  if (line === undefined) return source;
  const { upper, lower } = gap.edgesAt(r.x);
  const side = r.y < (upper + lower) / 2 ? -1 : 1;
  const away = side * (source.y - line);
  if (away > 2 * SHADOW) return source;
  // Between the shadow's width and twice that, the skin is compressed.
  const kept = SHADOW + Math.max(away, 0) / 2;
  return { x: source.x, y: source.y + side * parted * (kept - away) };
}

/** The middle of a donor's closed lips, px, and mm per px. */
function mouthInMm({ manifest }: Donor, { x0, x1, lineAt }: LipGap): { middle: number; line: number; scale: number } {
  const [a, b] = manifest.eye.eyes;
  const middle = (x0 + x1) / 2;
  const line = lineAt(middle);
  if (a === undefined || b === undefined || line === undefined) {
    throw new Error(`presenter ${manifest.name}: expected two eyes and a mouth, found fewer`);
  }
  return { middle, line, scale: PUPILS_MM / Math.hypot(b.x - a.x, b.y - a.y) };
}
