import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** Tokens and the webhook. */
export function integrationScenarios({ fixture, page, go, button, eventually }: Stage): void {
  it('creates a token that works and is shown once, and revokes it', async () => {
    await go('/api');
    await page().getByLabel('New token for').fill('Tests');
    await button('Create token').click();
    const token = (await page().getByTestId('new-token').textContent()) ?? '';
    const read = () => fetch(`${fixture().url}/api/v1/videos`, { headers: { authorization: `Bearer ${token}` } });
    expect((await read()).status).toBe(200);
    await page().reload();
    await button('Revoke Tests').waitFor();
    expect(await page().getByText(token).count()).toBe(0);
    page().once('dialog', (dialog) => void dialog.accept());
    await button('Revoke Tests').click();
    await eventually(async () => (await read()).status).toBe(401);
  });

  it('subscribes a webhook, shows the bytes of a test event, and explains its signature', async () => {
    const receiver = createServer((_request, response) => response.end('thanks'));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    try {
      await go('/api?tab=webhook');
      await page()
        .getByLabel('Address')
        .fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
      await button('Subscribe').click();
      await page().getByText('0 of 10').waitFor();
      await page().getByLabel('Secret', { exact: true }).fill('s3cret');
      await button('Set secret').click();
      await page().getByText('A secret is set').waitFor();
      await button('Send a test event').click();
      await page().getByRole('tab', { name: 'Deliveries' }).click();
      await page().locator('.mantine-Badge-root', { hasText: 'Delivered' }).waitFor();
      await page()
        .getByRole('button', { name: /video_ready/ })
        .click();
      await page().getByText('thanks').waitFor();
      expect(await fixture().violations()).toEqual([]);
    } finally {
      receiver.close();
    }
    const [delivery] = (await fixture().call('GET', '/webhook/deliveries')).deliveries;
    const sent = Object.fromEntries(
      Object.entries<string>(delivery.requestHeaders).map(([name, value]) => [name.toLowerCase(), value]),
    );
    await page().getByRole('tab', { name: 'Signature' }).click();
    await page().getByLabel('Body, byte for byte').fill(delivery.requestBody);
    await page()
      .getByLabel('Service-Timestamp')
      .fill(sent['service-timestamp'] ?? '');
    await page()
      .getByLabel('Service-Signature')
      .fill(sent['service-signature'] ?? '');
    await page().getByLabel('Secret', { exact: true }).fill('s3cret ');
    await button('Check').click();
    await page().getByText('The secret has extra spaces or a line break around it.').waitFor();
    await page().getByLabel('Secret', { exact: true }).fill('s3cret');
    await button('Check').click();
    await page().getByText('Genuine').waitFor();
  });
}
