import type { KeyboardEvent, PointerEvent } from 'react';
import { useEditorState } from '../store.js';
import type { SlideClock } from './spans.js';

/** Keyboard step, seconds: one frame at 25 frames/s, ten times as much with Shift. */
const STEP = 0.04;

/** The ruler of the timeline and the playhead. Dragging and the arrow keys scrub. */
export function Playhead(props: {
  readonly clock: SlideClock;
  /** Px per second. */
  readonly scale: number;
  readonly onScrub: (second: number) => void;
}) {
  const { clock, scale, onScrub } = props;
  const playhead = useEditorState((state) => state.playhead);
  const at = Math.min(playhead, clock.length);
  const scrub = (event: PointerEvent<HTMLDivElement>) =>
    onScrub((event.clientX - event.currentTarget.getBoundingClientRect().left) / scale);
  const press = (event: KeyboardEvent) => {
    const step = STEP * (event.shiftKey ? 10 : 1);
    const to = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: clock.length }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onScrub(to);
  };
  const every = scale >= 70 ? 1 : scale >= 30 ? 2 : 5;
  const ticks = Array.from({ length: Math.floor(clock.length / every) + 1 }, (_one, index) => index * every);
  return (
    <>
      <div
        className="fh-ruler"
        role="slider"
        tabIndex={0}
        aria-label="Second of the slide"
        aria-valuemin={0}
        aria-valuemax={Number(clock.length.toFixed(2))}
        aria-valuenow={Number(at.toFixed(2))}
        aria-valuetext={`${at.toFixed(1)} s`}
        onKeyDown={press}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          scrub(event);
        }}
        onPointerMove={(event) => event.buttons > 0 && scrub(event)}
      >
        {ticks.map((second) => (
          <span key={second} className="fh-tick" style={{ left: second * scale }}>
            {second} s
          </span>
        ))}
      </div>
      <div className="fh-playhead" style={{ left: at * scale }} />
    </>
  );
}
