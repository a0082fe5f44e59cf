import type { CanvasObject } from '@figurehead/sdk/document';
import type Konva from 'konva';
import { useCallback, useState } from 'react';
import { Rect } from 'react-konva/lib/ReactKonvaCore.js';
import { meet } from '../arrange.js';
import { useEditor } from '../store.js';
import type { CanvasBox } from './guides.js';
import { drawnBox } from './use-dragging.js';

/** A press that moves less is a click, canvas units. */
const CLICK = 3;

/** Selection by a frame that is dragged over the empty canvas; with Shift it adds to the selection. Locked objects are left out. */
export function useRubberBand(objects: readonly CanvasObject[]) {
  const { store } = useEditor();
  const [band, setBand] = useState<CanvasBox | null>(null);
  const begin = useCallback(
    (event: Konva.KonvaEventObject<MouseEvent>) => {
      const stage = event.target.getStage();
      const from = stage?.getRelativePointerPosition();
      if (!stage || !from || event.evt.button !== 0) return;
      const kept = event.evt.shiftKey ? store.getState().selected : [];
      store.setState({ selected: kept });
      const controller = new AbortController();
      const { signal } = controller;
      const move = (moved: MouseEvent) => {
        stage.setPointersPositions(moved);
        const to = stage.getRelativePointerPosition() ?? from;
        const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
        const box = { x, y, width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) };
        if (Math.max(box.width, box.height) < CLICK) return;
        setBand(box);
        const inside = objects.flatMap((object, index) => {
          const node = stage.findOne(`#object-${index}`);
          return node && object.locked !== true && meet(drawnBox(node), box) ? [index] : [];
        });
        store.setState({ selected: [...new Set([...kept, ...inside])] });
      };
      const end = () => {
        controller.abort();
        setBand(null);
      };
      window.addEventListener('mousemove', move, { signal });
      window.addEventListener('mouseup', end, { signal });
    },
    [objects, store],
  );
  return { band, begin };
}

/** The frame while it is dragged. */
export function RubberBand({ band, scale }: { readonly band: CanvasBox | null; readonly scale: number }) {
  return band && <Rect {...band} fill="#1c6e5f1f" stroke="#1c6e5f" strokeWidth={1 / scale} listening={false} />;
}
