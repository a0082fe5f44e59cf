import type { CanvasObject } from '@figurehead/contract';
import { FORMATS } from '@figurehead/contract';
import type { DrawnPage } from './pdf/pdf.js';
import type { PageFrame } from './reading/frame.js';

/** A box in canvas units. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Difference of neighbouring pixels that is an edge, of 255. */
const EDGE = 24;
/** Pixels between those that are compared. */
const STEP = 4;

/** Corners in order of preference. */
const CORNERS = [
  [1, 1],
  [0, 1],
  [1, 0],
  [0, 0],
] as const;

/** A round presenter in the emptiest corner of a page; in the lower right one if no other is clearly emptier. */
export function avatarObject(format: PageFrame['format'], crowding: (box: Box) => number): CanvasObject {
  const { width, height } = FORMATS[format];
  const side = Math.round(Math.min(width, height) * 0.34);
  const margin = Math.round(side * 0.08);
  const [best] = CORNERS.map(([right, bottom], index) => {
    const box = {
      left: right === 1 ? width - side - margin : margin,
      top: bottom === 1 ? height - side - margin : margin,
      width: side,
      height: side,
    };
    return { box, crowding: crowding(box) + index * 0.002 };
  }).sort((a, b) => a.crowding - b.crowding);
  return {
    type: 'avatar',
    ...best?.box,
    crop: 'circle',
    // A disc as background: without it the bust would have a straight lower cut.
    fill: '#e5e7eb',
  };
}

/** Measures how much of a box is covered, from 0 to about 1: by edges in the page's picture, and by objects on it. */
export function crowdingOf(
  page: DrawnPage | undefined,
  objects: readonly CanvasObject[],
  canvas: { readonly width: number; readonly height: number },
): (box: Box) => number {
  return (box) => (page === undefined ? 0 : edgesIn(page, box, canvas)) + overlap(objects, box);
}

function edgesIn(page: DrawnPage, box: Box, canvas: { width: number; height: number }): number {
  // The page is centred in the frame.
  const scale = Math.max(page.width / canvas.width, page.height / canvas.height);
  const [left, top] = [(page.width - canvas.width * scale) / 2, (page.height - canvas.height * scale) / 2];
  const at = (x: number, y: number, channel: number): number => page.rgba[(y * page.width + x) * 4 + channel] ?? 0;
  const [fromX, fromY] = [Math.round(left + box.left * scale), Math.round(top + box.top * scale)];
  let [edges, seen] = [0, 0];
  for (let y = fromY; y < fromY + box.height * scale; y += STEP) {
    for (let x = fromX; x < fromX + box.width * scale; x += STEP) {
      seen += 1;
      // Beside the page there is nothing.
      if (x < 0 || y < 0 || x + STEP >= page.width || y + STEP >= page.height) continue;
      const isEdge = [0, 1, 2].some(
        (channel) =>
          Math.abs(at(x, y, channel) - at(x + STEP, y, channel)) > EDGE ||
          Math.abs(at(x, y, channel) - at(x, y + STEP, channel)) > EDGE,
      );
      if (isEdge) edges += 1;
    }
  }
  return edges / Math.max(1, seen);
}

function overlap(objects: readonly CanvasObject[], box: Box): number {
  const shares = objects.map((object) => {
    const { left = 0, top = 0, width = 0, height = 0 } = object as Partial<Box>;
    const common = (from: number, length: number, other: number, otherLength: number): number =>
      Math.max(0, Math.min(from + length, other + otherLength) - Math.max(from, other));
    return (
      (common(left, width, box.left, box.width) * common(top, height, box.top, box.height)) / (box.width * box.height)
    );
  });
  return shares.reduce((sum, share) => sum + share, 0);
}
