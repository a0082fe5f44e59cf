import { type CanvasObject, type CanvasSize, type ObjectType, objectTypeOf } from '@figurehead/sdk/document';
import 'konva/lib/shapes/Ellipse.js';
import 'konva/lib/shapes/Image.js';
import 'konva/lib/shapes/Line.js';
import 'konva/lib/shapes/Path.js';
import 'konva/lib/shapes/Rect.js';
import 'konva/lib/shapes/Text.js';
import type { ReactNode } from 'react';
import { Ellipse, Group, Image, Line, Path, Rect, Text } from 'react-konva/lib/ReactKonvaCore.js';
import { shareOf } from '../../../shell/slide-sketch.js';
import { gradientIn, type StoredGradient } from '../panels/gradient.js';
import { maskOf, pictureBoxes } from './picture-crop.js';
import { coverCrop, presenterFit, useClip, usePicture } from './use-picture.js';

interface DrawingProps {
  readonly object: CanvasObject;
  readonly avatarPicture: string | undefined;
}

/** Draws an object in its own coordinates, with the origin at the upper left corner of its box. */
export function Drawing(props: DrawingProps): ReactNode {
  const type = objectTypeOf(props.object.type);
  const Drawn = type === undefined ? Placeholder : DRAWINGS[type];
  return <Drawn {...props} />;
}

const DRAWINGS = {
  text: Words,
  textbox: Words,
  image: Picture,
  rect: ({ object }) => <Rect {...boxOf(object)} cornerRadius={Number(object.rx ?? 0)} {...paintOf(object)} />,
  circle: Round,
  ellipse: Round,
  triangle: ({ object }) => {
    const { width, height } = boxOf(object);
    return <Line points={[0, height, width / 2, 0, width, height]} closed {...paintOf(object)} />;
  },
  line: ({ object }) => {
    const { width, height } = boxOf(object);
    const stroke = String(object.stroke ?? object.fill ?? '#000000');
    return <Line points={[0, 0, width, height]} stroke={stroke} strokeWidth={Number(object.strokeWidth ?? 1)} />;
  },
  path: Outline,
  polygon: ({ object }) => <Corners object={object} closed />,
  polyline: ({ object }) => <Corners object={object} closed={false} />,
  group: Parts,
  avatar: ({ object, avatarPicture }) => {
    const box = boxOf(object);
    const isRound = object.shape === 'circle';
    return (
      <>
        {isRound && typeof object.fill === 'string' && (
          <Ellipse
            x={box.width / 2}
            y={box.height / 2}
            radiusX={box.width / 2}
            radiusY={box.height / 2}
            fill={object.fill}
          />
        )}
        {isRound ? <Disc src={avatarPicture} {...box} /> : <Presenter src={avatarPicture} {...box} />}
      </>
    );
  },
  video: ({ object }) => <Clip src={object.src ?? undefined} {...boxOf(object)} />,
} as const satisfies Readonly<Record<ObjectType, (props: DrawingProps) => ReactNode>>;

function boxOf({ width = 0, height = 0 }: CanvasObject): { width: number; height: number } {
  return { width, height };
}

function paintOf(object: CanvasObject) {
  const { fill, stroke, strokeWidth, strokeLineCap, strokeLineJoin } = object;
  const outline =
    typeof stroke === 'string'
      ? {
          stroke,
          strokeWidth: Number(strokeWidth ?? 1),
          lineCap: strokeLineCap ?? 'butt',
          lineJoin: strokeLineJoin ?? 'miter',
        }
      : {};
  const gradient = gradientIn(fill);
  if (gradient) return { ...gradientPaint(gradient, boxOf(object)), ...outline };
  // As in Fabric, a missing colour is black and an empty one means no fill.
  const inside = typeof fill === 'string' ? fill : fill === undefined ? '#000000' : undefined;
  return { ...(inside !== undefined && inside !== '' && { fill: inside }), ...outline };
}

/** A gradient for Konva. */
function gradientPaint({ type, gradientUnits, coords, colorStops = [] }: StoredGradient, box: CanvasSize) {
  const { x1 = 0, y1 = 0, x2 = 0, y2 = 0, r1 = 0, r2 = 0 } = coords ?? {};
  const [wide, high] = gradientUnits === 'percentage' ? [box.width, box.height] : [1, 1];
  const [start, end] = [
    { x: x1 * wide, y: y1 * high },
    { x: x2 * wide, y: y2 * high },
  ];
  const stops = colorStops.flatMap(({ offset, color }) => [offset, color]);
  if (type !== 'radial')
    return {
      fillLinearGradientStartPoint: start,
      fillLinearGradientEndPoint: end,
      fillLinearGradientColorStops: stops,
    };
  return {
    fillRadialGradientStartPoint: start,
    fillRadialGradientEndPoint: end,
    fillRadialGradientStartRadius: r1 * wide,
    fillRadialGradientEndRadius: r2 * wide,
    fillRadialGradientColorStops: stops,
  };
}

/** A text with the marks of its list. */
function listed({ text, list }: CanvasObject): string {
  const mark = list === 'bullet' ? () => '•  ' : list === 'number' ? (line: number) => `${line + 1}.  ` : undefined;
  if (!mark) return text ?? '';
  return (text ?? '')
    .split('\n')
    .map((line, index) => mark(index) + line)
    .join('\n');
}

function Words({ object }: DrawingProps) {
  return (
    <Text
      text={listed(object)}
      letterSpacing={(Number(object.charSpacing ?? 0) / 1000) * (object.fontSize ?? 40)}
      {...(objectTypeOf(object.type) === 'textbox' && { width: boxOf(object).width })}
      fontSize={object.fontSize ?? 40}
      fontFamily={fontStack(object.fontFamily)}
      fontStyle={`${object.fontStyle === 'italic' ? 'italic ' : ''}${fontWeightOf(object)}`}
      textDecoration={object.underline === true ? 'underline' : ''}
      align={object.textAlign ?? 'left'}
      lineHeight={Number(object.lineHeight ?? 1.16)}
      fill={typeof object.fill === 'string' ? object.fill : '#000000'}
    />
  );
}

function Round({ object }: DrawingProps) {
  const { width, height } = boxOf(object);
  const [w, h] = [width || Number(object.radius ?? 0) * 2, height || Number(object.radius ?? 0) * 2];
  return <Ellipse x={w / 2} y={h / 2} radiusX={w / 2} radiusY={h / 2} {...paintOf(object)} />;
}

/** A shape from SVG path data; `pathOffset` is the centre of its box. */
function Outline({ object }: DrawingProps) {
  const { width, height } = boxOf(object);
  const middle = { x: width / 2, y: height / 2, ...object.pathOffset };
  const steps = object.path;
  const data = Array.isArray(steps)
    ? steps.map((step) => (step as unknown[]).join(' ')).join(' ')
    : String(steps ?? '');
  return (
    <>
      <Rect width={width} height={height} />
      <Path data={data} x={width / 2 - middle.x} y={height / 2 - middle.y} hitStrokeWidth={12} {...paintOf(object)} />
    </>
  );
}

function Corners({ object, closed }: { readonly object: CanvasObject; readonly closed: boolean }) {
  const { width, height } = boxOf(object);
  const corners = object.points ?? [];
  const [left, top] = [Math.min(...corners.map(({ x }) => x)), Math.min(...corners.map(({ y }) => y))];
  const offset = { x: left + width / 2, y: top + height / 2, ...object.pathOffset };
  const points = corners.flatMap(({ x, y }) => [x - offset.x + width / 2, y - offset.y + height / 2]);
  return <Line points={points} closed={closed} hitStrokeWidth={12} {...paintOf(object)} />;
}

/** Objects of a group, relative to its centre. */
function Parts({ object, avatarPicture }: DrawingProps) {
  const { width, height } = boxOf(object);
  const parts = Array.isArray(object.objects) ? (object.objects as CanvasObject[]) : [];
  return (
    <>
      <Rect width={width} height={height} />
      <Group x={width / 2} y={height / 2}>
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
          <Group key={index} {...transformOf(part)} opacity={part.opacity ?? 1}>
            <Drawing object={part} avatarPicture={avatarPicture} />
          </Group>
        ))}
      </Group>
    </>
  );
}

/** An object's transform for a Konva group whose origin is the upper left corner of its box. */
export function transformOf(object: CanvasObject) {
  const { width, height } = boxOf(object);
  return {
    x: object.left ?? 0,
    y: object.top ?? 0,
    offsetX: shareOf(object.originX) * width,
    offsetY: shareOf(object.originY) * height,
    scaleX: object.scaleX ?? 1,
    scaleY: object.scaleY ?? 1,
    rotation: object.angle ?? 0,
  };
}

/** A placeholder for objects that the editor does not draw. */
function Placeholder({ object }: DrawingProps) {
  return (
    <>
      <Rect {...boxOf(object)} fill="#00000018" stroke="#6d6960" strokeWidth={1} dash={[5, 4]} />
      <Text text={object.type} {...boxOf(object)} align="center" verticalAlign="middle" fontSize={13} fill="#22211e" />
    </>
  );
}

/** The frame of a picture or clip that has not loaded. */
const ABSENT = { fill: '#00000014', stroke: '#92908188', strokeWidth: 1, dash: [5, 4] };

/** A picture, fitted, cropped and masked as in rendering. */
function Picture({ object }: DrawingProps) {
  const image = usePicture(object.src ?? undefined);
  const box = boxOf(object);
  if (!image) return <Rect {...box} {...ABSENT} />;
  const { target, window } = pictureBoxes(object, { width: image.naturalWidth, height: image.naturalHeight });
  const mask = maskOf(object);
  return (
    <Group
      {...(mask === 'circle' && {
        clipFunc: (context: { ellipse: CanvasRenderingContext2D['ellipse'] }) =>
          context.ellipse(box.width / 2, box.height / 2, box.width / 2, box.height / 2, 0, 0, 2 * Math.PI),
      })}
    >
      <Rect {...box} />
      <Image image={image} {...target} crop={window} cornerRadius={Number(object.cornerRadius ?? 0)} />
    </Group>
  );
}

interface PresenterBox {
  readonly src: string | undefined;
  readonly width: number;
  readonly height: number;
}

/** The presenter in a disc. */
function Disc({ src, width, height }: PresenterBox) {
  const image = usePicture(src);
  if (!image) return <Rect width={width} height={height} {...ABSENT} />;
  return (
    <Image
      image={image}
      width={width}
      height={height}
      crop={coverCrop(image, { width, height })}
      cornerRadius={Math.min(width, height) / 2}
    />
  );
}

/** The presenter, fitted as in rendering. The box itself stays clickable. */
function Presenter({ src, width, height }: PresenterBox) {
  const image = usePicture(src);
  if (!image) return <Rect width={width} height={height} {...ABSENT} />;
  return (
    <>
      <Rect width={width} height={height} />
      <Image image={image} {...presenterFit(image, { width, height })} />
    </>
  );
}

/** A clip, shown by its first frame with a play symbol. */
function Clip({ src, width, height }: { src: string | undefined; width: number; height: number }) {
  const video = useClip(src);
  const mark = Math.min(width, height) * 0.14;
  const triangle = [-mark * 0.4, -mark * 0.5, -mark * 0.4, mark * 0.5, mark * 0.6, 0];
  return (
    <>
      {video ? (
        <Image image={video} width={width} height={height} />
      ) : (
        <Rect width={width} height={height} {...ABSENT} fill="#00000022" />
      )}
      <Group x={width / 2} y={height / 2} listening={false}>
        <Ellipse radiusX={mark} radiusY={mark} fill="#000000a0" />
        <Line points={triangle} closed fill="#ffffff" />
      </Group>
    </>
  );
}

/** A text's weight as a CSS value. */
export function fontWeightOf({ fontWeight }: CanvasObject): string {
  return String(fontWeight ?? 'normal');
}

/** Families are bundled under their variable names. */
export function fontStack(family: string | null | undefined): string {
  const name = family ?? 'Times New Roman';
  return `"${name}", "${name} Variable", "Inter Variable", sans-serif`;
}
