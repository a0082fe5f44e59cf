import { Button, ColorInput, Group } from '@mantine/core';
import { IconPhoto } from '../../../shell/icons.js';
import { PickButton } from '../../../shell/pick-button.js';

const BACKGROUNDS = ['#e7efe9', '#ffffff', '#f6ead7', '#dfe8f2', '#22211e', '#14574b', '#f3c77b', '#b8442f'];

/** A colour, or a picture or clip that covers the slide. */
export function Background(props: { readonly background: string; readonly onChange: (background: string) => void }) {
  const { background, onChange } = props;
  const isColor = background.startsWith('#');
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
        <PickButton
          kind="image"
          onPick={({ url }) => onChange(url)}
          size="compact-sm"
          variant="default"
          leftSection={<IconPhoto size={15} />}
        >
          {isColor ? 'Use a picture' : 'Change picture'}
        </PickButton>
        {!isColor && (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onChange('#ffffff')}>
            Use a colour
          </Button>
        )}
      </Group>
    </div>
  );
}
