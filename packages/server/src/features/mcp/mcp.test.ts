import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';

async function connect(address: string, { token }: TestCaller): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit }));
  return client;
}

async function queuedVideo({ call }: TestCaller): Promise<string> {
  const { body } = await call('POST', '/videos', { name: 'Waits', slides: [{ id: 1, speech: 'Hello.' }] });
  await call('POST', `/videos/render/${body._id}`);
  return body._id;
}

// Proves: D.agents.1
it('agents of one workspace that wait leave places for another, and all waits end when the server closes', async () => {
  // Nothing renders here: the videos stay queued.
  const api: TestApi = await openTestApi();
  const address = await api.http.app.listen({ port: 0, host: '127.0.0.1' });
  const [patient, other] = [await api.caller(), await api.caller()];
  const [waiting, quick] = [await connect(address, patient), await connect(address, other)];
  const videoId = await queuedVideo(patient);
  const short = await waiting.callTool({ name: 'wait_for_video', arguments: { videoId, seconds: 1 } });
  expect(short.content).toMatchObject([{ text: expect.stringContaining('call wait_for_video again') }]);
  let seen = 0;
  const waits = Array.from({ length: 40 }, () =>
    waiting.callTool(
      { name: 'wait_for_video', arguments: { videoId, seconds: 300 } },
      { onprogress: () => (seen += 1) },
    ),
  );
  const ended = Promise.all(waits);
  await expect.poll(() => seen).toBeGreaterThanOrEqual(16);
  const usage = await quick.callTool({ name: 'usage', arguments: {} });
  expect(usage.isError).toBeFalsy();
  await api.close();
  for (const { isError, content } of await ended)
    expect([isError, content]).toMatchObject([true, [{ text: expect.stringContaining('Next: call again') }]]);
});
