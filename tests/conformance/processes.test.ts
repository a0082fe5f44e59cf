import type { AdminWorkspacePatch } from '@figurehead/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { openTestKernel, type TestKernel } from '../support/kernel.js';
import { freePort } from '../support/ports.js';
import { type RunningRole, startRole } from '../support/role.js';

const PROCESSES = 4;

/** Four API processes on one database, as in a larger installation. */
describe('four API processes', () => {
  let test: TestKernel;
  let apis: { role: RunningRole; base: string }[];

  beforeAll(async () => {
    test = await openTestKernel();
    apis = await Promise.all(
      Array.from({ length: PROCESSES }, async () => {
        const port = String(await freePort());
        return { role: await startRole('api', { ...test.env, PORT: port }), base: `http://127.0.0.1:${port}/api/v1` };
      }),
    );
  });
  afterAll(async () => {
    await Promise.all(apis.map(({ role }) => role.stop()));
    await test.close();
  });

  /** A workspace whose n-th request goes to the n-th process. */
  async function caller(settings: AdminWorkspacePatch) {
    const workspace = await createWorkspace(test.kernel, { name: 'W', minutes: 10, ...settings });
    const { token } = await createToken(test.kernel, { workspaceId: workspace._id, userId: workspace._id, name: 't' });
    let count = 0;
    return async (method: string, path: string, body?: object) => {
      const { base } = apis[count++ % PROCESSES] ?? { base: '' };
      const answer = await fetch(base + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies whose shape they are about to check
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
    };
  }

  const times = <T>(count: number, act: () => Promise<T>) => Promise.all(Array.from({ length: count }, act));
  const withStatus = <T extends { status: number }>(answers: T[], status: number) =>
    answers.filter((answer) => answer.status === status);

  // Proves: D.limits.9, D.operating.2
  it('allow exactly the rate limit of fifty concurrent requests', async () => {
    const call = await caller({ plan: 'Team' });
    const slides = [{ id: 1, speech: 'Hi.', voice: 'slt', voiceProvider: 'flite' }];
    const { body: video } = await call('POST', '/videos', { name: 'x', slides });
    const answers = await times(50, () => call('POST', `/videos/voice/${video._id}/1`, {}));
    expect([withStatus(answers, 200).length, withStatus(answers, 429).length]).toEqual([20, 30]);
    const left = withStatus(answers, 200).map(({ headers }) => Number(headers.get('x-ratelimit-remaining-min')));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
    const resets = new Set(answers.map(({ headers }) => headers.get('x-ratelimit-reset-hour')));
    expect(resets.size).toBe(1);
  });

  // Proves: 4.6.11, 8.1.4, 8.1.5
  it('allow exactly the outline limits, separately by endpoint', async () => {
    const call = await caller({ plan: 'Team' });
    const { body: outline } = await call('POST', '/outline', { title: 'Bees' });
    const chapters = await times(20, () => call('POST', `/outline/${outline._id}/generate-chapters`, { count: 2 }));
    expect(withStatus(chapters, 200)).toHaveLength(5);
    const scripts = await times(20, () => call('POST', `/outline/${outline._id}/generate-script`));
    expect(withStatus(scripts, 200)).toHaveLength(5);
  });

  // Proves: D.limits.9
  it('create exactly the quota, and only as many upload folders as allowed', async () => {
    const call = await caller({ plan: 'Enterprise', status: 'free' });
    const videos = await times(80, () => call('POST', '/videos', { name: 'x' }));
    expect([withStatus(videos, 200).length, withStatus(videos, 429).length]).toEqual([50, 30]);
    const folders = await times(40, () => call('POST', '/folders', { name: 'x' }));
    expect(withStatus(folders, 200)).toHaveLength(10);
    const uploadFolders = await times(40, () => call('POST', '/upload-folders', { name: 'x' }));
    expect([withStatus(uploadFolders, 200).length, withStatus(uploadFolders, 400).length]).toEqual([5, 35]);
    expect((await call('GET', '/videos')).body.total).toBe(50);
    expect((await call('GET', '/apiConfig')).body.quotas).toMatchObject([
      { entity: 'videos', used: 50 },
      {},
      {},
      {},
      {},
    ]);
  });

  // Proves: D.videos.30
  it('accept a batch completely or not at all when batches compete for the last places', async () => {
    const call = await caller({ plan: 'Free' });
    const { body: template } = await call('POST', '/videos', { name: 'x', type: 'template' });
    const templateData = Array.from({ length: 20 }, () => ({}));
    const answers = await times(8, () => call('POST', `/videos/renderTemplate/${template._id}`, { templateData }));
    expect([withStatus(answers, 200).length, withStatus(answers, 429).length]).toEqual([2, 6]);
    expect((await call('GET', '/videos')).body.total).toBe(41);
  });

  it('see a change of one of them immediately', async () => {
    const call = await caller({ plan: 'Team' });
    const { body: video } = await call('POST', '/videos', { name: 'x' });
    for (let n = 0; n < PROCESSES; n++) expect((await call('GET', `/videos/${video._id}`)).body.name).toBe('x');
    await call('PATCH', `/videos/${video._id}`, { name: 'y' });
    for (let n = 0; n < PROCESSES; n++) expect((await call('GET', `/videos/${video._id}`)).body.name).toBe('y');
  });
});
