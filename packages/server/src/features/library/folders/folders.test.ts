import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi } from '../../../../../../tests/support/api.js';

describe('folders', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  for (const path of ['/folders', '/upload-folders']) {
    // Proves: D.library.1, D.library.2
    it(`${path} are created, listed, renamed, moved and deleted`, async () => {
      const me = await api.caller();
      const { body: outer } = await me.call('POST', path, { name: 'Outer', workspaceId: 'x', _id: 'y' });
      expect(outer).toEqual({
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        name: 'Outer',
        parentId: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      });
      const { body: inner } = await me.call('POST', path, { name: 'Inner', parentId: outer._id });
      const { body: list } = await me.call('GET', `${path}?limit=1`);
      const plural = path === '/folders' ? 'folders' : 'uploadFolders';
      expect(list).toEqual({ [plural]: [inner], page: 1, limit: 1, total: 2 });

      const circle = await me.call('PATCH', `${path}/${outer._id}`, { parentId: inner._id });
      expect(circle).toMatchObject({ status: 400, body: { errors: [{ field: 'parentId' }] } });
      expect((await me.call('PATCH', `${path}/${inner._id}`, { name: 'Renamed', parentId: null })).body).toMatchObject({
        name: 'Renamed',
        parentId: null,
      });
      await me.call('PATCH', `${path}/${inner._id}`, { parentId: outer._id });
      expect((await me.call('DELETE', `${path}/${outer._id}`)).body).toEqual({ _id: outer._id, deleted: true });
      expect((await me.call('GET', `${path}/${outer._id}`)).status).toBe(404);
      expect((await me.call('GET', `${path}/${inner._id}`)).body.parentId).toBe(null);
    });

    it(`${path} of another workspace are 403 by path and unknown as a parent`, async () => {
      const [me, other] = [await api.caller(), await api.caller()];
      const { body: folder } = await other.call('POST', path, { name: 'Secret' });
      for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
        const answer = await me.call(method, `${path}/${folder._id}`, method === 'PATCH' ? { name: 7 } : undefined);
        expect([answer.status, answer.text.includes('Secret')]).toEqual([403, false]);
      }
      expect((await me.call('POST', path, { name: 'x', parentId: folder._id })).status).toBe(400);
      expect((await me.call('POST', path, { name: '' })).status).toBe(400);
      expect((await me.call('GET', path)).body.total).toBe(0);
    });
  }

  it('deleting a folder keeps its videos, without a folder', async () => {
    const me = await api.caller();
    const { body: folder } = await me.call('POST', '/folders', { name: 'F' });
    const { body: video } = await me.call('POST', '/videos', { name: 'v', folderId: folder._id });
    await me.call('DELETE', `/folders/${folder._id}`);
    expect((await me.call('GET', `/videos/${video._id}`)).body.folderId).toBe(null);
  });

  // Proves: 7.2, 8.3.1, 8.3.2, D.library.2
  it('the cap on upload folders is exact under 50 concurrent requests, and deleting frees a place', async () => {
    const me = await api.caller({ plan: 'Creator', status: 'trial' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => me.call('POST', '/upload-folders', { name: `f${index}` })),
    );
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(5);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect(status).toBe(400);
      expect(body).toEqual({ message: expect.stringMatching(/Creator plan allows 5 upload folders.*Upgrade.*delete/) });
    }
    await me.call('DELETE', `/upload-folders/${made[0]?.body._id}`);
    expect((await me.call('POST', '/upload-folders', { name: 'again' })).status).toBe(200);
    const { body } = await me.call('GET', '/apiConfig');
    expect(body.quotas).toContainEqual(expect.objectContaining({ entity: 'uploadFolders', limit: 5, used: 5 }));
    const enterprise = await api.caller({ plan: 'Enterprise' });
    const many = await Promise.all(
      Array.from({ length: 25 }, () => enterprise.call('POST', '/upload-folders', { name: 'f' })),
    );
    expect(many.every(({ status }) => status === 200)).toBe(true);
  });

  // Proves: 8.2.4, D.limits.8
  it('the quota on folders is exact under 50 concurrent requests, and deleting does not restore it', async () => {
    const me = await api.caller({ plan: 'Team', status: 'free' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => me.call('POST', '/folders', { name: 'f' })));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(10);
    await me.call('DELETE', `/folders/${made[0]?.body._id}`);
    const refused = await me.call('POST', '/folders', { name: 'f' });
    expect(refused.status).toBe(429);
    expect(refused.body.message).toMatch(/^10 folders created in the last 8 hours, the limit of the Free plan\./);
  });
});
