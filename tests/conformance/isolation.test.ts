import { type Route, type RouteId, routes } from '@figurehead/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { openTestApi, type TestApi, type TestCaller } from '../support/api.js';
import { signInAs } from '../support/web.js';
import { FIXTURES, fillPath, type World } from './fixtures.js';

/** An id, a name and a number that do not exist: an answer that contains them took them from a request. */
const POISON_ID = 'deadbeefdeadbeefdeadbeef';
const POISON_TEXT = 'poisoned-by-the-client';
const POISON_NUMBER = 987_654_321;

/** Server-only fields of every resource. */
const POISON: Readonly<Record<string, unknown>> = {
  _id: POISON_ID,
  id: POISON_ID,
  userId: POISON_ID,
  accountId: POISON_ID,
  workspaceId: POISON_ID,
  workspace: { _id: POISON_ID, plan: 'Enterprise' },
  requestId: POISON_TEXT,
  batchRowId: POISON_NUMBER,
  renderId: POISON_ID,
  videoKey: POISON_TEXT,
  thumbnail: POISON_TEXT,
  thumbnailKey: POISON_TEXT,
  subtitlesUrl: POISON_TEXT,
  url: POISON_TEXT,
  error: POISON_TEXT,
  stage: POISON_TEXT,
  progress: POISON_NUMBER,
  durationSeconds: POISON_NUMBER,
  duration: POISON_NUMBER,
  createdAt: POISON_TEXT,
  updatedAt: POISON_TEXT,
  lastUsedAt: POISON_TEXT,
  secretFingerprint: POISON_TEXT,
  failedDeliveries: POISON_NUMBER,
  hash: POISON_TEXT,
  minutes: POISON_NUMBER,
  allowOverlimit: true,
  plan: 'Platinum',
  moderation: 'all',
  deleted: true,
  status: 'ready',
  enabled: false,
  writer: 'model',
};

describe('a server-only field', () => {
  let api: TestApi;
  let world: World;
  beforeAll(async () => {
    api = await openTestApi();
    const [owner, stranger] = [await api.caller({ plan: 'Enterprise' }), await api.caller()];
    const web = await signInAs(api, { workspaceId: owner.workspace._id, role: 'owner', operator: true });
    world = { api, owner, stranger, web };
  });
  afterAll(() => api.close());

  const bodies = Object.entries(FIXTURES).flatMap(([id, { request }]) => {
    const route: Route = routes[id as RouteId];
    return route.body === undefined || request === undefined ? [] : [[id, route, request] as const];
  });

  // Proves: D.calls.6, D.isolation.1
  it.each(bodies)('is ignored by %s', async (_id, route, requestOf) => {
    const request = await requestOf(world);
    const own = new Set(Object.keys(route.body?.properties ?? {}));
    const poison = Object.fromEntries(Object.entries(POISON).filter(([name]) => !own.has(name)));
    const body = { ...poison, ...(request.body as object | undefined) };
    const send = route.auth === 'web' ? world.web : world.owner.call;
    const answer = await send(route.method, fillPath(route.path, request), body);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    for (const poisoned of [POISON_ID, POISON_TEXT, String(POISON_NUMBER)]) expect(answer.text).not.toContain(poisoned);
    const { body: workspace } = await world.owner.call('GET', '/workspace');
    expect(workspace).toMatchObject({
      _id: world.owner.workspace._id,
      plan: 'Enterprise',
      status: 'active',
      minutes: 100,
      allowOverlimit: false,
      moderation: 'off',
    });
  });

  // Proves: D.isolation.1
  it('is ignored inside slides as well, and no change of a video moves it to another owner', async () => {
    const { owner } = world;
    const { body: video } = await owner.call('POST', '/videos', {
      name: 'x',
      ...POISON,
      slides: [{ id: 1, ...audio() }],
    });
    expect(video).toMatchObject({ status: 'draft', deleted: false, accountId: owner.workspace._id });
    expect(video.slides).toEqual([{ id: 1 }]);
    const { body: changed } = await owner.call('PATCH', `/videos/${video._id}`, {
      ...POISON,
      slides: [{ id: 1, ...audio() }],
    });
    expect(changed).toEqual({ ...video, updatedAt: changed.updatedAt });
  });

  function audio() {
    return { audio: { url: `${world.stranger.workspace._id}/speech/x.wav`, duration: 1, words: [] } };
  }
});

describe('another workspace', () => {
  const SECRET = 'Project Nightjar';
  let api: TestApi;
  let me: TestCaller;
  let other: TestCaller;
  let web: TestCaller['call'];
  /** Every id of the other workspace, by kind. */
  let theirs: Record<string, string>;

  beforeAll(async () => {
    api = await openTestApi();
    [me, other] = [await api.caller(), await api.caller()];
    web = await signInAs(api, { workspaceId: me.workspace._id, role: 'owner' });
    const theirWeb = await signInAs(api, { workspaceId: other.workspace._id, role: 'owner' });
    const make = async (path: string, body?: object) => (await other.call('POST', path, body)).body._id;
    const slides = [{ id: 1, speech: SECRET }];
    const videoId = await make('/videos', { name: SECRET, slides, tags: [SECRET] });
    const held = await make('/videos', { name: SECRET, slides });
    await other.call('POST', `/videos/render/${held}`);
    await api.hold(held);
    await other.call('POST', '/webhook', { url: 'https://nightjar.example/hook', techEmail: 'ops@nightjar.example' });
    await other.call('PUT', '/webhook/secret', { secret: SECRET });
    const token = await createToken(api.test.kernel, { workspaceId: other.workspace._id, userId: 'x', name: SECRET });
    const { members } = (await theirWeb('GET', '/members')).body;
    theirs = {
      videoId,
      held,
      batch: (await other.call('POST', `/videos/renderTemplate/${videoId}`, { templateData: [{}] })).body.videoId,
      folderId: await make('/folders', { name: SECRET }),
      uploadFolderId: await make('/upload-folders', { name: SECRET }),
      outlineId: await make('/outline', { title: SECRET, source: SECRET }),
      deliveryId: await make('/webhook/test'),
      tokenId: token._id,
      memberId: members[0]._id,
      workspaceId: other.workspace._id,
      email: members[0].email,
    };
    for (const id of Object.values(theirs)) expect(id).toMatch(/^[0-9a-f]{24}$|@/);
  });
  afterAll(() => api.close());

  const expectNothingOfTheirs = (what: string, text: string, asked: readonly string[] = []) => {
    expect(text.toLowerCase(), what).not.toContain('nightjar');
    for (const id of Object.values(theirs)) if (!asked.includes(id)) expect(text, what).not.toContain(id);
  };

  const readable = (Object.values(routes) as Route[]).filter(
    // Event streams end with their reader; see videos/changes.test.ts.
    ({ method, path, events }) => method === 'GET' && !path.includes('{') && events === undefined,
  );

  // Proves: D.isolation.2
  it.each(readable.map((route) => [route.id, route] as const))('reveals nothing in %s', async (id, route) => {
    const send = route.auth === 'web' ? web : me.call;
    const answer = await send('GET', route.path);
    expect(answer.status).toBe(route.path.startsWith('/admin/') ? 403 : 200);
    expectNothingOfTheirs(id, answer.text);
  });

  it('reveals nothing through filters, including deleted items', async () => {
    await other.call('DELETE', `/videos/${theirs['videoId']}`);
    for (const query of [
      'deleted=true',
      `folderId=${theirs['folderId']}`,
      `tags=${encodeURIComponent(SECRET)}`,
      'status=moderation',
    ]) {
      const answer = await me.call('GET', `/videos?${query}`);
      expect(answer.body.total).toBe(0);
      expectNothingOfTheirs(query, answer.text);
    }
  });

  const named = (Object.values(routes) as Route[]).filter(({ path }) => path.includes('{'));

  // Proves: 5.4, D.isolation.2
  it.each(named.map((route) => [route.id, route] as const))(
    'reveals nothing but the refusal in %s',
    async (id, route) => {
      for (const theirId of Object.values(theirs)) {
        const path = fillPath(route.path, {
          params: Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, theirId])),
        });
        const send = route.auth === 'web' ? web : me.call;
        const answer = await send(route.method, path, route.body === undefined ? undefined : {});
        expect([400, 403, 404], `${id}: ${answer.text}`).toContain(answer.status);
        expectNothingOfTheirs(id, answer.text, [theirId]);
      }
    },
  );

  // Proves: D.isolation.2
  it('keeps its data when its ids are used in bodies', async () => {
    const { body: mine } = await me.call('POST', '/videos', { name: 'mine' });
    const answers = [
      await me.call('POST', '/videos', { name: 'mine', folderId: theirs['folderId'] }),
      await me.call('POST', '/videos/copy', { videoId: theirs['held'] }),
      await me.call('POST', '/folders', { name: 'x', parentId: theirs['folderId'] }),
      await me.call('POST', '/upload-folders', { name: 'x', parentId: theirs['uploadFolderId'] }),
      await web('PATCH', '/session', { workspaceId: theirs['workspaceId'] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      400,
      403,
      400,
      400,
      expect.toSatisfy((status) => status >= 400),
    ]);
    for (const answer of answers) expectNothingOfTheirs('body', answer.text);
    expect((await other.call('GET', `/videos?folderId=${theirs['folderId']}`)).body.total).toBe(0);
    expect((await me.call('GET', `/videos/${mine._id}`)).body.accountId).toBe(me.workspace._id);
    expect((await other.call('GET', '/folders')).body.folders).toHaveLength(1);
  });

  // Proves: D.videos.21, D.isolation.2
  it('opens no media with a link changed to its keys', async () => {
    const { body: video } = await me.call('POST', '/videos', {
      name: 'x',
      slides: [{ id: 1, speech: 'Hi.', voice: 'slt', voiceProvider: 'flite' }],
    });
    const { body: spoken } = await me.call('POST', `/videos/voice/${video._id}/1`, {});
    const { pathname, search } = new URL(spoken.url);
    const get = async (url: string) => (await api.http.app.inject({ method: 'GET', url })).statusCode;
    expect(await get(pathname + search)).toBe(200);
    expect(await get(pathname.replace(me.workspace._id, other.workspace._id) + search)).toBe(403);
    expect(await get(pathname)).toBe(403);
  });
});
