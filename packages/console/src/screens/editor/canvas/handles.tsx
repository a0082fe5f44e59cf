import type { CanvasObject, CanvasSize } from '@figurehead/sdk/document';
import type Konva from 'konva';
// Imports only the used shapes, to keep the others out of the bundle.
import 'konva/lib/shapes/Transformer.js';
import { useEffect, useRef } from 'react';
import { Transformer } from 'react-konva/lib/ReactKonvaCore.js';
import { around } from '../arrange.js';
import { isPresenter, isText } from '../document.js';
import { boxAround } from '../grouping.js';

/** Room around the slide in which handles of objects at its edges can be grasped, screen px. */
export const MARGIN_PX = 14;
/** Distance of the grip for rotation from the frame, screen px. */
const GRIP_PX = 26;

const WIDER = ['top-left', 'top-right', 'bottom-left', 'bottom-right', 'middle-left', 'middle-right'];

/** The frame around the selection. */
export function Handles(props: {
  readonly objects: readonly CanvasObject[];
  readonly selected: readonly number[];
  readonly hidden: boolean;
  readonly size: CanvasSize;
  /** Screen px per canvas unit. */
  readonly scale: number;
}) {
  const { objects, selected, hidden } = props;
  const transformer = useRef<Konva.Transformer>(null);
  const chosen = selected.flatMap((index) => objects[index] ?? []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the frame is measured again when a selected object changes
  useEffect(() => {
    const handles = transformer.current;
    const nodes = hidden ? [] : selected.flatMap((index) => handles?.getStage()?.findOne(`#object-${index}`) ?? []);
    handles?.nodes(nodes);
  }, [selected, hidden, objects]);
  return (
    <Transformer
      ref={transformer}
      rotateEnabled={!chosen.some(isPresenter)}
      anchorSize={9}
      anchorCornerRadius={5}
      anchorStroke="#14574b"
      borderStroke="#1c6e5f"
      {...gripOf(chosen, props)}
      flipEnabled={false}
      {...(chosen.some((object) => object.locked === true) && { resizeEnabled: false, rotateEnabled: false })}
      {...(chosen.some(isText) && { enabledAnchors: chosen.length > 1 ? WIDER.slice(0, 4) : WIDER })}
    />
  );
}

/** The grip for rotation: above the frame, below it at the upper edge of the slide, inside of it when it is as high as the slide. */
function gripOf(
  chosen: readonly CanvasObject[],
  { size, scale }: { readonly size: CanvasSize; readonly scale: number },
) {
  if (chosen.length === 0) return {};
  const { y, height } = around(chosen.map(boxAround));
  const fits = (room: number) => room * scale + MARGIN_PX >= GRIP_PX;
  const [above, below] = [fits(y), fits(size.height - y - height)];
  return { rotateAnchorAngle: above || !below ? 0 : 180, rotateAnchorOffset: above || below ? GRIP_PX : -GRIP_PX };
}
