import type { VideoData, VideoVersion, VideoVersionSummary } from '@figurehead/sdk';
import { Button, Card, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction, useApi, useRead } from '../../../api/client.js';
import { count, formatTime, formatWhen } from '../../../lib/format.js';
import { ActButton } from '../../../shell/action-buttons.js';
import { SlideSketch } from '../../../shell/slide-sketch.js';
import { Loaded } from '../../../shell/states.js';
import { canvasSizeOf, type Draft } from '../document.js';
import { useEditor } from '../store.js';
import { useKeepVersion, versionsOf } from './use-keep-version.js';

const REASONS = {
  editing: 'While editing',
  render: 'As rendered',
  import: 'Before an import',
  brand: 'Before the brand',
  restore: 'Before a restore',
  request: 'Kept by hand',
} as const satisfies Record<VideoVersionSummary['reason'], string>;

/** The earlier versions of the video that the server keeps. */
export default function Versions({ onClose }: { readonly onClose: () => void }) {
  const { videoId } = useEditor();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string>();
  const versions = useRead(versionsOf(videoId), (api, call) => api.listVideoVersions({ videoId }, call));
  const keepNow = useKeepVersion();
  const keep = useAction(
    () => keepNow({ reason: 'request', ...(name.trim() === '' ? {} : { versionName: name.trim() }) }),
    { done: 'This version is kept.', onDone: () => setName('') },
  );
  return (
    <Stack>
      <Group align="flex-end" wrap="nowrap" gap="xs">
        <TextInput
          label="Name of this version"
          placeholder="Optional"
          style={{ flex: 1 }}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ActButton act={keep} variant="default">
          Keep it
        </ActButton>
      </Group>
      <Text size="sm" c="dimmed">
        Versions are also kept every 10 minutes of work, after a render, and before an import or the brand: the last 50,
        for 90 days.
      </Text>
      <Loaded query={versions} height={200}>
        {({ versions: list }) =>
          list.length === 0 ? (
            <Text>No earlier version yet.</Text>
          ) : (
            list.map((version) => (
              <Entry
                key={version._id}
                version={version}
                isOpen={chosen === version._id}
                onToggle={() => setChosen(chosen === version._id ? undefined : version._id)}
                onClose={onClose}
              />
            ))
          )
        }
      </Loaded>
    </Stack>
  );
}

function Entry(props: {
  readonly version: VideoVersionSummary;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onClose: () => void;
}) {
  const { version, isOpen, onToggle, onClose } = props;
  const reason = REASONS[version.reason];
  return (
    <Card padding="sm">
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Text fw={600}>{version.versionName ?? reason}</Text>
          <Text size="sm" c="dimmed" title={formatTime(version.createdAt)}>
            {version.versionName && `${reason}, `}
            {formatWhen(version.createdAt)}, {count(version.slideCount, 'slide')}
          </Text>
        </div>
        <Button size="xs" variant="default" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? 'Hide' : 'Show'}
        </Button>
      </Group>
      {isOpen && <Content id={version._id} onClose={onClose} />}
    </Card>
  );
}

/** The slides of a version, and what can be done with it. */
function Content({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { videoId } = useEditor();
  const version = useRead(['version', videoId, id], (api, call) =>
    api.readVideoVersion({ videoId, versionId: id }, call),
  );
  return (
    <Loaded query={version} height={120}>
      {(data) => <Choices version={data} onClose={onClose} />}
    </Loaded>
  );
}

function Choices({ version, onClose }: { readonly version: VideoVersion; readonly onClose: () => void }) {
  const api = useApi();
  const [, go] = useLocation();
  const { videoId, change, goTo } = useEditor();
  const keep = useKeepVersion();
  const [versionName, setVersionName] = useState(version.versionName ?? '');
  const draft: Draft = { name: version.name, slides: version.slides, data: version.data as VideoData };
  const restore = useAction(() => keep({ reason: 'restore' }), {
    done: 'The version is restored. You can undo this.',
    onDone: () => {
      change(() => draft);
      goTo(0);
      onClose();
    },
  });
  const copy = useAction(
    () => api.createVideo({ body: { name: draft.name, slides: version.slides, data: draft.data } }),
    {
      done: 'The version is a new video.',
      changes: [['videos']],
      onDone: ({ _id }) => go(`/videos/${_id}/edit`),
    },
  );
  const rename = useAction(() => api.nameVideoVersion({ videoId, versionId: version._id, body: { versionName } }), {
    changes: [versionsOf(videoId)],
  });
  const size = canvasSizeOf(draft);
  return (
    <Stack mt="sm" gap="sm">
      <SimpleGrid cols={2} spacing="xs">
        {version.slides.map((slide, index) => (
          <div key={slide.id}>
            <div className="fh-frame" style={{ aspectRatio: `${size.width} / ${size.height}` }}>
              <SlideSketch slide={slide} size={size} />
            </div>
            <Text size="xs" lineClamp={2}>
              {index + 1}. {slide.speech}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      <Group align="flex-end" wrap="nowrap" gap="xs">
        <TextInput
          label="Name"
          style={{ flex: 1 }}
          maxLength={200}
          value={versionName}
          onChange={(event) => setVersionName(event.currentTarget.value)}
        />
        <Button
          variant="default"
          disabled={versionName.trim() === '' || versionName === version.versionName}
          loading={rename.isPending}
          onClick={() => rename.mutate(undefined)}
        >
          Rename
        </Button>
      </Group>
      <Group gap="xs">
        <ActButton act={restore}>Restore</ActButton>
        <ActButton act={copy} variant="default">
          Copy to a new video
        </ActButton>
      </Group>
    </Stack>
  );
}
