import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi } from '../../../../../../tests/support/api.js';
import { describeQuotas, recordCreations, requireUploadFolderRoom } from './quotas.js';

describe('creation quotas', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  // Proves: 7.1.3, D.limits.7
  it('allows exactly the limit of concurrent creations, and reports when the next is possible', async () => {
    const free = await api.caller({ plan: 'Team', status: 'free' });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => free.call('POST', '/videos', { name: `${index}` })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.body).toEqual({
      message: expect.stringMatching(/^50 videos created in the last 8 hours, the limit of the Free plan\. .*/),
    });
    expect(refused[0]?.headers['retry-after']).toBeUndefined();
    const { body: config } = await free.call('GET', '/apiConfig');
    expect(config.quotas[0]).toMatchObject({ entity: 'videos', limit: 50, used: 50, windowSeconds: 28_800 });
    const wait = Date.parse(config.quotas[0].nextFreeAt) - Date.now();
    expect(wait / 3600_000).toBeGreaterThan(7.9);
  });

  // Proves: 8.2.1, D.videos.11, D.limits.8
  it('ignores deletions, counts copies, and has a rolling window', async () => {
    const caller = await api.caller({ plan: 'Free', status: 'free' });
    const { body: video } = await caller.call('POST', '/videos', { name: 'x' });
    expect((await caller.call('POST', '/videos/copy', { videoId: video._id })).status).toBe(200);
    await caller.call('DELETE', `/videos/${video._id}`);
    const used = async () => (await caller.call('GET', '/apiConfig')).body.quotas[0].used;
    expect(await used()).toBe(2);
    await sql`update creations set created_at = created_at - interval '8 hours' where workspace_id = ${caller.workspace._id}`.execute(
      api.test.kernel.db,
    );
    expect(await used()).toBe(0);
  });

  // Proves: 8.2.2, D.plans.1
  it.each([
    ['Free', 'free', 'videos', 50],
    ['Free', 'active', 'videos', 50],
    ['Enterprise', 'free', 'videos', 50],
    ['Creator', 'trial', 'folders', 100],
    ['Team', 'cancelled', 'media', 1000],
    ['Enterprise', 'active', 'videos', 6000],
    ['Corporate', 'active', 'videos', null],
    ['Platinum', 'trial', 'fonts', null],
    ['Platinum', 'free', 'fonts', 10],
  ] as const)('on the plan %s with the status %s limits %s to %s', async (plan, status, entity, limit) => {
    const { workspace } = await api.caller({ plan, status });
    const use = await describeQuotas(
      api.test.kernel,
      { id: workspace._id, name: 'x', plan, status, allowOverlimit: false },
      0,
    );
    expect(use.find((one) => one.entity === entity)?.limit).toBe(limit);
  });

  it('records a whole batch or nothing', async () => {
    const { kernel } = api.test;
    const { workspace } = await api.caller({ plan: 'Free', status: 'free' });
    const record = (count: number) =>
      kernel.transaction((tx) => recordCreations(kernel, tx, { workspaceId: workspace._id, entity: 'fonts', count }));
    await record(7);
    await expect(record(4)).rejects.toMatchObject({ status: 429, message: expect.stringContaining('7 fonts') });
    await record(3);
    await expect(record(1)).rejects.toMatchObject({ status: 429, message: expect.stringContaining('10 fonts') });
  });

  it('limits upload folders by the existing number, with advice', async () => {
    const { kernel } = api.test;
    const { workspace } = await api.caller({ plan: 'Creator', status: 'active' });
    const hold = (held: number) =>
      kernel.transaction((tx) => requireUploadFolderRoom(tx, workspace._id, async () => held));
    await hold(4);
    await expect(hold(5)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/Creator plan allows 5 .*Upgrade .* or delete/),
    });
  });
});
