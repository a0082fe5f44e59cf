import type { Viseme } from '@figurehead/presenter/face';
import type { MouthShape } from './mouth-shapes.js';
import { CLOSED } from './own-motion.js';
import { medianOf } from './tracking.js';

/** The mouth that a patch should show: its shape, and the sound that is heard meanwhile. */
interface Wanted {
  readonly open: number;
  readonly width: number;
  /** Factor on heights of the lips that is looked for: pressed lips, a lip behind the teeth. */
  readonly upperLip?: number;
  readonly lowerLip?: number;
  readonly viseme?: Viseme;
}

/** Consonants and smiles of the basis; the grid's patches follow from its axes (presenters/FORMAT.md 2). */
const CONSONANTS: Readonly<Record<string, Wanted>> = {
  PP: { open: -0.05, width: -0.12, upperLip: 0.8, lowerLip: 0.8, viseme: 'PP' },
  FF: { open: 0.1, width: 0, lowerLip: 0.62, viseme: 'FF' },
  TH: { open: 0.26, width: 0.1, viseme: 'TH' },
  DD: { open: 0.2, width: 0.2, viseme: 'DD' },
  nn: { open: 0.2, width: 0.15, viseme: 'nn' },
  SS: { open: 0.12, width: 0.4, viseme: 'SS' },
  CH: { open: 0.16, width: -0.5, viseme: 'CH' },
  RR: { open: 0.22, width: -0.45, viseme: 'RR' },
  smile0: { open: 0, width: 0.6 },
  smile35: { open: 0.14, width: 0.8 },
};

/** Differences that cost 1: of the opening, the width, a lip's height, degrees of the head, the speed of the lips. */
const COSTS = { open: 0.07, width: 0.45, lip: 0.25, degrees: 7, speed: 0.03 } as const;

/** Largest opening of a frame that can show closed lips, and the cost of more. */
const SHUT = 0.07;
const LEAK = 40;

/** Bonus of a frame in which the wanted sound is heard. */
const HEARD = 0.6;

/**
 * Frames in which the mouth rests and the face fits on a plate, best first: closed, eyes open, calm, facing the camera
 * as usual.
 */
export function chooseRest(shapes: readonly MouthShape[], count: number): MouthShape[] {
  const usual = usualAttitude(shapes);
  const cost = (shape: MouthShape): number =>
    Math.max(0, shape.open) / 0.05 +
    Math.abs(shape.width) / 0.35 +
    Math.abs(Math.log(Math.max(shape.eyes, 0.05))) / 0.12 +
    angleTo(shape, usual) / 5 +
    Math.abs(shape.frame.attitude.turn) / 8 +
    shape.speed / 0.02;
  return shapes
    .filter(({ frame }) => frame.misfit === undefined)
    .sort((a, b) => cost(a) - cost(b))
    .slice(0, count);
}

/**
 * Chooses the frame for each patch of a basis from a person's own film.
 * @param heard the sound at a time of the film, where it is known.
 */
export function choosePatches(
  shapes: readonly MouthShape[],
  {
    basis,
    rest,
    heard,
  }: {
    readonly basis: {
      readonly ids: readonly string[];
      readonly opens: readonly number[];
      readonly widths: readonly number[];
    };
    readonly rest: MouthShape;
    readonly heard: (seconds: number) => Viseme | undefined;
  },
): readonly MouthShape[] {
  const visemes = shapes.map(({ frame }) => heard(frame.seconds));
  return basis.ids.map((id) => {
    const wanted = wantedOf(id, basis);
    let best = rest;
    let least = Infinity;
    for (const [i, shape] of shapes.entries()) {
      const cost =
        costOf(shape, wanted, rest) - (wanted.viseme !== undefined && visemes[i] === wanted.viseme ? HEARD : 0);
      if (cost >= least) continue;
      [best, least] = [shape, cost];
    }
    return best;
  });
}

/** Frames in which the eyes may be closed, most closed first, in an attitude near the resting one. */
export function chooseClosedEyes(shapes: readonly MouthShape[], rest: MouthShape, count: number): MouthShape[] {
  const cost = (shape: MouthShape): number => shape.eyes / 0.05 + angleTo(shape, rest.frame.attitude) / 8;
  return shapes
    .filter(({ eyes }) => eyes < CLOSED)
    .sort((a, b) => cost(a) - cost(b))
    .slice(0, count);
}

function wantedOf(id: string, { opens, widths }: { opens: readonly number[]; widths: readonly number[] }): Wanted {
  const cell = /^g(\d)(\d)$/.exec(id);
  const wanted =
    cell === null ? CONSONANTS[id] : { open: opens[Number(cell[1])] ?? 0, width: widths[Number(cell[2])] ?? 0 };
  if (wanted === undefined) throw new RangeError(`expected a patch of the basis, got ${id}`);
  return wanted;
}

function costOf(shape: MouthShape, wanted: Wanted, rest: MouthShape): number {
  const square = (value: number): number => value * value;
  let cost = square((shape.open - wanted.open) / COSTS.open) + square((shape.width - wanted.width) / COSTS.width);
  if (wanted.open <= 0) cost += LEAK * Math.max(0, shape.open - SHUT);
  if (wanted.upperLip !== undefined) cost += square((shape.upperLip - wanted.upperLip) / COSTS.lip);
  if (wanted.lowerLip !== undefined) cost += square((shape.lowerLip - wanted.lowerLip) / COSTS.lip);
  return cost + square(angleTo(shape, rest.frame.attitude) / COSTS.degrees) + square(shape.speed / COSTS.speed);
}

function angleTo({ frame: { attitude } }: MouthShape, from: MouthShape['frame']['attitude']): number {
  return Math.hypot(attitude.turn - from.turn, attitude.nod - from.nod, attitude.tilt - from.tilt);
}

function usualAttitude(shapes: readonly MouthShape[]): MouthShape['frame']['attitude'] {
  const of = (axis: 'turn' | 'nod' | 'tilt'): number => medianOf(shapes.map(({ frame }) => frame.attitude[axis]));
  return { turn: of('turn'), nod: of('nod'), tilt: of('tilt') };
}
