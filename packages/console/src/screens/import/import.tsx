import { Button, Card, Grid, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { useIngredients } from '../../api/brand.js';
import { speaking, useCast, voiceKey } from '../../api/catalogue.js';
import { useAction, useApi } from '../../api/client.js';
import { useVideo } from '../../api/lists.js';
import { useVideoEvents } from '../../api/video-events.js';
import { count } from '../../lib/format.js';
import { withoutPaths } from '../../lib/problems.js';
import { DropZone } from '../../shell/drop-zone.js';
import { IconArrowRight } from '../../shell/icons.js';
import { MissingFonts } from '../../shell/missing-fonts.js';
import { Page } from '../../shell/page.js';
import { PresenterPicker, VoiceSelect } from '../../shell/presenter-pickers.js';
import { Problem } from '../../shell/states.js';

/** Imports a presentation as a video: pages become backgrounds, notes become speech. */
export default function Import() {
  const api = useApi();
  const { isPending } = useIngredients();
  const { code, voice, setPresenter, setVoice } = useCast();
  const send = useAction(
    (file: File) =>
      api.importPresentation({
        file,
        body: {
          name: file.name.replace(/\.\w+$/, ''),
          avatar: code ?? '',
          ...speaking(voice),
        },
      }),
    { quiet: true, changes: [['videos']] },
  );
  return (
    <Page
      title="Presentations"
      about="Upload an existing presentation. Each page becomes a slide, its speaker notes become the speech."
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack>
            <DropZone
              accept=".pptx,.odp,.pdf"
              title="Drop a presentation here"
              about="PowerPoint (.pptx), Impress (.odp) or PDF."
              busy={send.isPending || isPending}
              onFile={(file) => send.mutate(file)}
            />
            <Problem error={send.error} title="This file could not be imported" />
            {send.data && <Arriving videoId={send.data._id} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Card>
            <Stack>
              <Title order={2}>Who presents it</Title>
              <PresenterPicker optional value={code} onChange={setPresenter} />
              <VoiceSelect value={voice ? voiceKey(voice) : null} onChange={setVoice} />
            </Stack>
          </Card>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function Arriving({ videoId }: { readonly videoId: string }) {
  const live = useVideoEvents();
  const video = useVideo(videoId, {
    // Polls fast without events, and slowly in addition to events.
    refetchInterval: ({ state }) => (state.data?.status === 'importing' ? (live ? 15_000 : 800) : false),
  });
  if (!video.data) return null;
  const { status, name, slides, error, progress } = video.data;
  return (
    <Card role="status">
      <MissingFonts slides={slides} />
      <Group justify="space-between">
        <div>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c={status === 'error' ? 'var(--mantine-color-error)' : 'dimmed'}>
            {status === 'importing'
              ? 'Importing pages and notes…'
              : status === 'error'
                ? withoutPaths(error ?? '')
                : `${count(slides.length, 'slide')}, ${slides.filter((slide) => slide.speech).length} with notes`}
          </Text>
        </div>
        {status === 'importing' ? (
          <Progress.Root w={140} size="sm">
            <Progress.Section value={(progress ?? 0) * 100} aria-label="Importing" animated />
          </Progress.Root>
        ) : (
          <Button component={Link} href={`/videos/${videoId}/edit`} rightSection={<IconArrowRight size={16} />}>
            Open in the editor
          </Button>
        )}
      </Group>
    </Card>
  );
}
