import { type Route, routes } from '@figurehead/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { type Answer, call, openTestApi, type TestApi, type TestCaller } from '../support/api.js';
import { signInAs } from '../support/web.js';

const SIX = ['limit', 'remaining', 'reset'].flatMap((what) => [`x-ratelimit-${what}-min`, `x-ratelimit-${what}-hour`]);

const limitsOf = ({ headers }: Answer) => SIX.map((name) => headers[name]).filter((value) => value !== undefined);
const remaining = ({ headers }: Answer) => [
  Number(headers['x-ratelimit-remaining-min']),
  Number(headers['x-ratelimit-remaining-hour']),
];

describe('rate limits', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  async function slide(caller: TestCaller): Promise<string> {
    const { body } = await caller.call('POST', '/videos', {
      name: 'x',
      slides: [{ id: 1, speech: 'Hi.', voice: 'slt', voiceProvider: 'flite' }],
    });
    return `/videos/voice/${body._id}/1`;
  }

  async function outline(caller: TestCaller): Promise<string> {
    return `/outline/${(await caller.call('POST', '/outline', { title: 'Bees' })).body._id}`;
  }

  // Proves: 4.6.9, 4.6.10, 8.1.1
  it('hold for exactly the three endpoints of the specification, with its numbers', () => {
    const limited = (Object.values(routes) as Route[]).filter((route) => route.limited !== undefined);
    expect(limited.map(({ method, path, limited: rule }) => [`${method} ${path}`, rule])).toEqual([
      ['POST /videos/voice/{videoId}/{slideId}', { perMinute: 20, perHour: 200, counts: 'all' }],
      ['POST /outline/{outlineId}/generate-chapters', { perMinute: 5, perHour: 60, counts: 'api' }],
      ['POST /outline/{outlineId}/generate-script', { perMinute: 5, perHour: 60, counts: 'api' }],
    ]);
  });

  // Proves: 8.1.1, 8.1.9
  it('have their six headers only there, and Retry-After only on a 429', async () => {
    const me = await api.caller();
    const answer = await me.call('POST', await slide(me), {});
    expect(limitsOf(answer)).toHaveLength(6);
    expect(answer.headers).not.toHaveProperty('retry-after');
    for (const path of ['/videos', '/voices', '/outline', '/apiConfig', '/nothing']) {
      expect(limitsOf(await me.call('GET', path))).toEqual([]);
    }
  });

  // Proves: 4.6.11, 8.1.4, 8.1.5, D.plans.8, D.limits.2
  it('of outlines count all API callers of a workspace together, separately by endpoint', async () => {
    const me = await api.caller();
    const path = await outline(me);
    const { token } = await createToken(api.test.kernel, {
      workspaceId: me.workspace._id,
      userId: 'x',
      name: 'second',
    });
    const second = (sub: string) =>
      call(api.http, { method: 'POST', path: path + sub, headers: { authorization: `Bearer ${token}` } });
    expect(remaining(await me.call('POST', `${path}/generate-chapters`))).toEqual([4, 59]);
    expect(remaining(await second('/generate-chapters'))).toEqual([3, 58]);
    expect(remaining(await second('/generate-script'))).toEqual([4, 59]);
    for (let n = 0; n < 4; n++) await me.call('POST', `${path}/generate-script`);
    const refused = await second('/generate-script');
    expect([refused.status, limitsOf(refused).length, refused.headers['retry-after']]).toEqual([
      429,
      6,
      String(refused.body.retryAfter),
    ]);
    const other = await api.caller();
    expect((await other.call('POST', `${await outline(other)}/generate-chapters`)).status).toBe(200);
  });

  // Proves: 8.1.6, D.plans.13
  it('of outlines do not apply to the web application', async () => {
    const me = await api.caller();
    const web = await signInAs(api, { workspaceId: me.workspace._id, role: 'member' });
    const path = await outline(me);
    for (let n = 0; n < 8; n++) {
      const answer = await web('POST', `${path}/generate-chapters`);
      expect([answer.status, ...remaining(answer)]).toEqual([200, 5, 60]);
    }
    expect(remaining(await me.call('POST', `${path}/generate-chapters`))).toEqual([4, 59]);
    for (let n = 0; n < 5; n++) await me.call('POST', `${path}/generate-chapters`);
    expect((await me.call('POST', `${path}/generate-chapters`)).status).toBe(429);
    expect((await web('POST', `${path}/generate-chapters`)).status).toBe(200);
  });

  // Proves: 8.1.2, D.limits.2
  it('of slide speech count API and web callers together', async () => {
    const me = await api.caller();
    const web = await signInAs(api, { workspaceId: me.workspace._id, role: 'member' });
    const path = await slide(me);
    expect(remaining(await me.call('POST', path, {}))).toEqual([19, 199]);
    expect(remaining(await web('POST', path, {}))).toEqual([18, 198]);
    await setWindow(me, { minute: 20, hour: 20 });
    expect((await web('POST', path, {})).status).toBe(429);
  });

  // Proves: 7.1.1, 8.1.3, 8.1.8
  it('also apply per hour: 200, with the wait until the hour ends', async () => {
    const me = await api.caller();
    const path = await slide(me);
    await me.call('POST', path, {});
    await setWindow(me, { minute: 0, hour: 199 });
    expect(remaining(await me.call('POST', path, {}))).toEqual([19, 0]);
    const refused = await me.call('POST', path, {});
    expect(refused.status).toBe(429);
    expect(refused.body.message).toMatch(/Too many requests per hour: the limit is 200/);
    expect(refused.body.retryAfter).toBeGreaterThan(3500);
    expect(refused.body.retryAfter).toBeLessThanOrEqual(3600);
    const reset = Number(refused.headers['x-ratelimit-reset-hour']) - Date.now() / 1000;
    expect(Math.abs(reset - refused.body.retryAfter)).toBeLessThan(3);
  });

  // Proves: 8.1.7, D.limits.3
  it('do not count refused calls, as the headers show', async () => {
    const me = await api.caller();
    const path = await slide(me);
    expect(remaining(await me.call('POST', path, {}))).toEqual([19, 199]);
    for (const answer of [
      await me.call('POST', path, { speech: 7 }),
      await me.call('POST', path, '{'),
      await me.call('POST', path, { voice: 'nobody' }),
      await me.call('POST', '/videos/voice/000000000000000000000000/1', {}),
    ]) {
      expect(remaining(answer)).toEqual([19, 199]);
    }
    await setWindow(me, { minute: 20, hour: 100 });
    expect(remaining(await me.call('POST', path, {}))).toEqual([0, 100]);
    expect(remaining(await me.call('POST', path, {}))).toEqual([0, 100]);
  });

  async function setWindow(caller: TestCaller, counts: { minute: number; hour: number }) {
    await sql`update rate_limits set minute_count = ${counts.minute}, hour_count = ${counts.hour}
      where subject = ${caller.workspace._id}`.execute(api.test.kernel.db);
  }
});

describe('creation quotas', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  /** As if the workspace had created `count` of them `hoursAgo`. */
  async function made(caller: TestCaller, what: { entity: string; count: number; hoursAgo?: number }) {
    const at = new Date(Date.now() - (what.hoursAgo ?? 0) * 3_600_000);
    await sql`insert into creations (workspace_id, entity, created_at)
      select ${caller.workspace._id}, ${what.entity}, ${at} from generate_series(1, ${what.count}::int)`.execute(
      api.test.kernel.db,
    );
  }

  // Proves: 8.2.2, 8.3.1
  it('equal the table of the specification', async () => {
    const rows = {
      videos: [50, 1000, 1000, 6000],
      folders: [10, 100, 100, 100],
      media: [200, 1000, 1000, 1000],
      fonts: [10, 100, 100, 100],
      uploadFolders: [5, 5, 20, null],
    };
    const plans = ['Free', 'Creator', 'Team', 'Enterprise'] as const;
    for (const [column, plan] of plans.entries()) {
      const me = await api.caller({ plan, status: plan === 'Free' ? 'free' : 'active' });
      const { quotas } = (await me.call('GET', '/apiConfig')).body;
      for (const [entity, limits] of Object.entries(rows)) {
        expect(quotas).toContainEqual({
          entity,
          limit: limits[column],
          used: 0,
          windowSeconds: entity === 'uploadFolders' ? null : 28_800,
          nextFreeAt: null,
        });
      }
    }
    for (const plan of ['Corporate', 'Platinum'] as const) {
      const { quotas } = (await (await api.caller({ plan })).call('GET', '/apiConfig')).body;
      expect(quotas.map(({ limit }: { limit: number | null }) => limit)).toEqual([null, null, null, null, null]);
    }
  });

  // Proves: 8.2.7, D.plans.2
  it('use the Free column only for the status free, otherwise the plan’s own', async () => {
    const limitOf = async (settings: Parameters<TestApi['caller']>[0]) =>
      (await (await api.caller(settings)).call('GET', '/apiConfig')).body.quotas[0].limit;
    for (const plan of ['Creator', 'Team', 'Enterprise', 'Corporate'] as const) {
      expect(await limitOf({ plan, status: 'free' })).toBe(50);
    }
    for (const status of ['trial', 'active', 'cancelled'] as const) {
      expect(await limitOf({ plan: 'Enterprise', status })).toBe(6000);
    }
  });

  // Proves: 7.9, 7.1.3, 8.2.1, D.limits.7
  it('have a rolling window: creations expire one by one after eight hours', async () => {
    const me = await api.caller({ plan: 'Creator' });
    await made(me, { entity: 'videos', count: 1, hoursAgo: 7.9 });
    await made(me, { entity: 'videos', count: 999, hoursAgo: 1 });
    const refused = await me.call('POST', '/videos', { name: 'x' });
    expect([refused.status, refused.body]).toEqual([
      429,
      {
        message: expect.stringMatching(/^1000 videos created in the last 8 hours, the limit of the Creator plan\. \w/),
      },
    ]);
    expect(refused.headers['retry-after']).toBeUndefined();
    const { quotas } = (await me.call('GET', '/apiConfig')).body;
    expect(Math.round((Date.parse(quotas[0].nextFreeAt) - Date.now()) / 60_000)).toBe(6);
    await sql`update creations set created_at = created_at - interval '7 minutes' where workspace_id = ${me.workspace._id}`.execute(
      api.test.kernel.db,
    );
    expect((await me.call('POST', '/videos', { name: 'x' })).status).toBe(200);
    expect((await me.call('POST', '/videos', { name: 'x' })).status).toBe(429);
  });

  // Proves: 8.2.3
  it('count templates, copies, batches, imports and videos of outlines as videos', async () => {
    const me = await api.caller({ plan: 'Free', status: 'free' });
    await made(me, { entity: 'videos', count: 48 });
    const { body: template } = await me.call('POST', '/videos', { name: 'x', type: 'template' });
    const { body: outline } = await me.call('POST', '/outline', { title: 'x' });
    const chapters = [{ id: 'a', title: 'A', summary: 'S', script: 'Hello.' }];
    await me.call('PATCH', `/outline/${outline._id}`, { chapters });
    expect((await me.call('POST', `/outline/${outline._id}/video`)).status).toBe(200);
    for (const [path, body] of [
      ['/videos', { name: 'x' }],
      ['/videos/copy', { videoId: template._id }],
      [`/videos/renderTemplate/${template._id}`, { templateData: [{}] }],
      [`/outline/${outline._id}/video`, {}],
    ] as const) {
      expect((await me.call('POST', path, body)).status, path).toBe(429);
    }
    expect((await me.call('GET', '/videos')).body.total).toBe(2);
  });

  // Proves: 8.2.8
  it('do not apply to plans without an entry', async () => {
    const me = await api.caller({ plan: 'Platinum', status: 'active' });
    await made(me, { entity: 'videos', count: 7000 });
    await made(me, { entity: 'folders', count: 500 });
    expect((await me.call('POST', '/videos', { name: 'x' })).status).toBe(200);
    expect((await me.call('POST', '/folders', { name: 'x' })).status).toBe(200);
    const { quotas } = (await me.call('GET', '/apiConfig')).body;
    expect(quotas[0]).toMatchObject({ entity: 'videos', limit: null, nextFreeAt: null });
  });

  // Proves: 7.2, D.limits.5, D.limits.6
  it('do not count upload folders, which have their own limit', async () => {
    const me = await api.caller({ plan: 'Free', status: 'free' });
    await made(me, { entity: 'folders', count: 10 });
    expect((await me.call('POST', '/folders', { name: 'x' })).status).toBe(429);
    for (let n = 0; n < 5; n++) expect((await me.call('POST', '/upload-folders', { name: `${n}` })).status).toBe(200);
    const capped = await me.call('POST', '/upload-folders', { name: 'one more' });
    expect([capped.status, capped.body]).toEqual([
      400,
      { message: expect.stringMatching(/Free plan allows 5 upload folders.*Upgrade the plan or delete folders/) },
    ]);
    const { quotas } = (await me.call('GET', '/apiConfig')).body;
    expect(quotas.find(({ entity }: { entity: string }) => entity === 'folders').used).toBe(10);
  });

  // Proves: D.calls.4
  it('refuse a call over the limit completely', async () => {
    const me = await api.caller({ plan: 'Free', status: 'free' });
    await made(me, { entity: 'videos', count: 49 });
    const { body: template } = await me.call('POST', '/videos', { name: 'x', type: 'template' });
    expect((await me.call('PATCH', `/videos/${template._id}`, { name: 'y' })).status).toBe(200);
    expect((await me.call('POST', `/videos/render/${template._id}`)).status).toBe(200);
    // An invalid body is reported before the quota: 400 comes before 429.
    expect((await me.call('POST', '/videos', { name: 7 })).status).toBe(400);
  });
});
