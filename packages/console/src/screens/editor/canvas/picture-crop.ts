import { placeObject } from '@figurehead/presenter/geometry';
import type { CanvasObject, CanvasSize } from '@figurehead/sdk/document';
import { sceneOf } from '../../../shell/slide-painting.js';
import type { CanvasBox } from './guides.js';

/** Masks of a picture with their labels. */
export const MASKS = {
  none: { label: 'Rectangle' },
  rounded: { label: 'Rounded corners' },
  circle: { label: 'Circle or ellipse' },
} as const;
/** A key of {@link MASKS}. */
export type MaskName = keyof typeof MASKS;

/** Visible part of a picture: magnified by `zoom`, with left and top as shares 0 to 1 of the available movement. */
export interface Crop {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
}

const NO_CROP: Crop = { zoom: 1, x: 0.5, y: 0.5 };
/** Radius of rounded corners as a share of the shorter side. */
const ROUNDING = 0.1;

/** The crop of a picture, as set by {@link cropped}. */
export function cropOf(object: CanvasObject, natural: CanvasSize): Crop {
  const { width = 0, height = 0 } = object;
  const [x, y] = [Number(object.cropX ?? 0), Number(object.cropY ?? 0)];
  if ((x <= 0 && y <= 0) || width <= 0 || height <= 0) return NO_CROP;
  const zoom = Math.min(natural.width / width, natural.height / height);
  const share = (at: number, room: number) => (room < 1 ? 0.5 : Math.min(1, at / room));
  return { zoom: Math.max(1, zoom), x: share(x, natural.width - width), y: share(y, natural.height - height) };
}

/** The properties that show a part of a picture in its current box. */
export function cropped(object: CanvasObject, natural: CanvasSize, crop: Crop): Partial<CanvasObject> {
  const [wide, high] = [(object.width ?? 0) * (object.scaleX ?? 1), (object.height ?? 0) * (object.scaleY ?? 1)];
  const cover = Math.min(natural.width / wide, natural.height / high) / crop.zoom;
  const [width, height] = [wide * cover, high * cover];
  // A crop at 0, 0 would be read as no crop.
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

/**
 * The properties that show a part of a picture, which stays in its place on the canvas.
 * @param part px of the picture. @param middle of the part, in px from the upper left corner of the present box.
 */
export function windowed(
  object: CanvasObject,
  part: CanvasBox,
  middle: { readonly x: number; readonly y: number },
): Partial<CanvasObject> {
  const { width, height } = part;
  const { scaleX = 1, scaleY = 1 } = object;
  const crop = { width, height, scaleX, scaleY, cropX: Math.max(0.01, part.x), cropY: Math.max(0.01, part.y) };
  const next = { ...crop, ...masked({ ...object, ...crop }, maskOf(object)) };
  const [a, b, c, d, e, f] = matrixOf(object);
  const [dx, dy] = [middle.x - (object.width ?? 0) / 2, middle.y - (object.height ?? 0) / 2];
  const [x, y] = centreOf({ ...object, ...next });
  const { left = 0, top = 0 } = object;
  return { ...next, left: left + a * dx + c * dy + e - x, top: top + b * dx + d * dy + f - y };
}

/** Middle of an object's box, canvas units. */
export function centreOf(object: CanvasObject): readonly [x: number, y: number] {
  const [, , , , x, y] = matrixOf(object);
  return [x, y];
}

function matrixOf(object: CanvasObject) {
  const scene = sceneOf(object);
  const size = { width: object.width ?? 0, height: object.height ?? 0 };
  if (!scene) throw new Error(`expected an object that is drawn, found one of type ${object.type}`);
  return placeObject(scene, size);
}

/** The properties that show another picture in the same frame, which it covers, with the same mask. */
export function replaced(object: CanvasObject, src: string): Partial<CanvasObject> {
  const [width, height] = [(object.width ?? 0) * (object.scaleX ?? 1), (object.height ?? 0) * (object.scaleY ?? 1)];
  const frame = { width, height, scaleX: 1, scaleY: 1, cropX: 0, cropY: 0, fit: 'cover' } as const;
  return { ...frame, src, ...masked({ ...object, ...frame }, maskOf(object)), fit: 'cover' };
}

/** The mask of a picture. */
export function maskOf(object: CanvasObject): MaskName {
  const type = object.clipPath?.['type'];
  if (type === 'ellipse' || type === 'circle') return 'circle';
  return Number(object.cornerRadius ?? 0) > 0 ? 'rounded' : 'none';
}

/** The properties that mask a picture; the picture fills its frame, so that the mask matches its visible edges. */
export function masked(object: CanvasObject, mask: MaskName): Partial<CanvasObject> {
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
