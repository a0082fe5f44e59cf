import type { ApiConfig } from '@figurehead/sdk';
import {
  Alert,
  Badge,
  Card,
  Code,
  Group,
  PasswordInput,
  Progress,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useAction, useApi, useRead } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { ActButton, SubmitButton } from '../../shell/action-buttons.js';
import { IconSend } from '../../shell/icons.js';
import { Loaded } from '../../shell/states.js';

/** Failures after which the server stops sending. */
const MAX_FAILURES = 10;

/** Queries to refresh after a change of the webhook. */
const CHANGES = [['apiConfig'], ['deliveries']];

/** The webhook of the workspace: address, secret, health. */
export function Webhook() {
  const config = useRead(['apiConfig'], (api, call) => api.readApiConfig({}, call), { refetchInterval: 15_000 });
  return <Loaded query={config}>{({ webhook }) => <WebhookCard webhook={webhook} />}</Loaded>;
}

function WebhookCard({ webhook }: { readonly webhook: ApiConfig['webhook'] }) {
  const api = useApi();
  const form = useServerForm(
    { url: webhook?.url ?? '', techEmail: webhook?.techEmail ?? '' },
    ({ url, techEmail }) => api.subscribe({ body: { url: url.trim(), techEmail: techEmail.trim() || null } }),
    { keep: 'webhook', changes: CHANGES, done: 'Subscribed.' },
  );
  const unsubscribe = useAction(() => api.unsubscribe(), {
    changes: CHANGES,
    done: 'Unsubscribed; the secret was deleted.',
  });
  return (
    <Stack gap="lg">
      {webhook && !webhook.enabled && (
        <Alert color="red" role="alert" title="Switched off after 10 failures">
          Deliveries have stopped. Fix the receiver, then subscribe again: this resets the failure count and keeps the
          secret.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Card component="form" onSubmit={form.send}>
          <Stack>
            <Group justify="space-between">
              <Title order={2}>Receiver</Title>
              {webhook && (
                <Badge color={webhook.enabled ? 'verdigris' : 'red'}>{webhook.enabled ? 'Active' : 'Off'}</Badge>
              )}
            </Group>
            <TextInput
              label="Address"
              type="url"
              placeholder="https://example.com/hooks/figurehead"
              required
              {...form.getInputProps('url')}
            />
            <TextInput
              label="Failure notification email"
              type="email"
              placeholder="tech@example.com"
              {...form.getInputProps('techEmail')}
            />
            {webhook && <Failures failed={webhook.failedDeliveries} />}
            <Group>
              <SubmitButton form={form}>{webhook ? 'Subscribe again' : 'Subscribe'}</SubmitButton>
              {webhook && (
                <ActButton act={unsubscribe} question="Unsubscribe? This also deletes the secret." variant="default">
                  Unsubscribe
                </ActButton>
              )}
            </Group>
          </Stack>
        </Card>
        <SigningSecret webhook={webhook} />
      </SimpleGrid>
    </Stack>
  );
}

function Failures({ failed }: { readonly failed: number }) {
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text size="sm" fw={500}>
          Failures since you subscribed
        </Text>
        <Text size="sm" c="dimmed">
          {failed} of {MAX_FAILURES}
        </Text>
      </Group>
      <Progress
        value={(failed / MAX_FAILURES) * 100}
        color={failed >= 7 ? 'red' : failed > 0 ? 'orange' : 'verdigris'}
        aria-label="Failures since you subscribed"
      />
      <Text size="xs" c="dimmed" mt={6}>
        At {MAX_FAILURES} it is switched off. A success does not lower the count; subscribing again does.
      </Text>
    </div>
  );
}

function SigningSecret({ webhook }: { readonly webhook: ApiConfig['webhook'] }) {
  const api = useApi();
  const form = useServerForm({ secret: '' }, (body) => api.setWebhookSecret({ body }), {
    changes: CHANGES,
    done: 'The secret is set.',
    onDone: () => form.reset(),
  });
  const test = useAction(() => api.testWebhook(), {
    changes: CHANGES,
    done: 'A test event is being sent; see Deliveries.',
  });
  return (
    <Card component="form" onSubmit={form.send}>
      <Stack>
        <Title order={2}>Signing secret</Title>
        {webhook ? (
          <>
            <Text size="sm" c="dimmed">
              {webhook.secretSet ? (
                <>
                  A secret is set; the first letters of its SHA-256 are <Code>{webhook.secretFingerprint}</Code>. It is
                  never shown.
                </>
              ) : (
                'No secret is set: deliveries are not signed.'
              )}
            </Text>
            <PasswordInput
              label={webhook.secretSet ? 'New secret' : 'Secret'}
              autoComplete="off"
              disabled={!webhook.enabled}
              {...form.getInputProps('secret')}
            />
            <Group>
              <SubmitButton form={form} variant="default" disabled={form.values.secret === '' || !webhook.enabled}>
                Set secret
              </SubmitButton>
              <ActButton act={test} variant="default" leftSection={<IconSend size={17} />} disabled={!webhook.enabled}>
                Send a test event
              </ActButton>
            </Group>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            Subscribe first; then give a secret that only your receiver knows. Every delivery is signed with it.
          </Text>
        )}
      </Stack>
    </Card>
  );
}
