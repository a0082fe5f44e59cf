import type { AdminWorkspace } from '@figurehead/sdk';
import { Anchor, Badge, Button, Card, Group, Modal, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useRead } from '../../api/client.js';
import { count, formatTime, formatWhen } from '../../lib/format.js';
import { DataTable } from '../../shell/data-table.js';
import { IconBuilding, IconPlus } from '../../shell/icons.js';
import { ListPages } from '../../shell/list-pages.js';
import { SearchField } from '../../shell/search-field.js';
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
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const [form, setForm] = useState<AdminWorkspace | 'new' | null>(null);
  const workspaces = useRead(
    ['admin', 'workspaces', { search, page }],
    (api, call) => api.listWorkspaces({ query: { page, limit: LIMIT, ...(search && { search }) } }, call),
    { placeholderData: keepPreviousData },
  );
  return (
    <>
      <Group mb="md" align="flex-end">
        <SearchField
          label="Find"
          placeholder="Part of the name, or the id"
          value={search}
          onChange={(value) => {
            setSearch(value);
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
            {list.total === 0 ? (
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
      <DataTable
        label="Workspaces"
        minWidth={680}
        rows={props.workspaces}
        keyOf={({ _id }) => _id}
        columns={[
          {
            title: 'Workspace',
            narrow: 'main',
            cell: (workspace) => (
              <>
                <Anchor
                  component="button"
                  fw={600}
                  size="sm"
                  ta="start"
                  aria-label={`Change ${workspace.name}`}
                  onClick={() => props.onEdit(workspace)}
                >
                  {workspace.name}
                </Anchor>
                <Text size="xs" c="dimmed" title={formatTime(workspace.createdAt)}>
                  {workspace._id} · created {formatWhen(workspace.createdAt)}
                </Text>
              </>
            ),
          },
          {
            title: 'Plan',
            cell: ({ plan, status }) => (
              <>
                {plan}{' '}
                <Badge color={STATUS_COLORS[status]} tt="capitalize">
                  {status}
                </Badge>
              </>
            ),
          },
          {
            title: 'Minutes',
            right: true,
            narrow: 'labelled',
            cell: ({ minutes, allowOverlimit }) => (
              <>
                {minutes.toLocaleString('en', { maximumFractionDigits: 1 })}
                {allowOverlimit && (
                  <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                    overage allowed
                  </Text>
                )}
              </>
            ),
            look: ({ minutes }) => (minutes <= 0 ? { c: 'var(--mantine-color-error)' } : {}),
          },
          {
            title: 'Review',
            narrow: 'labelled',
            cell: ({ moderation }) => ({ off: 'None', flagged: 'Flagged', all: 'All videos' })[moderation],
            look: () => ({ style: { whiteSpace: 'nowrap' } }),
          },
          { title: 'People', right: true, narrow: 'labelled', cell: ({ members }) => members.toLocaleString('en') },
          { title: 'Videos', right: true, narrow: 'labelled', cell: ({ videos }) => videos.toLocaleString('en') },
          {
            title: 'Live now',
            right: true,
            narrow: 'labelled',
            cell: ({ openStreams }) => openStreams.toLocaleString('en'),
          },
        ]}
      />
    </Card>
  );
}
