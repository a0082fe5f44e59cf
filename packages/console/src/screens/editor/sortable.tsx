import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  type KeyboardSensorOptions,
  MouseSensor,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { type KeyboardEvent, type ReactNode, useMemo } from 'react';

// Constants, because new options would draw every entry again: a drag starts after 6 px with the mouse, or 250 ms on a touch screen.
const MOUSE = { activationConstraint: { distance: 6 } };
const TOUCH = { activationConstraint: { delay: 250, tolerance: 8 } };
const KEYBOARD: KeyboardSensorOptions = {
  coordinateGetter: sortableKeyboardCoordinates,
  // Enter activates the entry; Space starts and ends a drag.
  keyboardCodes: { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter'] },
};

/** A list whose entries can be reordered by mouse, touch or keyboard. */
export function Sortable(props: {
  readonly ids: readonly string[];
  readonly onMove: (from: number, to: number) => void;
  readonly children: ReactNode;
}) {
  // A list with other entries, not another list with the same ones, is drawn again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the joined ids are what it depends on
  const items = useMemo(() => props.ids.map(String), [props.ids.join()]);
  const sensors = useSensors(
    useSensor(MouseSensor, MOUSE),
    useSensor(TouchSensor, TOUCH),
    useSensor(KeyboardSensor, KEYBOARD),
  );
  const end = ({ active, over }: DragEndEvent) => {
    const [from, to] = [props.ids.indexOf(String(active.id)), props.ids.indexOf(String(over?.id))];
    if (from >= 0 && to >= 0 && from !== to) props.onMove(from, to);
  };
  return (
    <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={end}>
      <SortableContext items={items} strategy={verticalListSortingStrategy}>
        {props.children}
      </SortableContext>
    </DndContext>
  );
}

/** Props that make an element an entry of a {@link Sortable}. `onStep` gets 1 or −1 for an arrow key, except while the entry is moved by them. */
export function useEntry(id: string, onStep?: (by: number) => void) {
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({ id });
  const { role: _role, tabIndex: _tabIndex, 'aria-pressed': _pressed, ...described } = attributes;
  const press = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!onStep || isDragging || by === undefined) return listeners?.onKeyDown?.(event);
    event.preventDefault();
    onStep(by);
  };
  return {
    ref: setNodeRef,
    style: {
      transform: CSS.Translate.toString(transform),
      transition,
      ...(isDragging && { zIndex: 5, opacity: 0.85 }),
    },
    ...described,
    ...listeners,
    onKeyDown: press,
  };
}
