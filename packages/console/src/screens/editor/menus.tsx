import { Menu } from '@mantine/core';
import { type MouseEvent, useCallback, useState } from 'react';
import { isCroppable, objectsOf } from './document.js';
import { canBeGrouped } from './grouping.js';
import { chosenSlides, MAX_SLIDES, useEditor, useEditorState, useSlide } from './store.js';

/** Where a right click opened a menu. */
export interface Opened {
  /** px of the window; `null` while the menu is closed. */
  readonly at: { readonly x: number; readonly y: number } | null;
  readonly onClose: () => void;
}

/**
 * A menu of a right click, or of the keyboard's menu key: its place, and the handler that opens it.
 * @param held whether a finger that is held opens it too; in lists, it moves an entry.
 */
export function useMenuAt(held: boolean): Opened & { readonly open: (event: MouseEvent) => void } {
  const [at, setAt] = useState<Opened['at']>(null);
  const open = useCallback(
    (event: MouseEvent) => {
      event.preventDefault();
      const { nativeEvent: by, clientX: x, clientY: y } = event;
      if (held || !(by instanceof PointerEvent) || by.pointerType !== 'touch') setAt({ x, y });
    },
    [held],
  );
  return { at, onClose: () => setAt(null), open };
}

/** What can be done with the selection, or with the slide. */
export function ObjectMenu(opened: Opened) {
  const editor = useEditor();
  const slide = useSlide();
  const selected = useEditorState((state) => state.selected);
  const objects = slide ? objectsOf(slide) : [];
  const chosen = selected.flatMap((index) => objects[index] ?? []);
  const [only = 0] = selected;
  const locked = chosen.every((object) => object.locked === true);
  const one = selected.length === 1;
  // The browser copies the selection as after Ctrl C.
  const clip = (command: 'copy' | 'cut') => () => document.execCommand(command);
  if (chosen.length === 0) {
    const entries: Entries = [
      ['Select all', editor.selectAll, objects.length > 0],
      ['Duplicate slide', editor.duplicateSlides],
      ['Undo', editor.undo],
    ];
    return <MenuAt {...opened} entries={entries} />;
  }
  const entries: Entries = [
    ['Cut', clip('cut')],
    ['Copy', clip('copy')],
    ['Duplicate', editor.duplicateSelected],
    ['Crop', () => editor.crop(only), one && chosen.some(isCroppable)],
    null,
    ['Bring to front', () => editor.moveLayer(only, objects.length - 1), one],
    ['Bring forward', () => editor.moveLayer(only, only + 1), one && only < objects.length - 1],
    ['Send backward', () => editor.moveLayer(only, only - 1), one && only > 0],
    ['Send to back', () => editor.moveLayer(only, 0), one],
    ['Group', editor.groupSelected, chosen.filter(canBeGrouped).length > 1],
    ['Ungroup', editor.ungroupSelected, chosen.some(({ type }) => type === 'group')],
    [locked ? 'Unlock' : 'Lock', () => editor.lockSelected(!locked)],
    null,
    ['Delete', editor.removeSelected],
  ];
  return <MenuAt {...opened} entries={entries} />;
}

/** What can be done with the slide on the canvas and those that are chosen besides it. */
export function SlideMenu(opened: Opened) {
  const { duplicateSlides, insertSlide, moveSlide, removeSlides } = useEditor();
  const at = useEditorState((state) => state.at);
  const number = useEditorState(({ draft }) => draft.slides.length);
  const many = useEditorState((state) => chosenSlides(state).length);
  const these = many > 1 ? `${many} slides` : 'slide';
  const last = number - 1;
  const entries: Entries = [
    ['New slide after this', () => insertSlide(), number < MAX_SLIDES],
    [`Duplicate ${these}`, duplicateSlides, number + many <= MAX_SLIDES],
    null,
    ['Move to the beginning', () => moveSlide(at, 0), many === 1 && at > 0],
    ['Move earlier', () => moveSlide(at, at - 1), many === 1 && at > 0],
    ['Move later', () => moveSlide(at, at + 1), many === 1 && at < last],
    ['Move to the end', () => moveSlide(at, last), many === 1 && at < last],
    null,
    [`Delete ${these}`, removeSlides],
  ];
  return <MenuAt {...opened} entries={entries} />;
}

/** Entries of a menu; `null` is a line between them. */
type Entries = readonly (readonly [name: string, run: () => void, shown?: boolean] | null)[];

function MenuAt({ at, onClose, entries }: Opened & { readonly entries: Entries }) {
  const shown = entries.filter((entry) => entry?.[2] !== false);
  return (
    <Menu
      opened={at !== null}
      onClose={onClose}
      position="bottom-start"
      offset={0}
      width={190}
      shadow="md"
      // Inside the page's landmarks, and not cut off by a zoomed canvas.
      withinPortal={false}
      floatingStrategy="fixed"
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label="Actions"
          style={{ position: 'fixed', left: at?.x ?? 0, top: at?.y ?? 0, width: 0, height: 0, padding: 0, border: 0 }}
        />
      </Menu.Target>
      <Menu.Dropdown>
        {shown.map((entry, index) =>
          entry ? (
            <Menu.Item key={entry[0]} onClick={entry[1]}>
              {entry[0]}
            </Menu.Item>
          ) : (
            // Nothing may be left between two lines.
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names
            shown[index - 1] && <Menu.Divider key={index} />
          ),
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
