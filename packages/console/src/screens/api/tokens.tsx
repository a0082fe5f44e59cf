import { Alert, Card, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useAction, useAll, useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { formatTime, formatWhen } from '../../lib/format.js';
import { DeleteIcon, SubmitButton } from '../../shell/action-buttons.js';
import { CopyText } from '../../shell/copy-text.js';
import { IconKey } from '../../shell/icons.js';
import { Empty, Loaded } from '../../shell/states.js';

/** API tokens: created, shown once, revoked. */
export function Tokens() {
  const api = useApi();
  const tokens = useAll(['tokens'], (api, call) => api.listTokens({ query: { limit: 100 } }, call));
  const form = useServerForm(
    { name: '' },
    ({ name }) => api.createToken({ body: name.trim() ? { name: name.trim() } : {} }),
    { changes: [['tokens']], onDone: () => form.reset() },
  );
  const created = form.call.data;
  const revoke = useAction((tokenId: string) => api.revokeToken({ tokenId }), {
    changes: [['tokens']],
    done: 'Revoked. Programs that use it no longer have access.',
  });
  return (
    <Stack maw={880} gap="lg">
      <Group component="form" onSubmit={form.send} align="flex-end">
        <TextInput
          label="New token for"
          placeholder="Nightly newsletter"
          style={{ flex: '1 1 200px' }}
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <SubmitButton form={form} leftSection={<IconKey size={17} />}>
          Create token
        </SubmitButton>
      </Group>
      {created && (
        <Alert color="orange" title="Copy it now: it is shown only once" role="status">
          <Stack gap="sm" align="flex-start">
            <Code fz="sm" style={{ userSelect: 'all', overflowWrap: 'anywhere' }} data-testid="new-token">
              {created.token}
            </Code>
            <CopyText value={created.token} />
          </Stack>
        </Alert>
      )}
      <Loaded query={tokens} height={60}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={<IconKey />} title="No tokens">
              A token lets a program act for this workspace. Make one for each program, so that one can be revoked
              alone.
            </Empty>
          ) : (
            <Stack gap="sm">
              {list.map((token) => (
                <Card key={token._id} padding="md">
                  <Group justify="space-between" wrap="nowrap">
                    <div style={{ minWidth: 0 }}>
                      <Text fw={600}>{token.name}</Text>
                      <Text size="sm" c="dimmed" title={formatTime(token.createdAt)}>
                        <Code>{token.prefix}…</Code> · created {formatWhen(token.createdAt)} ·{' '}
                        {token.lastUsedAt ? `last used ${formatWhen(token.lastUsedAt)}` : 'never used'}
                      </Text>
                    </div>
                    <DeleteIcon
                      label={`Revoke ${token.name}`}
                      question={`Revoke “${token.name}”? Programs that use it stop working at once.`}
                      act={revoke}
                      id={token._id}
                    />
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
