import { Button, Grid, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { IconPencil, IconSparkles } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type ListedVoice, useAvatars, useVoices, voiceKey, voiceOf } from '../../api/catalogue.js';
import { useAction, useApi } from '../../api/client.js';
import { PresenterPicker, VoiceSelect } from '../../shell/cast-pickers.js';

/** Name, script, presenter, voice: everything that a first video takes. Ends on the video's page, or in the editor. */
export function QuickVideo({ script = '', name = '' }: { readonly script?: string; readonly name?: string }) {
  const api = useApi();
  const [, go] = useLocation();
  const avatars = useAvatars().data ?? [];
  const voices = useVoices().data ?? [];
  const [title, setTitle] = useState(name);
  const [speech, setSpeech] = useState(script);
  const [chosen, setChosen] = useState<string>();
  const [spoken, setSpoken] = useState<ListedVoice>();
  const code = chosen ?? avatars.find((avatar) => avatar.status === 'ready')?.code ?? null;
  const voice =
    spoken ??
    voiceOf(
      avatars.find((avatar) => avatar.code === code),
      voices,
    );

  const make = useAction(
    async (render: boolean) => {
      const video = await api.createVideo({
        body: {
          name: title.trim() || 'Untitled video',
          slides: [
            {
              id: 1,
              speech,
              avatar: code === null ? null : { code },
              ...(voice && { voice: voice.voice, voiceProvider: voice.voiceProvider, language: voice.language }),
              canvas: { background: '#e7efe9', objects: [], version: '6.0.0' },
            },
          ],
        },
      });
      if (render) await api.renderVideo({ videoId: video._id });
      return { video, render };
    },
    {
      changes: [['videos']],
      onDone: ({ video, render }) => go(render ? `/videos/${video._id}` : `/videos/${video._id}/edit`),
    },
  );

  return (
    <Stack>
      <TextInput
        label="Name"
        placeholder="What is it about?"
        maxLength={500}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, sm: 7 }}>
          <Textarea
            label="What should they say?"
            autosize
            minRows={6}
            maxRows={14}
            value={speech}
            onChange={(event) => setSpeech(event.currentTarget.value)}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 5 }}>
          <VoiceSelect value={voice ? voiceKey(voice) : null} onChange={setSpoken} />
        </Grid.Col>
      </Grid>
      <PresenterPicker value={code} onChange={(next) => next && setChosen(next)} />
      <Group justify="flex-end">
        <Button
          variant="default"
          leftSection={<IconPencil size={17} />}
          loading={make.isPending && make.variables === false}
          onClick={() => make.mutate(false)}
        >
          Open the editor
        </Button>
        <Button
          leftSection={<IconSparkles size={17} />}
          disabled={speech.trim() === ''}
          loading={make.isPending && make.variables}
          onClick={() => make.mutate(true)}
        >
          Make the video
        </Button>
      </Group>
    </Stack>
  );
}
