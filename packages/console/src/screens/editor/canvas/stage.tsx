import type { Slide } from '@figurehead/sdk';
import { type CanvasObject, type CanvasSize, FORMATS, namesOf, PRESENTER_PLACES } from '@figurehead/sdk/document';
import { useElementSize } from '@mantine/hooks';
import type Konva from 'konva';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Image, Layer, Line, Rect, Stage, Transformer } from 'react-konva/lib/ReactKonvaCore.js';
// Imports only the six used shapes, to keep the others out of the bundle.
import 'konva/lib/shapes/Transformer.js';
import { useFontRevision } from '../../../api/fonts.js';
import { backgroundOf, changeObjects, isText, objectsOf, placed } from '../document.js';
import { CanvasItem, type ObjectPlacement, placementOf } from './canvas-object.js';
import './font-files.js';
import { useEditor, useEditorState } from '../store.js';
import { type CanvasBox, snap } from './guides.js';
import { TextField } from './text-field.js';
import { coverCrop, usePicture } from './use-picture.js';

/** Snapping distance of a dragged object, screen px. */
const SNAP_PX = 6;

const WIDER = ['top-left', 'top-right', 'bottom-left', 'bottom-right', 'middle-left', 'middle-right'];

/** The canvas of one slide: select, drag, rotate, resize, double-click to edit text. Arrow keys move objects. */
export function SlideStage(props: {
  readonly slide: Slide;
  readonly size: CanvasSize;
  readonly avatarPicture: string | undefined;
}) {
  const { slide, size } = props;
  const { select, nudge, change, store } = useEditor();
  const selected = useEditorState((state) => state.selected);
  const { ref, width } = useElementSize<HTMLDivElement>();
  const scale = Math.max(width, 1) / size.width;
  const [writing, setWriting] = useState<number | null>(null);
  const objects = objectsOf(slide);
  const fonts = useFontRevision(objects.flatMap((object) => (isText(object) ? (object.fontFamily ?? []) : [])));
  const drag = useDragging(objects.length, SNAP_PX / scale, size);

  const write = () => {
    const [only = -1] = store.getState().selected;
    const object = objects[only];
    if (object && isText(object) && store.getState().selected.length === 1) setWriting(only);
  };
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || selected.length === 0) return;
    const step = event.shiftKey ? 10 : 1;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (by) nudge(by[0] ?? 0, by[1] ?? 0);
    else if (event.key === 'Enter') write();
    else return;
    event.preventDefault();
  };
  const clear = (event: Konva.KonvaEventObject<Event>) => event.target.name() === 'ground' && select(null);

  return (
    <div
      ref={ref}
      className="fh-stage"
      // Its height before it is measured, so that nothing below jumps.
      style={{ aspectRatio: `${size.width} / ${size.height}` }}
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the canvas handles its own keys
      tabIndex={0}
      onKeyDown={press}
      // The browser's double click, because Konva's depends on timers, which a busy page delays.
      onDoubleClick={() => write()}
      aria-label="Slide canvas. Choose an object in the list next to it, move it with the arrow keys. Press ? for all shortcuts."
    >
      {width > 0 && (
        <Stage
          width={width}
          height={size.height * scale}
          scaleX={scale}
          scaleY={scale}
          onMouseDown={clear}
          onTouchStart={clear}
        >
          {/* A layer of its own: while an object is dragged, its pictures are not drawn again. */}
          <Layer>
            <Ground background={backgroundOf(slide)} size={size} />
            {slide.avatar && !objects.some((object) => object.type === 'avatar') && (
              <DefaultPresenter src={props.avatarPicture} size={size} alone={objects.length === 0} />
            )}
          </Layer>
          <Layer>
            {objects.map((object, index) => (
              <CanvasItem
                // biome-ignore lint/suspicious/noArrayIndexKey: objects need no id; their place is what names them
                key={index}
                object={object}
                index={index}
                avatarPicture={props.avatarPicture}
                hidden={writing === index}
                fonts={fonts}
                onSelect={select}
                onDrag={drag.move}
                onPlace={drag.end}
                onEdit={setWriting}
              />
            ))}
          </Layer>
          <Layer>
            <Handles objects={objects} selected={selected} hidden={writing !== null} />
            <GuideLines size={size} scale={scale} />
          </Layer>
        </Stage>
      )}
      {writing !== null && objects[writing] && (
        <TextField
          object={objects[writing]}
          scale={scale}
          onDone={(text) => {
            change((now) =>
              changeObjects(now, store.getState().at, (list) => placed(list, new Map([[writing, { text }]]))),
            );
            setWriting(null);
          }}
        />
      )}
    </div>
  );
}

/** Dragging and resizing: snapping, live values, one change of the document at the end. */
function useDragging(count: number, reach: number, { width, height }: CanvasSize) {
  const { store, place } = useEditor();
  return useMemo(() => {
    // The other objects do not move during a drag, so they are measured once and not with every frame.
    let still: readonly CanvasBox[] | undefined;
    const boxOf = (node: Konva.Node, layer: Konva.Layer): CanvasBox =>
      node.getClientRect({ relativeTo: layer, skipShadow: true });
    const boxesBeside = (node: Konva.Node, layer: Konva.Layer): readonly CanvasBox[] => {
      const others = Array.from({ length: count }, (_one, index) => layer.findOne(`#object-${index}`));
      const boxes = others.flatMap((other) => (other && other !== node ? [boxOf(other, layer)] : []));
      return [{ x: 0, y: 0, width, height }, ...boxes];
    };
    const move = (node: Konva.Node, free: boolean) => {
      const { selected, guides: before } = store.getState();
      const layer = node.getLayer();
      let guides: ReturnType<typeof snap>['guides'] = [];
      if (!free && layer && selected.length <= 1) {
        still ??= boxesBeside(node, layer);
        const near = snap(boxOf(node, layer), still, reach);
        node.position({ x: node.x() + near.dx, y: node.y() + near.dy });
        guides = near.guides;
      }
      store.setState({ dragged: placementOf(node), guides: guides.length + before.length === 0 ? before : guides });
    };
    const end = (node: Konva.Node, own: ObjectPlacement) => {
      still = undefined;
      const { selected } = store.getState();
      const layer = node.getLayer();
      const placements = new Map<number, ObjectPlacement>();
      for (const index of selected) {
        const other = layer?.findOne(`#object-${index}`);
        if (other) placements.set(index, other === node ? own : placementOf(other));
      }
      place(placements);
    };
    return { move, end };
  }, [store, place, count, reach, width, height]);
}

/** The frame around the selection. */
function Handles(props: { objects: readonly CanvasObject[]; selected: readonly number[]; hidden: boolean }) {
  const { objects, selected, hidden } = props;
  const transformer = useRef<Konva.Transformer>(null);
  const chosen = selected.flatMap((index) => objects[index] ?? []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the frame is measured again when a selected object changes
  useEffect(() => {
    const handles = transformer.current;
    const nodes = hidden ? [] : selected.flatMap((index) => handles?.getStage()?.findOne(`#object-${index}`) ?? []);
    handles?.nodes(nodes);
  }, [selected, hidden, objects]);
  return (
    <Transformer
      ref={transformer}
      rotateEnabled={!chosen.some((object) => object.type === 'avatar')}
      anchorSize={9}
      anchorCornerRadius={5}
      anchorStroke="#14574b"
      borderStroke="#1c6e5f"
      rotateAnchorOffset={26}
      flipEnabled={false}
      {...(chosen.some((object) => object.locked === true) && { resizeEnabled: false, rotateEnabled: false })}
      {...(chosen.some(isText) && { enabledAnchors: chosen.length > 1 ? WIDER.slice(0, 4) : WIDER })}
    />
  );
}

/** The guide lines that the dragged object is aligned with. */
function GuideLines({ size, scale }: { size: CanvasSize; scale: number }) {
  const guides = useEditorState((state) => state.guides);
  return guides.map(({ axis, at }) => (
    <Line
      key={axis}
      points={axis === 'x' ? [at, 0, at, size.height] : [0, at, size.width, at]}
      stroke="#d6336c"
      strokeWidth={1 / scale}
      listening={false}
    />
  ));
}

function Ground({ background, size }: { background: string; size: CanvasSize }) {
  const isPicture = /^([a-z][a-z0-9+.-]*:|\/)/i.test(background) || background.includes('.');
  const image = usePicture(isPicture ? background : undefined);
  return (
    <>
      <Rect name="ground" {...size} fill={isPicture ? '#d9d5ca' : background} />
      {image && <Image name="ground" image={image} {...size} crop={coverCrop(image, size)} />}
    </>
  );
}

/** The presenter of a slide without a presenter object, in the default position of rendering. */
function DefaultPresenter({ src, size, alone }: { src: string | undefined; size: CanvasSize; alone: boolean }) {
  const image = usePicture(src);
  if (!image) return null;
  const format = namesOf(FORMATS).find(
    (name) => FORMATS[name].width === size.width && FORMATS[name].height === size.height,
  );
  const share = PRESENTER_PLACES[format ?? '16_9'][alone ? 'alone' : 'beside'];
  const scale = Math.min((share.width * size.width) / image.width, (share.height * size.height) / image.height);
  const [width, height] = [image.width * scale, image.height * scale];
  const x = (share.x + share.width / 2) * size.width - width / 2;
  const y = (share.y + share.height) * size.height - height;
  return <Image image={image} {...{ x, y, width, height }} listening={false} />;
}
