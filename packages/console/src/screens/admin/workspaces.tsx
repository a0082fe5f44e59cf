import type { AdminWorkspace } from '@figurehead/sdk';
import { ActionIcon, Badge, Button, Card, Group, Modal, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/client.js';
import { count, formatTime, formatWhen } from '../../lib/format.js';
import { IconBuilding, IconPencil, IconPlus, IconSearch } from '../../shell/icons.js';
import { ListPages } from '../../shell/list-pages.js';
import { Empty, Loaded } from '../../shell/states.js';
import { WorkspaceForm } from './workspace-form.js';

const LIMIT = 25;

const STATUS_COLORS: Readonly<Record<AdminWorkspace['status'], string>> = {
  active: 'verdigris',
  trial: 'blue',
  free: 'gray',
  cancelled: 'red',
};

/** Every workspace of the installation, with search and editing. */
export function Workspaces() {
  const api = useApi();
  const [words, setWords] = useState('');
  const [search] = useDebouncedValue(words.trim(), 250);
  const [page, setPage] = useState(1);
  const [form, setForm] = useState<AdminWorkspace | 'new' | null>(null);
  const workspaces = useQuery({
    queryKey: ['admin', 'workspaces', { search, page }],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api.listWorkspaces({ query: { page, limit: LIMIT, ...(search && { search }) } }, { signal }),
  });
  return (
    <>
      <Group mb="md" align="flex-end">
        <TextInput
          label="Find"
          placeholder="Part of the name, or the id"
          leftSection={<IconSearch size={16} />}
          value={words}
          onChange={(event) => {
            setWords(event.currentTarget.value);
            setPage(1);
          }}
          style={{ flex: '1 1 200px', maxWidth: 360 }}
        />
        <Button leftSection={<IconPlus size={17} />} ml="auto" onClick={() => setForm('new')}>
          New workspace
        </Button>
      </Group>
      <Loaded query={workspaces}>
        {(list) => (
          <>
            <Text size="sm" c="dimmed" mb="xs" role="status">
              {count(list.total, 'workspace')}
            </Text>
            {list.workspaces.length === 0 ? (
              <Empty icon={<IconBuilding />} title="No workspace found">
                Search for a part of the name, or for the id.
              </Empty>
            ) : (
              <WorkspaceTable workspaces={list.workspaces} onEdit={setForm} />
            )}
            <ListPages total={list.total} limit={LIMIT} page={page} onChange={setPage} />
          </>
        )}
      </Loaded>
      <Modal
        opened={form !== null}
        onClose={() => setForm(null)}
        title={form === 'new' || form === null ? 'New workspace' : form.name}
      >
        {form !== null && <WorkspaceForm workspace={form === 'new' ? undefined : form} onDone={() => setForm(null)} />}
      </Modal>
    </>
  );
}

function WorkspaceTable(props: {
  readonly workspaces: readonly AdminWorkspace[];
  readonly onEdit: (workspace: AdminWorkspace) => void;
}) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer
        minWidth={980}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Workspaces' } }}
      >
        <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Workspace</Table.Th>
              <Table.Th>Plan</Table.Th>
              <Table.Th ta="right">Minutes</Table.Th>
              <Table.Th>Review</Table.Th>
              <Table.Th ta="right">People</Table.Th>
              <Table.Th ta="right">Videos</Table.Th>
              <Table.Th ta="right">Live now</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th w={60}>
                <span className="fh-hidden">Change</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {props.workspaces.map((workspace) => (
              <Table.Tr key={workspace._id}>
                <Table.Td>
                  <Text fw={600} size="sm">
                    {workspace.name}
                  </Text>
                  <Text size="xs" c="dimmed" ff="monospace">
                    {workspace._id}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Group gap={6} wrap="nowrap">
                    <Text size="sm">{workspace.plan}</Text>
                    <Badge color={STATUS_COLORS[workspace.status]} tt="capitalize" style={{ flex: 'none' }}>
                      {workspace.status}
                    </Badge>
                  </Group>
                </Table.Td>
                <Table.Td ta="right" {...(workspace.minutes <= 0 && { c: 'var(--mantine-color-error)' })}>
                  {workspace.minutes.toLocaleString('en', { maximumFractionDigits: 1 })}
                  {workspace.allowOverlimit && (
                    <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                      overage allowed
                    </Text>
                  )}
                </Table.Td>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>
                  {{ off: 'None', flagged: 'Flagged', all: 'All videos' }[workspace.moderation]}
                </Table.Td>
                <Table.Td ta="right">{workspace.members.toLocaleString('en')}</Table.Td>
                <Table.Td ta="right">{workspace.videos.toLocaleString('en')}</Table.Td>
                <Table.Td ta="right">{workspace.openStreams.toLocaleString('en')}</Table.Td>
                <Table.Td style={{ whiteSpace: 'nowrap' }} title={formatTime(workspace.createdAt)}>
                  {formatWhen(workspace.createdAt)}
                </Table.Td>
                <Table.Td>
                  <ActionIcon aria-label={`Change ${workspace.name}`} onClick={() => props.onEdit(workspace)}>
                    <IconPencil size={17} />
                  </ActionIcon>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}
