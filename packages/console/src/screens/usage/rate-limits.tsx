import type { CallOutput } from '@figurehead/sdk';
import { Card, Progress, Text } from '@mantine/core';
import { useRead } from '../../api/client.js';
import { formatDuration } from '../../lib/format.js';
import { DataTable } from '../../shell/data-table.js';
import { Loaded } from '../../shell/states.js';

type RateLimit = CallOutput<'listRateLimits'>['rateLimits'][number];

/** Remaining requests of API callers, by endpoint. */
export function RateLimits() {
  const limits = useRead(['rate-limits'], (api, call) => api.listRateLimits({ query: { limit: 100 } }, call), {
    refetchInterval: 10_000,
  });
  return (
    <Loaded query={limits} height={170}>
      {(list) => (
        <Card padding={0}>
          <DataTable
            label="Rate limits"
            minWidth={560}
            rows={list.rateLimits}
            keyOf={({ endpoint }) => endpoint}
            columns={[
              {
                title: 'Endpoint',
                narrow: 'main',
                cell: ({ endpoint }) => (
                  <Text size="sm" ff="monospace">
                    {endpoint}
                  </Text>
                ),
              },
              {
                title: 'This minute',
                narrow: 'labelled',
                width: 180,
                cell: (limit) => <Window limit={limit} of="minute" />,
              },
              {
                title: 'This hour',
                narrow: 'labelled',
                width: 180,
                cell: (limit) => <Window limit={limit} of="hour" />,
              },
            ]}
          />
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
