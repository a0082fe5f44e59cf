import type { Network } from './network/graph.js';
import type { Tensor } from './network/tensor.js';
import type { Picture, Point } from './picture.js';
import { cutSquare, fromSquare, type Square } from './square.js';

/** A detected face, picture px. */
export interface DetectedFace {
  readonly centre: Point;
  /** Longer side of its box: about from the brows to the chin. */
  readonly size: number;
  /** Centres of the eyes, left and right as seen in the picture. */
  readonly leftEye: Point;
  readonly rightEye: Point;
  /** 0…1. */
  readonly score: number;
}

/** The network's outputs: boxes around anchors on two grids (BlazeFace, arXiv:1907.05047). */
const GRIDS = [
  { cells: 16, anchors: 2, scores: 'Identity', boxes: 'Identity_2' },
  { cells: 8, anchors: 6, scores: 'Identity_1', boxes: 'Identity_3' },
] as const;

/** Least score of a face. */
const MIN_SCORE = 0.5;

/** Boxes whose overlap is larger than this share of their joint area are the same face. */
const SAME_FACE = 0.3;

/** Values of a box: centre, size, then six points. */
const BOX_VALUES = 16;

/** Finds the faces of a picture, highest score first. */
export function detectFaces(network: Network, picture: Picture): DetectedFace[] {
  const { width, height } = picture;
  const square: Square = { x: (width - 1) / 2, y: (height - 1) / 2, side: Math.max(width, height), angle: 0 };
  const outputs = network.run(cutSquare(picture, square, network, { scale: 1 / 127.5, offset: -1 }));
  const found: DetectedFace[] = [];
  for (const grid of GRIDS) {
    const scores = valuesOf(outputs, grid.scores);
    const boxes = valuesOf(outputs, grid.boxes);
    scores.forEach((raw, index) => {
      const score = 1 / (1 + Math.exp(-raw));
      if (score < MIN_SCORE) return;
      const cell = Math.floor(index / grid.anchors);
      const anchor = {
        x: ((cell % grid.cells) + 0.5) / grid.cells,
        y: (Math.floor(cell / grid.cells) + 0.5) / grid.cells,
      };
      const box = boxes.subarray(index * BOX_VALUES, (index + 1) * BOX_VALUES);
      const pointAt = (at: number): Point =>
        fromSquare(square, { x: anchor.x + box[at]! / network.side, y: anchor.y + box[at + 1]! / network.side });
      found.push({
        centre: pointAt(0),
        size: (Math.max(box[2]!, box[3]!) / network.side) * square.side,
        // The network's "right eye" is the person's right.
        leftEye: pointAt(4),
        rightEye: pointAt(6),
        score,
      });
    });
  }
  return withoutRepeats(found);
}

function withoutRepeats(faces: readonly DetectedFace[]): DetectedFace[] {
  const kept: DetectedFace[] = [];
  for (const face of [...faces].sort((a, b) => b.score - a.score)) {
    if (kept.every((other) => sharedArea(face, other) < SAME_FACE)) kept.push(face);
  }
  return kept;
}

function sharedArea(a: DetectedFace, b: DetectedFace): number {
  const overlap = (p: number, q: number): number =>
    Math.max(0, Math.min(p + a.size / 2, q + b.size / 2) - Math.max(p - a.size / 2, q - b.size / 2));
  const shared = overlap(a.centre.x, b.centre.x) * overlap(a.centre.y, b.centre.y);
  return shared / (a.size ** 2 + b.size ** 2 - shared);
}

function valuesOf(outputs: ReadonlyMap<string, Tensor>, name: string): Float32Array {
  const tensor = outputs.get(name);
  if (tensor === undefined) throw new Error(`face detector: expected an output ${name}, found none`);
  return tensor.data;
}
