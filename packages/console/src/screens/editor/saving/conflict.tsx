import type { Slide } from '@figurehead/sdk';
import type { CanvasSize } from '@figurehead/sdk/document';
import { Alert, Button, Card, Group, Modal, ScrollArea, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useLocation } from 'wouter';
import { useAction, useApi } from '../../../api/client.js';
import { IconAlertTriangle } from '../../../shell/icons.js';
import { SlideSketch } from '../../../shell/slide-sketch.js';
import { canvasSizeOf } from '../document.js';
import { useEditor, useEditorState } from '../store.js';
import { differencesOf } from './differences.js';
import type { Version } from './state.js';

/** A save that another user or tab preceded: shows both versions and asks which one stays. */
export default function Conflict({ theirs }: { readonly theirs: Version }) {
  const [opened, { open, close }] = useDisclosure(true);
  return (
    <>
      <Alert mb="md" color="orange" role="alert" icon={<IconAlertTriangle />} title="This video was changed elsewhere">
        <Text size="sm">Your changes are not saved yet. This browser keeps them until you have chosen a version.</Text>
        <Button mt="xs" size="xs" variant="default" onClick={open}>
          Compare the versions
        </Button>
      </Alert>
      <Modal opened={opened} onClose={close} size="xl" title="This video was changed elsewhere">
        <Choice theirs={theirs} />
      </Modal>
    </>
  );
}

function Choice({ theirs }: { readonly theirs: Version }) {
  const api = useApi();
  const [, go] = useLocation();
  const { saving, videoId } = useEditor();
  const mine = useEditorState((state) => state.draft);
  const { slides, others } = differencesOf(mine, theirs.draft);
  const overwrite = useAction(() => saving.overwrite(), { quiet: true });
  const copy = useAction(
    async () => {
      const { type, tags, folderId } = await api.readVideo({ videoId });
      const name = `${mine.name.trim()} (my version)`.trim().slice(-500);
      const { slides, data } = mine;
      return api.createVideo({ body: { name, type, tags, folderId, slides: [...slides], data: { ...data } } });
    },
    {
      done: 'Your version is a new video.',
      changes: [['videos']],
      onDone: ({ _id }) => {
        saving.takeTheirs();
        go(`/videos/${_id}/edit`);
      },
    },
  );
  return (
    <Stack>
      <Text size="sm">
        Another tab or user saved this video while you were editing it. These parts differ
        {others.length > 0 && `, and so do: ${others.join(', ')}`}.
      </Text>
      <SimpleGrid cols={2}>
        <Title order={3}>Yours</Title>
        <Title order={3}>Theirs</Title>
      </SimpleGrid>
      <ScrollArea.Autosize mah="50vh">
        <Stack>
          {slides.map(({ id, name, mine: own, theirs: other }) => (
            <SimpleGrid key={id} cols={2} role="group" aria-label={name}>
              <Side name={name} slide={own} size={canvasSizeOf(mine)} />
              <Side name={name} slide={other} size={canvasSizeOf(theirs.draft)} />
            </SimpleGrid>
          ))}
        </Stack>
      </ScrollArea.Autosize>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => saving.takeTheirs()}>
          Take theirs
        </Button>
        <Button variant="default" color="red" loading={overwrite.isPending} onClick={() => overwrite.mutate(undefined)}>
          Replace theirs by mine
        </Button>
        <Button data-autofocus loading={copy.isPending} onClick={() => copy.mutate(undefined)}>
          Keep mine as a copy
        </Button>
      </Group>
    </Stack>
  );
}

function Side(props: { readonly name: string; readonly slide: Slide | undefined; readonly size: CanvasSize }) {
  const { name, slide, size } = props;
  if (!slide) return <Text c="dimmed">{name}: not there</Text>;
  return (
    <Card padding="xs">
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <div className="fh-frame" style={{ aspectRatio: `${size.width} / ${size.height}` }}>
        <SlideSketch slide={slide} size={size} />
      </div>
      <Text size="sm" mt={4}>
        {slide.speech || 'No script'}
      </Text>
    </Card>
  );
}
