import type { CanvasObject, CanvasSize } from '@figurehead/sdk/document';
import { coverCrop } from './use-picture.js';

/** How a picture is cut out, and how the editor writes it. */
export const MASKS = {
  none: { label: 'Rectangle' },
  rounded: { label: 'Rounded corners' },
  circle: { label: 'Circle or ellipse' },
} as const;
/** A key of {@link MASKS}. */
export type Mask = keyof typeof MASKS;

/** What of a picture is seen: enlarged `zoom` times, its left and top shares 0 to 1 of what can be moved. */
export interface Crop {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
}

const NO_CROP: Crop = { zoom: 1, x: 0.5, y: 0.5 };
/** Share of the shorter side that rounded corners take. */
const ROUNDING = 0.1;

/** Where a picture is drawn in its object's box, and the part of it that is drawn there, in px of the picture. */
export function pictureBoxes(object: CanvasObject, natural: CanvasSize) {
  const { width = 0, height = 0 } = object;
  const [x, y] = [Number(object.cropX ?? 0), Number(object.cropY ?? 0)];
  const whole = { x: 0, y: 0, ...natural };
  const box = { x: 0, y: 0, width, height };
  if (x > 0 || y > 0) return { target: box, window: { x, y, width, height } };
  if (object.fit === 'cover') return { target: box, window: coverCrop(natural, { width, height }) };
  if (object.fit === 'fill') return { target: box, window: whole };
  const scale = Math.min(width / natural.width, height / natural.height);
  const size = { width: natural.width * scale, height: natural.height * scale };
  return { target: { x: (width - size.width) / 2, y: (height - size.height) / 2, ...size }, window: whole };
}

/** The crop of a picture, as {@link cropped} wrote it. */
export function cropOf(object: CanvasObject, natural: CanvasSize): Crop {
  const { width = 0, height = 0 } = object;
  const [x, y] = [Number(object.cropX ?? 0), Number(object.cropY ?? 0)];
  if ((x <= 0 && y <= 0) || width <= 0 || height <= 0) return NO_CROP;
  const zoom = Math.min(natural.width / width, natural.height / height);
  const share = (at: number, room: number) => (room < 1 ? 0.5 : Math.min(1, at / room));
  return { zoom: Math.max(1, zoom), x: share(x, natural.width - width), y: share(y, natural.height - height) };
}

/** The properties that show a part of a picture in the box that it has now. */
export function cropped(object: CanvasObject, natural: CanvasSize, crop: Crop): Partial<CanvasObject> {
  const [wide, high] = [(object.width ?? 0) * (object.scaleX ?? 1), (object.height ?? 0) * (object.scaleY ?? 1)];
  const cover = Math.min(natural.width / wide, natural.height / high) / crop.zoom;
  const [width, height] = [wide * cover, high * cover];
  // A crop that begins at 0, 0 would read as none.
  const at = (share: number, room: number) => Math.max(0.01, share * room);
  return {
    width,
    height,
    scaleX: 1 / cover,
    scaleY: 1 / cover,
    cropX: at(crop.x, natural.width - width),
    cropY: at(crop.y, natural.height - height),
    ...(object.clipPath && masked({ ...object, width, height }, maskOf(object))),
    ...(object.cornerRadius && { cornerRadius: ROUNDING * Math.min(width, height) }),
  };
}

/** How a picture is cut out. */
export function maskOf(object: CanvasObject): Mask {
  const type = object.clipPath?.['type'];
  if (type === 'ellipse' || type === 'circle') return 'circle';
  return Number(object.cornerRadius ?? 0) > 0 ? 'rounded' : 'none';
}

/** The properties that cut a picture out; its frame is filled, so that the cut is where it seems to be. */
export function masked(object: CanvasObject, mask: Mask): Partial<CanvasObject> {
  const { width = 0, height = 0 } = object;
  const ellipse = {
    type: 'ellipse',
    left: 0,
    top: 0,
    originX: 'center',
    originY: 'center',
    rx: width / 2,
    ry: height / 2,
  };
  return {
    ...(mask !== 'none' && { fit: 'cover' }),
    clipPath: mask === 'circle' ? ellipse : null,
    cornerRadius: mask === 'rounded' ? ROUNDING * Math.min(width, height) : 0,
  };
}
