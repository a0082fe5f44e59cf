import { type CanvasObject, ENTRANCES, type WordAnchor } from '@figurehead/sdk/document';
import { type KeyboardEvent, memo, type PointerEvent, useRef, useState } from 'react';
import { changeObjects, entranceOf, placed } from '../document.js';
import { useEditor, useEditorState } from '../store.js';
import { drawnToWord, type Moment, nextWord, type SlideClock, type SpanChange, spanOf, withSpan } from './spans.js';

/** Distance at which an edge snaps to a word, px. */
const REACH_PX = 8;
/** Minimum length of a bar, seconds. */
const SHORTEST = 0.1;
const STEP = 0.1;

type Part = 'start' | 'end' | 'whole';

/** The bar of one object in the timeline. The bar and both of its ends can be dragged or moved with the arrow keys. */
export const ObjectBar = memo(function ObjectBar(props: {
  readonly object: CanvasObject;
  readonly name: string;
  readonly index: number;
  readonly clock: SlideClock;
  /** Px per second. */
  readonly scale: number;
}) {
  const { object, name, index, clock, scale } = props;
  const { select } = useEditor();
  const selected = useEditorState((state) => state.selected.includes(index));
  const change = useSpanChange(object, index, clock);
  const [live, setLive] = useState<SpanChange>({});
  const span = spanOf(
    Object.keys(live).length ? { ...object, animation: withSpan(object, live, clock) } : object,
    clock,
  );
  const drag = useDrag({ object, clock, scale, onLive: setLive, onDone: change });
  const press = (part: 'start' | 'end') => (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key] as 1 | -1 | undefined;
    if (by === undefined) return;
    event.preventDefault();
    const now = span[part];
    const to = event.shiftKey ? nextWord(now, by, clock) : drawnToWord(now + by * STEP, clock, 0);
    change({ [part]: to }, `span-${index}-${part}`);
  };
  const entrance = entranceOf(object.animation);
  return (
    <li className="fh-span-row">
      <div
        className="fh-span"
        data-selected={selected || undefined}
        style={{ left: span.start * scale, width: Math.max(10, (span.end - span.start) * scale) }}
        onPointerDown={(event) => {
          select(index, event.shiftKey);
          drag.begin(event, 'whole');
        }}
        {...drag.follow}
      >
        {(['start', 'end'] as const).map((part) => (
          <span
            key={part}
            className="fh-span-end"
            data-part={part}
            role="slider"
            tabIndex={0}
            aria-label={`${name} ${part === 'start' ? 'appears' : 'leaves'}`}
            aria-valuemin={0}
            aria-valuemax={Number(clock.length.toFixed(2))}
            aria-valuenow={Number(span[part].toFixed(2))}
            aria-valuetext={valueText(span[part], part === 'start' ? span.startWord : span.exitWord)}
            onPointerDown={(event) => drag.begin(event, part)}
            onKeyDown={press(part)}
          />
        ))}
        <span className="fh-span-name">
          {name}
          {span.startWord && <em> at “{span.startWord.text}”</em>}
          {entrance !== 'none' && <em> · {ENTRANCES[entrance].label.toLowerCase()}</em>}
        </span>
      </div>
    </li>
  );
});

function valueText(second: number, word: WordAnchor | undefined): string {
  return `${second.toFixed(1)} s${word ? `, at “${word.text}”` : ''}`;
}

/** Returns a function that writes an object's span to the document. */
export function useSpanChange(object: CanvasObject, index: number, clock: SlideClock) {
  const { change, store } = useEditor();
  return (to: SpanChange, kind?: string) => {
    if (Object.keys(to).length === 0) return;
    const animation = withSpan(object, to, clock);
    const { at } = store.getState();
    change((now) => changeObjects(now, at, (list) => placed(list, new Map([[index, { animation }]]))), kind);
  };
}

/** Drags a bar or one of its ends: live while it moves, one change of the document at the end. */
function useDrag(options: {
  readonly object: CanvasObject;
  readonly clock: SlideClock;
  readonly scale: number;
  readonly onLive: (change: SpanChange) => void;
  readonly onDone: (change: SpanChange) => void;
}) {
  const { clock, scale } = options;
  const held = useRef<{ part: Part; x: number; start: number; end: number; change: SpanChange } | null>(null);
  const begin = (event: PointerEvent<HTMLElement>, part: Part) => {
    if (held.current) return;
    const bar = event.currentTarget.closest<HTMLElement>('.fh-span');
    bar?.setPointerCapture(event.pointerId);
    const { start, end } = spanOf(options.object, clock);
    held.current = { part, x: event.clientX, start, end, change: {} };
  };
  const move = (event: PointerEvent) => {
    const now = held.current;
    if (!now || Math.abs(event.clientX - now.x) < 2) return;
    const by = (event.clientX - now.x) / scale;
    const at = (second: number): Moment => drawnToWord(second, clock, event.altKey ? 0 : REACH_PX / scale);
    if (now.part === 'start') now.change = { start: at(Math.min(now.start + by, now.end - SHORTEST)) };
    else if (now.part === 'end') now.change = { end: at(Math.max(now.end + by, now.start + SHORTEST)) };
    else {
      const length = now.end - now.start;
      const start = at(Math.min(Math.max(0, now.start + by), clock.length - SHORTEST));
      const reachesEnd = now.end >= clock.length - 0.03;
      now.change = reachesEnd ? { start } : { start, end: drawnToWord(start.second + length, clock, 0) };
    }
    options.onLive(now.change);
  };
  const done = () => {
    const change = held.current?.change ?? {};
    held.current = null;
    options.onLive({});
    options.onDone(change);
  };
  return { begin, follow: { onPointerMove: move, onPointerUp: done, onPointerCancel: done } };
}
