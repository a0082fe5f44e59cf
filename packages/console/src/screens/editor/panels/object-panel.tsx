import type { CanvasObject } from '@figurehead/sdk/document';
import { ActionIcon, Button, ColorInput, Group, NumberInput, Slider, Stack, Text, Tooltip } from '@mantine/core';
import { memo } from 'react';
import {
  IconArrowDown,
  IconArrowUp,
  IconCopy,
  IconLayersSubtract,
  IconLayersUnion,
  IconLayoutAlignBottom,
  IconLayoutAlignCenter,
  IconLayoutAlignLeft,
  IconLayoutAlignMiddle,
  IconLayoutAlignRight,
  IconLayoutAlignTop,
  IconLayoutDistributeHorizontal,
  IconLayoutDistributeVertical,
  IconLock,
  IconLockOpen,
  IconTrash,
} from '../../../shell/icons.js';
import { unplacedPresenter } from '../../../shell/slide-painting.js';
import type { Arrangement } from '../arrange.js';
import { canvasSizeOf, changeObjects, isText, namesOf, objectsOf, placed } from '../document.js';
import { canBeGrouped } from '../grouping.js';
import { ObjectMenu, useMenuAt } from '../menus.js';
import { Sortable, useEntry } from '../sortable.js';
import { useEditor, useEditorState, useSlide } from '../store.js';
import { coloured, FIELDS, groupsOf } from './object-fields.js';
import { ShowIfField } from './show-if-field.js';

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
      {selected.length > 1 && <SharedColour objects={objects} selected={selected} />}
      {object && only !== undefined && <Properties object={object} index={only} />}
    </Stack>
  );
}

interface Selection {
  readonly objects: readonly CanvasObject[];
  readonly selected: readonly number[];
}

function Layers({ objects, selected }: Selection) {
  const { moveLayer, selectPresenter } = useEditor();
  const isUnplaced = useEditorState(({ draft, at }) => {
    const slide = draft.slides[at];
    return slide !== undefined && unplacedPresenter(slide, canvasSizeOf(draft)) !== undefined;
  });
  const names = namesOf(objects);
  const last = objects.length - 1;
  const { open, ...menu } = useMenuAt(false);
  // Shown topmost first, stored bottom first.
  const ids = objects.map((_object, index) => String(last - index));
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        On this slide
      </Text>
      {isUnplaced && (
        <Button
          fullWidth
          size="compact-md"
          justify="flex-start"
          variant="subtle"
          color="gray"
          onClick={selectPresenter}
        >
          Presenter
        </Button>
      )}
      {objects.length === 0 && !isUnplaced && (
        <Text size="sm" c="dimmed">
          Nothing yet. Add a text, a shape or a picture above the canvas.
        </Text>
      )}
      <Sortable ids={ids} onMove={(from, to) => moveLayer(last - from, last - to)}>
        <Stack gap={4} component="ul" className="fh-plain" onContextMenu={open}>
          {ids.map((id) => {
            const object = objects[Number(id)];
            const name = names[Number(id)] ?? '';
            return object && <Layer key={id} {...{ id, object, name }} selected={selected.includes(Number(id))} />;
          })}
        </Stack>
      </Sortable>
      <ObjectMenu {...menu} />
    </div>
  );
}

const Layer = memo(function Layer({ id, object, name, selected }: LayerProps) {
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
        onContextMenu={() => selected || select(Number(id))}
      >
        {name}
      </Button>
    </li>
  );
});
interface LayerProps {
  readonly id: string;
  readonly object: CanvasObject;
  readonly name: string;
  readonly selected: boolean;
}

const ARRANGEMENTS = [
  { how: 'left', name: 'Align left', icon: IconLayoutAlignLeft },
  { how: 'center', name: 'Align centres', icon: IconLayoutAlignCenter },
  { how: 'right', name: 'Align right', icon: IconLayoutAlignRight },
  { how: 'top', name: 'Align top', icon: IconLayoutAlignTop },
  { how: 'middle', name: 'Align middles', icon: IconLayoutAlignMiddle },
  { how: 'bottom', name: 'Align bottom', icon: IconLayoutAlignBottom },
  { how: 'across', name: 'Space evenly across', icon: IconLayoutDistributeVertical },
  { how: 'down', name: 'Space evenly down', icon: IconLayoutDistributeHorizontal },
] as const satisfies readonly { how: Arrangement; name: string; icon: typeof IconCopy }[];

/** Aligns several objects with each other, one with the slide. */
function Arranging({ many }: { readonly many: boolean }) {
  const { arrangeSelected } = useEditor();
  return (
    <Group gap={2} wrap="nowrap" justify="space-between">
      {ARRANGEMENTS.map(({ how, name, icon: Icon }) => (
        <Tooltip key={how} label={name}>
          <ActionIcon
            aria-label={name}
            disabled={!many && (how === 'across' || how === 'down')}
            onClick={() => arrangeSelected(how)}
          >
            <Icon size={18} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      ))}
    </Group>
  );
}

/** One colour for several objects. */
function SharedColour({ objects, selected }: Selection) {
  const { change, store } = useEditor();
  const drawn = selected.filter((index) => objects[index] && groupsOf(objects[index]).includes('fill'));
  if (drawn.length === 0) return null;
  const first = objects[drawn[0] ?? 0];
  const paint = (color: string) => {
    const { at } = store.getState();
    const to = new Map(drawn.flatMap((index) => (objects[index] ? [[index, coloured(objects[index], color)]] : [])));
    change((now) => changeObjects(now, at, (list) => placed(list, to)));
  };
  const value = typeof first?.fill === 'string' ? first.fill : String(first?.stroke ?? '#000000');
  return <ColorInput label="Colour" value={value} onChangeEnd={paint} />;
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
    <>
      <Group gap={4} justify="space-between" wrap="nowrap">
        <Text fw={600} size="sm" truncate>
          {single === undefined ? `${selected.length} objects` : namesOf(objects)[single]}
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
          <ActionIcon
            aria-label={locked ? 'Unlock' : 'Lock'}
            aria-pressed={locked}
            onClick={() => lockSelected(!locked)}
          >
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
      <Arranging many={selected.length > 2} />
    </>
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
      <ShowIfField value={object.showIf} onChange={(showIf) => set({ showIf }, 'showIf')} />
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
  const sides = [
    { side: 'width', factor: 'scaleX', label: 'Width' },
    { side: 'height', factor: 'scaleY', label: 'Height' },
  ] as const;
  /** Text gets wider lines; everything else keeps its proportions. */
  const resize = ({ side, factor }: (typeof sides)[number], value: number) => {
    const before = (object[side] ?? 0) * (object[factor] ?? 1);
    if (value <= 0 || Math.abs(value - before) < 0.05 || before === 0) return;
    if (isText(object)) return set({ width: value / (object.scaleX ?? 1) }, side);
    const by = value / before;
    set({ scaleX: (object.scaleX ?? 1) * by, scaleY: (object.scaleY ?? 1) * by }, side);
  };
  return (
    <>
      <Group grow gap="xs">
        {sides.map((one) => (
          <NumberInput
            key={one.side}
            label={one.label}
            size="xs"
            hideControls
            decimalScale={1}
            min={1}
            disabled={isText(object) && one.side === 'height'}
            value={Math.round((shown[one.side] ?? 0) * (shown[one.factor] ?? 1) * 10) / 10}
            onChange={(value) => !dragged && typeof value === 'number' && resize(one, value)}
          />
        ))}
      </Group>
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
    </>
  );
}
