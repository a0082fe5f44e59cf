import {
  type CanvasObject,
  CUT_OUTS,
  type EditGroup,
  ENTRANCES,
  isNameOf,
  OBJECTS,
  objectTypeOf,
  optionsOf,
} from '@figurehead/sdk/document';
import {
  ActionIcon,
  Button,
  ColorInput,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Slider,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { entranceOf, nameOf } from './document.js';
import { FAMILIES } from './families.js';

/** Everything on the slide, top first, and the properties of what is selected. */
export function ObjectPanel(props: {
  readonly objects: readonly CanvasObject[];
  readonly selected: number | null;
  readonly fonts: readonly string[];
  readonly onSelect: (index: number) => void;
  readonly onChange: (change: Partial<CanvasObject>, kind?: string) => void;
  readonly onMove: (by: number) => void;
  readonly onRemove: () => void;
}) {
  const { objects, selected } = props;
  const object = selected === null ? undefined : objects[selected];
  return (
    <Stack gap="lg">
      <div>
        <Text size="sm" fw={600} mb={6}>
          On this slide
        </Text>
        {objects.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing yet. Add a text, a shape or a picture above the canvas.
          </Text>
        )}
        <Stack gap={4} component="ul" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
          {objects
            .map((one, index) => ({ one, index }))
            .reverse()
            .map(({ one, index }) => (
              <li key={`${index}-${one.type}`}>
                <Button
                  fullWidth
                  size="compact-md"
                  justify="flex-start"
                  variant={index === selected ? 'light' : 'subtle'}
                  color={index === selected ? 'verdigris' : 'gray'}
                  aria-pressed={index === selected}
                  onClick={() => props.onSelect(index)}
                >
                  {nameOf(one)}
                </Button>
              </li>
            ))}
        </Stack>
      </div>
      {object && selected !== null && (
        <Stack gap="md">
          <Group gap={4} justify="space-between">
            <Text fw={600} size="sm" truncate maw={170}>
              {nameOf(object)}
            </Text>
            <Group gap={2}>
              <ActionIcon
                aria-label="Bring forward"
                disabled={selected === objects.length - 1}
                onClick={() => props.onMove(1)}
              >
                <IconArrowUp size={17} />
              </ActionIcon>
              <ActionIcon aria-label="Send backward" disabled={selected === 0} onClick={() => props.onMove(-1)}>
                <IconArrowDown size={17} />
              </ActionIcon>
              <ActionIcon aria-label="Delete object" onClick={props.onRemove}>
                <IconTrash size={17} />
              </ActionIcon>
            </Group>
          </Group>
          {groupsOf(object).map((group) => {
            const Fields = FIELDS[group];
            return (
              <Fields
                key={`${group}-${selected}`}
                {...{ object, selected }}
                fonts={props.fonts}
                onChange={props.onChange}
              />
            );
          })}
          <Group grow gap="xs">
            {(['left', 'top', 'angle'] as const).map((key) => (
              <NumberInput
                key={key}
                label={{ left: 'Left', top: 'Top', angle: 'Angle' }[key]}
                size="xs"
                hideControls
                decimalScale={1}
                value={object[key] ?? 0}
                onChange={(value) =>
                  typeof value === 'number' &&
                  value !== object[key] &&
                  props.onChange({ [key]: value }, `${key}-${selected}`)
                }
              />
            ))}
          </Group>
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
              onChange={(opacity) => props.onChange({ opacity }, `opacity-${selected}`)}
            />
          </div>
        </Stack>
      )}
    </Stack>
  );
}

interface FieldsProps {
  readonly object: CanvasObject;
  readonly selected: number;
  readonly fonts: readonly string[];
  readonly onChange: (change: Partial<CanvasObject>, kind?: string) => void;
}

/** What the table of object types offers for an object; nothing for types that it does not know. */
function groupsOf(object: CanvasObject): readonly EditGroup[] {
  const type = objectTypeOf(object.type);
  return type === undefined ? ['entrance'] : OBJECTS[type].edits;
}

const FIELDS = {
  text: TextFields,
  cutout: CutOutField,
  clip: ClipFields,
  fill: FillField,
  entrance: EntranceField,
  templateId: TemplateIdField,
} as const satisfies Readonly<Record<EditGroup, (props: FieldsProps) => ReactNode>>;

function CutOutField({ object, onChange }: FieldsProps) {
  return (
    <Select
      label="Cut-out"
      allowDeselect={false}
      data={optionsOf(CUT_OUTS)}
      value={isNameOf(CUT_OUTS, object.shape) ? object.shape : 'full'}
      onChange={(shape) => shape && onChange({ shape })}
    />
  );
}

function FillField({ object, onChange }: FieldsProps) {
  return (
    <ColorInput
      label="Colour"
      format="hex"
      value={String(object.fill ?? '#000000')}
      onChangeEnd={(fill) => onChange({ fill })}
      eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
    />
  );
}

function EntranceField({ object, onChange }: FieldsProps) {
  return (
    <Select
      label="Entrance"
      allowDeselect={false}
      data={optionsOf(ENTRANCES)}
      value={entranceOf(object.animation)}
      onChange={(animation) => animation && onChange({ animation })}
    />
  );
}

function TemplateIdField({ object, selected, onChange }: FieldsProps) {
  return (
    <TextInput
      label="Name for templates"
      description="A column of this name replaces the file, row by row."
      value={String(object.id ?? '')}
      onChange={(event) => onChange({ id: event.currentTarget.value || null }, `id-${selected}`)}
    />
  );
}

function TextFields(props: FieldsProps) {
  const { object, onChange } = props;
  const weight = String(object.fontWeight ?? 'normal');
  return (
    <>
      <Textarea
        label="Text"
        description="{{placeholders}} are filled in when a template is rendered."
        autosize
        minRows={2}
        value={object.text ?? ''}
        onChange={(event) => onChange({ text: event.currentTarget.value }, 'text')}
      />
      <Group grow gap="xs" align="flex-end">
        <Select
          label="Font"
          allowDeselect={false}
          searchable
          data={[...new Set([...FAMILIES, ...props.fonts, ...(object.fontFamily ? [object.fontFamily] : [])])]}
          value={object.fontFamily ?? null}
          onChange={(fontFamily) => fontFamily && onChange({ fontFamily })}
        />
        <NumberInput
          label="Size"
          min={4}
          max={400}
          value={object.fontSize ?? 40}
          onChange={(value) => typeof value === 'number' && onChange({ fontSize: value }, 'fontSize')}
        />
      </Group>
      <Group grow gap="xs">
        <SegmentedControl
          aria-label="Weight"
          size="xs"
          data={[
            { value: 'normal', label: 'Regular' },
            { value: 'bold', label: 'Bold' },
          ]}
          value={weight === 'bold' || Number(weight) >= 600 ? 'bold' : 'normal'}
          onChange={(fontWeight) => onChange({ fontWeight })}
        />
        <SegmentedControl
          aria-label="Alignment"
          size="xs"
          data={[
            { value: 'left', label: 'Left' },
            { value: 'center', label: 'Centre' },
            { value: 'right', label: 'Right' },
          ]}
          value={['center', 'right'].includes(object.textAlign ?? '') ? (object.textAlign ?? 'left') : 'left'}
          onChange={(textAlign) => onChange({ textAlign })}
        />
      </Group>
    </>
  );
}

function ClipFields(props: FieldsProps) {
  const { object, onChange } = props;
  const volume = typeof object.volume === 'number' ? object.volume : 0;
  return (
    <>
      <Group grow gap="xs">
        <NumberInput
          label="From second"
          size="xs"
          min={0}
          decimalScale={2}
          value={Number(object.startTime ?? 0)}
          onChange={(value) => typeof value === 'number' && onChange({ startTime: value }, 'startTime')}
        />
        <NumberInput
          label="To second"
          size="xs"
          min={0}
          decimalScale={2}
          placeholder="End"
          value={typeof object.endTime === 'number' && object.endTime > 0 ? object.endTime : ''}
          onChange={(value) => onChange({ endTime: typeof value === 'number' ? value : 0 }, 'endTime')}
        />
      </Group>
      <Switch
        label="Loop"
        checked={object.loop !== false}
        onChange={(event) => onChange({ loop: event.currentTarget.checked })}
      />
      <div>
        <Text size="sm" fw={500} mb={4}>
          Volume
        </Text>
        <Slider
          thumbLabel="Volume of the video"
          min={0}
          max={1}
          step={0.05}
          label={(value) => (value === 0 ? 'Silent' : `${Math.round(value * 100)} %`)}
          value={volume}
          onChange={(next) => onChange({ volume: next }, 'volume')}
        />
      </div>
    </>
  );
}
