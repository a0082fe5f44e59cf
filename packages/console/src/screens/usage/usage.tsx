import type { QuotaUse } from '@figurehead/sdk';
import { Anchor, Badge, Card, Group, Progress, SimpleGrid, Text, Title } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useRead } from '../../api/client.js';
import { formatDuration, formatTime, formatWhen } from '../../lib/format.js';
import { DataTable } from '../../shell/data-table.js';
import { IconReceipt } from '../../shell/icons.js';
import { ListPages } from '../../shell/list-pages.js';
import { Page } from '../../shell/page.js';
import { Empty, Loaded } from '../../shell/states.js';
import { RateLimits } from './rate-limits.js';

const NAMES: Readonly<Record<QuotaUse['entity'], string>> = {
  videos: 'Videos and templates',
  folders: 'Folders',
  media: 'Media',
  fonts: 'Fonts',
  uploadFolders: 'Upload folders',
};

const LIMIT = 25;
const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/** Minutes, quotas and the ledger. */
export default function Usage() {
  const config = useRead(['apiConfig'], (api, call) => api.readApiConfig({}, call));
  return (
    <Page title="Usage" about="Remaining minutes and quotas, and when they are renewed.">
      <Loaded query={config}>
        {(use) => (
          <>
            <Card mb="lg">
              <Group justify="space-between" align="flex-end">
                <div>
                  <Text size="sm" c="dimmed">
                    Minutes left
                  </Text>
                  <Text ff="heading" fz={40} lh={1.1} fw={560}>
                    {use.minutes.toLocaleString('en', { maximumFractionDigits: 1 })}
                  </Text>
                </div>
                <Group gap={6}>
                  <Badge size="lg">{use.plan}</Badge>
                  <Badge size="lg" color="gray" tt="capitalize">
                    {use.status}
                  </Badge>
                  {use.allowOverlimit && (
                    <Badge size="lg" color="orange">
                      Overage allowed
                    </Badge>
                  )}
                </Group>
              </Group>
              <Text size="sm" c="dimmed" mt="sm">
                A video costs its length; a live stream half of the time it is connected.
              </Text>
            </Card>
            <Title order={2} mb="sm">
              Created in the last 8 hours
            </Title>
            <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} mb="xl">
              {use.quotas.map((quota) => (
                <Quota key={quota.entity} quota={quota} />
              ))}
            </SimpleGrid>
            <Spending />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Requests and the ledger. Below the quotas, whose number is known when they have loaded, so that nothing moves. */
function Spending() {
  const [page, setPage] = useState(1);
  const ledger = useRead(['ledger', page], (api, call) => api.listLedger({ query: { page, limit: LIMIT } }, call), {
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Title order={2}>Requests</Title>
      <Text size="sm" c="dimmed" mb="sm">
        Calls that are limited per minute and per hour. For outlines, only calls with an API token count.
      </Text>
      <RateLimits />
      <Title order={2} mt="xl" mb="sm">
        Where minutes went
      </Title>
      <Loaded query={ledger}>
        {({ entries, total }) =>
          total === 0 ? (
            <Empty icon={<IconReceipt />} title="No entries yet">
              Rendered videos and live streams appear here with their cost.
            </Empty>
          ) : (
            <>
              <Card padding={0}>
                <DataTable
                  label="Ledger"
                  minWidth={420}
                  rows={entries}
                  keyOf={({ _id }) => _id}
                  columns={[
                    {
                      title: 'When',
                      cell: ({ createdAt }) => formatWhen(createdAt),
                      look: ({ createdAt }) => ({ title: formatTime(createdAt) }),
                    },
                    {
                      title: 'What',
                      cell: ({ kind, subjectId }) =>
                        kind === 'video' && subjectId !== null ? (
                          <Anchor component={Link} href={`/videos/${subjectId}`} inherit>
                            Video
                          </Anchor>
                        ) : (
                          { video: 'Video', stream: 'Live stream', grant: 'Minutes added' }[kind]
                        ),
                      look: () => ({ fw: 500 }),
                    },
                    {
                      title: 'Length',
                      right: true,
                      narrow: 'labelled',
                      cell: ({ seconds }) => (seconds > 0 ? formatDuration(seconds) : '—'),
                    },
                    {
                      title: 'Minutes',
                      right: true,
                      narrow: 'labelled',
                      cell: ({ minutes }) => `${minutes > 0 ? '+' : ''}${minutes.toLocaleString('en', CENTS)}`,
                      look: () => ({ fw: 600 }),
                    },
                  ]}
                />
              </Card>
              <ListPages total={total} limit={LIMIT} page={page} onChange={setPage} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Quota({ quota }: { readonly quota: QuotaUse }) {
  const { limit, used } = quota;
  const share = limit === null ? 0 : Math.min(100, (used / Math.max(1, limit)) * 100);
  const full = limit !== null && used >= limit;
  return (
    <Card padding="md">
      <Group justify="space-between" wrap="nowrap">
        <Text fw={600} size="sm">
          {NAMES[quota.entity]}
        </Text>
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {used.toLocaleString('en')}
          {limit === null ? '' : ` of ${limit.toLocaleString('en')}`}
        </Text>
      </Group>
      <Progress
        my="sm"
        value={share}
        color={full ? 'red' : share > 80 ? 'orange' : 'verdigris'}
        aria-label={NAMES[quota.entity]}
      />
      <Text size="xs" c="dimmed">
        {limit === null
          ? 'No limit'
          : full && quota.nextFreeAt
            ? `The next slot is free ${formatWhen(quota.nextFreeAt)}`
            : quota.windowSeconds === null
              ? 'At the same time'
              : `${(limit - used).toLocaleString('en')} free now`}
      </Text>
    </Card>
  );
}
