import { portraitWidth } from '@figurehead/contract/document/objects/presenter-place';
import type { PresenterCrop, PresenterPlacement } from '../contract.js';
import type { Rect } from '../frame.js';
import type { Manifest } from '../pack/manifest.js';

/** Space above the head and below the chin of a bust, in heights of the head. */
const ABOVE_HEAD = 0.14;
const BELOW_CHIN = 0.5;

/**
 * Radius of a circle crop's disc, and the distance of its centre below the middle of the face, in heights of the head.
 */
const DISC_RADIUS = 0.72;
const DISC_DROP = 0.06;

/** Least width of a plate in a narrow box, in heights of the head: hair of every presenter, when the head turns. */
const FACE_WIDTH = 1.05;

/** Margin at the sides and top of a plate with a background, px. */
const EDGE = 14;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A presenter's picture, and where its head is. */
export type Plate = Pick<Manifest, 'width' | 'height'> &
  Partial<Pick<Manifest, 'ground' | 'frame'>> & { readonly head: Pick<Manifest['head'], 'pivotX' | 'topY' | 'chinY'> };

/** Position of a presenter's plate in a frame. */
export interface Layout {
  /** Frame px per plate px. */
  readonly scale: number;
  /** Frame px of the plate's first texel. */
  readonly originX: number;
  readonly originY: number;
  /** The area that may be drawn: even-aligned, inside the frame; empty when the presenter is outside. */
  readonly region: Rect;
  /** The disc of a circle crop in frame px. */
  readonly disc?: { readonly x: number; readonly y: number; readonly radius: number };
}

/**
 * Fits the shown part of a plate into a placement's box: as large as possible, centred, aligned to the bottom. A box on
 * whole px aligns the plate's texels with the frame's px, so that an idle presenter is not blurred.
 * @throws RangeError if the box is empty.
 */
export function layOut(manifest: Manifest, placement: PresenterPlacement, frame: Size): Layout {
  const { part: shown, scale, left, top } = fitPlate(manifest, placement);
  const isWhole = [placement.x, placement.y, placement.width, placement.height].every(Number.isInteger);
  const settle = (value: number): number => (isWhole ? Math.round(value / 2) * 2 : value);
  const layout = {
    scale,
    originX: settle(left - shown.x * scale),
    originY: settle(top - shown.y * scale),
    region: evenInside({ x: left, y: top, width: shown.width * scale, height: shown.height * scale }, frame),
  };
  if (placement.crop !== 'circle') return layout;
  const radius = (shown.width * scale) / 2;
  return { ...layout, disc: { x: left + radius - 0.5, y: top + radius - 0.5, radius } };
}

/**
 * The shown part of a plate, and the place of its upper left corner in the placement's box: as large as possible, centred, aligned to the bottom.
 * @throws RangeError if the box is empty.
 */
export function fitPlate(plate: Plate, placement: PresenterPlacement) {
  checkPlacement(placement);
  const whole = shownPart(plate, placement.crop);
  const part = placement.fills ? narrowed(whole, plate, placement.width / placement.height) : whole;
  const scale = Math.min(placement.width / part.width, placement.height / part.height);
  const left = placement.x + (placement.width - part.width * scale) / 2;
  return { part, scale, left, top: placement.y + placement.height - part.height * scale };
}

/** Largest side of head and shoulders in an upright picture, in widths; what exceeds the picture is cropped. */
const UPRIGHT = 1.45;

/** A presenter alone in a picture: a wide one shows the whole plate, uncropped; others head and shoulders as large as the head fits. */
export function livePlacement({ width, height }: Size): PresenterPlacement {
  if (width > height * 1.1) return { x: 0, y: 0, width, height, crop: 'full' };
  const side = Math.round(Math.min(height, width * UPRIGHT) / 2) * 2;
  return { x: (width - side) / 2, y: height - side, width: side, height: side, crop: 'bust' };
}

/** Throws RangeError if the box is empty. */
export function checkPlacement({ width, height }: PresenterPlacement): void {
  if (!(width >= 1 && height >= 1)) {
    throw new RangeError(`expected a placement of at least 1×1 px, got ${width}×${height}`);
  }
}

/** Throws RangeError unless a frame has the size for which a presenter was placed. */
export function checkTarget(target: Size, frame: Size): void {
  if (target.width !== frame.width || target.height !== frame.height) {
    throw new RangeError(`expected a frame of ${frame.width}×${frame.height} px, got ${target.width}×${target.height}`);
  }
}

/**
 * The part of the plate that a crop shows, in plate px; a disc's square and a variant's frame may extend past the
 * plate's edge, unless the plate has a background, which ends there.
 */
export function shownPart(manifest: Plate, crop: PresenterCrop): Rect {
  const wanted = wantedPart(manifest, crop);
  if (manifest.ground === undefined) return wanted;
  const area = groundArea(manifest);
  if (crop === 'full') return area;
  const shrink = Math.min(1, area.width / wanted.width, area.height / wanted.height);
  const [width, height] = [wanted.width * shrink, wanted.height * shrink];
  const inside = (value: number, from: number, length: number): number =>
    Math.min(Math.max(value, from), from + length);
  return {
    x: inside(wanted.x + (wanted.width - width) / 2, area.x, area.width - width),
    y: inside(wanted.y + (wanted.height - height) / 2, area.y, area.height - height),
    width,
    height,
  };
}

/** The middle of `whole` for a box of the aspect ratio `aspect`, around the face. */
function narrowed(whole: Rect, { head }: Plate, aspect: number): Rect {
  const width = portraitWidth(whole, aspect, FACE_WIDTH * (head.chinY - head.topY));
  const x = Math.min(Math.max(head.pivotX - width / 2, whole.x), whole.x + whole.width - width);
  return { ...whole, x, width };
}

/**
 * The part of a plate with a background that may be shown, plate px. Hair and shoulders reach the photograph's edges
 * and move; a margin hides the area beyond the edges.
 */
export function groundArea({ width, height }: Pick<Manifest, 'width' | 'height'>): Rect {
  return { x: EDGE, y: EDGE, width: width - 2 * EDGE, height: height - EDGE };
}

function wantedPart({ width, height, head, frame }: Plate, crop: PresenterCrop): Rect {
  if (frame !== undefined && crop !== 'circle') {
    const [x0, y0, x1, y1] = frame;
    const tall = y1 - y0;
    // For a bust, the square around the head; as high as the frame.
    return crop === 'full'
      ? { x: x0, y: y0, width: x1 - x0, height: tall }
      : { x: head.pivotX - tall / 2, y: y0, width: tall, height: tall };
  }
  if (crop === 'full') return { x: 0, y: 0, width, height };
  const headHeight = head.chinY - head.topY;
  if (crop === 'circle') {
    const side = 2 * DISC_RADIUS * headHeight;
    const middle = (head.topY + head.chinY) / 2 + DISC_DROP * headHeight;
    return { x: head.pivotX - side / 2, y: middle - side / 2, width: side, height: side };
  }
  const y = Math.max(0, head.topY - ABOVE_HEAD * headHeight);
  const side = Math.min(height, head.chinY + BELOW_CHIN * headHeight) - y;
  return { x: head.pivotX - side / 2, y, width: side, height: side };
}

/** The smallest even-aligned rectangle around `rect`, inside the frame. */
export function evenInside(rect: Rect, frame: Size): Rect {
  // A border within a thousandth of a px is a rounding error, not a touched px.
  const x = Math.max(0, Math.floor((rect.x + 1e-3) / 2) * 2);
  const y = Math.max(0, Math.floor((rect.y + 1e-3) / 2) * 2);
  const right = Math.min(frame.width, Math.ceil((rect.x + rect.width - 1e-3) / 2) * 2);
  const bottom = Math.min(frame.height, Math.ceil((rect.y + rect.height - 1e-3) / 2) * 2);
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) };
}
