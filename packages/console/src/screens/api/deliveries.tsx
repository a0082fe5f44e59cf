import type { Delivery, WebhookBody } from '@figurehead/sdk';
import { optionsOf } from '@figurehead/sdk/document';
import { Accordion, Anchor, Badge, Button, Card, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAction, useApi, useRead } from '../../api/client.js';
import { formatTime, formatWhen } from '../../lib/format.js';
import { CopyText } from '../../shell/copy-text.js';
import { IconInbox, IconRefresh } from '../../shell/icons.js';
import { ListPages } from '../../shell/list-pages.js';
import { Empty, Loaded } from '../../shell/states.js';

const LIMIT = 20;
const STATES: Readonly<Record<Delivery['state'], { readonly label: string; readonly color: string }>> = {
  pending: { label: 'Waiting', color: 'gray' },
  sending: { label: 'Being sent', color: 'blue' },
  delivered: { label: 'Delivered', color: 'verdigris' },
  failed: { label: 'Failed', color: 'red' },
  unknown: { label: 'Unknown', color: 'orange' },
  dropped: { label: 'Dropped', color: 'gray' },
};

/** The delivery log: requests, byte for byte, and answers. */
export function Deliveries() {
  const api = useApi();
  const [state, setState] = useState<Delivery['state'] | null>(null);
  const [page, setPage] = useState(1);
  const deliveries = useRead(
    ['deliveries', { state, page }],
    (api, call) => api.listDeliveries({ query: { page, limit: LIMIT, ...(state && { state }) } }, call),
    {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state: { data } }) =>
        data?.deliveries.some((one) => one.state === 'pending' || one.state === 'sending') ? 1500 : 10_000,
    },
  );
  const resend = useAction((deliveryId: string) => api.resendDelivery({ deliveryId }), {
    changes: [['deliveries'], ['apiConfig']],
    done: 'Sent again, as a new delivery.',
  });
  return (
    <Loaded query={deliveries}>
      {(list) => (
        <Stack>
          {(state !== null || list.total > 0) && (
            <Select
              allowDeselect
              label="Outcome"
              w={180}
              clearable
              placeholder="Any"
              data={optionsOf(STATES)}
              value={state}
              onChange={(next) => {
                setState(next);
                setPage(1);
              }}
            />
          )}
          {list.total === 0 ? (
            <Empty icon={<IconInbox />} title={state ? 'No delivery with this outcome' : 'Nothing delivered yet'}>
              When a video is ready or fails, the request to your receiver appears here with its answer. To see one,
              subscribe and send a test event under{' '}
              <Anchor component={Link} href="/api?tab=webhook" underline="always">
                Webhook
              </Anchor>
              .
            </Empty>
          ) : (
            <Card padding={0}>
              <Accordion chevronPosition="left">
                {list.deliveries.map((delivery) => (
                  <Accordion.Item key={delivery._id} value={delivery._id}>
                    <Accordion.Control>
                      <Group justify="space-between" align="flex-start" gap="xs" pr="sm" wrap="nowrap">
                        <Group gap="4px 12px" style={{ flex: 1 }}>
                          <Badge color={STATES[delivery.state].color}>{STATES[delivery.state].label}</Badge>
                          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                            {bodyOf(delivery).video.name}
                          </Text>
                          <Text size="sm" c="dimmed">
                            {delivery.event}
                            {delivery.callback && ' · callback'}
                            {delivery.responseStatus !== null && ` · status ${delivery.responseStatus}`}
                          </Text>
                        </Group>
                        <Text
                          size="sm"
                          c="dimmed"
                          title={formatTime(delivery.createdAt)}
                          style={{ whiteSpace: 'nowrap' }}
                        >
                          {formatWhen(delivery.createdAt)}
                        </Text>
                      </Group>
                    </Accordion.Control>
                    <Accordion.Panel>
                      <Detail
                        delivery={delivery}
                        busy={resend.isPending}
                        onResend={() => resend.mutate(delivery._id)}
                      />
                    </Accordion.Panel>
                  </Accordion.Item>
                ))}
              </Accordion>
            </Card>
          )}
          <ListPages total={list.total} limit={LIMIT} page={page} onChange={setPage} />
        </Stack>
      )}
    </Loaded>
  );
}

/** The body that was sent, or will be. */
function bodyOf({ requestBody }: Delivery): WebhookBody {
  return JSON.parse(requestBody) as WebhookBody;
}

function Detail({ delivery, busy, onResend }: { delivery: Delivery; busy: boolean; onResend: () => void }) {
  const headers = Object.entries(delivery.requestHeaders)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  return (
    <Stack gap="md">
      {delivery.error && (
        <Text size="sm" c="var(--mantine-color-error)">
          {delivery.error}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        To {delivery.url}
        {delivery.durationMs !== null && ` · ${Math.round(delivery.durationMs)} ms`}
        {delivery.sentAt && ` · ${formatTime(delivery.sentAt)}`}
        {delivery.videoId !== null && (
          <>
            {' · '}
            <Anchor component={Link} href={`/videos/${delivery.videoId}`} size="sm" underline="always">
              Open the video
            </Anchor>
          </>
        )}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Bytes title="Headers sent" text={headers || '(none yet)'} />
        <Bytes
          title={`Answer${delivery.responseStatus === null ? '' : `, status ${delivery.responseStatus}`}`}
          text={delivery.responseBody ?? '(none)'}
        />
      </SimpleGrid>
      <Bytes title="Body, exactly as sent" text={delivery.requestBody} />
      <Group>
        <CopyText value={delivery.requestBody} label="Copy body" />
        <Button size="xs" variant="default" leftSection={<IconRefresh size={15} />} loading={busy} onClick={onResend}>
          Send again
        </Button>
      </Group>
    </Stack>
  );
}

function Bytes({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <pre className="fh-code" tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}
