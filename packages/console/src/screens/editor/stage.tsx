import type { Slide } from '@figurehead/sdk';
import type { CanvasObject, CanvasSize } from '@figurehead/sdk/document';
import { useElementSize } from '@mantine/hooks';
import type Konva from 'konva';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Image, Layer, Rect, Stage, Transformer } from 'react-konva/lib/ReactKonvaCore.js';
// The canvas draws six of the library's shapes; the others stay out of the bundle.
import 'konva/lib/shapes/Transformer.js';
import { CanvasItem } from './canvas-object.js';
import { backgroundOf, isText, objectsOf } from './document.js';
import { useFontRevision } from './families.js';
import { coverCrop, usePicture } from './use-picture.js';

/** The canvas of one slide: select, drag, turn, stretch, double-click to write. Arrow keys nudge, Delete removes. */
export function SlideStage(props: {
  readonly slide: Slide;
  readonly size: CanvasSize;
  readonly avatarPicture: string | undefined;
  readonly selected: number | null;
  readonly onSelect: (index: number | null) => void;
  readonly onChange: (index: number, change: Partial<CanvasObject>, kind?: string) => void;
  readonly onRemove: (index: number) => void;
}) {
  const { slide, size, selected, onSelect, onChange } = props;
  const { ref, width } = useElementSize<HTMLDivElement>();
  const scale = Math.max(width, 1) / size.width;
  const [writing, setWriting] = useState<number | null>(null);
  const transformer = useRef<Konva.Transformer>(null);
  const objects = objectsOf(slide);
  const fonts = useFontRevision(objects.flatMap((object) => (isText(object) ? (object.fontFamily ?? []) : [])));
  const current = selected === null ? undefined : objects[selected];

  useEffect(() => {
    const handles = transformer.current;
    const node =
      selected === null || writing !== null || !current
        ? undefined
        : handles?.getStage()?.findOne(`#object-${selected}`);
    handles?.nodes(node ? [node] : []);
  }, [selected, current, writing]);

  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || selected === null || !current) return;
    const step = event.shiftKey ? 10 : 1;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (by)
      onChange(
        selected,
        { left: (current.left ?? 0) + (by[0] ?? 0), top: (current.top ?? 0) + (by[1] ?? 0) },
        `nudge-${selected}`,
      );
    else if (event.key === 'Delete' || event.key === 'Backspace') props.onRemove(selected);
    else if (event.key === 'Escape') onSelect(null);
    else if (event.key === 'Enter' && isText(current)) setWriting(selected);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={ref}
      className="fh-stage"
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a canvas has a keyboard of its own
      tabIndex={0}
      onKeyDown={press}
      aria-label="Slide canvas. Choose an object in the list beside it, move it with the arrow keys."
    >
      {width > 0 && (
        <Stage
          width={width}
          height={size.height * scale}
          scaleX={scale}
          scaleY={scale}
          onMouseDown={(event) => event.target.name() === 'ground' && onSelect(null)}
          onTouchStart={(event) => event.target.name() === 'ground' && onSelect(null)}
        >
          <Layer>
            <Ground background={backgroundOf(slide)} size={size} />
            {slide.avatar && !objects.some((object) => object.type === 'avatar') && (
              <Standing src={props.avatarPicture} size={size} alone={objects.length === 0} />
            )}
            {objects.map((object, index) => (
              <CanvasItem
                // biome-ignore lint/suspicious/noArrayIndexKey: objects need no id; their place is what names them
                key={index}
                object={object}
                index={index}
                avatarPicture={props.avatarPicture}
                hidden={writing === index}
                fonts={fonts}
                onSelect={() => onSelect(index)}
                onPlace={(placement) => onChange(index, placement)}
                onEdit={() => isText(object) && setWriting(index)}
              />
            ))}
            <Transformer
              ref={transformer}
              rotateEnabled={current?.type !== 'avatar'}
              anchorSize={9}
              anchorCornerRadius={5}
              anchorStroke="#14574b"
              borderStroke="#1c6e5f"
              rotateAnchorOffset={26}
              flipEnabled={false}
              {...(current &&
                isText(current) && {
                  enabledAnchors: [
                    'top-left',
                    'top-right',
                    'bottom-left',
                    'bottom-right',
                    'middle-left',
                    'middle-right',
                  ],
                })}
            />
          </Layer>
        </Stage>
      )}
      {writing !== null && objects[writing] && (
        <TextField
          object={objects[writing]}
          scale={scale}
          onDone={(text) => {
            onChange(writing, { text });
            setWriting(null);
          }}
        />
      )}
    </div>
  );
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

/** The presenter of a slide that gives them no place of their own, where rendering puts them. */
function Standing({ src, size, alone }: { src: string | undefined; size: CanvasSize; alone: boolean }) {
  const image = usePicture(src);
  if (!image) return null;
  const share = alone ? { x: 0.1, y: 0.06, width: 0.8, height: 0.94 } : { x: 0.47, y: 0.2, width: 0.53, height: 0.8 };
  const box = { width: share.width * size.width, height: share.height * size.height };
  return (
    <Image
      image={image}
      x={share.x * size.width}
      y={share.y * size.height}
      {...box}
      crop={coverCrop(image, box)}
      listening={false}
    />
  );
}

/** Writing in place; Escape and leaving the field end it. */
function TextField({ object, scale, onDone }: { object: CanvasObject; scale: number; onDone: (text: string) => void }) {
  const [text, setText] = useState(object.text ?? '');
  const [scaleX, scaleY] = [(object.scaleX ?? 1) * scale, (object.scaleY ?? 1) * scale];
  const fontSize = (object.fontSize ?? 40) * scaleY;
  return (
    <textarea
      className="fh-stage-text"
      aria-label="Text"
      // biome-ignore lint/a11y/noAutofocus: opened by the person, to write
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => onDone(text)}
      onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      style={{
        left: (object.left ?? 0) * scale,
        top: (object.top ?? 0) * scale,
        width: Math.max(120, (object.width ?? 200) * scaleX),
        height: Math.max(fontSize * 1.3, (text.split('\n').length + 0.4) * fontSize * 1.16),
        fontSize,
        fontFamily: object.fontFamily ?? 'inherit',
        textAlign: (object.textAlign ?? 'left') as 'left',
        lineHeight: 1.16,
      }}
    />
  );
}
