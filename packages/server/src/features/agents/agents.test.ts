import { AGENT_LIMITS } from '@figurehead/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { openAll } from '../../../../../tests/support/stream-host.js';
import { pruneConversations } from './index.js';
import * as store from './store.js';

const AGENT = { name: 'Guide', prompt: 'You are the guide of a museum.' };
const WEATHER = { name: 'weather', description: 'Tells the weather.', parameters: { type: 'object', properties: {} } };

describe('an agent', () => {
  let api: TestApi;
  let alice: TestCaller;
  beforeAll(async () => {
    api = await openTestApi();
    alice = await api.caller();
  });
  afterAll(() => api.close());

  it('has defaults, is changed field by field, listed newest first, and deleted', async () => {
    const made = await alice.call('POST', '/agents', AGENT);
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({
      ...AGENT,
      avatarCode: null,
      disclosure: null,
      greeting: null,
      maxMinutes: 15,
      maxTurns: 60,
      maxAnswerCharacters: 1200,
      tools: [],
      toolSeconds: 10,
      transcriptDays: 30,
    });
    const id = made.body._id;
    const patch = { greeting: 'Welcome!', tools: [WEATHER], temperature: 0.2, avatarCode: 'nora' };
    const changed = await alice.call('PATCH', `/agents/${id}`, patch);
    expect(changed.body).toMatchObject({ ...AGENT, ...patch, maxTurns: 60 });
    expect((await alice.call('GET', `/agents/${id}`)).body).toEqual(changed.body);
    const newer = (await alice.call('POST', '/agents', { ...AGENT, name: 'Newer' })).body._id;
    const { body } = await alice.call('GET', '/agents');
    expect(body.agents.map(({ _id }: { _id: string }) => _id)).toEqual([newer, id]);
    expect((await alice.call('DELETE', `/agents/${id}`)).body).toEqual({ _id: id, deleted: true });
    expect((await alice.call('GET', `/agents/${id}`)).status).toBe(404);
  });

  it('is renamed when its presenter was deleted; a presenter or a voice that is named must exist', async () => {
    const { _id: id } = (await alice.call('POST', '/agents', { ...AGENT, avatarCode: 'nora' })).body;
    await sql`update agents set settings = settings || '{"avatarCode":"deleted"}' where id = ${id}`.execute(
      api.test.kernel.db,
    );
    const renamed = await alice.call('PATCH', `/agents/${id}`, { name: 'Renamed' });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Renamed']);
    expect((await alice.call('PATCH', `/agents/${id}`, { language: 'de' })).status).toBe(200);
    for (const named of [{ avatarCode: 'unknown' }, { voiceId: 'unknown' }])
      expect((await alice.call('PATCH', `/agents/${id}`, named)).status).toBe(400);
  });

  it('belongs to its workspace', async () => {
    const bob = await api.caller();
    const { _id } = (await alice.call('POST', '/agents', AGENT)).body;
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/conversations'],
    ] as const) {
      const sent = method === 'PATCH' ? { name: 'x' } : undefined;
      expect((await bob.call(method, `/agents/${_id}${path}`, sent)).status).toBe(403);
    }
    expect((await bob.call('POST', '/streams', { agentId: _id })).body.message).toContain('There is no agent');
  });

  it('names only presenters and voices that exist, and tools that a model accepts', async () => {
    for (const wrong of [
      { avatarCode: 'missing' },
      { voiceId: 'missing' },
      { language: 'Klingon' },
      { tools: [{ ...WEATHER, name: 'with space' }] },
      { tools: Array.from({ length: 21 }, () => WEATHER) },
      { prompt: '' },
      { maxMinutes: 0 },
      { maxAnswerCharacters: 8000 },
      { temperature: 3 },
    ])
      expect((await alice.call('POST', '/agents', { ...AGENT, ...wrong })).status, JSON.stringify(wrong)).toBe(400);
  });

  it('has tools whose parameters are a JSON Schema: the answer names the tool and what is wrong', async () => {
    const make = (parameters: object) =>
      alice.call('POST', '/agents', { ...AGENT, tools: [WEATHER, { ...WEATHER, name: 'other', parameters }] });
    for (const [parameters, reason] of [
      [{ type: 'text' }, 'is not a JSON Schema'],
      [{ type: 'object', required: 'city' }, 'is not a JSON Schema'],
      [{ $ref: 'https://schemas.example.org/city.json' }, 'is not a JSON Schema'],
      [{ description: 'x'.repeat(20_000) }, 'must have at most 20000 characters'],
    ] as const) {
      const { status, body } = await make(parameters);
      expect(status).toBe(400);
      expect(body.message).toContain(`tools[1].parameters ${reason}`);
    }
    const { status, body } = await make({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { city: { $ref: '#/$defs/city' } },
      $defs: { city: { type: 'string', format: 'city', pattern: '^(a+)+$' } },
    });
    expect(status).toBe(200);
    const tools = [{ ...WEATHER, parameters: { type: 1 } }];
    const patched = await alice.call('PATCH', `/agents/${body._id}`, { tools });
    expect([patched.status, patched.body.message]).toEqual([400, expect.stringContaining('tools[0].parameters')]);
  });

  it('is refused beyond the limit of the workspace, also when many are made at once', async () => {
    const carol = await api.caller();
    const most = AGENT_LIMITS.agents.most;
    const answers = await Promise.all(Array.from({ length: most + 20 }, () => carol.call('POST', '/agents', AGENT)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(most);
    expect(answers.find(({ status }) => status !== 200)?.body.message).toContain(`${most} agents`);
    expect((await carol.call('GET', '/agents')).body.total).toBe(most);
  });

  it('cannot be used without a language model and a recogniser: the answer names the settings', async () => {
    const { _id } = (await alice.call('POST', '/agents', AGENT)).body;
    const { status, body } = await alice.call('POST', '/streams', { agentId: _id });
    expect(status).toBe(400);
    expect(body.message).toContain('FIGUREHEAD_LLM_URL and FIGUREHEAD_STT_URL');
    expect(body.message).toContain('it has no language model and no speech recogniser.');
    expect(body.message).toMatch(/ figurehead voices add whisper-base$/u);
    const written = await alice.call('POST', '/streams', { agentId: _id, inWriting: true });
    expect([written.status, written.body.message]).toEqual([
      400,
      'This server cannot hold conversations yet: it has no language model. Its administrator sets FIGUREHEAD_LLM_URL to the address of a server with OpenAI’s API, then restarts it.',
    ]);
    expect((await alice.call('POST', '/streams', { agentId: 'missing' })).body.message).toBe(
      'There is no agent "missing".',
    );
  });

  it('deletes transcripts after its days, and with itself', async () => {
    const { kernel } = api.test;
    const { _id: agentId } = (await alice.call('POST', '/agents', { ...AGENT, transcriptDays: 2 })).body;
    const now = kernel.clock.now();
    const insert = async (days: number) => {
      const id = kernel.ids.next();
      const startedAt = new Date(now - days * 24 * 3600_000);
      await store.insertConversation(kernel.db, { id, agentId, streamId: 's', startedAt });
      return id;
    };
    const [old, recent] = [await insert(2.1), await insert(1.9)];
    const list = async () =>
      (await alice.call('GET', `/agents/${agentId}/conversations`)).body.conversations.map(
        ({ _id }: { _id: string }) => _id,
      );
    expect(await list()).toEqual([recent, old]);
    expect(await pruneConversations(kernel)).toBe(1);
    expect(await list()).toEqual([recent]);
    expect((await alice.call('DELETE', `/agents/${agentId}/conversations/${recent}`)).status).toBe(200);
    expect((await alice.call('GET', `/agents/${agentId}/conversations/${recent}`)).status).toBe(404);
    await insert(1);
    await alice.call('DELETE', `/agents/${agentId}`);
    const { rows } = await sql`select 1 from conversations where agent_id = ${agentId}`.execute(kernel.db);
    expect(rows).toEqual([]);
    await insert(0);
    expect((await sql`select 1 from conversations where agent_id = ${agentId}`.execute(kernel.db)).rows).toEqual([]);
  });
});

describe('a conversation on a full host', () => {
  const [CAPACITY, TOO_MANY] = [3, 8];
  let all: Awaited<ReturnType<typeof openAll>>;
  beforeAll(async () => {
    const env = { FIGUREHEAD_LLM_URL: 'http://127.0.0.1:9', FIGUREHEAD_STT_URL: 'http://127.0.0.1:9' };
    all = await openAll(env, { capacity: CAPACITY });
  });
  afterAll(() => all.close());

  it('is refused with the time to wait, however the page opens it, and leaves nothing behind', async () => {
    const alice = await all.api.caller({ plan: 'Enterprise' });
    const agentId: string = (await alice.call('POST', '/agents', AGENT)).body._id;
    const open = () => alice.call('POST', '/streams', { agentId });
    const answers = await Promise.all(Array.from({ length: CAPACITY + TOO_MANY }, open));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(CAPACITY);
    const offer = { type: 'offer', sdp: 'v=0\r\n', requestData: { agentId } };
    answers.push(await alice.call('POST', '/pipecat/offer', offer));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(TOO_MANY + 1);
    for (const { status, body, headers } of refused) {
      expect([status, body.message]).toEqual([429, expect.stringContaining('stream')]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await alice.call('GET', '/streams')).body.total).toBe(CAPACITY);
    expect((await alice.call('GET', `/agents/${agentId}/conversations`)).body.total).toBe(0);
    await alice.call('DELETE', `/streams/${answers.find(({ status }) => status === 200)?.body.id}`);
    expect((await open()).status).toBe(200);
  });
});

describe('a client token with an agent', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  beforeAll(async () => {
    all = await openAll({ FIGUREHEAD_LLM_URL: 'http://127.0.0.1:9', FIGUREHEAD_STT_URL: 'http://127.0.0.1:9' });
  });
  afterAll(() => all.close());

  it('opens streams of this agent, and of no other', async () => {
    const alice = await all.api.caller();
    const make = async () => (await alice.call('POST', '/agents', AGENT)).body._id as string;
    const [agentId, other] = [await make(), await make()];
    const page = 'https://shop.example.org';
    const { status, body } = await alice.call('POST', '/client-tokens', {
      origins: [page],
      avatarCode: 'nora',
      agentId,
    });
    expect([status, body.agentId]).toEqual([200, agentId]);
    const viewer = { authorization: `Bearer ${body.token}`, origin: page };
    const open = (sent: object) =>
      call(all.api.http, { method: 'POST', path: '/streams', body: sent, headers: viewer });
    const refused = await open({ agentId: other });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `This client token does not allow agentId "${other}".`,
    ]);
    const opened = await open({});
    expect([opened.status, opened.body.agentId]).toEqual([200, agentId]);
    expect(
      (await alice.call('POST', '/client-tokens', { origins: [page], avatarCode: 'nora', agentId: 'x' })).status,
    ).toBe(400);
  });
});
