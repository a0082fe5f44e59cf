import type { Video } from '@figurehead/sdk';
import { Alert, Button, Card, Checkbox, Grid, Group, List, Progress, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
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
  const [editable, setEditable] = useState(false);
  const send = useAction(
    (file: File) =>
      api.importPresentation({
        file,
        body: {
          name: file.name.replace(/\.\w+$/, ''),
          avatar: code ?? '',
          ...speaking(voice),
          voicePerPage: 'true',
          editable: editable ? 'true' : 'false',
          // The screen shows the progress.
          wait: 'false',
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
              accept=".pptx,.ppt,.odp,.pdf"
              title="Drop a presentation here"
              about="PowerPoint (.pptx, .ppt), Impress (.odp) or PDF."
              busy={send.isPending || isPending}
              onFile={(file) => send.mutate(file)}
            />
            <Checkbox
              label="Make the text editable"
              description="The text of the pages becomes objects. Otherwise each page is one picture."
              checked={editable}
              onChange={(event) => setEditable(event.currentTarget.checked)}
            />
            <Problem error={send.error} title="This file could not be imported" />
            {send.isPending && <Step name={send.variables.name} step="Uploading…" progress={null} />}
            {send.data && <Arriving videoId={send.data._id} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Card>
            <Stack>
              <Title order={2}>Who presents it</Title>
              <PresenterPicker optional value={code} onChange={setPresenter} />
              <VoiceSelect value={voice ? voiceKey(voice) : null} onChange={setVoice} />
              <Text size="sm" c="dimmed">
                Pages in other languages get a voice of their own.
              </Text>
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
  const { status, name, slides, error, progress, stage = '', data } = video.data;
  if (status === 'importing')
    return <Step name={name} step={STEPS[stage] ?? sentence(stage)} progress={progress ?? 0} />;
  return (
    <Card role="status">
      <MissingFonts slides={slides} />
      <Group justify="space-between">
        <div>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c={status === 'error' ? 'var(--mantine-color-error)' : 'dimmed'}>
            {status === 'error'
              ? withoutPaths(error ?? '')
              : `${count(slides.length, 'slide')}, ${slides.filter((slide) => slide.speech).length} with notes`}
          </Text>
        </div>
        <Button component={Link} href={`/videos/${videoId}/edit`} rightSection={<IconArrowRight size={16} />}>
          Open in the editor
        </Button>
      </Group>
      <Differences of={data} />
    </Card>
  );
}

/** Steps of an import that the server names with one word. */
const STEPS: Readonly<Record<string, string>> = {
  queued: 'Waiting for a free worker…',
  reading: 'Reading the file…',
  converting: 'Converting the pages…',
};

function sentence(stage: string): string {
  return `${stage.charAt(0).toUpperCase()}${stage.slice(1)}…`;
}

/** An import that is under way; `progress` from 0 to 1, null while it is not known. */
function Step(props: { readonly name: string; readonly step: string; readonly progress: number | null }) {
  return (
    <Card role="status">
      <Text fw={600}>{props.name}</Text>
      <Text size="sm" c="dimmed" mb="xs">
        {props.step}
        {props.progress !== null && ` ${Math.round(props.progress * 100)} %`}
      </Text>
      <Progress.Root size="sm">
        <Progress.Section value={(props.progress ?? 1) * 100} aria-label={props.step} animated />
      </Progress.Root>
    </Card>
  );
}

/** What differs from the presentation, as the server reports it in the video's settings. */
function Differences({ of: data }: { readonly of: Video['data'] }) {
  const { presentation: { warnings } = {} } = data as { presentation?: { warnings?: readonly string[] } };
  if (warnings === undefined || warnings.length === 0) return null;
  return (
    <Alert color="orange" mt="sm" title="What differs from the presentation">
      <List size="sm">
        {warnings.map((warning) => (
          <List.Item key={warning}>{warning}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
