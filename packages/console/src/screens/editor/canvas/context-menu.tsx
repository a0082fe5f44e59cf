import { Menu } from '@mantine/core';
import { isCroppable, objectsOf } from '../document.js';
import { canBeGrouped } from '../grouping.js';
import { useEditor, useEditorState, useSlide } from '../store.js';

/** The menu of a right click: what can be done with the selection, or with the slide. `at` in px of the window; closed when null. */
export function ContextMenu(props: { readonly at: { x: number; y: number } | null; readonly onClose: () => void }) {
  const { at, onClose } = props;
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
  const entries: readonly (readonly [name: string, run: () => void, shown?: boolean] | null)[] =
    chosen.length === 0
      ? [
          ['Select all', editor.selectAll, objects.length > 0],
          ['Duplicate slide', editor.duplicateSlides],
          ['Undo', editor.undo],
        ]
      : [
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
        {entries.map((entry, index) =>
          entry === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names
            <Menu.Divider key={index} />
          ) : (
            entry[2] !== false && (
              <Menu.Item key={entry[0]} onClick={entry[1]}>
                {entry[0]}
              </Menu.Item>
            )
          ),
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
