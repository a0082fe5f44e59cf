import { type CanvasObject, objectTypeOf } from '@figurehead/sdk/document';
import type Konva from 'konva';
import type { DragEvent, MouseEvent, RefObject } from 'react';
import { useMenuAt } from '../menus.js';
import { useEditor } from '../store.js';
import { useMedia } from '../use-media.js';

/** The menu of a right click on the canvas, and files that are dropped onto it: one on a picture fills its frame. */
export function usePointer(konva: RefObject<Konva.Stage | null>, objects: readonly CanvasObject[]) {
  const { select, store } = useEditor();
  const media = useMedia();
  const { open, ...menu } = useMenuAt(true);
  /** Index of the object under the pointer. */
  const objectAt = ({ nativeEvent }: MouseEvent): number | undefined => {
    konva.current?.setPointersPositions(nativeEvent);
    // All that is there, bottom first: the handles of the selection are above its objects.
    const hits = konva.current?.getAllIntersections(konva.current.getPointerPosition() ?? { x: -1, y: -1 }) ?? [];
    const owners = hits.map((hit) => hit.findAncestor((one: Konva.Node) => one.id().startsWith('object-'), true));
    const found = owners.findLast(Boolean);
    return found ? Number(found.id().slice('object-'.length)) : undefined;
  };
  const openMenu = (event: MouseEvent<HTMLElement>) => {
    if (event.target instanceof HTMLTextAreaElement) return;
    const index = objectAt(event);
    if (index === undefined) select(null);
    else if (!store.getState().selected.includes(index)) select(index);
    open(event);
  };
  const drop = (event: DragEvent<HTMLElement>) => {
    const file = [...event.dataTransfer.files].find(({ type }) => /^(image|video)\//.test(type));
    if (!file) return;
    event.preventDefault();
    const over = objectAt(event);
    const at = konva.current?.getRelativePointerPosition() ?? undefined;
    const isPicture = over !== undefined && objects[over] !== undefined && objectTypeOf(objects[over].type) === 'image';
    media.mutate({ file, ...(at && { at }), ...(isPicture && { over }) });
  };
  return { menu, openMenu, drop, isUploading: media.isPending };
}
