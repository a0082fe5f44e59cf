import type { Batch, VideoStatus } from '@figurehead/sdk';
import { Anchor, Button, Group, Progress, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAction, useApi } from '../../api/client.js';
import { useVideoEvents } from '../../api/video-events.js';
import { count, formatDuration, formatTime } from '../../lib/format.js';
import { tell } from '../../lib/notices.js';
import { withoutPaths } from '../../lib/problems.js';
import { isMoving } from '../../lib/status.js';
import { IconDownload, IconFileTypeCsv, IconRefresh } from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { Loaded } from '../../shell/states.js';
import { StatusBadge } from '../../shell/status-badge.js';
import { linksAsCsv, save, zipOf } from './links.js';

type Row = Batch['videos'][number];

/** One batch: progress, videos of all rows, failures with reasons, and all links. */
export default function BatchPage({ requestId }: { readonly requestId: string }) {
  const api = useApi();
  const live = useVideoEvents();
  const batch = useQuery({
    // Below the key of video lists, so that a change of any video reloads it.
    queryKey: ['videos', 'batch', requestId],
    queryFn: ({ signal }) => api.readBatch({ requestId }, { signal }),
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
      from={{ href: '/templates', list: 'Templates', name: batch.name }}
      about={`${count(batch.rows, 'row')}, started ${formatTime(batch.createdAt)}.${batch.emailNotification ? ' You get an e-mail when all are done.' : ''}`}
      actions={<Downloads batch={batch} />}
    >
      <Stack gap="lg">
        <Overview batch={batch} />
        <Table.ScrollContainer
          minWidth={520}
          className="fh-stacks"
          scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Rows of the batch' } }}
        >
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={56}>Row</Table.Th>
                <Table.Th>Video</Table.Th>
                <Table.Th w={150}>Status</Table.Th>
                <Table.Th w={90}>Length</Table.Th>
                <Table.Th w={130}>Actions</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {videos.map((video) => (
                <VideoRow key={video._id} video={video} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
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
  const words = (['ready', 'rendering', 'queued', 'moderation', 'error', 'draft'] as const satisfies VideoStatus[])
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
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={15} />}
            loading={retry.isPending}
            onClick={() => retry.mutate()}
          >
            Retry {count(failed.length, 'failed video')}
          </Button>
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
} as const;

function VideoRow({ video }: { readonly video: Row }) {
  const api = useApi();
  const retry = useAction(() => api.renderVideo({ videoId: video._id }), { changes: [['videos']] });
  const row = (video.batchRowId ?? 0) + 1;
  // A failed row that was corrected in the editor is a draft.
  const verb = video.status === 'error' ? 'Retry' : 'Render';
  return (
    <Table.Tr>
      <Table.Td c="dimmed" data-label="Row">
        {row}
      </Table.Td>
      <Table.Td data-main>
        <Anchor component={Link} href={`/videos/${video._id}`} fw={600} c="var(--mantine-color-text)">
          {video.name}
        </Anchor>
        {video.error && (
          <Text size="xs" c="var(--mantine-color-error)" mt={2}>
            {withoutPaths(video.error)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <StatusBadge status={video.status} />
        {video.status === 'rendering' && (
          <Text span size="xs" c="dimmed" ml={6}>
            {Math.round((video.progress ?? 0) * 100)} %
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label="Length">{video.duration === undefined ? '—' : formatDuration(video.duration)}</Table.Td>
      <Table.Td>
        {video.url && (
          <Button
            component="a"
            href={video.url}
            download
            size="compact-sm"
            variant="default"
            aria-label={`Download row ${row}`}
          >
            Download
          </Button>
        )}
        {(video.status === 'error' || video.status === 'draft') && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`${verb} row ${row}`}
            loading={retry.isPending}
            onClick={() => retry.mutate()}
          >
            {verb}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
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
