import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestKernel, type TestKernel } from '../../../../../tests/support/kernel.js';
import { createWebhooks, type Webhooks } from './service.js';

const WORKSPACE = 'workspace-a';
const URL_A = 'https://receiver.example/hook';

describe('webhook subscription', () => {
  let test: TestKernel;
  let webhooks: Webhooks;

  beforeAll(async () => {
    test = await openTestKernel();
    webhooks = createWebhooks(test.kernel);
  });
  afterAll(async () => {
    await test.close();
  });
  beforeEach(async () => {
    await sql`truncate webhooks, deliveries`.execute(test.kernel.db);
  });

  // Proves: 2.4.1, 3.2.3, 4.6.2, D.webhook.1, D.webhook.2
  it('is one per workspace: subscribing again replaces the URL, enables, clears the counter, keeps secret and techEmail', async () => {
    expect(await webhooks.describe(WORKSPACE)).toBeNull();
    expect(await webhooks.subscribe(WORKSPACE, { url: URL_A, techEmail: 'ops@receiver.example' })).toEqual({
      url: URL_A,
      enabled: true,
      failedDeliveries: 0,
      secretSet: false,
      techEmail: 'ops@receiver.example',
    });
    await webhooks.setSecret(WORKSPACE, 's1');
    await sql`update webhooks set enabled = false, failed_deliveries = 10`.execute(test.kernel.db);
    expect(await webhooks.subscribe(WORKSPACE, { url: 'http://other.example/' })).toEqual({
      url: 'http://other.example/',
      enabled: true,
      failedDeliveries: 0,
      secretSet: true,
      techEmail: 'ops@receiver.example',
    });
    expect(await webhooks.subscribe(WORKSPACE, { url: URL_A, techEmail: null })).toMatchObject({ techEmail: null });
    expect(await webhooks.describe('workspace-b')).toBeNull();
  });

  // Proves: 2.4.3, 3.2.4, 4.5.3, D.webhook.3, D.webhook.6
  it('stores a secret only while enabled, shows a fingerprint of it, and deletes it on unsubscribe', async () => {
    await webhooks.setSecret(WORKSPACE, 'discarded');
    await webhooks.subscribe(WORKSPACE, { url: URL_A });
    expect(await webhooks.describe(WORKSPACE)).toMatchObject({ secretSet: false, secretFingerprint: null });
    await webhooks.setSecret(WORKSPACE, 'pässwörd');
    const described = await webhooks.describe(WORKSPACE);
    expect(described?.secretFingerprint).toBe(createHash('sha256').update('pässwörd').digest('hex').slice(0, 8));
    expect(JSON.stringify(described)).not.toContain('pässwörd');
    await sql`update webhooks set enabled = false`.execute(test.kernel.db);
    await webhooks.setSecret(WORKSPACE, 'also discarded');
    expect(await webhooks.describe(WORKSPACE)).toEqual({ ...described, enabled: false });
    await webhooks.unsubscribe(WORKSPACE);
    await webhooks.unsubscribe(WORKSPACE);
    await webhooks.subscribe(WORKSPACE, { url: URL_A });
    expect(await webhooks.describe(WORKSPACE)).toMatchObject({ secretSet: false });
  });

  it('drops waiting deliveries on unsubscribe, and keeps the log', async () => {
    await webhooks.subscribe(WORKSPACE, { url: URL_A });
    await webhooks.test(WORKSPACE, 'user');
    await webhooks.unsubscribe(WORKSPACE);
    const { deliveries, total } = await webhooks.list(WORKSPACE, { page: 1, limit: 25 });
    expect(total).toBe(1);
    expect(deliveries[0]?.state).toBe('dropped');
  });

  // Proves: D.webhook.8, D.webhook.9
  it.each([
    'ftp://receiver.example/',
    'javascript:alert(1)',
    'not a url',
    '/relative',
    'http://',
    'http://127.0.0.1/',
    'http://localhost:9000/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data',
    'http://192.168.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0.0.0.0/',
    'http://[fe80::1]/',
    'http://user:password@receiver.example/',
  ])('refuses %s as an address', async (url) => {
    await expect(webhooks.subscribe(WORKSPACE, { url })).rejects.toMatchObject({
      status: 400,
      details: { errors: [{ field: 'url' }] },
    });
    expect(await webhooks.describe(WORKSPACE)).toBeNull();
  });

  it.each(['two@a.example, three@b.example', 'Name <a@b.example>', 'a@b.example\r\nBcc: c@d.example', 'nobody', ''])(
    'refuses %j as techEmail',
    async (techEmail) => {
      await expect(webhooks.subscribe(WORKSPACE, { url: URL_A, techEmail })).rejects.toMatchObject({
        status: 400,
        details: { errors: [{ field: 'techEmail' }] },
      });
    },
  );

  it('lists newest first, by page and state, only of the own workspace', async () => {
    await webhooks.subscribe(WORKSPACE, { url: URL_A });
    await webhooks.subscribe('workspace-b', { url: URL_A });
    const made = [];
    for (let n = 0; n < 3; n += 1) made.push(await webhooks.test(WORKSPACE, 'user'));
    const foreign = await webhooks.test('workspace-b', 'user');
    await sql`update deliveries set status = 'failed' where id = ${made[0]?._id}`.execute(test.kernel.db);
    const page = await webhooks.list(WORKSPACE, { page: 1, limit: 2 });
    expect(page.total).toBe(3);
    expect(page.deliveries.map(({ _id }) => _id)).toEqual([made[2]?._id, made[1]?._id]);
    expect((await webhooks.list(WORKSPACE, { page: 1, limit: 9, state: 'failed' })).deliveries).toHaveLength(1);
    await expect(webhooks.find(WORKSPACE, foreign._id)).rejects.toMatchObject({ status: 403 });
    await expect(webhooks.find(WORKSPACE, 'nothing')).rejects.toMatchObject({ status: 404 });
    const waiting = await webhooks.find(WORKSPACE, made[1]?._id ?? '');
    await expect(webhooks.resend(waiting)).rejects.toMatchObject({ status: 400 });
  });
});
