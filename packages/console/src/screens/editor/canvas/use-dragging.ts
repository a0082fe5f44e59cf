import type { CanvasSize } from '@figurehead/sdk/document';
import type Konva from 'konva';
import { useMemo } from 'react';
import { useEditor } from '../store.js';
import { type ObjectPlacement, placementOf } from './canvas-object.js';
import { type CanvasBox, snap } from './guides.js';

/** The box of a node as it is drawn, canvas units. */
export function drawnBox(node: Konva.Node): CanvasBox {
  const layer = node.getLayer();
  return node.getClientRect({ ...(layer && { relativeTo: layer }), skipShadow: true });
}

/**
 * Dragging and resizing: snapping, live values, one change of the document at the end.
 * @param count objects of the slide.
 * @param reach distance at which an object snaps, canvas units.
 */
export function useDragging(count: number, reach: number, { width, height }: CanvasSize) {
  const { store, place } = useEditor();
  return useMemo(() => {
    // The other objects do not move during a drag, so they are measured once and not with every frame.
    let still: readonly CanvasBox[] | undefined;
    const boxesBeside = (node: Konva.Node, layer: Konva.Layer): readonly CanvasBox[] => {
      const others = Array.from({ length: count }, (_one, index) => layer.findOne(`#object-${index}`));
      const boxes = others.flatMap((other) => (other && other !== node ? [drawnBox(other)] : []));
      return [{ x: 0, y: 0, width, height }, ...boxes];
    };
    const move = (node: Konva.Node, free: boolean) => {
      const { selected, guides: before } = store.getState();
      const layer = node.getLayer();
      let guides: ReturnType<typeof snap>['guides'] = [];
      if (!free && layer && selected.length <= 1) {
        still ??= boxesBeside(node, layer);
        const near = snap(drawnBox(node), still, reach);
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
