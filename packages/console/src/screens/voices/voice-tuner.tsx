import type { VoiceCustomization } from '@figurehead/sdk';
import { Box, Button, Group, Slider, Stack, Text, Title } from '@mantine/core';
import { aboutVoice, type ListedVoice, sourceLabel, voiceKey } from '../../api/catalogue.js';
import { useAction, useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { SubmitButton } from '../../shell/action-buttons.js';
import { IconDeviceFloppy, IconPlayerPlay } from '../../shell/icons.js';
import { SoundPlayer } from '../../shell/sound-player.js';

/** One voice: listen with the current slider values, then save them. */
export function VoiceTuner({ voice }: { readonly voice: ListedVoice }) {
  const api = useApi();
  const about = {
    voice: voice.voice,
    provider: voice.voiceProvider as VoiceCustomization['provider'],
    language: voice.language,
  };
  const saved = { stability: voice.stability ?? 0.5, speed: voice.speed ?? 1 };
  const form = useServerForm(saved, (tuned) => api.saveVoice({ body: { ...about, ...tuned } }), {
    keep: `voice-${voiceKey(voice)}`,
    done: `${voice.name} is saved.`,
    changes: [['voices']],
  });
  const preview = useAction(async (which: 'new' | 'saved') => {
    const tuned = which === 'new' ? form.getValues() : saved;
    return { which, ...(await api.previewVoice({ body: { ...about, ...tuned, locale: voice.locale } })) };
  });
  const slider = (key: keyof typeof saved) => ({
    value: form.values[key],
    onChange: (value: number) => form.setFieldValue(key, value),
  });
  return (
    <Stack component="form" onSubmit={form.send}>
      <div>
        <Title order={2}>{voice.name}</Title>
        <Text size="sm" c="dimmed">
          {[voice.language, aboutVoice(voice), sourceLabel(voice.voiceProvider)].filter(Boolean).join(' · ')}
        </Text>
      </div>
      <Tuned
        name="Stability"
        about="Low is lively, high is even."
        min={0}
        max={1}
        {...slider('stability')}
        label={(value) => `${Math.round(value * 100)} %`}
      />
      <Tuned
        name="Speed"
        about="Around 1 is natural."
        min={0.7}
        max={1.2}
        {...slider('speed')}
        label={(value) => `${value.toFixed(2)} ×`}
      />
      <Group gap="xs">
        <Button
          leftSection={<IconPlayerPlay size={17} />}
          loading={preview.isPending && preview.variables === 'new'}
          onClick={() => preview.mutate('new')}
        >
          Listen
        </Button>
        {form.isChanged && (
          <Button
            variant="default"
            loading={preview.isPending && preview.variables === 'saved'}
            onClick={() => preview.mutate('saved')}
          >
            Listen to the saved voice
          </Button>
        )}
        <SubmitButton
          form={form}
          variant="default"
          leftSection={<IconDeviceFloppy size={17} />}
          disabled={!form.isChanged}
        >
          Save
        </SubmitButton>
      </Group>
      {preview.data && (
        <Box>
          <SoundPlayer autoPlay label={`${voice.name} speaks`} src={preview.data.url} />
          <Text size="sm" c="dimmed" mt={4}>
            {preview.data.which === 'saved' ? 'As saved: ' : ''}“{preview.data.text}”
          </Text>
        </Box>
      )}
    </Stack>
  );
}

function Tuned(props: {
  readonly name: string;
  readonly about: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
  readonly label: (value: number) => string;
}) {
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text size="sm" fw={500}>
          {props.name}
        </Text>
        <Text size="sm" c="dimmed">
          {props.label(props.value)}
        </Text>
      </Group>
      <Slider
        thumbLabel={props.name}
        min={props.min}
        max={props.max}
        step={0.01}
        value={props.value}
        onChange={props.onChange}
        label={props.label}
      />
      <Text size="xs" c="dimmed" mt={6}>
        {props.about}
      </Text>
    </div>
  );
}
