import type { AvatarObject, VideoObject } from '@figurehead/contract/document';
import type { Rect } from '@figurehead/presenter/frame';
import {
  boundsOf,
  clipToFrame,
  grow,
  type Matrix,
  multiply,
  placeObject,
  type Size,
} from '@figurehead/presenter/geometry';
import { type Preparation, prepareClip } from '@figurehead/presenter/painting';
import type { LayerMask, LayerShape } from '../contract.js';
import type { DrawingContext } from '../drawing-context.js';
import { painterOf } from './canvas.js';
import { gathered } from './gathered.js';

/**
 * How a presenter or a clip is turned and masked; `undefined` when it is upright and unmasked.
 * @param size of the object's box, `seen` of the visible part in its middle, both in canvas units before scaling.
 */
export async function shapeOf(
  object: AvatarObject | VideoObject,
  { size, seen }: { readonly size: Size; readonly seen: Size },
  { context, tools }: { readonly context: DrawingContext; readonly tools: Preparation },
): Promise<LayerShape | undefined> {
  const { view, format } = context.viewport;
  const upright = { ...object, skewX: 0, skewY: 0 };
  const inner = multiply(view, placeObject(upright, size));
  const angle = (object.angle * Math.PI) / 180;
  // A circle is a separate crop mode, in which the presenter is drawn.
  const isDisc = object.type === 'avatar' && object.crop === 'circle';
  const clip = isDisc ? null : await gathered(prepareClip(upright, inner, tools), context.pictures);
  const radius = object.type === 'video' ? object.radius : 0;
  const place = { angle, x: inner[4], y: inner[5] };
  if (clip === null && radius === 0) return angle === 0 ? undefined : place;
  const box: Rect = { x: -seen.width / 2, y: -seen.height / 2, ...seen };
  const area = clipToFrame(grow(boundsOf(inner, box), 1), format);
  if (area === null) return place;
  const canvas = context.library.createCanvas(area.width, area.height);
  const ctx = canvas.getContext('2d');
  const shifted: Matrix = multiply([1, 0, 0, 1, -area.x, -area.y], inner);
  ctx.setTransform(...shifted);
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.width, box.height, Math.min(radius, box.width / 2, box.height / 2));
  ctx.fill();
  if (clip !== null) {
    const mask = context.library.createCanvas(area.width, area.height);
    painterOf(context.library).paint(mask.getContext('2d'), clip, shifted, area);
    ctx.resetTransform();
    ctx.globalCompositeOperation = clip.object.inverted ? 'destination-out' : 'destination-in';
    ctx.drawImage(mask, 0, 0);
  }
  return { ...place, mask: maskOf(ctx.getImageData(0, 0, area.width, area.height).data, area) };
}

function maskOf(rgba: Uint8ClampedArray, area: Rect): LayerMask {
  const a = new Uint8Array(new SharedArrayBuffer(area.width * area.height));
  for (let at = 0; at < a.length; at++) a[at] = rgba[at * 4 + 3]!;
  return { ...area, a };
}
