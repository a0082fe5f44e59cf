import type { Member, Session } from '@figurehead/sdk';
import {
  ActionIcon,
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
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAction, useApi, useSession } from '../../api/client.js';
import { confirmLoss } from '../../lib/confirm.js';
import { formatWhen } from '../../lib/format.js';
import { IconTrash, IconUserPlus } from '../../shell/icons.js';
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
  const [name, setName] = useState(session.workspace.name);
  const save = useAction(() => api.updateWorkspace({ body: { name: name.trim() } }), {
    changes: [['session']],
    done: 'Renamed.',
  });
  return (
    <Card>
      <Stack>
        <Title order={2}>Workspace</Title>
        <TextInput label="Name" maxLength={200} value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <Group gap={6}>
          <Badge>{session.workspace.plan}</Badge>
          <Badge color="gray" tt="capitalize">
            {session.workspace.status}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          Plan and minutes are set by an administrator: <code>figurehead workspace set</code>.
        </Text>
        <Button
          variant="default"
          disabled={!name.trim() || name.trim() === session.workspace.name}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          Rename
        </Button>
      </Stack>
    </Card>
  );
}

function PasswordCard() {
  const api = useApi();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const save = useAction(() => api.updateSession({ body: { password: { current, next } } }), {
    done: 'The password was changed; other sessions were signed out.',
    onDone: () => {
      setCurrent('');
      setNext('');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Card component="form" onSubmit={submit}>
      <Stack>
        <Title order={2}>Your password</Title>
        <PasswordInput
          label="Current"
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordInput
          label="New"
          description="At least 8 characters"
          autoComplete="new-password"
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
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
  const members = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => api.listMembers({ query: { limit: 100 } }, { signal }),
  });
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
                    <ActionIcon
                      aria-label={`Remove ${member.email}`}
                      onClick={() =>
                        confirmLoss(`Remove ${member.email} from this workspace?`) && remove.mutate(member._id)
                      }
                    >
                      <IconTrash size={17} />
                    </ActionIcon>
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
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Member['role']>('member');
  const [password, setPassword] = useState('');
  const create = useAction(
    () =>
      api.createMember({ body: { email: email.trim(), role, ...(name && { name }), ...(password && { password }) } }),
    { changes: [['members']], done: 'They can sign in now.', onDone },
  );
  return (
    <Stack>
      <TextInput
        label="E-mail"
        type="email"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
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
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button disabled={!/@/.test(email)} loading={create.isPending} onClick={() => create.mutate()}>
        Add
      </Button>
    </Stack>
  );
}
