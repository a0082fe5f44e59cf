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
import { useDisclosure, useInputState } from '@mantine/hooks';
import { useState } from 'react';
import { useAction, useApi, useRead, useSession } from '../../api/client.js';
import { formatWhen } from '../../lib/format.js';
import { submits } from '../../lib/submit.js';
import { ActButton, DeleteIcon } from '../../shell/action-buttons.js';
import { IconUserPlus } from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { Loaded } from '../../shell/states.js';
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
                <WorkspaceCard session={data} />
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
  const [name, setName] = useInputState(session.workspace.name);
  const save = useAction(() => api.updateWorkspace({ body: { name: name.trim() } }), {
    changes: [['session']],
    done: 'Renamed.',
  });
  return (
    <Card>
      <Stack>
        <Title order={2}>Workspace</Title>
        <TextInput label="Name" maxLength={200} value={name} onChange={setName} />
        <Group gap={6}>
          <Badge>{session.workspace.plan}</Badge>
          <Badge color="gray" tt="capitalize">
            {session.workspace.status}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          Plan and minutes are set by an administrator: <code>figurehead workspace set</code>.
        </Text>
        <ActButton act={save} variant="default" disabled={!name.trim() || name.trim() === session.workspace.name}>
          Rename
        </ActButton>
      </Stack>
    </Card>
  );
}

function PasswordCard() {
  const api = useApi();
  const [current, setCurrent] = useInputState('');
  const [next, setNext] = useInputState('');
  const save = useAction(() => api.updateSession({ body: { password: { current, next } } }), {
    done: 'The password was changed; other sessions were signed out.',
    onDone: () => {
      setCurrent('');
      setNext('');
    },
  });
  return (
    <Card component="form" onSubmit={submits(() => save.mutate())}>
      <Stack>
        <Title order={2}>Your password</Title>
        <PasswordInput label="Current" autoComplete="current-password" value={current} onChange={setCurrent} />
        <PasswordInput
          label="New"
          description="At least 8 characters"
          autoComplete="new-password"
          value={next}
          onChange={setNext}
        />
        <Button type="submit" variant="default" disabled={current === '' || next.length < 8} loading={save.isPending}>
          Change password
        </Button>
      </Stack>
    </Card>
  );
}

function People({ session }: { readonly session: Session }) {
  const api = useApi();
  const [opened, { open, close }] = useDisclosure(false);
  const members = useRead(['members'], (api, call) => api.listMembers({ query: { limit: 100 } }, call));
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
            {list.members.map((member) => (
              <Group key={member._id} justify="space-between" gap="xs">
                <div style={{ flex: '1 1 180px', minWidth: 0 }}>
                  <Text fw={600} truncate>
                    {member.name || member.email}
                  </Text>
                  <Text size="sm" c="dimmed" truncate>
                    {member.email} · since {formatWhen(member.createdAt)}
                  </Text>
                </div>
                <Group gap={4} wrap="nowrap">
                  <Select
                    aria-label={`Role of ${member.name || member.email}`}
                    w={130}
                    allowDeselect={false}
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
  const [email, setEmail] = useInputState('');
  const [name, setName] = useInputState('');
  const [role, setRole] = useState<Member['role']>('member');
  const [password, setPassword] = useInputState('');
  const create = useAction(
    () =>
      api.createMember({ body: { email: email.trim(), role, ...(name && { name }), ...(password && { password }) } }),
    { changes: [['members']], done: 'They can sign in now.', onDone },
  );
  return (
    <Stack>
      <TextInput label="E-mail" type="email" required value={email} onChange={setEmail} />
      <TextInput label="Name" value={name} onChange={setName} />
      <Select
        label="Role"
        allowDeselect={false}
        data={ROLES}
        value={role}
        onChange={(value) => value && setRole(value as Member['role'])}
      />
      <PasswordInput
        label="First password"
        description="For a user without an account on this server."
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
      <ActButton act={create} disabled={!/@/.test(email)}>
        Add
      </ActButton>
    </Stack>
  );
}
