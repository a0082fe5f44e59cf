import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi } from '../../../../../tests/support/api.js';

describe('callbackUrl', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  // Proves: D.webhook.15
  it.each([
    ['ftp://receiver.example/', 'must be http or https'],
    ['nonsense', 'absolute URL'],
    ['', 'absolute URL'],
    ['http://user:password@receiver.example/', 'user name'],
    ['http://169.254.169.254/', 'private'],
    [7, 'string'],
    [`https://receiver.example/${'x'.repeat(2000)}`, '2000'],
  ])('answers 400 naming callbackUrl to %j and starts nothing', async (callbackUrl, reason) => {
    const caller = await api.caller();
    const slides = [{ id: 1, speech: 'Hello {{name}}.' }];
    const id = (await caller.call('POST', '/videos', { name: 'Hello', slides })).body._id;
    const calls = [
      ['render', { callbackUrl }],
      ['renderTemplate', { callbackUrl, templateData: [{ name: 'Ann' }] }],
    ] as const;
    for (const [route, payload] of calls) {
      const { status, body } = await caller.call('POST', `/videos/${route}/${id}`, payload);
      expect(status).toBe(400);
      expect(body.errors).toMatchObject([{ field: 'callbackUrl', message: expect.stringContaining(reason) }]);
    }
    expect((await caller.call('GET', '/videos')).body).toMatchObject({ total: 1, videos: [{ status: 'draft' }] });
  });
});
