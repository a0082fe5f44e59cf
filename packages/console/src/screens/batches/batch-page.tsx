import type { Batch, VideoStatus } from '@figurehead/sdk';
import { namesOf } from '@figurehead/sdk/document';
import { Anchor, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAction, useApi, useRead } from '../../api/client.js';
import { useVideoEvents } from '../../api/video-events.js';
import { count, formatDuration, formatTime } from '../../lib/format.js';
import { tell } from '../../lib/notices.js';
import { withoutPaths } from '../../lib/problems.js';
import { save } from '../../lib/save.js';
import { isMoving } from '../../lib/status.js';
import { ActButton } from '../../shell/action-buttons.js';
import { DataTable } from '../../shell/data-table.js';
import { IconDownload, IconFileTypeCsv, IconRefresh } from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { Loaded } from '../../shell/states.js';
import { StatusBadge } from '../../shell/status-badge.js';
import { linksAsCsv, zipOf } from './links.js';

type Row = Batch['videos'][number];

/** One batch: progress, videos of all rows, failures with reasons, and all links. */
export default function BatchPage({ requestId }: { readonly requestId: string }) {
  const live = useVideoEvents();
  const batch = useRead(['videos', 'batch', requestId], (api, call) => api.readBatch({ requestId }, call), {
    // Below the key of video lists, so that a change of any video reloads it.
    refetchInterval: ({ state }) =>
      state.data?.videos.some((video) => isMoving(video.status)) ? (live ? 5000 : 1500) : false,
  });
  return (
    <Loaded query={batch} height={420}>
      {(data) => <Whole batch={data} />}
    </Loaded>
  );
}

function Whole({ batch }: { readonly batch: Batch }) {
  const { videos } = batch;
  return (
    <Page
      title={`Batch of ${batch.name}`}
      from={{ href: '/templates', list: 'Templates' }}
      about={`${count(batch.rows, 'row')}, started ${formatTime(batch.createdAt)}.${batch.emailNotification ? ' You get an e-mail when all are done.' : ''}`}
      actions={<Downloads batch={batch} />}
    >
      <Stack gap="lg">
        <Overview batch={batch} />
        <DataTable
          label="Rows of the batch"
          minWidth={520}
          rows={videos}
          keyOf={({ _id }) => _id}
          columns={[
            { title: 'Row', narrow: 'labelled', width: 56, cell: rowOf, look: () => ({ c: 'dimmed' }) },
            { title: 'Video', narrow: 'main', cell: (video) => <Name video={video} /> },
            { title: 'Status', width: 150, cell: (video) => <Status video={video} /> },
            {
              title: 'Length',
              narrow: 'labelled',
              width: 90,
              cell: ({ duration }) => (duration === undefined ? '—' : formatDuration(duration)),
            },
            { title: 'Actions', width: 130, cell: (video) => <Actions video={video} /> },
          ]}
        />
      </Stack>
    </Page>
  );
}

/** Number of finished rows, and a button that retries all failed ones. */
function Overview({ batch }: { readonly batch: Batch }) {
  const api = useApi();
  const { counts, videos } = batch;
  const failed = videos.filter((video) => video.status === 'error');
  const done = (counts.ready ?? 0) + (counts.error ?? 0);
  const share = (number: number) => (number / Math.max(1, videos.length)) * 100;
  const retry = useAction(
    async () => {
      for (const { _id } of failed) await api.renderVideo({ videoId: _id });
      // As many as were clicked: when the last call returns, the first may have ended.
      return failed.length;
    },
    { changes: [['videos']], onDone: (queued) => tell({ message: `${count(queued, 'video')} queued again.` }) },
  );
  const words = namesOf(WORDS)
    .filter((status) => counts[status])
    .map((status) => `${counts[status]} ${WORDS[status]}`);
  return (
    <div>
      <Group justify="space-between" mb={8}>
        <Text fw={600} role="status">
          {done} of {videos.length} done
          <Text span c="dimmed" fw={400} ml={10} size="sm">
            {words.join(' · ')}
          </Text>
        </Text>
        {failed.length > 0 && (
          <ActButton act={retry} size="xs" variant="default" leftSection={<IconRefresh size={15} />}>
            Retry {count(failed.length, 'failed video')}
          </ActButton>
        )}
      </Group>
      <Progress.Root size="lg">
        <Progress.Section value={share(counts.ready ?? 0)} aria-label="Finished" />
        <Progress.Section value={share(counts.error ?? 0)} color="red" aria-label="Failed" />
      </Progress.Root>
    </div>
  );
}

const WORDS = {
  ready: 'ready',
  rendering: 'rendering',
  queued: 'waiting',
  moderation: 'in review',
  error: 'failed',
  draft: 'draft',
} as const satisfies Partial<Record<VideoStatus, string>>;

/** Number of its row, from 1. */
function rowOf(video: Row): number {
  return (video.batchRowId ?? 0) + 1;
}

function Name({ video }: { readonly video: Row }) {
  return (
    <>
      <Anchor component={Link} href={`/videos/${video._id}`} fw={600} c="var(--mantine-color-text)">
        {video.name}
      </Anchor>
      {video.error && (
        <Text size="xs" c="var(--mantine-color-error)" mt={2}>
          {withoutPaths(video.error)}
        </Text>
      )}
    </>
  );
}

function Status({ video }: { readonly video: Row }) {
  return (
    <>
      <StatusBadge status={video.status} />
      {video.status === 'rendering' && (
        <Text span size="xs" c="dimmed" ml={6}>
          {Math.round((video.progress ?? 0) * 100)} %
        </Text>
      )}
    </>
  );
}

function Actions({ video }: { readonly video: Row }) {
  const api = useApi();
  const retry = useAction(() => api.renderVideo({ videoId: video._id }), { changes: [['videos']] });
  // A failed row that was corrected in the editor is a draft.
  const verb = video.status === 'error' ? 'Retry' : 'Render';
  const look = { size: 'compact-sm', variant: 'default' };
  return (
    <>
      {video.url && (
        <Button component="a" href={video.url} download {...look} aria-label={`Download row ${rowOf(video)}`}>
          Download
        </Button>
      )}
      {(video.status === 'error' || video.status === 'draft') && (
        <ActButton act={retry} {...look} aria-label={`${verb} row ${rowOf(video)}`}>
          {verb}
        </ActButton>
      )}
    </>
  );
}

/** The links as a table, and all files in one archive. */
function Downloads({ batch }: { readonly batch: Batch }) {
  const ready = batch.videos.filter((video) => video.url !== undefined);
  const [begun, setBegun] = useState(0);
  const stem = `${batch.name} ${batch.createdAt.slice(0, 10)}`;
  const zip = useAction(
    async () => {
      const content = await zipOf(ready, setBegun);
      save(content, `${stem}.zip`);
    },
    { done: 'The archive was downloaded.' },
  );
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFileTypeCsv size={17} />}
        onClick={() => save(new Blob([linksAsCsv(batch.videos)], { type: 'text/csv;charset=utf-8' }), `${stem}.csv`)}
      >
        CSV of links
      </Button>
      <Button
        leftSection={<IconDownload size={17} />}
        disabled={ready.length === 0 || zip.isPending}
        onClick={() => zip.mutate()}
      >
        {zip.isPending
          ? `Downloading ${begun} of ${ready.length}`
          : `Download ${ready.length === 0 ? 'all' : count(ready.length, 'video')} (ZIP)`}
      </Button>
    </>
  );
}
