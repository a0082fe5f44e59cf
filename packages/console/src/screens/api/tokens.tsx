import { ActionIcon, Alert, Button, Card, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAction, useApi } from '../../api/client.js';
import { confirmLoss } from '../../lib/confirm.js';
import { formatTime, formatWhen } from '../../lib/format.js';
import { CopyText } from '../../shell/copy-text.js';
import { IconKey, IconTrash } from '../../shell/icons.js';
import { Empty, Loaded } from '../../shell/states.js';

/** API tokens: created, shown once, revoked. */
export function Tokens() {
  const api = useApi();
  const [name, setName] = useState('');
  const tokens = useQuery({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => api.listTokens({ query: { limit: 100 } }, { signal }),
  });
  const create = useAction(() => api.createToken({ body: name.trim() ? { name: name.trim() } : {} }), {
    changes: [['tokens']],
    onDone: () => setName(''),
  });
  const revoke = useAction((tokenId: string) => api.revokeToken({ tokenId }), {
    changes: [['tokens']],
    done: 'Revoked. Programs that use it no longer have access.',
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Stack maw={880} gap="lg">
      <Group component="form" onSubmit={submit} align="flex-end">
        <TextInput
          label="New token for"
          placeholder="Nightly newsletter"
          style={{ flex: '1 1 200px' }}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" leftSection={<IconKey size={17} />} loading={create.isPending}>
          Create token
        </Button>
      </Group>
      {create.data && (
        <Alert color="orange" title="Copy it now: it is shown only once" role="status">
          <Stack gap="sm" align="flex-start">
            <Code fz="sm" style={{ userSelect: 'all', overflowWrap: 'anywhere' }} data-testid="new-token">
              {create.data.token}
            </Code>
            <CopyText value={create.data.token} />
          </Stack>
        </Alert>
      )}
      <Loaded query={tokens} height={60}>
        {(list) =>
          list.tokens.length === 0 ? (
            <Empty icon={<IconKey />} title="No tokens">
              A token lets a program act for this workspace. Make one for each program, so that one can be revoked
              alone.
            </Empty>
          ) : (
            <Stack gap="sm">
              {list.tokens.map((token) => (
                <Card key={token._id} padding="md">
                  <Group justify="space-between" wrap="nowrap">
                    <div style={{ minWidth: 0 }}>
                      <Text fw={600} truncate>
                        {token.name}
                      </Text>
                      <Text size="sm" c="dimmed" title={formatTime(token.createdAt)}>
                        <Code>{token.prefix}…</Code> · created {formatWhen(token.createdAt)} ·{' '}
                        {token.lastUsedAt ? `last used ${formatWhen(token.lastUsedAt)}` : 'never used'}
                      </Text>
                    </div>
                    <ActionIcon
                      aria-label={`Revoke ${token.name}`}
                      onClick={() =>
                        confirmLoss(`Revoke “${token.name}”? Programs that use it stop working at once.`) &&
                        revoke.mutate(token._id)
                      }
                    >
                      <IconTrash size={18} />
                    </ActionIcon>
                  </Group>
                </Card>
              ))}
            </Stack>
          )
        }
      </Loaded>
      <div>
        <Text size="sm" fw={600} mb={6}>
          Try it
        </Text>
        <pre className="fh-code">{`curl ${window.location.origin}/api/v1/videos \\\n  -H "Authorization: Bearer fh_…"`}</pre>
      </div>
    </Stack>
  );
}
