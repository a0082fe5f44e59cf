import { Kbd, Modal, Table } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { objectsOf } from './document.js';
import { useEditor } from './store.js';

/** All shortcuts with their descriptions. */
const SHORTCUTS: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl Z', 'Undo'],
  ['Ctrl Shift Z', 'Redo'],
  ['Ctrl C', 'Copy the selected objects'],
  ['Ctrl X', 'Cut the selected objects'],
  ['Ctrl V', 'Paste: objects, also of another slide or video, or text and pictures of other programs'],
  ['Ctrl D', 'Duplicate the selected objects; without a selection, the slide'],
  ['Ctrl A', 'Select everything on the slide'],
  ['Ctrl G', 'Group the selected objects'],
  ['Ctrl Shift G', 'Ungroup the selected group'],
  ['Ctrl L', 'Lock or unlock the selected objects'],
  ['Drag on the empty canvas', 'Select what the frame meets'],
  ['Shift click', 'Add to the selection'],
  ['Right click', 'Actions on the selection or the slide, also in the lists of slides and objects'],
  ['Delete', 'Delete the selected objects'],
  ['Escape', 'Clear the selection'],
  ['Arrow keys', 'Move by 1, with Shift by 10 (the canvas has the focus)'],
  ['Enter, double click', 'Edit the selected text, crop the selected picture (the canvas has the focus)'],
  ['Alt while dragging', 'Move without snapping'],
  ['Ctrl wheel, + and −', 'Zoom (the canvas has the focus)'],
  ['0', 'Fit the slide (the canvas has the focus)'],
  ['Space while dragging', 'Pan a zoomed canvas'],
  ['Page Up, Page Down', 'Previous, next slide'],
  ['Shift or Ctrl click', 'Choose several slides, to duplicate or delete them'],
  ['Ctrl S', 'Save now'],
  ['?', 'Show this list'],
];

/** Handles the editor's shortcuts, except while the user types in a field. Returns the state of the shortcut list. */
export function useShortcuts() {
  const { undo, redo, selectAll, duplicateSelected, removeSelected, select, goTo, flush, store } = useEditor();
  const { duplicateSlides, groupSelected, ungroupSelected, lockSelected } = useEditor();
  const toggleLock = () => {
    const { draft, at, selected } = store.getState();
    const slide = draft.slides[at];
    const isLocked = slide && selected.every((index) => objectsOf(slide)[index]?.locked === true);
    lockSelected(!isLocked);
  };
  const [opened, { open, toggle, close }] = useDisclosure(false);
  const go = (by: number) => {
    const { at, draft } = store.getState();
    if (draft.slides[at + by]) goTo(at + by);
  };
  useHotkeys([
    ['mod+Z', undo],
    ['mod+shift+Z', redo],
    ['mod+Y', redo],
    ['mod+S', () => void flush().catch(() => undefined)],
    ['mod+D', () => (store.getState().selected.length > 0 ? duplicateSelected() : duplicateSlides())],
    ['mod+A', selectAll],
    ['mod+G', groupSelected],
    ['mod+shift+G', ungroupSelected],
    ['mod+L', toggleLock],
    ['Delete', removeSelected],
    ['Backspace', removeSelected],
    ['Escape', () => select(null), { preventDefault: false }],
    ['PageUp', () => go(-1)],
    ['PageDown', () => go(1)],
    ['shift+?', toggle],
    ['?', toggle],
  ]);
  return { opened, onOpen: open, onClose: close };
}

/** The list of shortcuts. */
export function ShortcutList(props: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal {...props} title="Keyboard shortcuts">
      <Table>
        <Table.Tbody>
          {SHORTCUTS.map(([keys, does]) => (
            <Table.Tr key={keys}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <Kbd>{keys}</Kbd>
              </Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
