import type { Delivery } from '@figurehead/sdk';
import { Card, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../../api/client.js';
import { formatWhen } from '../../lib/format.js';
import { IconChecks } from '../../shell/icons.js';
import { Empty, Loaded } from '../../shell/states.js';
import { StatusBadge } from '../../shell/status-badge.js';

/** Finished videos whose event was not delivered, with their current state, so that a receiver can catch up. */
export function MissedEvents() {
  const missed = useRead(['deliveries', 'missed'], async (api, call) => {
    const videos = await api.listVideos({ query: { status: 'ready,error', limit: 100 } }, call);
    const [delivered, ...lost] = await Promise.all(
      (['delivered', 'failed', 'unknown', 'dropped'] as const satisfies Delivery['state'][]).map((state) =>
        api.listDeliveries({ query: { state, limit: 100 } }, call),
      ),
    );
    // Callbacks are events of one request, not of the webhook.
    const ofWebhook = ({ deliveries }: { deliveries: readonly Delivery[] }) =>
      deliveries
        .filter(({ callback }) => !callback)
        .map((one): [string, Delivery] => [`${one.videoId} ${one.event}`, one]);
    const arrived = new Map(delivered ? ofWebhook(delivered) : []);
    const gone = new Map(lost.flatMap(ofWebhook));
    return videos.videos.flatMap((video) => {
      const key = `${video._id} video_${video.status}`;
      const delivery = gone.get(key);
      return delivery && !arrived.has(key) ? [{ video, delivery }] : [];
    });
  });
  return (
    <Loaded query={missed}>
      {(list) =>
        list.length === 0 ? (
          <Empty icon={<IconChecks />} title="No missed events">
            All events of the latest videos were delivered, or no webhook was enabled.
          </Empty>
        ) : (
          <Stack gap="sm" maw={880}>
            <Text c="dimmed">
              Each event is sent once. These did not arrive; beside each is the current status of its video.
            </Text>
            {list.map(({ video, delivery }) => (
              <Card key={video._id} padding="md" pos="relative">
                <Group justify="space-between" align="flex-start" wrap="nowrap">
                  <div style={{ minWidth: 0 }}>
                    <Text fw={600}>
                      <Link className="fh-cover-link" href={`/videos/${video._id}`}>
                        {video.name}
                      </Link>
                    </Text>
                    <Text size="sm" c="dimmed">
                      {delivery.event}, {formatWhen(delivery.createdAt)}:{' '}
                      {delivery.error ?? `status ${delivery.responseStatus}`}
                    </Text>
                  </div>
                  <StatusBadge status={video.status} />
                </Group>
              </Card>
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}
