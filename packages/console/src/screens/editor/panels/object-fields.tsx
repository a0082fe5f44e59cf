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
  ActionIcon,
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
import { IconBold, IconItalic, IconUnderline } from '../../../shell/icons.js';
import { isText } from '../document.js';
import { EntranceFields } from '../timeline/entrance-fields.js';
import type { FieldsProps } from './fields-props.js';
import { DIRECTIONS, fillOf, rampOf } from './gradient.js';
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

/** The change that gives an object a colour: icons and lines have only an outline. */
export function coloured(object: CanvasObject, color: string): Partial<CanvasObject> {
  return { [isOutline(object) ? 'stroke' : 'fill']: color, brandRole: null };
}

function isOutline({ stroke, fill }: CanvasObject): boolean {
  return typeof stroke === 'string' && (fill === null || fill === '');
}

function FillField(props: FieldsProps) {
  const { object, onChange } = props;
  if (isOutline(object) || isText(object)) {
    return (
      <>
        <ColorInput
          label="Colour"
          value={rampOf(isText(object) ? object.fill : object.stroke).from}
          onChangeEnd={(color) => onChange(coloured(object, color))}
        />
        {!isText(object) && <Stroke {...props} label="Line width" least={0.5} />}
      </>
    );
  }
  const ramp = rampOf(object.fill);
  const fill = (to: Partial<typeof ramp>) => onChange({ fill: fillOf({ ...ramp, ...to }), brandRole: null });
  return (
    <>
      <Group grow gap="xs" align="flex-end">
        <ColorInput label="Colour" value={ramp.from} onChangeEnd={(from) => fill({ from })} />
        {ramp.direction && <ColorInput label="To" value={ramp.to} onChangeEnd={(to) => fill({ to })} />}
      </Group>
      <Select
        label="Fill"
        data={[{ value: 'plain', label: 'One colour' }, ...optionsOf(DIRECTIONS)]}
        value={ramp.direction ?? 'plain'}
        onChange={(value) => fill({ direction: isNameOf(DIRECTIONS, value) ? value : undefined })}
      />
      <Group grow gap="xs" align="flex-end">
        <ColorInput
          label="Border"
          value={rampOf(object.stroke ?? '#22211e').from}
          onChangeEnd={(stroke) => onChange({ stroke, strokeWidth: borderOf(object) || 2 })}
        />
        <Stroke {...props} label="Width" least={0} />
        {object.type === 'rect' && (
          <NumberInput
            label="Corners"
            hideControls
            min={0}
            max={1000}
            value={Number(object.rx ?? 0)}
            onChange={(rx) => typeof rx === 'number' && onChange({ rx, ry: rx }, 'rx')}
          />
        )}
      </Group>
    </>
  );
}

/** Width of an object's border, canvas units; 0 without one. */
function borderOf({ stroke, strokeWidth }: CanvasObject): number {
  return stroke ? Number(strokeWidth ?? 1) : 0;
}

function Stroke({ object, onChange, label, least }: FieldsProps & { readonly label: string; readonly least: number }) {
  return (
    <NumberInput
      label={label}
      hideControls
      min={least}
      max={100}
      value={borderOf(object)}
      onChange={(width) => {
        if (typeof width !== 'number' || width === borderOf(object)) return;
        onChange(width > 0 ? { stroke: object.stroke ?? '#22211e', strokeWidth: width } : { stroke: null }, 'stroke');
      }}
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

const LISTS = { none: { label: 'None' }, bullet: { label: 'Bullets' }, number: { label: 'Numbers' } } as const;

/** Styles of a whole text that are on or off. */
const STYLES = [
  {
    name: 'Bold',
    icon: IconBold,
    isOn: ({ fontWeight }: CanvasObject) => fontWeight === 'bold' || Number(fontWeight) >= 600,
    to: (on: boolean) => ({ fontWeight: on ? 'bold' : 'normal' }),
  },
  {
    name: 'Italic',
    icon: IconItalic,
    isOn: ({ fontStyle }: CanvasObject) => fontStyle === 'italic',
    to: (on: boolean) => ({ fontStyle: on ? 'italic' : 'normal' }),
  },
  {
    name: 'Underline',
    icon: IconUnderline,
    isOn: ({ underline }: CanvasObject) => underline === true,
    to: (underline: boolean) => ({ underline }),
  },
] as const;

function TextFields(props: FieldsProps) {
  const { object, onChange } = props;
  const fonts = (useFonts().data ?? []).map((font) => font.family);
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
        <ActionIcon.Group>
          {STYLES.map(({ name, icon: Icon, isOn, to }) => (
            <ActionIcon
              key={name}
              size={30}
              variant={isOn(object) ? 'light' : 'default'}
              color="verdigris"
              aria-label={name}
              aria-pressed={isOn(object)}
              onClick={() => onChange(to(!isOn(object)))}
            >
              <Icon size={16} />
            </ActionIcon>
          ))}
        </ActionIcon.Group>
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
      <Group grow gap="xs" align="flex-end">
        <Select
          label="List"
          data={optionsOf(LISTS)}
          value={isNameOf(LISTS, object.list) ? object.list : 'none'}
          onChange={(list) => list && onChange({ list })}
        />
        <NumberInput
          label="Line height"
          min={0.6}
          max={4}
          step={0.1}
          decimalScale={2}
          value={Number(object.lineHeight ?? 1.16)}
          onChange={(value) => typeof value === 'number' && onChange({ lineHeight: value }, 'lineHeight')}
        />
        <NumberInput
          label="Spacing"
          min={-200}
          max={1000}
          step={10}
          value={Number(object.charSpacing ?? 0)}
          onChange={(value) => typeof value === 'number' && onChange({ charSpacing: value }, 'charSpacing')}
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
