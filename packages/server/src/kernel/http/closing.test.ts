import { describe, expect, it } from 'vitest';
import { openTestApi, scriptedPipeline } from '../../../../../tests/support/api.js';

describe('closing the API', () => {
  it('finishes a running request, is not ready meanwhile, and accepts no new connections afterwards', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let started = (): void => undefined;
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const pipeline = scriptedPipeline(async () => ({ durationSeconds: 1 }));
    const api = await openTestApi(
      {},
      {
        ...pipeline,
        validate: async () => {
          started();
          await gate;
          return [];
        },
      },
    );
    const caller = await api.caller();
    const { body: video } = await caller.call('POST', '/videos', { name: 'x', slides: [{ id: 1, duration: 1 }] });
    const base = `http://127.0.0.1:${await api.http.listen()}`;
    const headers = { authorization: `Bearer ${caller.token}` };
    const slow = fetch(`${base}/api/v1/videos/validate/${video._id}`, { method: 'POST', headers });
    await running;
    const closing = api.test.kernel.lifecycle.close();
    release();
    expect(await (await slow).json()).toEqual({ valid: true, errors: [] });
    await closing;
    await expect(fetch(`${base}/healthz`)).rejects.toThrow();
    await api.close();
  });
});
