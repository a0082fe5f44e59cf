import type { CallOutput } from '@figurehead/sdk';
import { Badge, Card, Text } from '@mantine/core';
import { useRead } from '../../api/client.js';
import { DataTable } from '../../shell/data-table.js';
import { Loaded } from '../../shell/states.js';

type Plan = CallOutput<'listPlans'>['plans'][number];

const LIMITS: readonly { readonly key: keyof Plan; readonly name: string }[] = [
  { key: 'videos', name: 'Videos' },
  { key: 'folders', name: 'Folders' },
  { key: 'media', name: 'Media' },
  { key: 'fonts', name: 'Fonts' },
  { key: 'uploadFolders', name: 'Upload folders' },
  { key: 'renderedSlides', name: 'Slides rendered' },
];

/** Limits of each plan. */
export function Plans() {
  const plans = useRead(['admin', 'plans'], (api, call) => api.listPlans({ query: { limit: 100 } }, call), {
    staleTime: 300_000,
  });
  return (
    <Loaded query={plans}>
      {(list) => (
        <>
          <Card padding={0}>
            <DataTable
              label="Plans"
              minWidth={690}
              rows={list.plans}
              keyOf={({ plan }) => plan}
              columns={[
                { title: 'Plan', cell: ({ plan }) => plan, look: () => ({ fw: 700 }) },
                {
                  title: 'API tokens',
                  cell: ({ api }) => <Badge color={api ? 'verdigris' : 'gray'}>{api ? 'Yes' : 'No'}</Badge>,
                },
                ...LIMITS.map(({ key, name }) => ({
                  title: name,
                  right: true,
                  cell: (plan: Plan) => limitOf(plan[key]),
                  look: () => ({ style: { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' } }),
                })),
              ]}
            />
          </Card>
          <Text size="sm" c="dimmed" mt="sm">
            Videos, folders, media and fonts count over 8 hours; upload folders at the same time. A workspace whose
            status is free is held to the Free plan’s numbers, whatever its plan.
          </Text>
        </>
      )}
    </Loaded>
  );
}

function limitOf(value: Plan[keyof Plan]): string {
  return value === null ? 'No limit' : typeof value === 'number' ? value.toLocaleString('en') : String(value);
}
