import type { CanvasObject, CanvasSize } from '@figurehead/sdk/document';
import { dressObject } from '@figurehead/sdk/layouts';
import { Stack, Text, TextInput } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useBrand } from '../../../api/brand.js';
import { IconSearch } from '../../../shell/icons.js';
import icons from '../icons/icons.json';
import { useEditor } from '../store.js';
import { lookFor } from './branded.js';

/** Side of the icons' coordinate system. */
const GRID = 24;
/** Side of a new icon, canvas units. */
const SIDE = 96;

/** Searches icons and adds them to the slide. */
export default function IconPicker(props: {
  readonly size: CanvasSize;
  readonly onPick: (object: CanvasObject) => void;
}) {
  const [wanted, setWanted] = useInputState('');
  const { store } = useEditor();
  const { data: brand, isPending } = useBrand();
  const parts = wanted.toLowerCase().split(/\s+/);
  const found = (icons as [string, string, string][]).filter(([name, words]) => {
    const own = `${name.replaceAll('-', ' ')} ${words}`.split(' ');
    return parts.every((part) => own.some((word) => word.startsWith(part)));
  });
  return (
    <Stack>
      <TextInput
        aria-label="Search icons"
        type="search"
        placeholder="Search: money, calendar, arrow …"
        leftSection={<IconSearch size={16} />}
        value={wanted}
        onChange={setWanted}
        data-autofocus
      />
      {found.length === 0 && <Text c="dimmed">No icon matches. Try another word.</Text>}
      <div className="fh-icons">
        {found.map(([name, , path]) => (
          <button
            key={name}
            type="button"
            className="fh-icon"
            title={name.replaceAll('-', ' ')}
            aria-label={name.replaceAll('-', ' ')}
            disabled={isPending}
            onClick={() =>
              props.onPick(dressObject(iconObject(path, props.size), lookFor(brand, store.getState().draft.slides)))
            }
          >
            <svg viewBox={`0 0 ${GRID} ${GRID}`} aria-hidden="true">
              <path d={path} />
            </svg>
          </button>
        ))}
      </div>
    </Stack>
  );
}

function iconObject(path: string, size: CanvasSize): CanvasObject {
  const scale = SIDE / GRID;
  return {
    type: 'path',
    path,
    width: GRID,
    height: GRID,
    pathOffset: { x: GRID / 2, y: GRID / 2 },
    left: (size.width - SIDE) / 2,
    top: (size.height - SIDE) / 2,
    originX: 'left',
    originY: 'top',
    scaleX: scale,
    scaleY: scale,
    fill: null,
    stroke: '#000000',
    strokeWidth: 2,
    strokeLineCap: 'round',
    strokeLineJoin: 'round',
    brandRole: 'accent',
  };
}
