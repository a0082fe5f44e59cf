import { smoothStep } from '../../presenter/pack/masks.js';
import { boxSize, type Donor, greyAt } from '../donor.js';
import type { Picture, Point } from '../picture.js';
import { DisplacementField, latticeOver } from './field.js';
import { EYES } from './mesh.js';
import { boxInPortrait, type MouthParts } from './mouth.js';
import { type Colour, lumaOf, meanAround, sampleSharp } from './sampling.js';

/** The eyes of a pack. */
export interface Eyes {
  /** Plate px, the last two exclusive. */
  readonly box: readonly [number, number, number, number];
  /** RGB, size of the box, in the order of the donor's stages. */
  readonly stages: readonly Uint8Array[];
  /** 0…255 where the eyeball is visible, size of the box. */
  readonly mask: Uint8Array;
  /** Relative to the box, px. */
  readonly irises: readonly { readonly x: number; readonly y: number; readonly r: number }[];
  readonly pxPerDeg: number;
}

/** A donor's px that differs from its plate by this much shows a lid or lashes; sum of the three channels. */
const CHANGED = 60;

/** How far the lid's picture extends beyond the open eye, in heights of the eye. */
const ABOVE = 0.95;
const BELOW = 0.5;
const BESIDE = 0.5;

/** Columns in which the eye opens less, px, do not show how far a lid has closed. */
const MIN_OPENING = 8;

/** A lid that has covered this share of the way is closed: below it are lashes. */
const SHUT = 0.98;

/** Skin around an eye whose tone the donor's lid takes: mesh points above and below, for the left and the right eye. */
const RINGS = [
  [247, 30, 29, 27, 28, 56, 190, 130, 25, 110, 24, 23, 22, 26, 112, 243, 226, 31, 228, 229, 230, 231, 232],
  [467, 260, 259, 257, 258, 286, 414, 359, 255, 339, 254, 253, 252, 256, 341, 463, 446, 261, 448, 449, 450, 451, 452],
] as const;

/**
 * Factor by which the skin around an eye may differ in tone from place to place, and distance over which it is
 * smoothed, px.
 */
const UNUSUAL = 1.2;
const NEAR = 14;

/** Share of the places around an eye that are at most as bright as a lid may be. */
const BRIGHT = 0.85;
/** Share of that brightness from which lids are dimmed. */
const KNEE = 0.85;

/**
 * Draws a portrait's eyes with closing lids: the lids are the donor's in the portrait's colours, the open part is the
 * portrait's.
 */
export function drawEyes(parts: MouthParts): Eyes {
  const { donor, alignment, plate, mesh } = parts;
  const { eye } = donor.manifest;
  const box = boxInPortrait(eye.box, alignment, plate);
  const { width, height } = boxSize(box);
  const lattice = latticeOver({ x0: box[0], y0: box[1], x1: box[2], y1: box[3] }, 4);
  const onDonor = DisplacementField.of((at) => alignment.toDonor(at), lattice);
  const toneAt = compareSkin(parts);
  const area = lidArea(donor);
  const covers = donor.lids.map((lid) => coverOf(donor, lid));
  const stages = donor.lids.map(() => new Uint8Array(width * height * 3));
  const mask = new Uint8Array(width * height);
  const size = boxSize(eye.box);
  const lidColour: Colour = [0, 0, 0];
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const at = { x: box[0] + column, y: box[1] + row };
      const there = onDonor.move(at);
      const inBox = { x: there.x - eye.box[0], y: there.y - eye.box[1] };
      const to = row * width + column;
      const isInside = inBox.x >= 0 && inBox.y >= 0 && inBox.x <= size.width - 1 && inBox.y <= size.height - 1;
      mask[to] = isInside ? Math.round(greyAt({ ...size, data: donor.eyeMask }, inBox)) : 0;
      const own = (at.y * plate.width + at.x) * 4;
      const share = isInside ? greyAt({ ...size, data: area }, inBox) / 255 : 0;
      const tone = share > 0 ? toneAt(at) : undefined;
      stages.forEach((stage, index) => {
        stage.set(plate.data.subarray(own, own + 3), to * 3);
        if (tone === undefined) return;
        const covered = share * (greyAt({ ...size, data: covers[index]! }, inBox) / 255);
        if (covered === 0) return;
        sampleSharp(donor.lids[index]!, inBox.x, inBox.y, lidColour);
        if (mask[to]! > 0) withoutIris(lidColour);
        for (let c = 0; c < 3; c++) lidColour[c] = lidColour[c]! * tone.factor[c]!;
        withoutGlare(lidColour, tone.brightest);
        for (let c = 0; c < 3; c++) {
          const value = plate.data[own + c]! + covered * (lidColour[c]! - plate.data[own + c]!);
          stage[to * 3 + c] = Math.round(Math.min(Math.max(value, 0), 255));
        }
      });
    }
  }
  const r = ((eye.eyes[0].r + eye.eyes[1].r) / 2) * alignment.scale;
  // The format lists the irises in the donor's order.
  const irises = eye.eyes.map((of) => {
    const [left, right] = mesh.irises;
    const isLeft = of.x < (eye.eyes[0].x + eye.eyes[1].x) / 2;
    const iris = isLeft ? left : right;
    return { x: iris.x - box[0], y: iris.y - box[1], r };
  });
  return { box, stages, mask, irises, pxPerDeg: eye.pxPerDeg * alignment.scale };
}

/**
 * 255 where a closing lid is drawn, fading outwards: the eyeball and the folding skin around it; size of the eye box.
 */
function lidArea(donor: Donor): Uint8Array {
  const { eye } = donor.manifest;
  const { width, height } = boxSize(eye.box);
  const area = new Uint8Array(width * height);
  const openings = openingsOf(donor);
  for (const columns of openings) {
    const tall = Math.max(...columns.map(({ top, bottom }) => bottom - top));
    const [from, until] = [columns[0]!.x, columns.at(-1)!.x];
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const column = columns[Math.min(Math.max(x, from), until) - from];
        if (column === undefined) continue;
        // In heights of the open eye: the crease is above, hardly anything moves below.
        const above = Math.max(0, column.top - y) / (ABOVE * tall);
        const below = Math.max(0, y - column.bottom) / (BELOW * tall);
        const beside = Math.max(0, from - x, x - until) / (BESIDE * tall);
        const share = 1 - smoothStep(0.35, 1, Math.hypot(above, below, beside));
        area[y * width + x] = Math.max(area[y * width + x]!, Math.round(255 * share));
      }
    }
  }
  return area;
}

/** A column of an open eye: its first and last row, px of the eye box. */
interface Opening {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** The two eyes of the donor's mask, column by column without a hole. */
function openingsOf({ manifest: { eye }, eyeMask }: Donor): [Opening[], Opening[]] {
  const { width, height } = boxSize(eye.box);
  const middle = Math.round((eye.eyes[0].x + eye.eyes[1].x) / 2);
  const read = (from: number, until: number): Opening[] => {
    const found: Opening[] = [];
    for (let x = from; x < until; x++) {
      let top = -1;
      let bottom = -1;
      for (let y = 0; y < height; y++) {
        if (eyeMask[y * width + x]! < 128) continue;
        if (top < 0) top = y;
        bottom = y;
      }
      if (top >= 0) found.push({ x, top, bottom });
      else if (found.length > 0) break;
    }
    return found;
  };
  return [read(0, middle), read(middle, width)];
}

/** 255 for lid and skin, 0 where a stage leaves the eyeball open; size of the eye box. */
function coverOf(donor: Donor, lid: Picture): Uint8Array {
  const { eye } = donor.manifest;
  const { width, height } = boxSize(eye.box);
  const cover = new Uint8Array(width * height).fill(255);
  for (const columns of openingsOf(donor)) {
    const shares = columns.flatMap(({ x, top, bottom }) => {
      if (bottom - top < MIN_OPENING) return [];
      // The row that best separates changed rows above from unchanged rows below; the lower lid moves a little too.
      let [last, balance, best] = [top - 1, 0, 0];
      for (let y = top; y <= bottom; y++) {
        balance += differenceAt(donor, lid, y * width + x) > CHANGED ? 1 : -1;
        if (balance > best) [last, best] = [y, balance];
      }
      return [(last + 1 - top) / (bottom + 1 - top)];
    });
    const share = shares.sort((a, b) => a - b)[shares.length >> 1] ?? 1;
    if (share > SHUT) continue;
    for (const { x, top, bottom } of columns) {
      const rim = top + share * (bottom - top);
      for (let y = Math.floor(rim); y <= Math.min(height - 1, bottom + 2); y++) {
        const open = smoothStep(rim - 0.5, rim + 2, y) * (1 - smoothStep(bottom - 0.5, bottom + 2, y));
        cover[y * width + x] = Math.round(255 * (1 - open));
      }
    }
  }
  return cover;
}

/**
 * Where the donor's eye shows through a nearly closed lid, it becomes shadow: skin and lashes are never bluer than
 * this.
 */
function withoutIris(colour: Colour): void {
  colour[1] = Math.min(colour[1], 0.85 * colour[0]);
  colour[2] = Math.min(colour[2], 0.78 * colour[0]);
}

/** A shiny lid of the donor would glow in a brighter portrait: its highlights stay below the brightest skin around the eye. */
function withoutGlare(colour: Colour, brightest: number): void {
  const knee = KNEE * brightest;
  const luma = lumaOf(colour);
  if (luma <= knee) return;
  const dimmed = knee + (brightest - knee) * Math.tanh((luma - knee) / (brightest - knee));
  for (let c = 0; c < 3; c++) colour[c] = (colour[c]! * dimmed) / luma;
}

/** Sum over the channels of the difference between a lid's picture and the plate. */
function differenceAt({ manifest, plate }: Donor, lid: Picture, index: number): number {
  const [x0, y0] = manifest.eye.box;
  const at = ((y0 + Math.floor(index / lid.width)) * plate.width + x0 + (index % lid.width)) * 4;
  let sum = 0;
  for (let c = 0; c < 3; c++) sum += Math.abs(plate.data[at + c]! - lid.data[index * 4 + c]!);
  return sum;
}

/** How a lid of the donor is adapted to a portrait. */
interface LidTone {
  /** Turns the donor's skin into the portrait's. */
  readonly factor: Colour;
  /** Luma of the brightest skin around the eye. */
  readonly brightest: number;
}

/** The tone of lids at a point, measured on the skin around the eye. */
function compareSkin({ donor, plate, mesh, donorMesh }: MouthParts): (at: Point) => LidTone {
  const rings = RINGS.map((ring) => {
    const samples = ring.map((number) => {
      const at = mesh.points[number]!;
      const from = meanAround(donor.plate, donorMesh.points[number]!, 4);
      const to = meanAround(plate, at, 4);
      return { at, luma: lumaOf(to), ratio: to.map((value, c) => value / Math.max(from[c]!, 8)) as Colour };
    });
    // A lash, a strand of hair or a highlight on one face must not colour the lid; lids are darker than cheeks.
    const usual = [0, 1, 2].map((c) => ordered(samples.map(({ ratio }) => ratio[c]!)));
    const lumas = samples.map(({ luma }) => luma).sort((a, b) => a - b);
    const brightest = Math.max(lumas[Math.floor(BRIGHT * lumas.length)]!, 8);
    const places = samples.map(({ at, ratio }) => ({
      at,
      ratio: ratio.map((value, c) => Math.min(Math.max(value, usual[c]! / UNUSUAL), usual[c]! * UNUSUAL)),
    }));
    return { places, brightest };
  });
  const middle = (mesh.points[EYES[0].lower[0]!]!.x + mesh.points[EYES[1].lower[0]!]!.x) / 2;
  return (at) => {
    const sum: Colour = [0, 0, 0];
    let total = 0;
    const { places, brightest } = rings[at.x < middle ? 0 : 1]!;
    for (const { at: from, ratio } of places) {
      const weight = 1 / (NEAR ** 2 + (at.x - from.x) ** 2 + (at.y - from.y) ** 2);
      total += weight;
      for (let c = 0; c < 3; c++) sum[c] = sum[c]! + weight * ratio[c]!;
    }
    return { factor: sum.map((value) => value / total) as Colour, brightest };
  };
}

/** The value below which two fifths of the values are. */
function ordered(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(0.4 * values.length)] ?? 1;
}
