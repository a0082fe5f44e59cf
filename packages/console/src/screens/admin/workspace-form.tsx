import type { AdminWorkspace, AdminWorkspacePatch } from '@figurehead/sdk';
import { PLANS, WORKSPACE_STATUSES } from '@figurehead/sdk/document';
import { Button, Group, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction, useApi } from '../../api/client.js';
import { submits } from '../../lib/submit.js';

const REVIEW: readonly { readonly value: AdminWorkspace['moderation']; readonly label: string }[] = [
  { value: 'off', label: 'No video' },
  { value: 'flagged', label: 'Videos with a listed word' },
  { value: 'all', label: 'All videos' },
];

/** Settings of a workspace for administrators; without `workspace` it creates one. */
export function WorkspaceForm({
  workspace,
  onDone,
}: {
  readonly workspace: AdminWorkspace | undefined;
  readonly onDone: () => void;
}) {
  const api = useApi();
  const [wanted, setWanted] = useState<Required<AdminWorkspacePatch>>({
    name: workspace?.name ?? '',
    plan: workspace?.plan ?? 'Creator',
    status: workspace?.status ?? 'active',
    minutes: workspace?.minutes ?? 60,
    allowOverlimit: workspace?.allowOverlimit ?? false,
    moderation: workspace?.moderation ?? 'off',
  });
  const set = (change: AdminWorkspacePatch) => setWanted((now) => ({ ...now, ...change }));
  const save = useAction(
    () => {
      const body = { ...wanted, name: wanted.name.trim() };
      if (workspace === undefined) return api.createWorkspace({ body });
      return api.updateAnyWorkspace({ workspaceId: workspace._id, body: changesOf(workspace, body) });
    },
    {
      changes: [['admin', 'workspaces'], ['session'], ['apiConfig']],
      done: workspace ? 'Changed.' : 'The workspace was created.',
      onDone,
    },
  );
  return (
    <form onSubmit={submits(() => save.mutate())}>
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={200}
          data-autofocus
          value={wanted.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Group grow>
          <Select
            label="Plan"
            allowDeselect={false}
            data={PLANS}
            value={wanted.plan}
            onChange={(value) => set({ plan: PLANS.find((one) => one === value) ?? wanted.plan })}
          />
          <Select
            label="Status"
            allowDeselect={false}
            data={WORKSPACE_STATUSES}
            value={wanted.status}
            onChange={(value) => set({ status: WORKSPACE_STATUSES.find((one) => one === value) ?? wanted.status })}
          />
        </Group>
        <NumberInput
          label="Minutes left"
          description="Remaining minutes for rendering and streaming."
          decimalScale={2}
          thousandSeparator=","
          value={wanted.minutes}
          onChange={(value) => typeof value === 'number' && set({ minutes: value })}
        />
        <Switch
          label="Allow overage"
          checked={wanted.allowOverlimit}
          onChange={(event) => set({ allowOverlimit: event.currentTarget.checked })}
        />
        <Select
          label="Videos to review"
          allowDeselect={false}
          data={REVIEW}
          value={wanted.moderation}
          onChange={(value) =>
            set({ moderation: REVIEW.find((one) => one.value === value)?.value ?? wanted.moderation })
          }
        />
        <Button type="submit" disabled={!wanted.name.trim()} loading={save.isPending}>
          {workspace ? 'Save' : 'Create workspace'}
        </Button>
      </Stack>
    </form>
  );
}

/** Only changed fields: renaming must not reset the minutes that were used meanwhile. */
function changesOf(workspace: AdminWorkspace, wanted: Required<AdminWorkspacePatch>): AdminWorkspacePatch {
  const keys = Object.keys(wanted) as (keyof AdminWorkspacePatch)[];
  return Object.fromEntries(keys.filter((key) => wanted[key] !== workspace[key]).map((key) => [key, wanted[key]]));
}
