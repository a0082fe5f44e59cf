import { optionsOf } from '@figurehead/sdk/document';
import { Button, Group, Select, Slider, Text } from '@mantine/core';
import { IconCrop, IconPhotoEdit } from '../../../shell/icons.js';
import { PickButton } from '../../../shell/pick-button.js';
import { usePictures } from '../../../shell/use-pictures.js';
import { type Crop, cropOf, cropped, MASKS, masked, maskOf, replaced } from '../canvas/picture-crop.js';
import { isCroppable } from '../document.js';
import { useEditor } from '../store.js';
import type { FieldsProps } from './fields-props.js';

const SLIDERS = [
  { key: 'zoom', label: 'Zoom', min: 1, max: 6, step: 0.1 },
  { key: 'x', label: 'Horizontal position', min: 0, max: 1, step: 0.01 },
  { key: 'y', label: 'Vertical position', min: 0, max: 1, step: 0.01 },
] as const;

/** Mask and crop of a picture. */
export function PictureFields({ object, selected, onChange }: FieldsProps) {
  const { crop: cropOnCanvas } = useEditor();
  const image = usePictures(object.src ? [object.src] : []).get(object.src ?? '');
  const natural = image && { width: image.naturalWidth, height: image.naturalHeight };
  const crop: Crop = natural ? cropOf(object, natural) : { zoom: 1, x: 0.5, y: 0.5 };
  return (
    <>
      <Group grow>
        <PickButton
          kind="image"
          use="Replace the picture"
          variant="default"
          leftSection={<IconPhotoEdit size={16} />}
          onPick={({ url }) => onChange(replaced(object, url))}
        >
          Replace
        </PickButton>
        <Button
          variant="default"
          leftSection={<IconCrop size={16} />}
          disabled={!isCroppable(object)}
          onClick={() => cropOnCanvas(selected)}
        >
          Crop
        </Button>
      </Group>
      <Select
        label="Shape"
        data={optionsOf(MASKS)}
        value={maskOf(object)}
        onChange={(mask) => mask && onChange(masked(object, mask))}
      />
      {natural && (
        <div>
          <Text size="sm" fw={500} mb={4}>
            Visible part
          </Text>
          {SLIDERS.map(({ key, label, ...range }) => (
            <div key={key}>
              <Text size="xs" c="dimmed" aria-hidden>
                {label}
              </Text>
              <Slider
                mb={6}
                size="sm"
                {...range}
                thumbLabel={label}
                label={label}
                value={crop[key]}
                onChange={(value) => onChange(cropped(object, natural, { ...crop, [key]: value }), `crop-${selected}`)}
              />
            </div>
          ))}
        </div>
      )}
    </>
  );
}
