import type { TextSetter } from '@figurehead/presenter/painting';
import type { CanvasObject } from '@figurehead/sdk/document';
import type Konva from 'konva';
import { Group as KonvaGroup } from 'konva/lib/Group.js';
import { memo } from 'react';
import { Group } from 'react-konva/lib/ReactKonvaCore.js';
import type { ShownPresenter } from '../../../shell/slide-painting.js';
import { isText } from '../document.js';
import { Drawing, transformOf, useShown } from './canvas-drawings.js';

/** The properties that change when an object is moved, rotated or resized. */
export type ObjectPlacement = Partial<Pick<CanvasObject, 'left' | 'top' | 'scaleX' | 'scaleY' | 'angle' | 'width'>>;

/** Current placement of a canvas node. */
export function placementOf(node: Konva.Node): ObjectPlacement {
  return {
    left: round(node.x()),
    top: round(node.y()),
    scaleX: round(node.scaleX()),
    scaleY: round(node.scaleY()),
    angle: round(node.rotation()),
  };
}

/** One object of the canvas, drawn as rendering does. It is drawn again only when it changes itself. */
export const CanvasItem = memo(function CanvasItem(props: {
  readonly object: CanvasObject;
  readonly index: number;
  readonly presenter: ShownPresenter | undefined;
  readonly hidden: boolean;
  /** Another one when fonts have loaded. */
  readonly setter: TextSetter;
  /** `more` (with Shift) adds to the selection. */
  readonly onSelect: (index: number, more: boolean) => void;
  /** `free` (with Alt) disables snapping. */
  readonly onDrag: (node: Konva.Node, free: boolean) => void;
  readonly onPlace: (node: Konva.Node, placement: ObjectPlacement) => void;
  readonly onEdit: (index: number) => void;
}) {
  const { object, index, onSelect, onDrag, onPlace, onEdit } = props;
  const { scaleX = 1 } = object;
  const shown = useShown(object, props.setter, props.presenter);
  const locked = object.locked === true;
  const showCursor = (event: Konva.KonvaEventObject<MouseEvent>, cursor: string) => {
    const container = event.target.getStage()?.container();
    if (container) container.style.cursor = cursor;
  };
  return (
    <Group
      id={`object-${index}`}
      {...transformOf(object, shown.drawable)}
      visible={!props.hidden}
      draggable={!locked}
      onMouseEnter={(event) => showCursor(event, locked ? 'default' : 'move')}
      onMouseLeave={(event) => showCursor(event, '')}
      onMouseDown={(event) => onSelect(index, event.evt.shiftKey)}
      onTouchStart={() => onSelect(index, false)}
      onDblTap={() => onEdit(index)}
      onDragMove={(event) => onDrag(event.target, event.evt.altKey)}
      onDragEnd={(event) => onPlace(event.target, placementOf(event.target))}
      onTransform={(event) => {
        onDrag(event.target, true);
        const words = isText(object) && widened(event);
        if (!words) return;
        // As in Fabric, resizing a text changes its width instead of its scale.
        words.width(Math.max(20, (words.width() * event.target.scaleX()) / scaleX));
        event.target.scaleX(scaleX);
      }}
      onTransformEnd={(event) => {
        const words = isText(object) && widened(event);
        onPlace(event.target, {
          ...placementOf(event.target),
          ...(words ? { width: round(words.width()) } : {}),
        });
      }}
    >
      <Drawing object={object} shown={shown} />
    </Group>
  );
});

/** The drawing of the text whose side handle is dragged. */
function widened(event: Konva.KonvaEventObject<Event>): Konva.Shape | undefined {
  const anchor = event.target.getStage()?.findOne<Konva.Transformer>('Transformer')?.getActiveAnchor();
  if (anchor !== 'middle-left' && anchor !== 'middle-right') return undefined;
  return event.target instanceof KonvaGroup ? event.target.findOne<Konva.Shape>('.drawing') : undefined;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
