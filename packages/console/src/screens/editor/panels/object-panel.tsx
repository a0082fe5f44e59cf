import type { CanvasObject } from '@figurehead/sdk/document';
import { ActionIcon, Button, Group, NumberInput, Slider, Stack, Text } from '@mantine/core';
import { memo } from 'react';
import {
  IconArrowDown,
  IconArrowUp,
  IconCopy,
  IconLayersSubtract,
  IconLayersUnion,
  IconLock,
  IconLockOpen,
  IconTrash,
} from '../../../shell/icons.js';
import { changeObjects, nameOf, objectsOf, placed } from '../document.js';
import { canBeGrouped } from '../grouping.js';
import { Sortable, useEntry } from '../sortable.js';
import { useEditor, useEditorState, useSlide } from '../store.js';
import { FIELDS, groupsOf } from './object-fields.js';

/** All objects of the slide, topmost first, and the properties of the selection. */
export function ObjectPanel() {
  const slide = useSlide();
  const selected = useEditorState((state) => state.selected);
  const objects = slide ? objectsOf(slide) : [];
  const [only] = selected;
  const object = selected.length === 1 && only !== undefined ? objects[only] : undefined;
  return (
    <Stack gap="lg">
      <Layers objects={objects} selected={selected} />
      {selected.length > 0 && <SelectionBar objects={objects} selected={selected} />}
      {object && only !== undefined && <Properties object={object} index={only} />}
    </Stack>
  );
}

interface Selection {
  readonly objects: readonly CanvasObject[];
  readonly selected: readonly number[];
}

function Layers({ objects, selected }: Selection) {
  const { moveLayer } = useEditor();
  const last = objects.length - 1;
  // Shown topmost first, stored bottom first.
  const ids = objects.map((_object, index) => String(last - index));
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        On this slide
      </Text>
      {objects.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing yet. Add a text, a shape or a picture above the canvas.
        </Text>
      )}
      <Sortable ids={ids} onMove={(from, to) => moveLayer(last - from, last - to)}>
        <Stack gap={4} component="ul" className="fh-plain">
          {ids.map((id) => {
            const object = objects[Number(id)];
            return object && <Layer key={id} id={id} object={object} selected={selected.includes(Number(id))} />;
          })}
        </Stack>
      </Sortable>
    </div>
  );
}

const Layer = memo(function Layer({ id, object, selected }: LayerProps) {
  const { select } = useEditor();
  const { ref, style, ...drag } = useEntry(id);
  return (
    <li ref={ref} style={style}>
      <Button
        fullWidth
        size="compact-md"
        justify="flex-start"
        variant={selected ? 'light' : 'subtle'}
        color={selected ? 'verdigris' : 'gray'}
        rightSection={object.locked === true && <IconLock size={14} aria-label="Locked" />}
        {...drag}
        aria-pressed={selected}
        onClick={(event) => select(Number(id), event.shiftKey)}
      >
        {nameOf(object)}
      </Button>
    </li>
  );
});
interface LayerProps {
  readonly id: string;
  readonly object: CanvasObject;
  readonly selected: boolean;
}

/** Actions on the selected objects. */
function SelectionBar({ objects, selected }: Selection) {
  const { duplicateSelected, removeSelected, moveLayer, groupSelected, ungroupSelected, lockSelected } = useEditor();
  const [only] = selected;
  const single = selected.length === 1 ? only : undefined;
  const chosen = selected.flatMap((index) => objects[index] ?? []);
  const locked = chosen.every((object) => object.locked === true);
  const restack = (by: number) => single !== undefined && moveLayer(single, single + by);
  return (
    <Group gap={4} justify="space-between" wrap="nowrap">
      <Text fw={600} size="sm" truncate>
        {single === undefined ? `${selected.length} objects` : objects[single] && nameOf(objects[single])}
      </Text>
      <Group gap={2} wrap="nowrap">
        <ActionIcon
          aria-label="Bring forward"
          disabled={single === undefined || single === objects.length - 1}
          onClick={() => restack(1)}
        >
          <IconArrowUp size={17} />
        </ActionIcon>
        <ActionIcon
          aria-label="Send backward"
          disabled={single === undefined || single === 0}
          onClick={() => restack(-1)}
        >
          <IconArrowDown size={17} />
        </ActionIcon>
        {chosen.some(({ type }) => type === 'group') && (
          <ActionIcon aria-label="Ungroup" onClick={ungroupSelected}>
            <IconLayersSubtract size={17} />
          </ActionIcon>
        )}
        {chosen.filter(canBeGrouped).length > 1 && (
          <ActionIcon aria-label="Group" onClick={groupSelected}>
            <IconLayersUnion size={17} />
          </ActionIcon>
        )}
        <ActionIcon aria-label={locked ? 'Unlock' : 'Lock'} aria-pressed={locked} onClick={() => lockSelected(!locked)}>
          {locked ? <IconLock size={17} /> : <IconLockOpen size={17} />}
        </ActionIcon>
        <ActionIcon aria-label="Duplicate" onClick={duplicateSelected}>
          <IconCopy size={17} />
        </ActionIcon>
        <ActionIcon aria-label={single === undefined ? 'Delete objects' : 'Delete object'} onClick={removeSelected}>
          <IconTrash size={17} />
        </ActionIcon>
      </Group>
    </Group>
  );
}

function Properties({ object, index }: { readonly object: CanvasObject; readonly index: number }) {
  const { change, store } = useEditor();
  const set = (to: Partial<CanvasObject>, kind?: string) => {
    const { at } = store.getState();
    change(
      (now) => changeObjects(now, at, (list) => placed(list, new Map([[index, to]]))),
      kind && `${at}-${index}-${kind}`,
    );
  };
  return (
    <Stack gap="md">
      {groupsOf(object).map((group) => {
        const Fields = FIELDS[group];
        return <Fields key={`${group}-${index}`} object={object} selected={index} onChange={set} />;
      })}
      <PlaceFields object={object} set={set} />
      <div>
        <Text size="sm" fw={500} mb={4}>
          Opacity
        </Text>
        <Slider
          thumbLabel="Opacity"
          min={0}
          max={1}
          step={0.05}
          label={(value) => `${Math.round(value * 100)} %`}
          value={object.opacity ?? 1}
          onChange={(opacity) => set({ opacity }, 'opacity')}
        />
      </div>
    </Stack>
  );
}

/** Position and angle, live while the object is dragged; a component of its own, because it re-renders with every frame. */
function PlaceFields(props: {
  readonly object: CanvasObject;
  readonly set: (to: Partial<CanvasObject>, kind: string) => void;
}) {
  const { object, set } = props;
  const dragged = useEditorState((state) => state.dragged);
  const shown = dragged ? { ...object, ...dragged } : object;
  return (
    <Group grow gap="xs">
      {(['left', 'top', 'angle'] as const).map((key) => (
        <NumberInput
          key={key}
          label={{ left: 'Left', top: 'Top', angle: 'Angle' }[key]}
          size="xs"
          hideControls
          decimalScale={1}
          value={shown[key] ?? 0}
          onChange={(value) =>
            !dragged && typeof value === 'number' && value !== object[key] && set({ [key]: value }, key)
          }
        />
      ))}
    </Group>
  );
}
