import type { CallOutput } from '@figurehead/sdk';
import { Card, Progress, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/client.js';
import { formatDuration } from '../../lib/format.js';
import { Loaded } from '../../shell/states.js';

type RateLimit = CallOutput<'listRateLimits'>['rateLimits'][number];

/** Remaining requests of API callers, by endpoint. */
export function RateLimits() {
  const api = useApi();
  const limits = useQuery({
    queryKey: ['rate-limits'],
    refetchInterval: 10_000,
    queryFn: ({ signal }) => api.listRateLimits({ query: { limit: 100 } }, { signal }),
  });
  return (
    <Loaded query={limits} height={170}>
      {(list) => (
        <Card padding={0}>
          <Table.ScrollContainer
            minWidth={560}
            className="fh-stacks"
            scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Rate limits' } }}
          >
            <Table verticalSpacing="sm" horizontalSpacing="md">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Endpoint</Table.Th>
                  <Table.Th w={180}>This minute</Table.Th>
                  <Table.Th w={180}>This hour</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list.rateLimits.map((limit) => (
                  <Table.Tr key={limit.endpoint}>
                    <Table.Td data-main>
                      <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                        {limit.endpoint}
                      </Text>
                    </Table.Td>
                    <Table.Td data-label="This minute">
                      <Window limit={limit} of="minute" />
                    </Table.Td>
                    <Table.Td data-label="This hour">
                      <Window limit={limit} of="hour" />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Card>
      )}
    </Loaded>
  );
}

function Window({ limit, of }: { readonly limit: RateLimit; readonly of: 'minute' | 'hour' }) {
  const [most, left, reset] =
    of === 'minute'
      ? [limit.perMinute, limit.remainingMinute, limit.resetMinute]
      : [limit.perHour, limit.remainingHour, limit.resetHour];
  const share = most === 0 ? 0 : ((most - left) / most) * 100;
  return (
    <>
      <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {left} of {most} left
      </Text>
      <Progress
        mt={4}
        size="sm"
        value={share}
        color={left === 0 ? 'red' : share > 80 ? 'orange' : 'verdigris'}
        aria-label={`${limit.endpoint}, used this ${of}`}
      />
      {left < most && (
        <Text size="xs" c="dimmed" mt={3}>
          All back in {waitOf(reset * 1000 - Date.now())}
        </Text>
      )}
    </>
  );
}

function waitOf(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.ceil(ms / 1000))} s` : `${formatDuration(ms / 1000)} min`;
}
