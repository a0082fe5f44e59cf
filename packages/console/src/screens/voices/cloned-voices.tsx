import type { VoiceClone, VoiceCloneInput } from '@figurehead/sdk';
import { Button, Card, Group, Modal, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useAction, useAll, useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { formatDuration, formatTime } from '../../lib/format.js';
import { SubmitButton } from '../../shell/action-buttons.js';
import { ConsentFields, useConsent } from '../../shell/consent-fields.js';
import { IconMusic, IconSparkles, IconTrash } from '../../shell/icons.js';
import { PickButton } from '../../shell/pick-button.js';
import { SoundPlayer } from '../../shell/sound-player.js';
import { Problem } from '../../shell/states.js';
import type { Picked } from '../../shell/uploaded-medium.js';
import { RecordButton } from '../editor/recording/record-button.js';

const STATEMENTS = {
  me: 'I am the person in this recording. I agree that a voice is created from it, which says what users of this workspace write.',
  other:
    'The person in this recording has agreed, in writing, that a voice is created from it, which says what users of this workspace write.',
} as const;

/** A text of about 15 s with most sounds of English. */
const TO_READ =
  'The quick brown fox jumps over the lazy dog, while five large boxes of jelly beans wait by the garden gate. ' +
  'I usually have breakfast at about eight, and then I choose what to show you today. Shall we begin?';

const GENDERS = [
  { value: 'female', label: 'Female' },
  { value: 'male', label: 'Male' },
] as const;

/** Makes a voice from a recording. `onMade` gets the new voice. */
export function CloneVoiceModal(props: {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: (voice: VoiceClone) => void;
}) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Clone a voice">
      <CloneForm
        onMade={(voice) => {
          props.onMade(voice);
          props.onClose();
        }}
      />
    </Modal>
  );
}

function CloneForm({ onMade }: { readonly onMade: (voice: VoiceClone) => void }) {
  const api = useApi();
  const [recording, setRecording] = useState<Picked>();
  const consent = useConsent(STATEMENTS);
  const form = useServerForm(
    { name: '', gender: null as VoiceCloneInput['gender'] | null },
    async ({ name, gender }) =>
      recording &&
      gender &&
      api.createVoiceClone({
        body: { name: name.trim(), gender, recording: { src: recording.url }, consent: consent.given ?? '' },
      }),
    {
      keep: 'new-voice',
      changes: [['voices'], ['clones']],
      done: 'The voice is ready: listen to it.',
      onDone: (voice) => voice && onMade(voice),
      quiet: true,
    },
  );
  const { name, gender } = form.values;
  const isReady = recording !== undefined && gender !== null && name.trim() !== '' && consent.given !== undefined;
  return (
    <Stack component="form" onSubmit={form.send}>
      <Text size="sm" c="dimmed">
        5 to 30 seconds of one person who speaks in a quiet room. The voice keeps a copy of the recording, until you
        delete it.
      </Text>
      <Group gap="xs">
        <RecordButton script={TO_READ} onPick={setRecording} variant="default">
          Record
        </RecordButton>
        <PickButton
          kind="audio"
          use="Choose a recording"
          onPick={setRecording}
          variant="default"
          leftSection={<IconMusic size={16} />}
        >
          Choose a recording
        </PickButton>
      </Group>
      {recording && <SoundPlayer label="The recording" src={recording.url} />}
      <TextInput label="Name" required maxLength={100} {...form.getInputProps('name')} />
      <Select label="Sounds" required placeholder="Choose" data={GENDERS} {...form.getInputProps('gender')} />
      <ConsentFields what="voice" statements={STATEMENTS} consent={consent} />
      <Problem error={form.failure} />
      <SubmitButton form={form} leftSection={<IconSparkles size={17} />} disabled={!isReady}>
        Create voice
      </SubmitButton>
    </Stack>
  );
}

/** The cloned voices of the workspace with their consents; nothing while there are none. */
export function ClonedVoices() {
  const api = useApi();
  const clones = useAll(['clones'], (api, call) => api.listVoiceClones({ query: { limit: 100 } }, call));
  const remove = useAction((id: string) => api.deleteVoiceClone({ cloneId: id }), {
    changes: [['voices'], ['clones']],
    done: 'The voice and its recording are deleted.',
  });
  const all = clones.data ?? [];
  if (all.length === 0) return null;
  return (
    <Card component="section" aria-labelledby="cloned-voices" mt="xl">
      <Title order={2} id="cloned-voices" size="h3" mb="sm">
        Cloned voices
      </Title>
      <Stack component="ul" className="fh-plain" gap="md">
        {all.map((clone) => (
          <Group key={clone.id} component="li" justify="space-between" wrap="nowrap" align="flex-start">
            <div style={{ minWidth: 0 }}>
              <Text fw={500}>{clone.name}</Text>
              <Text size="sm" c="dimmed">
                {clone.language} · from {formatDuration(clone.seconds)} of speech
              </Text>
              <Text size="sm" mt={4}>
                “{clone.consent.statement}”
              </Text>
              <Text size="xs" c="dimmed">
                Given by {clone.consent.givenBy}, {formatTime(clone.consent.givenAt)}
              </Text>
            </div>
            <Button
              variant="subtle"
              color="gray"
              leftSection={<IconTrash size={15} />}
              style={{ flexShrink: 0 }}
              aria-label={`Delete ${clone.name}`}
              loading={remove.isPending && remove.variables === clone.id}
              onClick={() =>
                window.confirm(
                  `Delete the voice “${clone.name}” and its recording? Slides that use it need another voice.`,
                ) && remove.mutate(clone.id)
              }
            >
              Delete
            </Button>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
