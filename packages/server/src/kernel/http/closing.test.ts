import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openTestApi, scriptedPipeline } from '../../../../../tests/support/api.js';
import { signalled } from '../../../../../tests/support/signalled.js';

/** A listening API, and one call that runs until it is released. */
async function openSlowApi() {
  const [gate, running] = [signalled(), signalled()];
  const pipeline = scriptedPipeline(async () => ({ durationSeconds: 1 }));
  const validate = async () => {
    running.signal();
    await gate.promise;
    return [];
  };
  const api = await openTestApi({}, { ...pipeline, validate });
  const caller = await api.caller();
  const { body: video } = await caller.call('POST', '/videos', { name: 'x', slides: [{ id: 1, duration: 1 }] });
  const base = `http://127.0.0.1:${await api.http.listen()}`;
  return {
    api,
    base,
    slow: {
      url: `${base}/api/v1/videos/validate/${video._id}`,
      method: 'POST',
      headers: { authorization: `Bearer ${caller.token}` },
    },
    running: running.promise,
    release: gate.signal,
  };
}

describe('closing the API', () => {
  // Proves: D.operating.13
  it('finishes a running request, is not ready meanwhile, and accepts no new connections afterwards', async () => {
    const { api, base, slow, running, release } = await openSlowApi();
    const answer = fetch(slow.url, slow);
    await running;
    const closing = api.test.kernel.lifecycle.close();
    release();
    expect(await (await answer).json()).toEqual({ valid: true, errors: [] });
    await closing;
    await expect(fetch(`${base}/healthz`)).rejects.toThrow();
    await api.close();
  });

  it('waits for no connection that stays open after its request, and for none without a request', async () => {
    const { api, base, slow, running, release } = await openSlowApi();
    const { server } = api.http.app;
    // Longer than the test may take, like the agent, which never closes a connection.
    server.keepAliveTimeout = 3_600_000;
    const arrived = once(server, 'connection');
    const silent = connect(Number(new URL(base).port), '127.0.0.1').resume();
    await arrived;
    const sent = request(slow.url, { ...slow, agent: new Agent({ keepAlive: true }) }).end();
    await running;
    const closing = api.test.kernel.lifecycle.close();
    await expect.poll(() => server.listening).toBe(false);
    release();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.headers.connection).toBe('keep-alive');
    answer.resume();
    await closing;
    if (!silent.closed) await once(silent, 'close');
  });
});
