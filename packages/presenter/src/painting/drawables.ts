import type { ImageObject, SceneObject, TextObject } from '@figurehead/contract/document';
import type { Rect } from '../frame.js';
import { boundsOf, grow, invert, type Matrix, multiply, placeObject, type Size, scaleOf, unite } from './geometry.js';
import type { TextLayout, TextSetter } from './text.js';

/** An object that is ready to be painted: all its media are fetched, decoded and measured. */
export interface Drawable {
  readonly object: SceneObject;
  /** The object's own box, centred on its origin, in canvas units before scaling. */
  readonly size: Size;
  /** From the object's own space to its parent's. */
  readonly matrix: Matrix;
  readonly layout: TextLayout | null;
  /** The decoded picture and its position in the object's own space. */
  readonly picture: { readonly canvas: object; readonly box: Rect } | null;
  readonly children: readonly Drawable[];
  readonly clip: Drawable | null;
}

/** Inputs of preparing; `view` maps canvas units to px of the frame. */
export interface Preparation {
  readonly view: Matrix;
  readonly setter: Pick<TextSetter, 'layout'>;
  readonly frame: Size;
}

/** A picture that an object shows. */
export interface PictureRequest {
  readonly object: ImageObject;
  /** For a picture of `natural` px: the part that is shown, `null` for all of it, and the px that it needs. */
  readonly place: (natural: Size) => { readonly target: Size; readonly window: Rect | null };
}

/** Its answer: the picture's own size, and the part as asked. `null` leaves the object empty. */
export type PictureAnswer = { readonly natural: Size; readonly canvas: object } | null;

/** Asks for each picture, and returns the drawable; the caller decides whether it waits for pictures. */
export type Preparing = Generator<PictureRequest, Drawable, PictureAnswer>;

/** Prepares one object. */
export function* prepare(object: SceneObject, view: Matrix, tools: Preparation): Preparing {
  if (object.type === 'text' || object.type === 'textbox') return yield* prepareText(object, view, tools);
  if (object.type === 'image') return yield* prepareImage(object, view, tools);
  const size = { width: object.width, height: object.height };
  const matrix = placeObject(object, size);
  const inner = multiply(view, matrix);
  const children: Drawable[] = [];
  if (object.type === 'group') {
    for (const child of object.objects) children.push(yield* prepare(child, inner, tools));
  }
  const clip = yield* prepareClip(object, inner, tools);
  return { object, size, matrix, layout: null, picture: null, children, clip };
}

/** Prepares an object's clip path; `inner` maps the object's own space to px. */
export function* prepareClip(
  { clip }: Pick<SceneObject, 'clip'>,
  inner: Matrix,
  tools: Preparation,
): Generator<PictureRequest, Drawable | null, PictureAnswer> {
  if (clip === null) return null;
  if (!clip.absolutePositioned) return yield* prepare(clip, inner, tools);
  // Converted to the clipped object's space, so that painting handles a single kind of clip.
  const prepared = yield* prepare(clip, tools.view, tools);
  return { ...prepared, matrix: multiply(invert(inner), multiply(tools.view, prepared.matrix)) };
}

function* prepareText(object: TextObject, view: Matrix, tools: Preparation): Preparing {
  const layout = tools.setter.layout(object);
  const size = { width: layout.width, height: object.fit ? Math.max(layout.height, object.height) : layout.height };
  const matrix = placeObject(object, size);
  const clip = yield* prepareClip(object, multiply(view, matrix), tools);
  return { object, size, matrix, layout, picture: null, children: [], clip };
}

function* prepareImage(object: ImageObject, view: Matrix, tools: Preparation): Preparing {
  const answer = yield {
    object,
    place: (natural) => {
      const { size, box } = pictureBox(object, natural);
      const [a, b, c, d] = multiply(view, placeObject(object, size));
      const target = limitSize(
        { width: box.width * Math.hypot(a, b), height: box.height * Math.hypot(c, d) },
        { width: tools.frame.width * 2, height: tools.frame.height * 2 },
      );
      return { target, window: windowOf(object, natural, size) };
    },
  };
  const { size, box } = pictureBox(object, answer?.natural ?? object);
  const matrix = placeObject(object, size);
  const picture = answer && { canvas: answer.canvas, box: { x: -box.width / 2, y: -box.height / 2, ...box } };
  const clip = yield* prepareClip(object, multiply(view, matrix), tools);
  return { object, size, matrix, layout: null, picture, children: [], clip };
}

/** The size of a picture object, and of the part of its box that the picture fills. */
function pictureBox(object: ImageObject, natural: Size): { readonly size: Size; readonly box: Size } {
  const { width, height } = natural;
  // If only one side is given, the picture keeps its aspect ratio.
  const size = {
    width: object.width || (object.height ? (object.height * width) / height : width),
    height: object.height || (object.width ? (object.width * height) / width : height),
  };
  return { size, box: object.crop === null && object.fit === 'contain' ? fitInside(natural, size) : size };
}

/** The part of a picture that its object shows; `null`: all of it. */
function windowOf(object: ImageObject, natural: Size, size: Size): Rect | null {
  if (object.crop !== null) return { ...object.crop, ...size };
  return object.fit === 'cover' ? coverOf(natural, size) : null;
}

/** Largest size with `inner`'s aspect ratio inside `outer`. */
function fitInside(inner: Size, outer: Size): Size {
  const scale = Math.min(outer.width / inner.width, outer.height / inner.height);
  return { width: inner.width * scale, height: inner.height * scale };
}

/** The largest centred window of `picture` with the aspect ratio of `box`, in px of the picture. */
export function coverOf(picture: Size, box: Size): Rect {
  const scale = Math.min(picture.width / box.width, picture.height / box.height);
  const [width, height] = [box.width * scale, box.height * scale];
  return { x: (picture.width - width) / 2, y: (picture.height - height) / 2, width, height };
}

/** Pictures are decoded at no more than twice the frame size, because more would not be visible. */
function limitSize(size: Size, limit: Size): Size {
  const scale = Math.min(1, limit.width / size.width, limit.height / size.height);
  return { width: size.width * scale, height: size.height * scale };
}

/** Every pixel that painting `drawable` can touch, in px of the frame, unclipped. */
export function extentOf(drawable: Drawable, view: Matrix): Rect {
  const { object, size } = drawable;
  const inner = multiply(view, drawable.matrix);
  let box: Rect = { x: -size.width / 2, y: -size.height / 2, ...size };
  if (drawable.layout !== null) {
    // Letters overhang their advance boxes: swashes, italics, accents on capitals.
    const largest = Math.max(0, ...drawable.layout.lines.map((line) => line.height));
    box = grow(box, largest * 0.5);
    const widest = Math.max(0, ...drawable.layout.lines.map((line) => line.width));
    if (widest > box.width) box = grow(box, (widest - size.width) / 2 + largest);
  }
  if (object.type === 'path') {
    // Path data may exceed the declared box; clipping to the frame limits the cost.
    box = grow(box, Math.max(size.width, size.height, 4));
  }
  // A mitred corner extends further than half a stroke; canvas limits it to ten times.
  const reach = strokeReach(object) * (object.strokeJoin === 'miter' && object.type !== 'rect' ? 5 : 1);
  let extent = grow(boundsOf(inner, grow(box, reach)), 1);
  for (const child of drawable.children) extent = unite(extent, extentOf(child, inner));
  if (object.shadow !== null) {
    const scale = scaleOf(inner);
    const { blur, offsetX, offsetY } = object.shadow;
    const shadow = grow(extent, blur * scale * 1.5);
    extent = unite(extent, { ...shadow, x: shadow.x + offsetX * scale, y: shadow.y + offsetY * scale });
  }
  return extent;
}

function strokeReach(object: SceneObject): number {
  if (object.type !== 'text' && object.type !== 'textbox') return object.strokeWidth / 2;
  return Math.max(object.strokeWidth, ...object.ranges.map((range) => range.style.strokeWidth ?? 0)) / 2;
}
