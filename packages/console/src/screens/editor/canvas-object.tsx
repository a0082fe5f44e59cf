import { type CanvasObject, type ObjectType, objectTypeOf } from '@figurehead/sdk/document';
import type Konva from 'konva';
import { Group as KonvaGroup } from 'konva/lib/Group.js';
import 'konva/lib/shapes/Ellipse.js';
import 'konva/lib/shapes/Image.js';
import 'konva/lib/shapes/Line.js';
import 'konva/lib/shapes/Rect.js';
import 'konva/lib/shapes/Text.js';
import type { ReactNode } from 'react';
import { Ellipse, Group, Image, Line, Rect, Text } from 'react-konva/lib/ReactKonvaCore.js';
import { isText } from './document.js';
import { coverCrop, useClip, usePicture } from './use-picture.js';

/** How an object was dragged, turned or stretched: the properties that changed. */
export type Placement = Partial<Pick<CanvasObject, 'left' | 'top' | 'scaleX' | 'scaleY' | 'angle' | 'width'>>;

/** Where a node of the canvas is now. */
export function placementOf(node: Konva.Node): Placement {
  return {
    left: round(node.x()),
    top: round(node.y()),
    scaleX: round(node.scaleX()),
    scaleY: round(node.scaleY()),
    angle: round(node.rotation()),
  };
}

/** One object of the canvas, where Fabric would draw it. */
export function CanvasItem(props: {
  readonly object: CanvasObject;
  readonly index: number;
  readonly avatarPicture: string | undefined;
  readonly hidden: boolean;
  /** See `useFontRevision`. */
  readonly fonts: number;
  /** `more`: with Shift, beside what is selected already. */
  readonly onSelect: (more: boolean) => void;
  /** `free`: with Alt, without being drawn to other objects. */
  readonly onDrag: (node: Konva.Node, free: boolean) => void;
  readonly onPlace: (node: Konva.Node, placement: Placement) => void;
  readonly onEdit: () => void;
}) {
  const { object, index, onSelect, onDrag, onPlace, onEdit } = props;
  const { width = 0, height = 0 } = object;
  const [scaleX, scaleY] = [object.scaleX ?? 1, object.scaleY ?? 1];
  const showCursor = (event: Konva.KonvaEventObject<MouseEvent>, cursor: string) => {
    const container = event.target.getStage()?.container();
    if (container) container.style.cursor = cursor;
  };
  return (
    <Group
      id={`object-${index}`}
      x={object.left ?? 0}
      y={object.top ?? 0}
      offsetX={originOf(object.originX) * width}
      offsetY={originOf(object.originY) * height}
      scaleX={scaleX}
      scaleY={scaleY}
      rotation={object.angle ?? 0}
      opacity={object.opacity ?? 1}
      visible={!props.hidden}
      draggable
      onMouseEnter={(event) => showCursor(event, 'move')}
      onMouseLeave={(event) => showCursor(event, '')}
      onMouseDown={(event) => onSelect(event.evt.shiftKey)}
      onTouchStart={() => onSelect(false)}
      onDblTap={onEdit}
      onDragMove={(event) => onDrag(event.target, event.evt.altKey)}
      onDragEnd={(event) => onPlace(event.target, placementOf(event.target))}
      onTransform={(event) => {
        onDrag(event.target, true);
        const words = isText(object) && widened(event);
        if (!words) return;
        // A text grows wider instead of being stretched, as Fabric does it.
        words.width(Math.max(20, (words.width() * event.target.scaleX()) / scaleX));
        event.target.scaleX(scaleX);
      }}
      onTransformEnd={(event) => {
        const words = isText(object) && widened(event);
        onPlace(event.target, {
          ...placementOf(event.target),
          ...(words ? { width: round(words.width()) } : {}),
        });
      }}
    >
      <Drawing key={isText(object) ? props.fonts : 0} object={object} avatarPicture={props.avatarPicture} />
    </Group>
  );
}

/** The text of a group whose side handle is being pulled. */
function widened(event: Konva.KonvaEventObject<Event>): Konva.Text | undefined {
  const anchor = event.target.getStage()?.findOne<Konva.Transformer>('Transformer')?.getActiveAnchor();
  if (anchor !== 'middle-left' && anchor !== 'middle-right') return undefined;
  return event.target instanceof KonvaGroup ? event.target.findOne<Konva.Text>('Text') : undefined;
}

interface DrawingProps {
  readonly object: CanvasObject;
  readonly avatarPicture: string | undefined;
}

function Drawing(props: DrawingProps): ReactNode {
  const type = objectTypeOf(props.object.type);
  const Drawn = type === undefined ? KeptPlace : DRAWINGS[type];
  return <Drawn {...props} />;
}

const DRAWINGS = {
  text: Words,
  textbox: Words,
  image: ({ object }) => <Picture src={object.src ?? undefined} {...boxOf(object)} />,
  rect: ({ object }) => <Rect {...boxOf(object)} cornerRadius={Number(object.rx ?? 0)} {...paintOf(object)} />,
  circle: Round,
  ellipse: Round,
  triangle: KeptPlace,
  line: KeptPlace,
  path: KeptPlace,
  polygon: KeptPlace,
  polyline: KeptPlace,
  group: KeptPlace,
  avatar: ({ object, avatarPicture }) => (
    <Picture src={avatarPicture} {...boxOf(object)} round={object.shape === 'circle'} />
  ),
  video: ({ object }) => <Clip src={object.src ?? undefined} {...boxOf(object)} />,
} as const satisfies Readonly<Record<ObjectType, (props: DrawingProps) => ReactNode>>;

function boxOf({ width = 0, height = 0 }: CanvasObject): { width: number; height: number } {
  return { width, height };
}

function paintOf({ fill, stroke, strokeWidth }: CanvasObject) {
  const outline = typeof stroke === 'string' ? { stroke, strokeWidth: Number(strokeWidth ?? 1) } : {};
  return { fill: typeof fill === 'string' ? fill : '#000000', ...outline };
}

function Words({ object }: DrawingProps) {
  return (
    <Text
      text={object.text ?? ''}
      {...(objectTypeOf(object.type) === 'textbox' && { width: boxOf(object).width })}
      fontSize={object.fontSize ?? 40}
      fontFamily={fontStack(object.fontFamily)}
      fontStyle={`${object.fontStyle === 'italic' ? 'italic ' : ''}${fontWeightOf(object)}`}
      textDecoration={object.underline === true ? 'underline' : ''}
      align={object.textAlign ?? 'left'}
      lineHeight={Number(object.lineHeight ?? 1.16)}
      fill={paintOf(object).fill}
    />
  );
}

function Round({ object }: DrawingProps) {
  const { width, height } = boxOf(object);
  const [w, h] = [width || Number(object.radius ?? 0) * 2, height || Number(object.radius ?? 0) * 2];
  return <Ellipse x={w / 2} y={h / 2} radiusX={w / 2} radiusY={h / 2} {...paintOf(object)} />;
}

/** What the editor does not draw keeps its place. */
function KeptPlace({ object }: DrawingProps) {
  return (
    <>
      <Rect {...boxOf(object)} fill="#00000018" stroke="#6d6960" strokeWidth={1} dash={[5, 4]} />
      <Text text={object.type} {...boxOf(object)} align="center" verticalAlign="middle" fontSize={13} fill="#22211e" />
    </>
  );
}

function Picture(props: { src: string | undefined; width: number; height: number; round?: boolean }) {
  const { src, width, height } = props;
  const image = usePicture(src);
  if (!image)
    return <Rect width={width} height={height} fill="#00000014" stroke="#92908188" strokeWidth={1} dash={[5, 4]} />;
  const crop = coverCrop(image, { width, height });
  return (
    <Image
      image={image}
      width={width}
      height={height}
      crop={crop}
      cornerRadius={props.round ? Math.min(width, height) / 2 : 0}
    />
  );
}

/** A clip shows its first picture and a mark that it moves. */
function Clip({ src, width, height }: { src: string | undefined; width: number; height: number }) {
  const video = useClip(src);
  const mark = Math.min(width, height) * 0.14;
  const triangle = [-mark * 0.4, -mark * 0.5, -mark * 0.4, mark * 0.5, mark * 0.6, 0];
  return (
    <>
      {video ? (
        <Image image={video} width={width} height={height} />
      ) : (
        <Rect width={width} height={height} fill="#00000022" stroke="#92908188" strokeWidth={1} dash={[5, 4]} />
      )}
      <Group x={width / 2} y={height / 2} listening={false}>
        <Ellipse radiusX={mark} radiusY={mark} fill="#000000a0" />
        <Line points={triangle} closed fill="#ffffff" />
      </Group>
    </>
  );
}

/** A text's weight as CSS has it. */
export function fontWeightOf({ fontWeight }: CanvasObject): string {
  return String(fontWeight ?? 'normal');
}

/** Families are bundled under their variable names. */
export function fontStack(family: string | null | undefined): string {
  const name = family ?? 'Times New Roman';
  return `"${name}", "${name} Variable", "Inter Variable", sans-serif`;
}

/** Where an origin is on its side: 0 left or top, 1 right or bottom. */
export function originOf(origin: unknown): number {
  if (typeof origin === 'number') return origin;
  if (origin === 'center') return 0.5;
  return origin === 'right' || origin === 'bottom' ? 1 : 0;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
