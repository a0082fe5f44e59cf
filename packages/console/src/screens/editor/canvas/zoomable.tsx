import type { CanvasSize } from '@figurehead/sdk/document';
import { ActionIcon, Group, Text } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { IconMinus, IconPlus } from '../../../shell/icons.js';

const LEVELS = [0.5, 0.75, 1, 1.5, 2, 3, 4] as const;
/** Level at which the slide fits the available space. */
const FIT = LEVELS.indexOf(1);

/** A canvas that can be zoomed with wheel, keys and buttons, and panned by dragging with Space. Its frame keeps its size. */
export function Zoomable(props: { readonly size: CanvasSize; readonly hint: string; readonly children: ReactNode }) {
  const { size, hint, children } = props;
  const room = useRef<HTMLDivElement>(null);
  const [level, setLevel] = useState(FIT);
  const zoom = LEVELS[level] ?? 1;
  const step = (by: number) => setLevel((now) => Math.min(LEVELS.length - 1, Math.max(0, now + by)));
  const hand = useHand(room);
  // React's wheel listeners are passive and could not prevent the page from zooming.
  useEffect(() => {
    const element = room.current;
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      setLevel((now) => Math.min(LEVELS.length - 1, Math.max(0, now - Math.sign(event.deltaY))));
    };
    element?.addEventListener('wheel', turn, { passive: false });
    return () => element?.removeEventListener('wheel', turn);
  }, []);
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.target instanceof HTMLTextAreaElement) return;
    if (event.key === '+' || event.key === '=') step(1);
    else if (event.key === '-') step(-1);
    else if (event.key === '0') setLevel(FIT);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the canvas inside bubble up to here
    <div className="fh-zoom" onKeyDown={press} {...hand}>
      <div
        ref={room}
        className="fh-zoom-room"
        data-zoomed={zoom > 1 || undefined}
        style={{ aspectRatio: `${size.width} / ${size.height}` }}
      >
        <div style={{ flex: 'none', width: `${zoom * 100}%`, margin: 'auto' }}>{children}</div>
      </div>
      <Group gap={2} className="fh-zoom-tools" wrap="nowrap">
        <Text size="xs" c="dimmed" flex={1}>
          {hint}
        </Text>
        <ActionIcon size="sm" aria-label="Zoom out" disabled={level === 0} onClick={() => step(-1)}>
          <IconMinus size={15} />
        </ActionIcon>
        <button type="button" className="fh-zoom-level" aria-label="Fit the slide" onClick={() => setLevel(FIT)}>
          <Text span size="xs">
            {Math.round(zoom * 100)} %
          </Text>
        </button>
        <ActionIcon size="sm" aria-label="Zoom in" disabled={level === LEVELS.length - 1} onClick={() => step(1)}>
          <IconPlus size={15} />
        </ActionIcon>
      </Group>
    </div>
  );
}

/** Pans the content of `room` while Space is held and the mouse drags, before the canvas handles the event. */
function useHand(room: React.RefObject<HTMLDivElement | null>) {
  const held = useRef(false);
  const from = useRef<{ x: number; y: number } | null>(null);
  return {
    onKeyDownCapture: (event: KeyboardEvent) => {
      if (event.key !== ' ' || event.target instanceof HTMLTextAreaElement) return;
      if (event.target instanceof HTMLElement && event.target.role === 'application') event.preventDefault();
      held.current = true;
    },
    onKeyUpCapture: (event: KeyboardEvent) => {
      if (event.key === ' ') held.current = false;
    },
    onPointerDownCapture: (event: React.PointerEvent) => {
      if (!held.current) return;
      event.stopPropagation();
      from.current = { x: event.clientX, y: event.clientY };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onMouseDownCapture: (event: React.MouseEvent) => held.current && event.stopPropagation(),
    onPointerMoveCapture: (event: React.PointerEvent) => {
      if (!from.current || !room.current) return;
      room.current.scrollBy(from.current.x - event.clientX, from.current.y - event.clientY);
      from.current = { x: event.clientX, y: event.clientY };
    },
    onPointerUpCapture: () => {
      from.current = null;
    },
  };
}
