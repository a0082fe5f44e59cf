import type { CanvasObject } from '@figurehead/sdk/document';
import type Konva from 'konva';
import { useEffect, useRef } from 'react';
import { Group, Rect, Shape, Transformer } from 'react-konva/lib/ReactKonvaCore.js';
import { usePictures } from '../../../shell/use-pictures.js';
import { changeObjects, placed } from '../document.js';
import { useEditor, useEditorState } from '../store.js';
import { centreOf, cropOf, cropped, windowed } from './picture-crop.js';

/** Smallest side of a window, screen px: its handles stay apart. */
const SMALLEST_PX = 16;

/** The picture that is cropped on the canvas; `null` for none. Cropping ends when something else is selected, or nothing. */
export function useCropped(): number | null {
  const { store } = useEditor();
  const cropping = useEditorState((state) => state.cropping);
  const isChosen = useEditorState(({ selected }) => selected.length === 1 && selected[0] === cropping);
  useEffect(() => {
    if (!isChosen) store.setState({ cropping: null });
  }, [store, isChosen]);
  return isChosen ? cropping : null;
}

/** A picture that is cropped: the whole of it, dim beyond its window. The handles change the window, and dragging moves the picture below it. */
export function CropFrame({ object, index }: { readonly object: CanvasObject; readonly index: number }) {
  const picture = usePictures(object.src ? [object.src] : []).get(object.src ?? '');
  if (!picture) return null;
  const natural = { width: picture.naturalWidth, height: picture.naturalHeight };
  const whole = { ...object, ...cropped(object, natural, cropOf(object, natural)) };
  // Another one after each change, because Konva has moved its nodes.
  return <Frame key={JSON.stringify(whole)} picture={picture} object={whole} index={index} />;
}

function Frame(props: {
  readonly picture: HTMLImageElement;
  /** Its crop is in px of the picture. */
  readonly object: CanvasObject;
  readonly index: number;
}) {
  const { picture, object, index } = props;
  const { change, store } = useEditor();
  const [frame, sheet, handles] = [
    useRef<Konva.Rect>(null),
    useRef<Konva.Shape>(null),
    useRef<Konva.Transformer>(null),
  ];
  const { width = 0, height = 0, scaleX = 1, scaleY = 1 } = object;
  const [wide, high] = [picture.naturalWidth, picture.naturalHeight];
  const [x, y] = centreOf(object);
  useEffect(() => {
    if (frame.current) handles.current?.nodes([frame.current]);
  }, [frame, handles]);
  const keepInside = () => {
    const [node, whole] = [frame.current, sheet.current];
    if (!node || !whole) return;
    const left = Math.max(whole.x(), node.x());
    const top = Math.max(whole.y(), node.y());
    const right = Math.min(whole.x() + wide, node.x() + node.width() * node.scaleX());
    const bottom = Math.min(whole.y() + high, node.y() + node.height() * node.scaleY());
    node.setAttrs({ x: left, y: top, width: right - left, height: bottom - top, scaleX: 1, scaleY: 1 });
  };
  const finish = () => {
    const [node, whole] = [frame.current, sheet.current];
    if (!node || !whole) return;
    const part = { x: node.x() - whole.x(), y: node.y() - whole.y(), width: node.width(), height: node.height() };
    const to = windowed(object, part, { x: node.x() + part.width / 2, y: node.y() + part.height / 2 });
    const { at } = store.getState();
    change((now) => changeObjects(now, at, (list) => placed(list, new Map([[index, to]]))));
  };
  return (
    <>
      <Group
        x={x}
        y={y}
        offsetX={width / 2}
        offsetY={height / 2}
        rotation={object.angle ?? 0}
        scaleX={object.flipX === true ? -scaleX : scaleX}
        scaleY={object.flipY === true ? -scaleY : scaleY}
      >
        <Shape
          ref={sheet}
          x={-Number(object.cropX)}
          y={-Number(object.cropY)}
          width={wide}
          height={high}
          draggable
          onDragMove={({ target }) => {
            target.x(Math.min(0, Math.max(width - wide, target.x())));
            target.y(Math.min(0, Math.max(height - high, target.y())));
          }}
          onDragEnd={finish}
          sceneFunc={(context, shape) => {
            const { current: node } = frame;
            context.setAttr('globalAlpha', 0.35);
            context.drawImage(picture, 0, 0, wide, high);
            if (!node) return;
            context.setAttr('globalAlpha', 1);
            context.beginPath();
            const [left, top] = [node.x() - shape.x(), node.y() - shape.y()];
            context.rect(left, top, node.width() * node.scaleX(), node.height() * node.scaleY());
            context.clip();
            context.drawImage(picture, 0, 0, wide, high);
          }}
          hitFunc={(context, shape) => {
            context.beginPath();
            context.rect(0, 0, wide, high);
            context.fillStrokeShape(shape);
          }}
          fill="#000000"
        />
        <Rect
          ref={frame}
          width={width}
          height={height}
          listening={false}
          onTransform={keepInside}
          onTransformEnd={finish}
        />
      </Group>
      <Transformer
        ref={handles}
        rotateEnabled={false}
        keepRatio={false}
        flipEnabled={false}
        anchorSize={10}
        anchorStroke="#22211e"
        borderStroke="#22211e"
        boundBoxFunc={(before, after) => (Math.min(after.width, after.height) < SMALLEST_PX ? before : after)}
      />
    </>
  );
}
