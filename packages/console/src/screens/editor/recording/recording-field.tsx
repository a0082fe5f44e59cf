import type { Slide } from '@figurehead/sdk';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useLanguages } from '../../../api/catalogue.js';
import { IconMusic, IconTrash } from '../../../shell/icons.js';
import { PickButton } from '../../../shell/pick-button.js';
import { SoundPlayer } from '../../../shell/sound-player.js';
import type { Picked } from '../../../shell/uploaded-medium.js';
import { fileNameOf } from '../document.js';
import { RecordButton } from './record-button.js';

/** The recording that a slide speaks: recorded here, uploaded, or of the library. */
export function RecordingField(props: { readonly slide: Slide; readonly onChange: (change: Partial<Slide>) => void }) {
  const { slide, onChange } = props;
  const { recording } = slide;
  const onPick = ({ url, name }: Picked) => onChange({ recording: { src: url, name: name ?? fileNameOf(url) } });
  return (
    <Stack gap={8}>
      {recording ? (
        <>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" truncate title={recording.name ?? undefined}>
              {recording.name ?? fileNameOf(recording.src)}
            </Text>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              style={{ flexShrink: 0 }}
              leftSection={<IconTrash size={15} />}
              onClick={() => onChange({ recording: null })}
            >
              Remove
            </Button>
          </Group>
          <SoundPlayer preload="metadata" label="The recording of this slide" src={recording.src} />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          Your own voice, or any other recording of up to 20 minutes.
        </Text>
      )}
      <Group grow gap="xs">
        <RecordButton script={slide.speech ?? ''} onPick={onPick} px="xs" variant={recording ? 'default' : 'light'}>
          {recording ? 'Record again' : 'Record'}
        </RecordButton>
        <PickButton
          kind="audio"
          use="Choose a recording"
          onPick={onPick}
          px="xs"
          variant="default"
          leftSection={<IconMusic size={16} />}
        >
          Choose a file
        </PickButton>
      </Group>
    </Stack>
  );
}

/** The language that is spoken in a recording: its script is read by the rules of it. */
export function RecordingLanguage(props: {
  readonly slide: Slide;
  readonly onChange: (change: Partial<Slide>) => void;
}) {
  return (
    <Select
      label="Language of the recording"
      searchable
      data={useLanguages()}
      value={props.slide.language ?? 'English'}
      onChange={(language) => language && props.onChange({ language })}
    />
  );
}
