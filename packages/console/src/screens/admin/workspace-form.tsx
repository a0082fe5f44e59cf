import type { AdminWorkspace, AdminWorkspacePatch } from '@figurehead/sdk';
import { PLANS, WORKSPACE_STATUSES } from '@figurehead/sdk/document';
import { Group, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { SubmitButton } from '../../shell/action-buttons.js';

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
  const form = useServerForm(
    {
      name: workspace?.name ?? '',
      plan: workspace?.plan ?? 'Creator',
      status: workspace?.status ?? 'active',
      minutes: workspace?.minutes ?? 60,
      allowOverlimit: workspace?.allowOverlimit ?? false,
      moderation: workspace?.moderation ?? 'off',
    } as Required<AdminWorkspacePatch>,
    (wanted, changed) => {
      const name = wanted.name.trim();
      if (workspace === undefined) return api.createWorkspace({ body: { ...wanted, name } });
      // Only what was changed: renaming must not reset the minutes that were used meanwhile.
      return api.updateAnyWorkspace({
        workspaceId: workspace._id,
        body: { ...changed, ...(changed.name && { name }) },
      });
    },
    {
      changes: [['admin', 'workspaces'], ['session'], ['apiConfig']],
      done: workspace ? 'Changed.' : 'The workspace was created.',
      onDone,
    },
  );
  const field = form.getInputProps;
  return (
    <form onSubmit={form.send}>
      <Stack>
        <TextInput label="Name" required maxLength={200} data-autofocus {...field('name')} />
        <Group grow>
          <Select label="Plan" data={PLANS} {...field('plan')} />
          <Select label="Status" data={WORKSPACE_STATUSES} {...field('status')} />
        </Group>
        <NumberInput
          label="Minutes left"
          description="Remaining minutes for rendering and streaming."
          decimalScale={2}
          thousandSeparator=","
          {...field('minutes')}
        />
        <Switch label="Allow overage" {...form.getInputProps('allowOverlimit', { type: 'checkbox' })} />
        <Select label="Videos to review" data={REVIEW} {...field('moderation')} />
        <SubmitButton form={form} disabled={!form.values.name.trim()}>
          {workspace ? 'Save' : 'Create workspace'}
        </SubmitButton>
      </Stack>
    </form>
  );
}
