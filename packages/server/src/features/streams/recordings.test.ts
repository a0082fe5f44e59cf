import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../../../tests/support/api.js';
import { type Host, openAll, openHost, until } from '../../../../../tests/support/stream-host.js';
import { endHost } from './sweeper.js';

describe('the recording of a live stream', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let alice: TestCaller;
  beforeAll(async () => {
    all = await openAll({}, { capacity: 20 });
    alice = await all.api.caller({ plan: 'Enterprise' });
  });
  afterAll(() => all.close());

  async function open(): Promise<{ id: string; recordingId: string }> {
    const { status, body } = await alice.call('POST', '/streams', { record: true });
    expect(status).toBe(200);
    return body;
  }
  const medium = async (id: string) => (await alice.call('GET', `/media/${id}`)).body;

  it('is a media file with captions once the stream has ended, for many streams at once', async () => {
    const streams = await Promise.all(Array.from({ length: 8 }, open));
    for (const { id, recordingId } of streams) {
      expect(await medium(recordingId)).toMatchObject({ type: 'video', status: 'processing' });
      expect((await alice.call('GET', `/streams/${id}`)).body.recordingId).toBe(recordingId);
    }
    await Promise.all(streams.map(({ id }) => alice.call('DELETE', `/streams/${id}`)));
    for (const { recordingId } of streams) {
      const made = await medium(recordingId);
      expect(made).toMatchObject({ status: 'ready', contentType: 'video/mp4', size: 18, width: 512, duration: 2 });
      const file = async (url: string) =>
        (await all.api.http.app.inject({ method: 'GET', url: new URL(url).pathname + new URL(url).search })).body;
      expect(await file(made.url)).toBe('pictures and sound');
      expect(await file(made.captions)).toContain('00:00:00.500 --> 00:00:00.900\nHello');
    }
  });

  it('is made only on request, and not for a client token', async () => {
    const { body } = await alice.call('POST', '/streams');
    expect(body.recordingId).toBeUndefined();
    const origins = ['https://shop.test'];
    const token = (await alice.call('POST', '/client-tokens', { origins, avatarCode: 'nora' })).body.token;
    const headers = { authorization: `Bearer ${token}`, origin: 'https://shop.test' };
    const refused = await alice.call('POST', '/streams', { record: true }, headers);
    expect([refused.status, refused.body.message]).toEqual([403, 'This client token does not allow record "true".']);
  });

  it('leaves no files when it is deleted during the stream', async () => {
    const { id, recordingId } = await open();
    await alice.call('DELETE', `/media/${recordingId}`);
    expect((await alice.call('DELETE', `/streams/${id}`)).status).toBe(200);
    expect((await alice.call('GET', `/media/${recordingId}`)).status).toBe(404);
  });

  it.each([
    ['had ended the stream', 'closed', 'The stream ended without its host, and the recording was lost.'],
    ['had not opened the stream', 'opening', 'The stream could not be opened.'],
  ])('ends when its host died before it was published and %s', async (_what, state, error) => {
    const host = await openHost(all.api, { capacity: 40 });
    const { db } = all.api.test.kernel;
    const streams = await Promise.all(Array.from({ length: 6 }, open));
    const lost = streams.filter(({ id }) => host.live.sessions.has(id));
    expect(lost.length).toBeGreaterThan(0);
    await host.stop();
    // What a killed host leaves behind.
    for (const { id, recordingId } of lost) {
      await sql`update streams set state = ${state} where id = ${id}`.execute(db);
      await sql`update media set status = 'processing' where id = ${recordingId}`.execute(db);
    }
    await endHost(all.api.test.kernel, host.id);
    for (const { recordingId } of lost) expect(await medium(recordingId)).toMatchObject({ status: 'error', error });
    for (const { id } of streams) await alice.call('DELETE', `/streams/${id}`);
  });

  it('is kept when its host was declared dead by mistake', async () => {
    const mistaken: Host = await openHost(all.api, { capacity: 40 });
    const streams = await Promise.all(Array.from({ length: 6 }, open));
    const lost = streams.filter(({ id }) => mistaken.live.sessions.has(id));
    expect(lost.length).toBeGreaterThan(0);
    await endHost(all.api.test.kernel, mistaken.id);
    for (const { recordingId } of lost)
      await until('the recording exists', async () => (await medium(recordingId)).status === 'ready');
    await mistaken.stop();
  });
});
