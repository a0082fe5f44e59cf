import { Button, ColorInput, Group } from '@mantine/core';
import { useState } from 'react';
import { IconPhoto } from '../../../shell/icons.js';
import { MediaPicker } from '../../../shell/media-picker.js';

const BACKGROUNDS = ['#e7efe9', '#ffffff', '#f6ead7', '#dfe8f2', '#22211e', '#14574b', '#f3c77b', '#b8442f'];

/** A colour, or a picture or clip that covers the slide. */
export function Background(props: { readonly background: string; readonly onChange: (background: string) => void }) {
  const { background, onChange } = props;
  const isColor = background.startsWith('#');
  const [picking, setPicking] = useState(false);
  return (
    <div>
      <ColorInput
        label="Background"
        swatches={BACKGROUNDS}
        swatchesPerRow={8}
        value={isColor ? background : '#ffffff'}
        onChangeEnd={onChange}
      />
      <Group gap="xs" mt={8}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPhoto size={15} />}
          onClick={() => setPicking(true)}
        >
          {isColor ? 'Use a picture' : 'Change picture'}
        </Button>
        {!isColor && (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onChange('#ffffff')}>
            Use a colour
          </Button>
        )}
      </Group>
      <MediaPicker
        kind="image"
        opened={picking}
        onClose={() => setPicking(false)}
        onPick={({ url }) => onChange(url)}
      />
    </div>
  );
}
