import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKernel, type TestKernel } from '../../../../../tests/support/kernel.js';
import type { Caller, Limiter } from '../../kernel/http/contract.js';
import { createHttp } from '../../kernel/http/http.js';
import { bindWebhooks } from './routes.js';

/** No webhook route is limited. */
const noLimiter = (): never => {
  throw new Error('a webhook route asked for a rate limit');
};
const limiter: Limiter = { take: noLimiter, peek: noLimiter, refund: noLimiter };

describe('webhook routes', () => {
  let test: TestKernel;
  let baseUrl: string;

  beforeAll(async () => {
    test = await openTestKernel({ FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1' });
    const byToken = async (token: string): Promise<Caller> => ({
      kind: 'api',
      workspace: { id: token, name: token, plan: 'Team', status: 'active', allowOverlimit: false },
      userId: 'user',
      role: 'owner',
    });
    const http = createHttp(test.kernel, { authenticator: { byToken, bySession: async () => undefined }, limiter });
    const quota = { entity: 'videos', limit: 1000, used: 3, windowSeconds: 28_800, nextFreeAt: null } as const;
    bindWebhooks(http, test.kernel, { minutesOf: async () => 12.5, quotasOf: async () => [quota] });
    baseUrl = `http://127.0.0.1:${await http.listen()}/api/v1`;
  });
  afterAll(() => test.close());

  /** A caller with its own workspace. */
  function workspace(token: string = randomUUID()) {
    return async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => {
      const answer = await fetch(baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(payload ? { body: JSON.stringify(payload) } : {}),
      });
      return { status: answer.status, body: await answer.json() };
    };
  }

  // Proves: 2.4.5, 3.2.4, 4.5.2, 4.5.6, D.webhook.1, D.webhook.4
  it('follows the order of interface.md 4.5: subscribe, set the secret, confirm', async () => {
    const call = workspace();
    const config = { plan: 'Team', status: 'active', minutes: 12.5, allowOverlimit: false };
    expect(await call('GET', '/apiConfig')).toMatchObject({ status: 200, body: { webhook: null, ...config } });
    const discarded = await call('PUT', '/webhook/secret', { secret: 'too early' });
    const url = 'http://127.0.0.1:9/hook';
    expect(await call('POST', '/webhook', { url, techEmail: 'ops@receiver.example' })).toEqual({
      status: 200,
      body: { url, enabled: true, failedDeliveries: 0, secretSet: false, techEmail: 'ops@receiver.example' },
    });
    const stored = await call('PUT', '/webhook/secret', { secret: 'in time' });
    expect(stored).toEqual({ status: 200, body: { accepted: true } });
    expect(stored).toEqual(discarded);
    const { body } = await call('GET', '/apiConfig');
    expect(body.webhook).toMatchObject({
      url,
      secretSet: true,
      secretFingerprint: expect.stringMatching(/^[0-9a-f]{8}$/),
    });
    expect(body.quotas).toHaveLength(1);
    expect(await call('DELETE', '/webhook')).toEqual({ status: 200, body: { deleted: true } });
    expect((await call('GET', '/apiConfig')).body.webhook).toBeNull();
  });

  // Proves: 7.5
  it.each([
    [{}, 'url'],
    [{ url: 7 }, 'url'],
    [{ url: 'gopher://receiver.example' }, 'url'],
    [{ url: 'https://receiver.example', techEmail: 'nobody' }, 'techEmail'],
  ])('answers 400 naming the field to a subscription %j', async (payload, field) => {
    const { status, body } = await workspace()('POST', '/webhook', payload);
    expect(status).toBe(400);
    expect(body.message).toBeTypeOf('string');
    expect(body.errors[0].field).toBe(field);
  });

  // Proves: 4.5.1, D.webhook.4
  it.each([{}, { secret: 7 }, { secret: null }, { secret: '' }])('answers 400 to the secret %j', async (payload) => {
    expect((await workspace()('PUT', '/webhook/secret', payload)).status).toBe(400);
  });

  // Proves: D.webhook.12
  it('logs a test, refuses to send it twice at a time, and hides it from other workspaces', async () => {
    const call = workspace();
    expect((await call('POST', '/webhook/test')).status).toBe(400);
    await call('POST', '/webhook', { url: 'http://127.0.0.1:9/hook' });
    const { status, body: delivery } = await call('POST', '/webhook/test');
    expect(status).toBe(200);
    expect(delivery).toMatchObject({ event: 'video_ready', state: 'pending', videoId: null, deliveryId: delivery._id });
    const list = await call('GET', '/webhook/deliveries?state=pending&limit=1');
    expect(list.body).toEqual({ deliveries: [delivery], page: 1, limit: 1, total: 1 });
    const resend = `/webhook/deliveries/${delivery._id}/resend`;
    expect((await call('POST', resend)).status).toBe(400);
    expect((await workspace()('POST', resend)).status).toBe(403);
    expect((await call('POST', '/webhook/deliveries/nothing/resend')).status).toBe(404);
  });
});
