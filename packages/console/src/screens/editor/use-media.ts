import { type CanvasObject, newObject } from '@figurehead/sdk/document';
import { useAction } from '../../api/client.js';
import { MEDIA_CHANGES, type Picked, pickedOf, useUploader } from '../../shell/uploaded-medium.js';
import { replaced } from './canvas/picture-crop.js';
import { canvasSizeOf, changeObjects, newMedium, objectsOf, placed } from './document.js';
import { useEditor } from './store.js';

/** A place on the canvas, canvas units. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** A file that was pasted or dropped, and where: in the middle of the canvas when absent. */
interface Brought {
  readonly file: File;
  readonly at?: Point;
  /** Index of the picture whose frame it fills. */
  readonly over?: number;
}

/** Uploads a pasted or dropped file, and puts it on the slide or into the frame of a picture. */
export function useMedia() {
  const { add, store } = useEditor();
  const upload = useUploader();
  const fill = useReplace();
  return useAction(
    async ({ file, at, over }: Brought) => {
      const kind = file.type.startsWith('video/') ? ('video' as const) : ('image' as const);
      const picked = pickedOf(await upload(file));
      return { kind, at, over, medium: { src: picked.url, ...(await sizeOf(kind, picked)) } };
    },
    {
      changes: MEDIA_CHANGES,
      onDone: ({ kind, at, over, medium }) => {
        if (over !== undefined && kind === 'image') return fill(over, medium);
        const size = canvasSizeOf(store.getState().draft);
        const object = newMedium(kind, medium, size);
        const [wide, high] = [medium.width * (object.scaleX ?? 1), medium.height * (object.scaleY ?? 1)];
        const { x, y } = at ?? { x: size.width / 2, y: size.height / 2 };
        add([{ ...object, left: x - wide / 2, top: y - high / 2 }]);
      },
    },
  );
}

/** Puts another picture into the frame of a picture of the slide. */
export function useReplace() {
  const { change, store } = useEditor();
  return (index: number, medium: { readonly src: string; readonly width: number; readonly height: number }) => {
    const { draft, at } = store.getState();
    const object = draft.slides[at] && objectsOf(draft.slides[at])[index];
    if (!object) return;
    change((now) => changeObjects(now, at, (list) => placed(list, new Map([[index, replaced(object, medium.src)]]))));
  };
}

/** A new text with given words, as wide as the canvas allows. */
export function textOf(words: string, size: { readonly width: number; readonly height: number }): CanvasObject {
  const long = words.length > 80;
  return { ...newObject('textbox', size), text: words, ...(long && { width: size.width * 0.6, fontSize: 20 }) };
}

/** Size of a picture or clip in px, from the library or from the file. */
export function sizeOf(
  kind: 'image' | 'video',
  { url, width, height }: Picked,
): Promise<{ width: number; height: number }> {
  if (width !== undefined && height !== undefined) return Promise.resolve({ width, height });
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`There is no ${kind === 'image' ? 'picture' : 'video'} at this address.`));
    if (kind === 'image') {
      const image = new window.Image();
      image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight });
      image.onerror = fail;
      image.src = url;
    } else {
      const video = document.createElement('video');
      video.preload = 'metadata';
      video.onloadedmetadata = () => resolve({ width: video.videoWidth, height: video.videoHeight });
      video.onerror = fail;
      video.src = url;
    }
  });
}
