import type { CallOutput, Slide, Video } from '@figurehead/sdk';
import type { CanvasObject } from '@figurehead/sdk/document';
import {
  ActionIcon,
  Alert,
  Button,
  Card,
  Group,
  List,
  SegmentedControl,
  Tabs,
  Text,
  TextInput,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { useDocumentTitle, useHotkeys } from '@mantine/hooks';
import { IconArrowBackUp, IconArrowForwardUp, IconArrowLeft, IconChecklist, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAvatars } from '../../api/catalogue.js';
import { useAction, useApi } from '../../api/client.js';
import { AddTools } from './add-tools.js';
import {
  changeCanvas,
  changeObject,
  changeObjects,
  changeSlide,
  type Draft,
  draftOf,
  moved,
  objectsOf,
  sizeOf,
  slideAfter,
} from './document.js';
import { useWorkspaceFonts } from './families.js';
import { FramePreview } from './frame-preview.js';
import { useHistory } from './history.js';
import { ObjectPanel } from './object-panel.js';
import { SlidePanel } from './slide-panel.js';
import { pictureOf, SlideStrip } from './slide-strip.js';
import { SlideStage } from './stage.js';
import { useSaving } from './use-saving.js';
import { VideoPanel } from './video-panel.js';

type Validation = CallOutput<'validateVideo'>;

const SAVING_WORDS = { saved: 'Saved', waiting: 'Not saved yet', saving: 'Saving…', failed: 'Not saved' } as const;

/** The editor of one video: slides, canvas, properties. */
export function Workbench({ video }: { readonly video: Video }) {
  useDocumentTitle(`Edit ${video.name} · Figurehead`);
  const api = useApi();
  const [, go] = useLocation();
  const { now: draft, change, undo, redo, canUndo, canRedo } = useHistory<Draft>(draftOf(video));
  const { state, flush } = useSaving(video._id, draft);
  const [at, setAt] = useState(0);
  const [selected, setSelected] = useState<number | null>(null);
  const [tab, setTab] = useState<string | null>('slide');
  const [view, setView] = useState<'canvas' | 'rendered'>('canvas');
  const avatars = useAvatars().data ?? [];
  const fonts = useQuery({
    queryKey: ['fonts'],
    queryFn: ({ signal }) => api.listFonts({ query: { limit: 100 } }, { signal }),
  });

  useWorkspaceFonts(fonts.data?.fonts);

  const current = Math.min(at, draft.slides.length - 1);
  const slide: Slide | undefined = draft.slides[current];
  const size = sizeOf(draft);
  const objects = slide ? objectsOf(slide) : [];
  const chosen = selected !== null && selected < objects.length ? selected : null;

  const goTo = (index: number) => {
    setAt(index);
    setSelected(null);
  };
  const select = (index: number | null) => {
    setSelected(index);
    if (index !== null) setTab('object');
  };
  const setObject = (index: number, to: Partial<CanvasObject>, kind?: string) =>
    change((now) => changeObject(now, { slide: current, object: index }, to), kind && `${current}-${kind}`);
  const removeObject = (index: number) => {
    change((now) => changeObjects(now, current, (list) => list.filter((_one, place) => place !== index)));
    setSelected(null);
  };
  const add = (object: CanvasObject) => {
    setView('canvas');
    change((now) => changeObjects(now, current, (list) => [...list, object]));
    select(objects.length);
  };

  useHotkeys([
    ['mod+Z', undo],
    ['mod+shift+Z', redo],
    ['mod+Y', redo],
    ['mod+S', () => void flush().catch(() => undefined)],
  ]);

  const validate = useAction(async () => {
    await flush();
    return api.validateVideo({ videoId: video._id });
  });
  const render = useAction(
    async () => {
      await flush();
      const verdict = await api.validateVideo({ videoId: video._id });
      if (verdict.valid) await api.renderVideo({ videoId: video._id });
      return verdict;
    },
    { changes: [['videos'], ['video', video._id]], onDone: (verdict) => verdict.valid && go(`/videos/${video._id}`) },
  );
  const verdict = latestOf(validate.data, render.data);

  return (
    <>
      <VisuallyHidden component="h1">Edit {draft.name}</VisuallyHidden>
      <Group mb="md" gap="xs">
        <Tooltip label="To the video">
          <ActionIcon component={Link} href={`/videos/${video._id}`} size="lg" aria-label="Back to the video">
            <IconArrowLeft size={20} />
          </ActionIcon>
        </Tooltip>
        <TextInput
          aria-label="Name of the video"
          variant="unstyled"
          style={{ flex: '1 1 200px' }}
          styles={{ input: { fontFamily: "'Fraunces Variable', serif", fontSize: '1.3rem', fontWeight: 560 } }}
          value={draft.name}
          maxLength={500}
          onChange={(event) => {
            const name = event.currentTarget.value;
            change((now) => ({ ...now, name }), 'name');
          }}
        />
        <Text size="sm" c={state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
          {SAVING_WORDS[state]}
        </Text>
        <Tooltip label="Undo (Ctrl Z)">
          <ActionIcon size="lg" aria-label="Undo" disabled={!canUndo} onClick={undo}>
            <IconArrowBackUp size={19} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="Redo (Ctrl Shift Z)">
          <ActionIcon size="lg" aria-label="Redo" disabled={!canRedo} onClick={redo}>
            <IconArrowForwardUp size={19} />
          </ActionIcon>
        </Tooltip>
        <Button
          variant="default"
          leftSection={<IconChecklist size={17} />}
          loading={validate.isPending}
          onClick={() => validate.mutate()}
        >
          Check
        </Button>
        <Button leftSection={<IconPlayerPlay size={17} />} loading={render.isPending} onClick={() => render.mutate()}>
          Render
        </Button>
      </Group>
      {verdict && (
        <Verdict verdict={verdict} onClose={() => [validate, render].forEach((action) => void action.reset())} />
      )}
      <div className="fh-editor">
        <SlideStrip
          slides={draft.slides}
          size={size}
          avatars={avatars}
          current={current}
          onGo={goTo}
          onAdd={() => {
            change((now) => ({
              ...now,
              slides: inserted(now.slides, current + 1, slideAfter(now.slides, now.slides[current])),
            }));
            goTo(current + 1);
          }}
          onCopy={() => {
            change((now) => {
              const source = now.slides[current];
              if (!source) return now;
              const { id } = slideAfter(now.slides, source);
              return { ...now, slides: inserted(now.slides, current + 1, { ...source, id }) };
            });
            goTo(current + 1);
          }}
          onRemove={() => {
            change((now) => ({ ...now, slides: now.slides.filter((_one, index) => index !== current) }));
            goTo(Math.max(0, current - 1));
          }}
          onMove={(by) => {
            change((now) => ({ ...now, slides: moved(now.slides, current, current + by) }));
            goTo(current + by);
          }}
        />
        <div style={{ minWidth: 0 }}>
          {slide ? (
            <>
              <Group mb="sm" gap="sm" justify="space-between">
                <AddTools size={size} onAdd={add} />
                <SegmentedControl
                  size="xs"
                  aria-label="View"
                  data={[
                    { value: 'canvas', label: 'Canvas' },
                    { value: 'rendered', label: 'As rendered' },
                  ]}
                  value={view}
                  onChange={(next) => setView(next as typeof view)}
                />
              </Group>
              <div
                style={{
                  maxWidth: size.width < size.height ? 420 : size.width === size.height ? 600 : 1200,
                  margin: '0 auto',
                }}
              >
                {view === 'rendered' ? (
                  <FramePreview
                    key={slide.id}
                    videoId={video._id}
                    slide={slide}
                    data={draft.data}
                    size={size}
                    number={current + 1}
                    flush={flush}
                  />
                ) : (
                  <SlideStage
                    key={slide.id}
                    slide={slide}
                    size={size}
                    avatarPicture={pictureOf(avatars, slide)}
                    selected={chosen}
                    onSelect={select}
                    onChange={setObject}
                    onRemove={removeObject}
                  />
                )}
              </div>
              <Text size="xs" c="dimmed" mt={8}>
                {view === 'rendered'
                  ? 'Rendered from your current, unsaved edits. Entrance animations play in the first second.'
                  : 'Drag to move, double-click a text to write. Arrow keys nudge the selected object, with Shift by ten.'}
              </Text>
            </>
          ) : (
            <Card ta="center" py={60}>
              <Text c="dimmed">This video has no slides. Add the first one.</Text>
            </Card>
          )}
        </div>
        <Card padding="md">
          <Tabs value={tab} onChange={setTab} keepMounted={false}>
            <Tabs.List grow mb="md">
              <Tabs.Tab value="slide">Slide</Tabs.Tab>
              <Tabs.Tab value="object">Objects</Tabs.Tab>
              <Tabs.Tab value="video">Video</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="slide">
              {slide && (
                <SlidePanel
                  key={slide.id}
                  videoId={video._id}
                  slide={slide}
                  isFirst={current === 0}
                  avatars={avatars}
                  flush={flush}
                  onChange={(to, kind) => change((now) => changeSlide(now, current, to), kind)}
                  onBackground={(background) => change((now) => changeCanvas(now, current, { background }))}
                />
              )}
            </Tabs.Panel>
            <Tabs.Panel value="object">
              <ObjectPanel
                objects={objects}
                selected={chosen}
                fonts={(fonts.data?.fonts ?? []).map((font) => font.family)}
                onSelect={select}
                onChange={(to, kind) => chosen !== null && setObject(chosen, to, kind)}
                onMove={(by) => {
                  if (chosen === null) return;
                  change((now) => changeObjects(now, current, (list) => moved(list, chosen, chosen + by)));
                  setSelected(chosen + by);
                }}
                onRemove={() => chosen !== null && removeObject(chosen)}
              />
            </Tabs.Panel>
            <Tabs.Panel value="video">
              <VideoPanel
                data={draft.data}
                onChange={(to, kind) => change((now) => ({ ...now, data: { ...now.data, ...to } }), kind)}
              />
            </Tabs.Panel>
          </Tabs>
        </Card>
      </div>
    </>
  );
}

function Verdict({ verdict, onClose }: { verdict: Validation; onClose: () => void }) {
  if (verdict.valid) {
    return (
      <Alert color="verdigris" mb="md" role="status" withCloseButton onClose={onClose} closeButtonLabel="Close">
        No problems found: this video can be rendered.
      </Alert>
    );
  }
  return (
    <Alert
      color="red"
      mb="md"
      role="alert"
      title="Not ready to render"
      withCloseButton
      onClose={onClose}
      closeButtonLabel="Close"
    >
      <List size="sm">
        {verdict.errors.map((error) => (
          <List.Item key={`${error.field}${error.message}`}>
            <strong>{placeOf(error.field)}</strong> {error.message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** `slides[2].voice` as people count: `Slide 3, voice`. */
function placeOf(field: string): string {
  const match = /^slides\[(\d+)\]\.?(.*)$/.exec(field);
  return match ? `Slide ${Number(match[1]) + 1}${match[2] ? `, ${match[2]}` : ''}:` : `${field}:`;
}

function latestOf(...verdicts: (Validation | undefined)[]): Validation | undefined {
  return verdicts.find((verdict) => verdict && !verdict.valid) ?? verdicts[0];
}

function inserted(slides: readonly Slide[], at: number, slide: Slide): Slide[] {
  return [...slides.slice(0, at), slide, ...slides.slice(at)];
}
