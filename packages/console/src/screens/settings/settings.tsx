import type { Member, Session } from '@figurehead/sdk';
import {
  Badge,
  Button,
  Card,
  Group,
  Modal,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useAction, useAll, useApi, useSession } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { formatWhen } from '../../lib/format.js';
import { DeleteIcon, SubmitButton } from '../../shell/action-buttons.js';
import { IconUserPlus } from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { Loaded, OwnersOnly } from '../../shell/states.js';
import { BrandCard } from './brand-card.js';

const ROLES = [
  { value: 'owner', label: 'Owner' },
  { value: 'reviewer', label: 'Reviewer' },
  { value: 'member', label: 'Member' },
];

/** The workspace, its members, and the user's password. */
export default function Settings() {
  const session = useSession();
  return (
    <Page title="Settings" about="The workspace and its members.">
      <Loaded query={session}>
        {(data) =>
          data && (
            <Stack gap="lg">
              <SimpleGrid cols={{ base: 1, md: 2 }}>
                <OwnersOnly>
                  <WorkspaceCard session={data} />
                </OwnersOnly>
                <PasswordCard />
              </SimpleGrid>
              <BrandCard />
              <People session={data} />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function WorkspaceCard({ session }: { readonly session: Session }) {
  const api = useApi();
  const form = useServerForm(
    { name: session.workspace.name },
    ({ name }) => api.updateWorkspace({ body: { name: name.trim() } }),
    { keep: 'workspace', changes: [['session']], done: 'Renamed.' },
  );
  const name = form.values.name.trim();
  return (
    <Card component="form" onSubmit={form.send}>
      <Stack>
        <Title order={2}>Workspace</Title>
        <TextInput label="Name" maxLength={200} {...form.getInputProps('name')} />
        <Group gap={6}>
          <Badge>{session.workspace.plan}</Badge>
          <Badge color="gray" tt="capitalize">
            {session.workspace.status}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          Plan and minutes are set by an administrator: <code>figurehead workspace set</code>.
        </Text>
        <SubmitButton form={form} variant="default" disabled={name === '' || name === session.workspace.name}>
          Rename
        </SubmitButton>
      </Stack>
    </Card>
  );
}

function PasswordCard() {
  const api = useApi();
  const form = useServerForm({ password: { current: '', next: '' } }, (body) => api.updateSession({ body }), {
    done: 'The password was changed; other sessions were signed out.',
    onDone: () => form.reset(),
  });
  const { current, next } = form.values.password;
  return (
    <Card component="form" onSubmit={form.send}>
      <Stack>
        <Title order={2}>Your password</Title>
        <PasswordInput label="Current" autoComplete="current-password" {...form.getInputProps('password.current')} />
        <PasswordInput
          label="New"
          description="At least 8 characters"
          autoComplete="new-password"
          {...form.getInputProps('password.next')}
        />
        <SubmitButton form={form} variant="default" disabled={current === '' || next.length < 8}>
          Change password
        </SubmitButton>
      </Stack>
    </Card>
  );
}

function People({ session }: { readonly session: Session }) {
  const api = useApi();
  const [opened, { open, close }] = useDisclosure(false);
  const members = useAll(['members'], (api, call) => api.listMembers({ query: { limit: 100 } }, call));
  const changes = [['members']];
  const change = useAction(
    (input: { memberId: string; role: Member['role'] }) =>
      api.updateMember({ memberId: input.memberId, body: { role: input.role } }),
    { changes, done: 'The role was changed.' },
  );
  const remove = useAction((memberId: string) => api.deleteMember({ memberId }), { changes, done: 'Removed.' });
  const owner = session.role === 'owner';
  return (
    <Card>
      <Group justify="space-between" mb="md">
        <Title order={2}>People</Title>
        {owner && (
          <Button size="sm" variant="default" leftSection={<IconUserPlus size={17} />} onClick={open}>
            Add a person
          </Button>
        )}
      </Group>
      <Loaded query={members} height={90}>
        {(list) => (
          <Stack gap="sm">
            {list.map((member) => (
              <Group key={member._id} justify="space-between" gap="xs">
                <div style={{ flex: '1 1 180px', minWidth: 0 }}>
                  <Text fw={600}>{member.name || member.email}</Text>
                  <Text size="sm" c="dimmed">
                    {member.email} · since {formatWhen(member.createdAt)}
                  </Text>
                </div>
                <Group gap={4} wrap="nowrap">
                  <Select
                    aria-label={`Role of ${member.name || member.email}`}
                    w={130}
                    disabled={!owner}
                    data={ROLES}
                    value={member.role}
                    onChange={(role) => role && change.mutate({ memberId: member._id, role: role as Member['role'] })}
                  />
                  {owner && member._id !== session.user._id && (
                    <DeleteIcon
                      label={`Remove ${member.email}`}
                      question={`Remove ${member.email} from this workspace?`}
                      act={remove}
                      id={member._id}
                    />
                  )}
                </Group>
              </Group>
            ))}
          </Stack>
        )}
      </Loaded>
      <Modal opened={opened} onClose={close} title="Add a person">
        <NewMember onDone={close} />
      </Modal>
    </Card>
  );
}

function NewMember({ onDone }: { readonly onDone: () => void }) {
  const api = useApi();
  const form = useServerForm(
    { email: '', name: '', role: 'member' as Member['role'], password: '' },
    ({ email, name, role, password }) =>
      api.createMember({ body: { email: email.trim(), role, ...(name && { name }), ...(password && { password }) } }),
    { changes: [['members']], done: 'They can sign in now.', onDone },
  );
  const field = form.getInputProps;
  return (
    <Stack component="form" onSubmit={form.send}>
      <TextInput label="E-mail" type="email" required data-autofocus {...field('email')} />
      <TextInput label="Name" {...field('name')} />
      <Select label="Role" data={ROLES} {...field('role')} />
      <PasswordInput
        label="First password"
        description="For a user without an account on this server."
        autoComplete="new-password"
        {...field('password')}
      />
      <SubmitButton form={form} disabled={!form.values.email.includes('@')}>
        Add
      </SubmitButton>
    </Stack>
  );
}
