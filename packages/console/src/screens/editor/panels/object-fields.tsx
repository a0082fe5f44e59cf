import {
  type CanvasObject,
  CUT_OUTS,
  type EditGroup,
  FONT_FAMILIES,
  isNameOf,
  OBJECTS,
  objectTypeOf,
  optionsOf,
} from '@figurehead/sdk/document';
import {
  ColorInput,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Slider,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { useFonts } from '../../../api/fonts.js';
import { EntranceFields } from '../timeline/entrance-fields.js';
import type { FieldsProps } from './fields-props.js';
import { PictureFields } from './picture-fields.js';

/** The groups of properties of an object's type; none for unknown types. */
export function groupsOf(object: CanvasObject): readonly EditGroup[] {
  const type = objectTypeOf(object.type);
  return type === undefined ? ['entrance'] : OBJECTS[type].edits;
}

/** The fields of each group of properties. */
export const FIELDS = {
  text: TextFields,
  cutout: CutOutField,
  clip: ClipFields,
  picture: PictureFields,
  fill: FillField,
  entrance: EntranceFields,
  templateId: TemplateIdField,
} as const satisfies Readonly<Record<EditGroup, (props: FieldsProps) => ReactNode>>;

function CutOutField({ object, onChange }: FieldsProps) {
  return (
    <Select
      label="Cut-out"
      data={optionsOf(CUT_OUTS)}
      value={isNameOf(CUT_OUTS, object.shape) ? object.shape : 'full'}
      onChange={(shape) => shape && onChange({ shape })}
    />
  );
}

function FillField({ object, onChange }: FieldsProps) {
  // Icons and lines have only an outline.
  const isOutline = typeof object.stroke === 'string' && typeof object.fill !== 'string';
  return (
    <ColorInput
      label="Colour"
      value={String((isOutline ? object.stroke : object.fill) ?? '#000000')}
      onChangeEnd={(color) => onChange({ [isOutline ? 'stroke' : 'fill']: color, brandRole: null })}
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
  const fonts = (useFonts().data ?? []).map((font) => font.family);
  const weight = String(object.fontWeight ?? 'normal');
  return (
    <>
      <Textarea
        label="Text"
        description="{{placeholders}} are filled in when a template is rendered."
        minRows={2}
        value={object.text ?? ''}
        onChange={(event) => onChange({ text: event.currentTarget.value }, 'text')}
      />
      <Group grow gap="xs" align="flex-end">
        <Select
          label="Font"
          searchable
          data={[...new Set([...FONT_FAMILIES, ...fonts, ...(object.fontFamily ? [object.fontFamily] : [])])]}
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
