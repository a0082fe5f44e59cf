import type { Figurehead } from '@figurehead/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { listTokens, revokeToken } from '../workspaces/tokens/tokens.js';
import { createMcpServer, openCatalogue } from './server.js';

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

/** A call of a tool, as agents send it. */
const callOf = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: 1 } },
});

it('an agent may hang up between a look at its video and the progress that it is told', async () => {
  const gone = new AbortController();
  const readVideo = async () => {
    gone.abort(new Error('hung up'));
    await new Promise((resolve) => setTimeout(resolve, 10));
    return { status: 'queued' };
  };
  const client = { readVideo } as unknown as Figurehead;
  const failures: unknown[] = [];
  const known = await openCatalogue();
  const connection = { client, signal: gone.signal, onFailure: (error: unknown) => failures.push(error) };
  const handler = createMcpHandler(() => createMcpServer(known, connection));
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(callOf('wait_for_video', { videoId: '1'.repeat(24) })),
    signal: gone.signal,
  });
  await handler.fetch(request);
  // A late error would end the process.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(failures).toEqual([]);
  await handler.close();
});

it('what an agent listens to ends with its token', async () => {
  const api: TestApi = await openTestApi();
  const address = await api.http.app.listen({ port: 0, host: '127.0.0.1' });
  const agent = await api.caller();
  const version = '2026-07-28';
  const listen = {
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: {
      notifications: { toolsListChanged: true },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const answer = await fetch(new URL('/mcp', address), {
    method: 'POST',
    body: JSON.stringify(listen),
    headers: {
      authorization: `Bearer ${agent.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'subscriptions/listen',
    },
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain('notifications/subscriptions/acknowledged');
  const { kernel } = api.test;
  const { tokens } = await listTokens(kernel, agent.workspace._id, { page: 1, limit: 10 });
  for (const { _id } of tokens) await revokeToken(kernel, _id);
  await expect(
    (async () => {
      for (;;) if ((await reader?.read())?.done !== false) return;
    })(),
  ).rejects.toThrow();
  await api.close();
});

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
