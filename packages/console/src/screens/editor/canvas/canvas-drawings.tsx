import { multiply, placeObject } from '@figurehead/presenter/geometry';
import type { Drawable, TextSetter } from '@figurehead/presenter/painting';
import { type CanvasObject, objectTypeOf } from '@figurehead/sdk/document';
import 'konva/lib/shapes/Rect.js';
import 'konva/lib/shapes/Text.js';
import type Konva from 'konva';
import { type ReactNode, useMemo } from 'react';
import { Rect, Shape, Text } from 'react-konva/lib/ReactKonvaCore.js';
import {
  drawableOf,
  paintObject,
  type Scenery,
  type ShownPresenter,
  sceneOf,
  sourcesOf,
  UNMOVED,
} from '../../../shell/slide-painting.js';
import { usePictures } from '../../../shell/use-pictures.js';
import { useClip } from './use-clip.js';

/** An object as the canvas shows it, in its own coordinates, whose origin is the upper left corner of its box. */
export interface Shown {
  readonly drawable: Drawable | undefined;
  /** The same object as a text box of another width. */
  readonly widened: (width: number) => Drawable | undefined;
  readonly scenery: Scenery;
}

/** Reads an object as rendering does, and loads what it shows. */
export function useShown(object: CanvasObject, setter: TextSetter, presenter: ShownPresenter | undefined): Shown {
  const scene = useMemo(() => sceneOf(object), [object]);
  const pictures = usePictures(scene ? sourcesOf([scene]) : []);
  const clip = useClip(scene?.type === 'video' ? scene.src : undefined);
  return useMemo(() => {
    const shown = (width?: number) =>
      scene && drawableOf({ ...scene, ...(width !== undefined && { width }) }, setter, pictures);
    return { drawable: shown(), widened: shown, scenery: { presenter, clip } };
  }, [scene, setter, pictures, presenter, clip]);
}

/** An object's transform for a Konva group whose origin is the upper left corner of its box. */
export function transformOf(object: CanvasObject, drawable: Drawable | undefined) {
  const { scaleX = 1, scaleY = 1 } = object;
  const { width, height } = drawable?.size ?? { width: object.width ?? 0, height: object.height ?? 0 };
  const { originX = 0, originY = 0, strokeWidth = 0 } = drawable?.object ?? {};
  // As in rendering, a visible stroke widens the box that has the origin, and mirroring is about its middle.
  const offset = (length: number, origin: number, scale: number) =>
    length / 2 - Math.sign(scale) * (0.5 - origin) * (length + strokeWidth);
  return {
    x: object.left ?? 0,
    y: object.top ?? 0,
    offsetX: offset(width, originX, scaleX),
    offsetY: offset(height, originY, scaleY),
    scaleX,
    scaleY,
    rotation: object.angle ?? 0,
  };
}

/** Width of the area around a thin object in which it can be pressed, canvas units. */
const PRESSED = 12;

/** Draws an object by the painter of the renderer. */
export function Drawing({ object, shown }: { readonly object: CanvasObject; readonly shown: Shown }): ReactNode {
  const { drawable } = shown;
  if (!drawable) return objectTypeOf(object.type) === undefined ? <Placeholder object={object} /> : null;
  const { size } = drawable;
  const paint = (context: Konva.Context, shape: Konva.Shape) => {
    const isWidened = drawable.layout !== null && shape.width() !== size.width;
    const wide = (isWidened && shown.widened(shape.width())) || drawable;
    const { a, b, c, d, e, f } = context._context.getTransform();
    const view = multiply([a, b, c, d, e, f], [1, 0, 0, 1, wide.size.width / 2, wide.size.height / 2]);
    paintObject(context._context, { ...wide, matrix: ownMatrix(object, wide) }, view, shown.scenery);
  };
  const { stroke, strokeWidth, fill, type } = drawable.object;
  const isHollow = type === 'line' || (fill === null && stroke !== null);
  return (
    <Shape
      name="drawing"
      width={size.width}
      height={size.height}
      sceneFunc={paint}
      hitFunc={(context, shape) => {
        context.beginPath();
        context.rect(0, 0, shape.width(), shape.height());
        context.fillStrokeShape(shape);
      }}
      // For presses only: the box, or the outline of what has no filling.
      {...(!isHollow && { fill: '#000000' })}
      {...(stroke !== null && drawable.layout === null && { stroke: '#000000', strokeWidth, hitStrokeWidth: PRESSED })}
      perfectDrawEnabled={false}
    />
  );
}

/** From an object's own space to the one of its group, which has its place, turn and scale already. */
function ownMatrix({ flipX, flipY }: CanvasObject, { object, size }: Drawable): Drawable['matrix'] {
  const { skewX, skewY } = object;
  if (!flipX && !flipY && skewX === 0 && skewY === 0) return UNMOVED;
  const middle = { left: 0, top: 0, originX: 0.5, originY: 0.5, angle: 0, scaleX: 1, scaleY: 1 };
  const own = { ...object, ...middle, flipX: flipX === true, flipY: flipY === true };
  return placeObject(own, size);
}

/** In the place of objects that are not drawn. */
function Placeholder({ object }: { readonly object: CanvasObject }) {
  const box = { width: object.width ?? 0, height: object.height ?? 0 };
  return (
    <>
      <Rect {...box} fill="#00000018" stroke="#6d6960" strokeWidth={1} dash={[5, 4]} />
      <Text text={object.type} {...box} align="center" verticalAlign="middle" fontSize={13} fill="#22211e" />
    </>
  );
}
