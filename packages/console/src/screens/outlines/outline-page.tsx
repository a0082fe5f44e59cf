import type { Outline } from '@figurehead/sdk';
import { Badge, Button, Card, Group, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type ChangeEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useAction, useApi, useRead } from '../../api/client.js';
import { ActButton } from '../../shell/action-buttons.js';
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
  const chapters = useAction(
    () => api.generateChapters({ outlineId, body: typeof wanted === 'number' ? { count: wanted } : {} }),
    { changes, done: 'The chapters are ready.' },
  );
  const script = useAction(
    (chapterId: string | undefined) => api.generateScript({ outlineId, body: chapterId ? { chapterId } : {} }),
    { changes, done: 'The script is ready.' },
  );
  const save = useAction((next: Outline['chapters']) => api.updateOutline({ outlineId, body: { chapters: next } }), {
    changes,
  });
  const video = useAction(() => api.createOutlineVideo({ outlineId, body: {} }), {
    changes: [['videos']],
    onDone: (made) => go(`/videos/${made._id}/edit`),
  });
  const remove = useAction(() => api.deleteOutline({ outlineId }), {
    changes: [['outlines']],
    done: 'The outline was deleted.',
    onDone: () => go('/outlines'),
  });
  const has = outline.chapters.length > 0;
  // A second change must not undo one that is still being saved.
  const latest = save.isPending ? save.variables : outline.chapters;
  const patch = (id: string, change: Partial<Chapter>) =>
    save.mutate(latest.map((chapter) => (chapter.id === id ? { ...chapter, ...change } : chapter)));
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
            chapter={chapter}
            number={index + 1}
            writing={script.isPending && script.variables === chapter.id}
            onWrite={() => script.mutate(chapter.id)}
            onChange={(change) => patch(chapter.id, change)}
          />
        ))}
      </Stack>
    </Page>
  );
}

type Chapter = Outline['chapters'][number];

function ChapterCard(props: {
  readonly chapter: Chapter;
  readonly number: number;
  /** Its script is being written. */
  readonly writing: boolean;
  readonly onWrite: () => void;
  readonly onChange: (change: Partial<Chapter>) => void;
}) {
  const { chapter, number, writing, onWrite, onChange } = props;
  const title = useDraft(chapter.title, (text) => onChange({ title: text }));
  const script = useDraft(chapter.script ?? '', (text) => onChange({ script: text }));
  return (
    <Card>
      <Stack gap="sm">
        <Group align="flex-end" wrap="nowrap">
          <TextInput label={`Chapter ${number}`} style={{ flex: 1 }} {...title} />
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
        {chapter.script !== undefined && <Textarea label="Script" minRows={3} maxRows={16} {...script} />}
      </Stack>
    </Card>
  );
}

/** Properties of a field that is saved when it loses the focus, and follows a text that the server has changed unless it has unsaved words. */
function useDraft(saved: string, onSave: (text: string) => void) {
  const [{ text, of }, setDraft] = useState({ text: saved, of: saved });
  if (of !== saved) setDraft({ text: text === of ? saved : text, of: saved });
  return {
    value: text,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      setDraft({ text: event.currentTarget.value, of: saved }),
    onBlur: () => text !== saved && onSave(text),
  };
}
