import type { VideoSummary } from '@figurehead/sdk';
import { Badge, Box, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../../api/client.js';
import { count, formatWhen } from '../../lib/format.js';
import { isMoving } from '../../lib/status.js';
import { VideoPicture } from './video-picture.js';

/** The videos of a batch as one tile, shown by its first one. */
export function BatchTile({ first }: { readonly first: VideoSummary & { readonly requestId: string } }) {
  const { requestId } = first;
  const { data } = useRead(['batches', requestId], (api, call) => api.readBatch({ requestId }, call), {
    refetchInterval: ({ state }) => (state.data?.videos.some(({ status }) => isMoving(status)) ? 4000 : false),
  });
  const { ready = 0, error = 0 } = data?.counts ?? {};
  return (
    <Box component="article" className="fh-tile fh-tile-stack" pos="relative">
      <VideoPicture video={first} />
      <Box p="md" style={{ flex: 1 }}>
        <Text component="h2" fw={600} lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
          <Link className="fh-cover-link" href={`/batches/${requestId}`}>
            {data?.name ?? first.name}
          </Link>
        </Text>
        <Group gap="xs" mt={8}>
          <Badge color="orange">{data ? `Batch of ${count(data.rows, 'video')}` : 'Batch'}</Badge>
          <Text size="xs" c="dimmed">
            {data && `${ready} ready${error ? ` · ${error} failed` : ''} · `}
            {formatWhen(first.createdAt)}
          </Text>
        </Group>
      </Box>
    </Box>
  );
}
