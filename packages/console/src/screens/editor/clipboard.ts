import type { CanvasObject } from '@figurehead/sdk/document';
import { useWindowEvent } from '@mantine/hooks';
import { canvasSizeOf, objectsOf } from './document.js';
import { shifted, useEditor } from './store.js';
import { textOf, useMedia } from './use-media.js';

/** Clipboard type of copied objects; other programs ignore it. */
const TYPE = 'application/x-figurehead-objects+json';
const PASTE_OFFSET = 16;

/** Copies, cuts and pastes objects through the browser's clipboard, also between slides, videos and tabs; pastes text, pictures and clips of other programs. */
export function useClipboard(): void {
  const { store, add, removeSelected } = useEditor();
  const media = useMedia();
  /** Text of other programs, whatever its format; otherwise a picture or clip. Word gives both. */
  const pasteForeign = (event: ClipboardEvent, data: DataTransfer) => {
    const words = data.getData('text/plain').replace(/\r\n?/g, '\n').trim();
    const file = [...data.files].find(({ type }) => /^(image|video)\//.test(type));
    if (words === '' && !file) return;
    event.preventDefault();
    if (words === '' && file) media.mutate({ file });
    else add([textOf(words, canvasSizeOf(store.getState().draft))]);
  };
  const copy = (event: ClipboardEvent): boolean => {
    const { draft, at, selected } = store.getState();
    const slide = draft.slides[at];
    if (!slide || selected.length === 0 || isWriting(event)) return false;
    const objects = objectsOf(slide).filter((_object, index) => selected.includes(index));
    event.clipboardData?.setData(TYPE, JSON.stringify({ from: slide.id, objects }));
    event.preventDefault();
    return true;
  };
  useWindowEvent('copy', copy);
  useWindowEvent('cut', (event) => copy(event) && removeSelected());
  useWindowEvent('paste', (event) => {
    const { clipboardData } = event;
    if (isWriting(event) || !clipboardData) return;
    const copied = clipboardData.getData(TYPE);
    if (copied === '') return pasteForeign(event, clipboardData);
    event.preventDefault();
    const { draft, at } = store.getState();
    const { from, objects }: { from: number; objects: CanvasObject[] } = JSON.parse(copied);
    // Next to the original, or in the same position on another slide.
    add(objects.map((object) => shifted(object, draft.slides[at]?.id === from ? PASTE_OFFSET : 0)));
  });
}

/** True while the user edits or selects text, which then uses the clipboard. */
function isWriting({ target }: ClipboardEvent): boolean {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return true;
  return !(document.getSelection()?.isCollapsed ?? true);
}
