import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { defineQueues } from '../../../../../tests/support/kernel.js';
import { signInAs } from '../../../../../tests/support/web.js';
import { beatHost, registerHost } from '../streams/hosts.js';
import { createWorkspace } from '../workspaces/index.js';
import { startWorkerHeartbeats } from './index.js';

describe('administration', () => {
  let api: TestApi;
  let operator: TestCaller['call'];
  let home: TestCaller;
  beforeAll(async () => {
    api = await openTestApi();
    home = await api.caller();
    operator = await signInAs(api, { workspaceId: home.workspace._id, role: 'member', operator: true });
  });
  afterAll(() => api.close());

  const PATHS = ['/admin/workspaces', '/admin/plans', '/admin/hosts', '/admin/workers', '/admin/queues'];

  it('is for administrators only: workspace owners and tokens are refused', async () => {
    const owner = await signInAs(api, { workspaceId: home.workspace._id, role: 'owner' });
    for (const path of PATHS) {
      expect([path, (await owner('GET', path)).status, (await operator('GET', path)).status]).toEqual([path, 403, 200]);
      expect((await home.call('GET', path)).status).toBe(403);
    }
    expect((await owner('POST', '/admin/workspaces', { name: 'x' })).status).toBe(403);
    expect((await owner('PATCH', `/admin/workspaces/${home.workspace._id}`, { minutes: 1e6 })).status).toBe(403);
    expect((await owner('GET', '/session')).body.user.operator).toBe(false);
    expect((await operator('GET', '/session')).body.user.operator).toBe(true);
  });

  it('creates workspaces, finds them by a part of their name, and changes their settings', async () => {
    const { body: made } = await operator('POST', '/admin/workspaces', {
      name: 'Largo Films',
      plan: 'Team',
      minutes: 5,
    });
    expect(made).toMatchObject({ plan: 'Team', status: 'active', minutes: 5, members: 1, videos: 0, openStreams: 0 });
    const { body: found } = await operator('GET', '/admin/workspaces?search=largo');
    expect(found).toMatchObject({ total: 1, workspaces: [made] });
    const change = { status: 'trial', minutes: 12.5, allowOverlimit: true, moderation: 'all' };
    const { body: changed } = await operator('PATCH', `/admin/workspaces/${made._id}`, change);
    expect(changed).toMatchObject({ ...change, name: 'Largo Films' });
    // The administrator becomes its owner and can switch to it.
    const { body: moved } = await operator('PATCH', '/session', { workspaceId: made._id });
    expect(moved).toMatchObject({ role: 'owner', workspace: { _id: made._id, minutes: 12.5 } });
    expect((await operator('GET', '/workspace/ledger')).body.entries[0]).toMatchObject({ kind: 'grant', minutes: 7.5 });
    await operator('PATCH', '/session', { workspaceId: home.workspace._id });
  });

  it('pages through workspaces, newest first, and searches literally', async () => {
    for (let i = 0; i < 3; i++) await createWorkspace(api.test.kernel, { name: `Page_%${i}` });
    const { body } = await operator('GET', '/admin/workspaces?search=page_%25&limit=2');
    expect([body.total, body.workspaces.map(({ name }: { name: string }) => name)]).toEqual([
      3,
      ['Page_%2', 'Page_%1'],
    ]);
    expect((await operator('GET', '/admin/workspaces?search=%25%25')).body.total).toBe(0);
  });

  it('shows what each plan allows', async () => {
    const { body } = await operator('GET', '/admin/plans');
    expect(body.plans.find(({ plan }: { plan: string }) => plan === 'Free')).toEqual({
      ...{ plan: 'Free', api: true, videos: 50, folders: 10, media: 200, fonts: 10, uploadFolders: 5 },
      renderedSlides: 3,
    });
    expect(body.plans.find(({ plan }: { plan: string }) => plan === 'Unlimited')).toMatchObject({
      api: false,
      videos: null,
    });
  });

  it('shows hosts with their load, and drains one', async () => {
    const { kernel } = api.test;
    await registerHost(kernel, {
      id: 'h1',
      url: 'http://127.0.0.1:9',
      capacity: 7,
      engines: ['cpu'],
      version: '1.2.3',
    });
    await beatHost(kernel.db, 'h1');
    const hosts = async () => (await operator('GET', '/admin/hosts')).body.hosts;
    expect(await hosts()).toMatchObject([{ id: 'h1', capacity: 7, open: 0, draining: false, version: '1.2.3' }]);
    expect((await operator('POST', '/admin/hosts/h1/drain')).status).toBe(200);
    expect(await hosts()).toMatchObject([{ id: 'h1', draining: true }]);
    expect((await operator('POST', '/admin/hosts/h9/drain')).status).toBe(404);
  });

  it('shows workers with their jobs, and queues with their waiting jobs', async () => {
    const { kernel } = api.test;
    await defineQueues(kernel.config.databaseUrl, { 'test-queue': { heartbeatSeconds: 10, attempts: 1 } });
    const add = (videoId: string) => kernel.transaction((tx) => kernel.queue.enqueue(tx, 'test-queue', { videoId }));
    await Promise.all([add('a'), add('a')]);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await kernel.queue.work('test-queue', { concurrency: 1 }, async () => {
      await released;
    });
    await expect.poll(() => kernel.queue.running()).toHaveLength(1);
    startWorkerHeartbeats(kernel);
    const workers = async () => (await operator('GET', '/admin/workers')).body.workers;
    await expect
      .poll(workers)
      .toMatchObject([{ version: expect.stringMatching(/^\d+\./), jobs: [{ kind: 'test-queue', subjectId: 'a' }] }]);
    const { body } = await operator('GET', '/admin/queues');
    const queue = body.queues.find(({ name }: { name: string }) => name === 'test-queue');
    expect(queue).toMatchObject({ waiting: 1, running: 1, oldestWaitingSeconds: expect.any(Number) });
    release();
  });
});
