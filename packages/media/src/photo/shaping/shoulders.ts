import { smoothstep } from '@figurehead/presenter/easing';
import type { Picture } from '../picture.js';

/** Columns at a side that are left out, because mattes are uncertain there, px. */
const EDGE = 4;
/** Columns over which the slope of the shoulder is measured, px. */
const SLOPE = 40;
/** How far an arm reaches beyond the side, in heights of what the side cuts, and at most, px. */
const REACH = { share: 0.45, most: 150 } as const;
/** Lower cuts are left to the fade, px. */
const LEAST = 12;
/** Light at the outer edge of an arm, which turns away from the viewer. */
const TURNED = 0.7;

/** A side of a picture that cuts the person. */
export interface CutSide {
  /** The first row of what it cuts, down to the bottom. */
  readonly from: number;
}

/** What a side of a picture cuts of the shoulder: everything from a row to the bottom. `undefined` for nothing. */
export function cutShoulder(person: Picture, side: 'left' | 'right'): CutSide | undefined {
  const from = contourAt(person, columnOf(person, side, 0));
  return person.height - from < LEAST ? undefined : { from };
}

/**
 * Continues a shoulder that a side of the portrait cuts: its outline goes on with its slope and bends down to an arm, with the cloth
 * beside the cut, mirrored. `x` and `y`: plate px of the person's first px. Draws only what is still transparent.
 */
export function continueShoulder(
  plate: Picture,
  person: Picture,
  { side, cut, x, y }: { side: 'left' | 'right'; cut: CutSide; x: number; y: number },
): void {
  const height = person.height - cut.from;
  const back = Math.min(SLOPE, person.width >> 2);
  const slope = Math.max(0, (cut.from - contourAt(person, columnOf(person, side, back))) / back);
  const room = side === 'left' ? x + EDGE : plate.width - x - person.width + EDGE;
  const reach = Math.floor(
    Math.min(REACH.share * height, REACH.most, room, person.width / 2, height / Math.max(slope, 0.01)),
  );
  for (let out = 1 - EDGE; out < reach; out++) {
    const share = Math.max(out, 0) / reach;
    const top = cut.from + slope * Math.max(out, 0) + (height - slope * reach) * share ** 3;
    const own = columnOf(person, side, Math.abs(out));
    const drop = contourAt(person, own) - top;
    const light = 1 + (TURNED - 1) * share ** 2;
    const to = side === 'left' ? x + EDGE - out : x + person.width - 1 - EDGE + out;
    for (let row = Math.floor(top); row < person.height; row++) {
      const from = (Math.min(Math.max(Math.round(row + drop), 0), person.height - 1) * person.width + own) * 4;
      const at = ((y + row) * plate.width + to) * 4;
      const opacity = 255 * smoothstep(-1.5, 1.5, row - top);
      if (plate.data[at + 3]! >= opacity) continue;
      for (let c = 0; c < 3; c++) plate.data[at + c] = Math.round(light * person.data[from + c]!);
      plate.data[at + 3] = Math.round(opacity);
    }
  }
}

function columnOf({ width }: Picture, side: 'left' | 'right', inwards: number): number {
  return side === 'left' ? EDGE + inwards : width - 1 - EDGE - inwards;
}

/** The row from which on a column shows the person down to the bottom. */
function contourAt({ width, height, data }: Picture, column: number): number {
  let row = height;
  while (row > 0 && data[((row - 1) * width + column) * 4 + 3]! > 128) row--;
  return row;
}
