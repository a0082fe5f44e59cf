import type { MouthPose } from '../face/contract.js';
import type { Manifest } from './manifest.js';

/** A mouth patch that is active in a frame, by its index in the manifest. Weights add up to 1, and so do colours. */
export interface PatchWeight {
  readonly patch: number;
  /** Share of the patch in the position of lips and chin, 0…1. */
  readonly weight: number;
  /** Share of the patch in the visible texture, 0…1. */
  readonly colour: number;
}

type Share = Pick<PatchWeight, 'patch' | 'weight'>;

/** At most this many patches are blended in a frame (presenters/FORMAT.md 3). */
const MAX_PATCHES = 5;

/** A patch with a smaller share is omitted. */
const LEAST_WEIGHT = 0.02;

/**
 * How much earlier the texture of parted lips appears than their motion: with 4, 59 % of it shows after a fifth of the
 * way.
 */
const PARTING = 4;

/** Exponent of the shares of parted lips in the texture: with 3, the stronger of two with 0.6 and 0.4 shows to 77 %. */
const SHARPNESS = 3;

/** Patches with closed lips. */
const SHUT = /^(g0\d|PP|smile0)$/;

/** Distance of the lips in the patch `smile35`, in the unit of {@link MouthPose.open}. */
const OPEN_SMILE = 0.35;

/**
 * The patches that draw a mouth (presenters/FORMAT.md 3.4): consonants and smile as given, the rest spread bilinearly
 * over the four grid patches around (open, width). Shapes that the pack lacks fall back to the grid. Before a patch
 * leaves the set its share fades to 0, so a moving mouth never jumps. Callers that draw many frames pass `indexOf`.
 * Between closed and parted lips colour runs ahead of motion: an opening gap is narrow and dark from the start, instead
 * of teeth showing through closed lips.
 */
export function mouthWeights(
  mouth: MouthPose,
  manifest: Manifest['mouth'],
  indexOf: ReadonlyMap<string, number> = patchIndexes(manifest),
): PatchWeight[] {
  const shares = new Map<number, number>();
  const add = (id: string, share: number): boolean => {
    const patch = indexOf.get(id);
    if (patch === undefined) return false;
    if (share > 0) shares.set(patch, (shares.get(patch) ?? 0) + share);
    return true;
  };
  const open = Math.min(Math.max(mouth.open, 0), 1);
  let shaped = 0;
  const overlay = (id: string, share: number): void => {
    if (add(id, share)) shaped += Math.max(share, 0);
  };
  for (const [shape, share] of Object.entries(mouth.consonants)) overlay(shape, share ?? 0);
  const openSmile = Math.min(open / OPEN_SMILE, 1);
  overlay('smile0', mouth.smile * (1 - openSmile));
  overlay('smile35', mouth.smile * openSmile);
  const onGrid = Math.max(1 - shaped, 0);
  const row = bracket(manifest.opens, open);
  const column = bracket(manifest.widths, Math.min(Math.max(mouth.width, -1), 1));
  for (const [i, rowShare] of row) for (const [j, share] of column) add(`g${i}${j}`, onGrid * rowShare * share);
  return coloured(strongest([...shares].map(([patch, weight]) => ({ patch, weight }))), manifest);
}

/**
 * Adds the colours: parted lips of weight p get a share of `1 − (1 − p)^PARTING`, the strongest of them more of it than of the motion, because
 * teeth that are in different places show as two rows.
 */
function coloured(shares: readonly Share[], { patches }: Manifest['mouth']): PatchWeight[] {
  const isShut = ({ patch }: Share): boolean => SHUT.test(patches[patch]!.id);
  const sum = (of: (share: Share) => number): number => shares.reduce((total, share) => total + of(share), 0);
  const shut = sum((share) => (isShut(share) ? share.weight : 0));
  const sharp = sum((share) => (isShut(share) ? 0 : share.weight ** SHARPNESS));
  const seen = sharp === 0 ? 1 : shut ** PARTING;
  return shares.map((share) => ({
    ...share,
    colour: isShut(share) ? (seen * share.weight) / shut : ((1 - seen) * share.weight ** SHARPNESS) / sharp,
  }));
}

/** Index of each patch in the manifest. */
export function patchIndexes(manifest: Manifest['mouth']): ReadonlyMap<string, number> {
  return new Map(manifest.patches.map((patch, index) => [patch.id, index]));
}

/** The two neighbouring points of a rising axis around `value`, with their shares. */
function bracket(axis: readonly number[], value: number): [index: number, share: number][] {
  let upper = 1;
  while (upper < axis.length - 1 && axis[upper]! < value) upper++;
  const from = axis[upper - 1]!;
  const t = Math.min(Math.max((value - from) / (axis[upper]! - from), 0), 1);
  return [
    [upper - 1, 1 - t],
    [upper, t],
  ];
}

function strongest(weights: Share[]): Share[] {
  const sum = weights.reduce((total, { weight }) => total + weight, 0);
  const sorted = weights
    .map(({ patch, weight }) => ({ patch, weight: weight / sum }))
    .sort((a, b) => b.weight - a.weight);
  // Weights fade in between the threshold and twice it.
  const threshold = Math.max(LEAST_WEIGHT, sorted[MAX_PATCHES]?.weight ?? 0);
  const faded = sorted
    .slice(0, MAX_PATCHES)
    .map(({ patch, weight }) => ({ patch, weight: Math.min(weight, 2 * Math.max(weight - threshold, 0)) }))
    .filter(({ weight }) => weight > 0);
  const kept = faded.length > 0 ? faded : sorted.slice(0, 1);
  const total = kept.reduce((part, { weight }) => part + weight, 0);
  return kept.map(({ patch, weight }) => ({ patch, weight: weight / total }));
}
