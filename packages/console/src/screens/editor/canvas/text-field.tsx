import type { TextSetter } from '@figurehead/presenter/painting';
import { type CanvasObject, objectTypeOf } from '@figurehead/sdk/document';
import { useInputState } from '@mantine/hooks';
import { useLayoutEffect, useMemo, useRef } from 'react';
import { drawableOf, fontStack, sceneOf, shareOf } from '../../../shell/slide-painting.js';

/** Edits a text in place with its own font; Escape or leaving the field ends it. */
export function TextField(props: {
  readonly object: CanvasObject;
  readonly setter: TextSetter;
  readonly scale: number;
  readonly onDone: (text: string) => void;
}) {
  const { object, setter, scale, onDone } = props;
  const [text, setText] = useInputState(object.text ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  const wraps = objectTypeOf(object.type) === 'textbox';
  const [scaleX, scaleY] = [(object.scaleX ?? 1) * scale, (object.scaleY ?? 1) * scale];
  const { width = 0, height = 0 } = object;
  const letters = useLetters(object, setter);
  // Its height follows its lines; its width is that of its box or, without wrapping, of its longest line.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is measured again whenever the text or the scale changes
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = '0';
    element.style.height = `${element.scrollHeight}px`;
    if (wraps) return;
    element.style.width = '0';
    element.style.width = `${element.scrollWidth + 4}px`;
  }, [text, scaleX, wraps]);
  const [originX, originY] = [shareOf(object.originX) * width * scaleX, shareOf(object.originY) * height * scaleY];
  return (
    <textarea
      ref={field}
      className="fh-stage-text"
      aria-label="Text"
      // biome-ignore lint/a11y/noAutofocus: opened by the user to type
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      value={text}
      onChange={setText}
      onBlur={() => onDone(text)}
      onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      style={{
        left: (object.left ?? 0) * scale - originX,
        top: (object.top ?? 0) * scale - originY + letters.rise * scaleY,
        transform: `rotate(${object.angle ?? 0}deg)`,
        transformOrigin: `${originX}px ${originY}px`,
        whiteSpace: wraps ? 'pre-wrap' : 'pre',
        ...(wraps && { width: width * scaleX }),
        fontSize: letters.size * scaleY,
        fontFamily: fontStack(object.fontFamily),
        fontWeight: letters.weight,
        fontStyle: object.fontStyle === 'italic' ? 'italic' : 'normal',
        textDecoration: object.underline === true ? 'underline' : 'none',
        textAlign: (object.textAlign ?? 'left') as 'left',
        lineHeight: letters.pitch,
        color: typeof object.fill === 'string' ? object.fill : '#000000',
      }}
    />
  );
}

/** Size, weight and line pitch of a text as it is drawn, and how far below the field's first line the drawn one is. */
function useLetters(object: CanvasObject, setter: TextSetter) {
  return useMemo(() => {
    const scene = sceneOf(object);
    const line = scene && drawableOf(scene, setter, new Map()).layout?.lines[0];
    const size = line?.runs[0]?.style.fontSize ?? object.fontSize ?? 40;
    const weight = line?.runs[0]?.style.fontWeight ?? 400;
    const pitch = (line?.height ?? size) / size;
    const ctx = document.createElement('canvas').getContext('2d');
    if (!ctx || !line) return { size, weight, pitch, rise: 0 };
    ctx.font = `${weight} ${size}px ${fontStack(object.fontFamily)}`;
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = ctx.measureText('x');
    // Browsers put the letters into the middle of their line.
    return { size, weight, pitch, rise: line.baseline - (line.height - above - below) / 2 - above };
  }, [object, setter]);
}
