import { type CanvasObject, objectTypeOf } from '@figurehead/sdk/document';
import { useInputState } from '@mantine/hooks';
import { useLayoutEffect, useRef } from 'react';
import { shareOf } from '../../../shell/slide-sketch.js';
import { fontStack, fontWeightOf } from './canvas-drawings.js';

/** Edits a text in place with its own font; Escape or leaving the field ends it. */
export function TextField(props: {
  readonly object: CanvasObject;
  readonly scale: number;
  readonly onDone: (text: string) => void;
}) {
  const { object, scale, onDone } = props;
  const [text, setText] = useInputState(object.text ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  const wraps = objectTypeOf(object.type) === 'textbox';
  const [scaleX, scaleY] = [(object.scaleX ?? 1) * scale, (object.scaleY ?? 1) * scale];
  const { width = 0, height = 0 } = object;
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
        top: (object.top ?? 0) * scale - originY,
        transform: `rotate(${object.angle ?? 0}deg)`,
        transformOrigin: `${originX}px ${originY}px`,
        whiteSpace: wraps ? 'pre-wrap' : 'pre',
        ...(wraps && { width: width * scaleX }),
        fontSize: (object.fontSize ?? 40) * scaleY,
        fontFamily: fontStack(object.fontFamily),
        fontWeight: fontWeightOf(object),
        fontStyle: object.fontStyle === 'italic' ? 'italic' : 'normal',
        textDecoration: object.underline === true ? 'underline' : 'none',
        textAlign: (object.textAlign ?? 'left') as 'left',
        lineHeight: Number(object.lineHeight ?? 1.16),
        color: typeof object.fill === 'string' ? object.fill : '#000000',
      }}
    />
  );
}
