import { MAX_TOOL_RESULT } from '@figurehead/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ANY_DELAY, call as callApi, type TestCaller } from '../../../../../tests/support/api.js';
import { type LanguageModel, openLanguageModel } from '../../../../../tests/support/language-model.js';
import { openAll, sessionOf, until } from '../../../../../tests/support/stream-host.js';
import { loadConfig } from '../../kernel/config/config.js';
import { createKernel } from '../../kernel/create-kernel.js';
import { createApi } from '../../roles/api.js';
import { createEngine } from '../../roles/engine.js';

const OFFER = { type: 'offer', sdp: 'v=0\r\ns=a client\r\n', pc_id: null, restart_pc: false };
const CANDIDATE = 'candidate:1 1 udp 2113937151 192.0.2.7 50000 typ host';

describe('a client with the small WebRTC transport of Pipecat', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let models: LanguageModel;
  let alice: TestCaller;
  let agentId: string;
  beforeAll(async () => {
    models = await openLanguageModel();
    const env = {
      FIGUREHEAD_LLM_URL: models.url,
      FIGUREHEAD_STT_URL: models.url,
      FIGUREHEAD_TURN_URLS: 'turn:turn.example.org:3478?transport=udp',
      FIGUREHEAD_TURN_SECRET: 'a secret of the tests',
    };
    all = await openAll(env, { capacity: 10, tellsSpeech: true });
    alice = await all.api.caller();
    agentId = (await alice.call('POST', '/agents', { name: 'Guide', prompt: 'Answer.' })).body._id;
  });
  beforeEach(() => models.script(() => 'It opens at nine.'));
  afterAll(async () => {
    await all.close();
    await models.close();
  });

  /** A connected client that has said it is ready, and the messages that it got. */
  async function open(requestData: object = { agentId }) {
    const { status, body } = await alice.call('POST', '/pipecat/offer', { ...OFFER, requestData });
    expect(status).toBe(200);
    const id: string = body.pc_id;
    const session = sessionOf(all.host, id);
    session.connect();
    const say = (type: string, data?: unknown) =>
      session.receive(JSON.stringify({ label: 'rtvi-ai', id: 'm1', type, data }));
    const told = () => session.messages.map((text) => JSON.parse(text));
    const types = () => told().map(({ type }) => type);
    say('client-ready', { version: '2.1.0', about: { library: 'test' } });
    return { id, session, say, told, types, close: () => alice.call('DELETE', `/streams/${id}`) };
  }

  it('opens a stream with its offer, adds candidates, and opens another one where its connection was lost', async () => {
    const first = await alice.call('POST', '/pipecat/offer', {
      ...OFFER,
      requestData: { avatarCode: 'nora', width: 256 },
    });
    const { pc_id } = first.body;
    expect(first.body).toEqual({ type: 'answer', sdp: `v=0\r\ns=answer to ${OFFER.sdp.length}\r\n`, pc_id });
    const candidates = [
      { candidate: CANDIDATE, sdp_mid: '0', sdp_mline_index: 0 },
      { candidate: '', sdp_mid: null, sdp_mline_index: null },
    ];
    expect((await alice.call('PATCH', '/pipecat/offer', { pc_id, candidates: candidates.slice(0, 1) })).status).toBe(
      200,
    );
    expect(sessionOf(all.host, pc_id).candidates).toEqual([{ candidate: CANDIDATE, sdpMid: '0' }]);
    expect((await alice.call('PATCH', '/pipecat/offer', { pc_id: 'none', candidates })).status).toBe(404);

    expect((await alice.call('POST', '/pipecat/offer', { ...OFFER, pc_id })).status).toBe(422);
    const bob = await all.api.caller();
    expect((await bob.call('POST', '/pipecat/offer', { ...OFFER, pc_id, restart_pc: true })).status).toBe(403);
    const second = await alice.call('POST', '/pipecat/offer', { ...OFFER, pc_id, restart_pc: true });
    expect(second.body.pc_id).not.toBe(pc_id);
    expect((await alice.call('GET', `/streams/${pc_id}`)).status).toBe(404);
    await alice.call('DELETE', `/streams/${second.body.pc_id}`);
  });

  it('opens one stream for a connection, however often, at once or late its restart is repeated, in any process', async () => {
    const config = loadConfig({ env: { ...all.api.test.env }, cwd: all.api.test.kernel.config.dataDir });
    const other = await createKernel(config, 'test');
    const http = createApi(other, createEngine(other), ANY_DELAY);
    const { body: first } = await alice.call('POST', '/pipecat/offer', OFFER);
    const restart = { ...OFFER, pc_id: first.pc_id, restart_pc: true };
    const headers = { authorization: `Bearer ${alice.token}` };
    const here = () => alice.call('POST', '/pipecat/offer', restart);
    const there = () => callApi(http, { method: 'POST', path: '/pipecat/offer', body: restart, headers });
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? here() : there())));
    for (const repeat of [here, there]) answers.push(await repeat());
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...new Array(25).fill(409)]);
    expect((await alice.call('GET', '/streams')).body.total).toBe(1);

    // Once its stream has ended, the client may try again.
    const winner = answers.find(({ status }) => status === 200)?.body.pc_id;
    await alice.call('DELETE', `/streams/${winner}`);
    const again = await there();
    expect([again.status, (await here()).status]).toEqual([200, 409]);
    await alice.call('DELETE', `/streams/${again.body.pc_id}`);
    // A restart that fails leaves nothing behind.
    const failed = await alice.call('POST', '/pipecat/offer', { ...restart, requestData: { avatarCode: 'nobody' } });
    expect(failed.status).toBe(400);
    expect((await here()).status).toBe(200);
    await other.lifecycle.close();
    for (const { id } of (await alice.call('GET', '/streams')).body.streams)
      await alice.call('DELETE', `/streams/${id}`);
  });

  it('gets the TURN servers before it opens a stream, with credentials of its own', async () => {
    const start = async () => (await alice.call('POST', '/pipecat/start')).body.iceConfig.iceServers;
    const [first, second] = [await start(), await start()];
    const [{ username, credential, urls }] = first;
    expect(urls).toEqual(['turn:turn.example.org:3478?transport=udp']);
    expect(Number(username.split(':')[0]) * 1000).toBeGreaterThan(Date.now());
    expect(credential).toMatch(/^[\w+/]{27}=$/);
    expect(second[0].username).not.toBe(username);
  });

  it('is told the conversation in the messages of RTVI', async () => {
    const { say, told, types, session, close } = await open();
    expect(told()).toEqual([
      { label: 'rtvi-ai', type: 'bot-ready', id: 'm1', data: { version: '2.1.0', about: { library: 'figurehead' } } },
    ]);
    session.hear({ type: 'began' });
    say('send-text', { content: 'When do you open?', options: {} });
    await until('it has answered', () => types().includes('bot-llm-stopped'));
    expect(types().filter((type) => type !== 'bot-tts-text' && type !== 'bot-output')).toEqual([
      'bot-ready',
      'user-started-speaking',
      'user-transcription',
      'user-llm-text',
      'bot-llm-started',
      'bot-started-speaking',
      'bot-tts-started',
      'bot-tts-stopped',
      'bot-stopped-speaking',
      'bot-llm-text',
      'bot-transcription',
      'bot-llm-stopped',
    ]);
    const dataOf = (wanted: string) => told().find(({ type }) => type === wanted).data;
    expect(dataOf('user-transcription')).toMatchObject({ text: 'When do you open?', final: true });
    expect(dataOf('bot-llm-text')).toEqual({ text: 'It opens at nine.' });
    for (const wanted of ['bot-tts-text', 'bot-output'])
      expect(
        told()
          .flatMap(({ type, data }) => (type === wanted ? [data.text] : []))
          .join(' '),
      ).toBe('It opens at nine.');
    expect(dataOf('bot-output')).toMatchObject({
      aggregated_by: 'word',
      will_be_spoken: true,
      spoken_status: 'completed',
    });
    await close();
    expect(told().at(-1)).toMatchObject({ type: 'bot-llm-stopped' });
  });

  it('gives the results of function calls, and learns what cannot be done', async () => {
    const tools = [{ name: 'price', description: 'The price.', parameters: { type: 'object', properties: {} } }];
    const { body: agent } = await alice.call('POST', '/agents', { name: 'Seller', prompt: 'Sell.', tools });
    const { say, told, types, close } = await open({ agentId: agent._id });
    models.script((_question, index) => (index === 0 ? call() : 'Nine euros.'));
    async function* call() {
      yield { tool: 'price', arguments: '{"day":"Sunday"}' };
    }
    say('send-text', { content: 'What does it cost?' });
    await until('it calls', () => types().includes('llm-function-call-in-progress'));
    const { tool_call_id, ...called } = told().find(({ type }) => type === 'llm-function-call-in-progress').data;
    expect(called).toEqual({ function_name: 'price', arguments: { day: 'Sunday' } });
    say('llm-function-call-result', { function_name: 'price', tool_call_id, arguments: {}, result: { euros: 9 } });
    await until('it has answered', () => types().includes('bot-llm-stopped'));
    expect(models.questions[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '{"euros":9}' });

    const before = told().length;
    say('llm-function-call-result', { tool_call_id, result: 1 });
    say('send-text', { content: '' });
    say('client-message', { t: 'anything' });
    const errors = told().slice(before);
    expect(errors.map(({ type, id }) => [type, id])).toEqual(errors.map(() => ['error-response', 'm1']));
    expect(errors.map(({ data }) => data.error)).toEqual([
      'no such call waits for a result',
      'send-text is not supported or not valid',
      'client-message is not supported or not valid',
    ]);
    await close();
  });

  it('can send nothing that harms: other texts, too much, too long', async () => {
    const { id, session, say, told, types } = await open({});
    say('send-text', { content: 'Is there an agent?' });
    expect(told().at(-1).data).toEqual({ error: 'the stream has no agent' });
    for (const text of ['ping: 1', '{', '[]', 'null', '{"label":"other"}', '{"type":"signalling","message":{}}']) {
      session.receive(text);
    }
    say('send-text', { content: 'x'.repeat(2 * MAX_TOOL_RESULT) });
    expect(types()).toEqual(['bot-ready', 'error-response']);
    for (let n = 0; n < 1000; n++) say('send-text', { content: 'Hello.' });
    expect(told().length).toBeLessThan(25);
    await until('its second is over', () => {
      say('disconnect-bot');
      return session.state === 'closed';
    });
    await until('the stream has ended', async () => (await alice.call('GET', `/streams/${id}`)).status === 404);
  });
});
