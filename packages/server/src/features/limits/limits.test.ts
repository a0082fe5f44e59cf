import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { openDatabase } from '../../kernel/database/database.js';
import { createLimiter } from './index.js';

const rule = { perMinute: 20, perHour: 200, counts: 'all' } as const;

describe('rate limits', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  it('allows exactly the limit of 50 concurrent requests to four processes', async () => {
    const url = api.test.env['DATABASE_URL'] ?? '';
    const connections = [1, 2, 3, 4].map(() => openDatabase({ url, onError: () => undefined }));
    const limiters = connections.map(({ db }) => createLimiter({ db, clock: { now: () => 1_000_000 } }));
    const states = await Promise.all(
      Array.from({ length: 50 }, (_, index) => limiters[index % 4]?.take('w', 'e', rule)),
    );
    expect(states.filter((state) => state?.allowed)).toHaveLength(20);
    expect(new Set(states.map((state) => state?.remainingMinute)).size).toBe(20);
    await Promise.all(connections.map((connection) => connection.close()));
  });

  // Proves: 8.1.8, D.limits.1
  it('opens the window with the first counted request and starts a new one afterwards', async () => {
    let now = 5_000_500;
    const limiter = createLimiter({ db: api.test.kernel.db, clock: { now: () => now } });
    const small = { perMinute: 2, perHour: 3, counts: 'all' } as const;
    expect(await limiter.peek('x', 'e', small)).toMatchObject({ remainingMinute: 2, remainingHour: 3 });
    now += 10_000;
    expect(await limiter.take('x', 'e', small)).toMatchObject({
      allowed: true,
      remainingMinute: 1,
      resetMinute: 5071,
      resetHour: 8611,
    });
    expect(await limiter.take('x', 'e', small)).toMatchObject({ allowed: true, remainingMinute: 0, remainingHour: 1 });
    expect(await limiter.take('x', 'e', small)).toMatchObject({ allowed: false, remainingMinute: 0, remainingHour: 1 });
    now += 60_000;
    expect(await limiter.take('x', 'e', small)).toMatchObject({ allowed: true, remainingMinute: 1, remainingHour: 0 });
    expect(await limiter.take('x', 'e', small)).toMatchObject({ allowed: false, remainingMinute: 1, remainingHour: 0 });
    expect(await limiter.peek('y', 'e', small)).toMatchObject({ remainingMinute: 2 });
    now += 3_600_000;
    const state = await limiter.take('x', 'e', small);
    expect(state).toMatchObject({ allowed: true, remainingMinute: 1, remainingHour: 2 });
    await limiter.refund('x', 'e', state);
    expect(await limiter.peek('x', 'e', small)).toMatchObject({ remainingMinute: 2, remainingHour: 3 });
  });

  it('starts new windows when the clock was set back', async () => {
    let now = 50_000_000;
    const limiter = createLimiter({ db: api.test.kernel.db, clock: { now: () => now } });
    const small = { perMinute: 1, perHour: 1, counts: 'all' } as const;
    await limiter.take('back', 'e', small);
    // Clocks of two processes differ a little.
    now -= 1_000;
    expect(await limiter.take('back', 'e', small)).toMatchObject({ allowed: false });
    now -= 1_800_000;
    expect(await limiter.peek('back', 'e', small)).toMatchObject({ remainingHour: 1 });
    expect(await limiter.take('back', 'e', small)).toMatchObject({ allowed: true, remainingHour: 0 });
    expect(await limiter.take('back', 'e', small)).toMatchObject({ allowed: false, waitSeconds: 3600 });
  });

  describe('of POST /videos/voice', () => {
    let caller: TestCaller;
    let path: string;
    const limits = ({ headers }: { headers: Record<string, unknown> }) =>
      ['limit', 'remaining', 'reset'].flatMap((what) =>
        [headers[`x-ratelimit-${what}-min`], headers[`x-ratelimit-${what}-hour`]].map(Number),
      );

    beforeAll(async () => {
      caller = await api.caller();
      const { body } = await caller.call('POST', '/videos', {
        name: 'x',
        slides: [{ id: 1, speech: 'Hi.', voice: 'slt', voiceProvider: 'flite' }],
      });
      path = `/videos/voice/${body._id}/1`;
    });

    // Proves: 8.1.7, D.limits.3, D.limits.4
    it('shows six headers on every answer, and does not count what it refuses', async () => {
      const other = await api.caller();
      for (const [answer, status] of [
        [await caller.call('POST', '/videos/voice/000000000000000000000000/1', {}), 404],
        [await caller.call('POST', path.replace(/1$/, '99'), {}), 404],
        [await other.call('POST', path, {}), 403],
        [await caller.call('POST', path, { speech: 7 }), 400],
        [await caller.call('POST', path, '{"cut'), 400],
        [await caller.call('POST', path, { voice: 'nobody' }), 400],
      ] as const) {
        expect(answer.status).toBe(status);
        expect(limits(answer).slice(0, 4)).toEqual([20, 200, 20, 200]);
        expect(answer.headers['x-ratelimit-reset-min']).toMatch(/^\d{10}$/);
      }
    });

    it('returns the original error when a request cannot be refunded', async () => {
      const { db } = api.test.kernel;
      const other = await api.caller();
      const { body } = await other.call('POST', '/videos', { name: 'x', slides: [{ id: 1, speech: 'Hi.' }] });
      await sql`create function refuse_refund() returns trigger language plpgsql as 'begin raise exception ''no refund''; end'`.execute(
        db,
      );
      await sql`create trigger no_refund before update on rate_limits for each row
        when (new.minute_count < old.minute_count) execute function refuse_refund()`.execute(db);
      const refused = await other.call('POST', `/videos/voice/${body._id}/1`, { voice: 'nobody' });
      await sql`drop trigger no_refund on rate_limits`.execute(db);
      expect([refused.status, limits(refused).slice(0, 4)]).toEqual([400, [20, 200, 19, 199]]);
    });

    // Proves: D.limits.4
    it('neither counts nor shows limits for unknown callers', async () => {
      const { status, headers } = await call(api.http, { method: 'POST', path });
      expect([status, headers['x-ratelimit-limit-min']]).toEqual([401, undefined]);
    });

    // Proves: 4.6.9, 7.9, 7.1.1, 8.1.2, D.videos.33
    it('answers 429 with the wait in body and header once the minute is full', async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => caller.call('POST', path, {})));
      const passed = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 429);
      expect([passed.length, refused.length]).toEqual([20, 10]);
      expect(passed[0]?.body).toEqual({
        url: expect.stringContaining('/media/'),
        duration: expect.any(Number),
        words: [{ text: expect.stringMatching(/^Hi/), start: expect.any(Number), end: expect.any(Number) }],
      });
      for (const { body, headers } of refused) {
        expect(body).toEqual({
          message: expect.stringContaining('Too many requests per minute'),
          retryAfter: expect.any(Number),
        });
        expect(headers['retry-after']).toBe(String(body.retryAfter));
        expect(body.retryAfter).toBeGreaterThan(50);
        expect(body.retryAfter).toBeLessThanOrEqual(60);
        expect(headers['x-ratelimit-remaining-min']).toBe('0');
        expect(headers['x-ratelimit-remaining-hour']).toBe('180');
      }
    });
  });
});
