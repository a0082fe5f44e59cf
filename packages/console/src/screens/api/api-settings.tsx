import { Anchor } from '@mantine/core';
import { Page } from '../../shell/page.js';
import { OwnersOnly } from '../../shell/states.js';
import { TabPages } from '../../shell/tab-pages.js';
import { Deliveries } from './deliveries.js';
import { MissedEvents } from './missed-events.js';
import { SignatureCheck } from './signature-check.js';
import { Tokens } from './tokens.js';
import { Webhook } from './webhook-card.js';

/** API settings of the workspace: tokens, webhook, deliveries. */
export default function ApiSettings() {
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
      <TabPages
        tabs={[
          {
            value: 'tokens',
            name: 'Tokens',
            panel: (
              <OwnersOnly>
                <Tokens />
              </OwnersOnly>
            ),
          },
          {
            value: 'webhook',
            name: 'Webhook',
            panel: (
              <OwnersOnly>
                <Webhook />
              </OwnersOnly>
            ),
          },
          { value: 'deliveries', name: 'Deliveries', panel: <Deliveries /> },
          { value: 'signature', name: 'Signature', panel: <SignatureCheck /> },
          { value: 'missed', name: 'Missed events', panel: <MissedEvents /> },
        ]}
      />
    </Page>
  );
}
