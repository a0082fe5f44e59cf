import { Anchor, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { useApi } from '../../api/client.js';
import { Page } from '../../shell/page.js';
import { Loaded } from '../../shell/states.js';
import { Deliveries } from './deliveries.js';
import { MissedEvents } from './missed-events.js';
import { SignatureCheck } from './signature-check.js';
import { Tokens } from './tokens.js';
import { WebhookCard } from './webhook-card.js';

/** API settings of the workspace: tokens, webhook, deliveries. */
export default function ApiSettings() {
  const api = useApi();
  const [params, setParams] = useSearchParams();
  const config = useQuery({
    queryKey: ['apiConfig'],
    queryFn: ({ signal }) => api.readApiConfig({}, { signal }),
    refetchInterval: 5000,
  });
  return (
    <Page
      title="API and webhook"
      about={
        <>
          Create videos from your programs and get notified when they are ready. All calls are described in the{' '}
          <Anchor href="/docs" target="_blank" underline="always">
            API documentation
          </Anchor>
          .
        </>
      }
    >
      <Tabs
        value={params.get('tab') ?? 'tokens'}
        onChange={(tab) => setParams({ tab: tab ?? 'tokens' }, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="tokens">Tokens</Tabs.Tab>
          <Tabs.Tab value="webhook">Webhook</Tabs.Tab>
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="signature">Signature</Tabs.Tab>
          <Tabs.Tab value="missed">Missed events</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tokens">
          <Tokens />
        </Tabs.Panel>
        <Tabs.Panel value="webhook">
          <Loaded query={config}>
            {(data) => <WebhookCard key={data.webhook?.url ?? ''} webhook={data.webhook} />}
          </Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="deliveries">
          <Deliveries />
        </Tabs.Panel>
        <Tabs.Panel value="signature">
          <SignatureCheck />
        </Tabs.Panel>
        <Tabs.Panel value="missed">
          <MissedEvents />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
