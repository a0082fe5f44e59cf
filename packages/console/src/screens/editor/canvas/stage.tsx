import type { TextSetter } from '@figurehead/presenter/painting';
import type { Slide } from '@figurehead/sdk';
import type { CanvasObject, CanvasSize } from '@figurehead/sdk/document';
import { Loader } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type Konva from 'konva';
import 'konva/lib/shapes/Line.js';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Group, Layer, Line, Rect, Stage } from 'react-konva/lib/ReactKonvaCore.js';
import { useFontRevision } from '../../../api/fonts.js';
import { backdropOf, openSetter, type ShownPresenter, unplacedPresenter } from '../../../shell/slide-painting.js';
import type { PresenterPicture } from '../../../shell/slide-sketch.js';
import { usePictures } from '../../../shell/use-pictures.js';
import { changeObjects, isCroppable, isPresenter, isText, objectsOf, placed } from '../document.js';
import { ObjectMenu } from '../menus.js';
import { useEditor, useEditorState } from '../store.js';
import { Drawing, transformOf, useShown } from './canvas-drawings.js';
import { CanvasItem } from './canvas-object.js';
import { CropFrame, useCropped } from './crop-frame.js';
import { Handles, MARGIN_PX } from './handles.js';
import { RubberBand, useRubberBand } from './rubber-band.js';
import { TextField } from './text-field.js';
import { drawnBox, useDragging } from './use-dragging.js';
import { usePointer } from './use-pointer.js';

/** Snapping distance of a dragged object, screen px. */
const SNAP_PX = 6;

/** The canvas of one slide: select, drag, rotate, resize, double-click to edit text. Arrow keys move objects. */
export function SlideStage(props: {
  readonly slide: Slide;
  readonly size: CanvasSize;
  readonly look: PresenterPicture | undefined;
}) {
  const { slide, size, look } = props;
  const { select, nudge, change, crop, store } = useEditor();
  const selected = useEditorState((state) => state.selected);
  const { ref, width } = useElementSize<HTMLDivElement>();
  const scale = Math.max(width, 1) / size.width;
  const [writing, setWriting] = useState<number | null>(null);
  const objects = objectsOf(slide);
  const fonts = useFontRevision(objects.flatMap((object) => (isText(object) ? (object.fontFamily ?? []) : [])));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one when fonts have loaded
  const setter = useMemo(openSetter, [fonts]);
  const picture = usePictures(look ? [look.src] : []).get(look?.src ?? '');
  const shownPresenter = useMemo(() => picture && look && { picture, head: look.head }, [picture, look]);
  const drag = useDragging(objects.length, SNAP_PX / scale, size);
  const band = useRubberBand(objects);
  const konva = useRef<Konva.Stage>(null);
  const presenter = unplacedPresenter(slide, size);
  const { canvas } = slide;
  const backdrop = useMemo(() => backdropOf(canvas, size), [canvas, size]);
  const pointer = usePointer(konva, objects);
  const cropping = useCropped();
  useEffect(() => {
    store.setState({
      measure: (index) => {
        const node = konva.current?.findOne(`#object-${index}`);
        return node && drawnBox(node);
      },
    });
  }, [store]);

  /** Words of a text and the part of a picture are changed on the canvas. */
  const edit = useCallback(
    (index: number) => {
      const { draft, at, selected: all } = store.getState();
      const object = draft.slides[at] && objectsOf(draft.slides[at])[index];
      if (!object || all.length !== 1) return;
      if (isText(object)) setWriting(index);
      else if (isCroppable(object)) crop(index);
    },
    [store, crop],
  );
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || selected.length === 0) return;
    const step = event.shiftKey ? 10 : 1;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (by) nudge(by[0] ?? 0, by[1] ?? 0);
    else if (event.key === 'Enter') cropping === null ? edit(selected[0] ?? -1) : select(null);
    else return;
    event.preventDefault();
  };
  const isEmpty = ({ target }: Konva.KonvaEventObject<Event>) => target === konva.current;

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
      onDoubleClick={() => edit(store.getState().selected[0] ?? -1)}
      onContextMenu={pointer.openMenu}
      onDragOver={(event) => event.preventDefault()}
      onDrop={pointer.drop}
      aria-busy={pointer.isUploading}
      aria-label="Slide canvas. Choose an object in the list next to it, move it with the arrow keys. Press ? for all shortcuts."
    >
      {width > 0 && (
        <Stage
          ref={konva}
          // The handles of objects at the edge are beside the slide.
          style={{ position: 'absolute', inset: -MARGIN_PX }}
          width={width + 2 * MARGIN_PX}
          height={size.height * scale + 2 * MARGIN_PX}
          x={MARGIN_PX}
          y={MARGIN_PX}
          scaleX={scale}
          scaleY={scale}
          onMouseDown={(event) => isEmpty(event) && band.begin(event)}
          onTouchStart={(event) => isEmpty(event) && select(null)}
        >
          {/* A layer of its own: while an object is dragged, its pictures are not drawn again. */}
          <Layer>
            {backdrop.map((object, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the colour, and what is above it
              <Plain key={index} object={object} setter={setter} presenter={undefined} />
            ))}
          </Layer>
          <Layer clipX={0} clipY={0} clipWidth={size.width} clipHeight={size.height}>
            {objects.map((object, index) => (
              <CanvasItem
                // biome-ignore lint/suspicious/noArrayIndexKey: objects need no id; their place is what names them
                key={index}
                object={object}
                index={index}
                presenter={isPresenter(object) ? shownPresenter : undefined}
                hidden={writing === index || cropping === index}
                setter={setter}
                onSelect={select}
                onDrag={drag.move}
                onPlace={drag.end}
                onEdit={edit}
              />
            ))}
            {presenter && <UnplacedPresenter object={presenter} setter={setter} presenter={shownPresenter} />}
          </Layer>
          <Layer>
            <Handles {...{ objects, selected, size, scale }} hidden={writing !== null || cropping !== null} />
            {cropping !== null && objects[cropping] && <CropFrame object={objects[cropping]} index={cropping} />}
            <RubberBand band={band.band} scale={scale} />
            <GuideLines size={size} scale={scale} />
          </Layer>
        </Stage>
      )}
      {pointer.isUploading && (
        <Loader pos="absolute" top={10} right={10} size="sm" role="status" aria-label="Uploading" />
      )}
      <ObjectMenu {...pointer.menu} />
      {writing !== null && objects[writing] && (
        <TextField
          object={objects[writing]}
          setter={setter}
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

interface PlainProps {
  readonly object: CanvasObject;
  readonly setter: TextSetter;
  readonly presenter: ShownPresenter | undefined;
}

/** An object that cannot be pressed. */
function Plain({ object, setter, presenter }: PlainProps) {
  const shown = useShown(object, setter, presenter);
  return (
    <Group {...transformOf(object, shown.drawable)} listening={false}>
      <Drawing object={object} shown={shown} />
    </Group>
  );
}

/** The presenter of a slide without a presenter object, where rendering puts it. A press makes it an object, which can be dragged at once. */
function UnplacedPresenter(props: PlainProps) {
  const { selectPresenter, store } = useEditor();
  const { left = 0, top = 0, width = 0, height = 0 } = props.object;
  const press = (event: Konva.KonvaEventObject<Event>) => {
    const stage = event.target.getStage();
    flushSync(selectPresenter);
    stage?.findOne(`#object-${store.getState().selected[0]}`)?.startDrag();
  };
  return (
    <Group>
      <Plain {...props} />
      {/* Where the person is: objects beside the head can be pressed. */}
      <Rect
        x={left + width * 0.28}
        y={top + height * 0.1}
        width={width * 0.44}
        height={height * 0.9}
        onMouseDown={press}
        onTouchStart={press}
      />
    </Group>
  );
}
