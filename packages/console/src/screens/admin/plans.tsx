import type { CallOutput } from '@figurehead/sdk';
import { Badge, Card, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/client.js';
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
  const api = useApi();
  const plans = useQuery({
    queryKey: ['admin', 'plans'],
    staleTime: 300_000,
    queryFn: ({ signal }) => api.listPlans({ query: { limit: 100 } }, { signal }),
  });
  return (
    <Loaded query={plans}>
      {(list) => (
        <>
          <Card padding={0}>
            <Table.ScrollContainer
              minWidth={720}
              scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Plans' } }}
            >
              <Table verticalSpacing="sm" horizontalSpacing="md">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Plan</Table.Th>
                    <Table.Th>API tokens</Table.Th>
                    {LIMITS.map(({ key, name }) => (
                      <Table.Th key={key} ta="right">
                        {name}
                      </Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {list.plans.map((plan) => (
                    <Table.Tr key={plan.plan}>
                      <Table.Th scope="row">{plan.plan}</Table.Th>
                      <Table.Td>
                        <Badge color={plan.api ? 'verdigris' : 'gray'}>{plan.api ? 'Yes' : 'No'}</Badge>
                      </Table.Td>
                      {LIMITS.map(({ key }) => (
                        <Table.Td key={key} ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
                          {limitOf(plan[key])}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
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
