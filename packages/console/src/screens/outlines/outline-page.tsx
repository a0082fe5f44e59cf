import type { Outline } from '@figurehead/sdk';
import { Badge, Button, Card, Group, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction, useApi, useRead } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { ActButton, SubmitButton } from '../../shell/action-buttons.js';
import { IconMovie, IconPencil, IconTrash, IconWand } from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { Empty, Loaded } from '../../shell/states.js';

/** One outline: chapters, their scripts, and the conversion to a video. */
export default function OutlinePage({ outlineId }: { readonly outlineId: string }) {
  const outline = useRead(['outline', outlineId], (api, call) => api.readOutline({ outlineId }, call));
  return <Loaded query={outline}>{(data) => <Whole outline={data} />}</Loaded>;
}

function Whole({ outline }: { readonly outline: Outline }) {
  const api = useApi();
  const [, go] = useLocation();
  const [wanted, setWanted] = useState<number | string>('');
  const outlineId = outline._id;
  const changes = [['outline', outlineId], ['outlines']];
  // After what a click takes the focus from has been saved.
  const queue = queueOf(outlineId);
  const chapters = useAction(
    () => api.generateChapters({ outlineId, body: typeof wanted === 'number' ? { count: wanted } : {} }),
    { changes, queue, done: 'The chapters are ready.' },
  );
  const script = useAction(
    (chapterId: string | undefined) => api.generateScript({ outlineId, body: chapterId ? { chapterId } : {} }),
    { changes, queue, done: 'The script is ready.' },
  );
  const video = useAction(() => api.createOutlineVideo({ outlineId, body: {} }), {
    changes: [['videos']],
    queue,
    onDone: (made) => go(`/videos/${made._id}/edit`),
  });
  const remove = useAction(() => api.deleteOutline({ outlineId }), {
    changes: [['outlines']],
    done: 'The outline was deleted.',
    onDone: () => go('/outlines'),
  });
  const has = outline.chapters.length > 0;
  return (
    <Page
      title={outline.title}
      from={{ href: '/outlines', list: 'Outlines' }}
      width={880}
      about={outline.prompt ?? undefined}
      actions={
        <>
          <ActButton
            act={remove}
            question={`Delete the outline “${outline.title}”?`}
            variant="default"
            leftSection={<IconTrash size={17} />}
          >
            Delete
          </ActButton>
          <ActButton act={video} leftSection={<IconMovie size={17} />} disabled={outline.status !== 'script'}>
            Make a video
          </ActButton>
        </>
      }
    >
      <Stack>
        <Group align="flex-end" gap="sm">
          <NumberInput
            label="Chapters"
            placeholder="As many as fit"
            w={150}
            min={1}
            max={20}
            value={wanted}
            onChange={setWanted}
          />
          <ActButton act={chapters} variant={has ? 'default' : 'filled'} leftSection={<IconWand size={17} />}>
            {has ? 'Rewrite chapters' : 'Write chapters'}
          </ActButton>
          {has && (
            <Button
              variant={outline.status === 'script' ? 'default' : 'filled'}
              leftSection={<IconPencil size={17} />}
              loading={script.isPending && !script.variables}
              onClick={() => script.mutate(undefined)}
            >
              {outline.status === 'script' ? 'Rewrite all scripts' : 'Write all scripts'}
            </Button>
          )}
          {outline.writer === 'extracted' && (
            <Badge color="orange" size="lg">
              Without a language model: your own sentences
            </Badge>
          )}
        </Group>
        {!has && (
          <Empty icon={<IconWand />} title="No chapters yet">
            Generate chapters from the topic and your text. You can edit them afterwards.
          </Empty>
        )}
        {outline.chapters.map((chapter, index) => (
          <ChapterCard
            key={chapter.id}
            outlineId={outlineId}
            chapter={chapter}
            number={index + 1}
            writing={script.isPending && script.variables === chapter.id}
            onWrite={() => script.mutate(chapter.id)}
          />
        ))}
      </Stack>
    </Page>
  );
}

type Chapter = Outline['chapters'][number];

/** A chapter, saved when one of its fields loses the focus. */
function ChapterCard(props: {
  readonly outlineId: string;
  readonly chapter: Chapter;
  readonly number: number;
  /** Its script is being written. */
  readonly writing: boolean;
  readonly onWrite: () => void;
}) {
  const { outlineId, chapter, number, writing, onWrite } = props;
  const api = useApi();
  const chapters = async () => (await api.readOutline({ outlineId })).chapters;
  const form = useServerForm(
    wordsOf(chapter),
    // The chapters are stored as a whole, so a change starts from the server's current ones.
    async (_words, changed) => {
      const next = (await chapters()).map((one) => (one.id === chapter.id ? { ...one, ...changed } : one));
      return api.updateOutline({ outlineId, body: { chapters: next } });
    },
    {
      keep: `outline-${outlineId}-${chapter.id}`,
      present: async () => wordsOf((await chapters()).find(({ id }) => id === chapter.id) ?? chapter),
      queue: queueOf(outlineId),
      changes: [['outline', outlineId], ['outlines']],
    },
  );
  const field = (name: keyof ReturnType<typeof wordsOf>) => ({
    ...form.getInputProps(name),
    // Where another user has changed it too, only the button saves.
    onBlur: () => form.isChanged && Object.keys(form.theirs).length === 0 && form.call.mutate(),
  });
  const isLeft = form.call.isError || form.restored !== undefined;
  return (
    <Card>
      <Stack gap="sm" component="form" onSubmit={form.send}>
        <Group align="flex-end" wrap="nowrap">
          <TextInput label={`Chapter ${number}`} style={{ flex: 1 }} {...field('title')} />
          <Button
            variant="default"
            loading={writing}
            onClick={onWrite}
            aria-label={`${chapter.script === undefined ? 'Write' : 'Rewrite'} script of chapter ${number}`}
          >
            {chapter.script === undefined ? 'Write script' : 'Rewrite script'}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {chapter.summary}
        </Text>
        {chapter.script !== undefined && <Textarea label="Script" minRows={3} maxRows={16} {...field('script')} />}
        {isLeft && form.isChanged && (
          <SubmitButton form={form} style={{ alignSelf: 'flex-start' }}>
            Save chapter {number}
          </SubmitButton>
        )}
      </Stack>
    </Card>
  );
}

/** Changes of an outline run one after the other. */
function queueOf(outlineId: string): string {
  return `outline-${outlineId}`;
}

function wordsOf({ title, script = '' }: Chapter) {
  return { title, script };
}
