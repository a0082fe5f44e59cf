import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type RenderedSpan, SpeechError } from '@figurehead/media';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, scriptedPipeline, type TestApi, type TestCaller } from '../../../../../../tests/support/api.js';
import { createReview } from '../../moderation/index.js';
import { measurePipeline } from '../../operations/index.js';
import { sweepLeftovers } from '../cleanup/ended-renders.js';
import { type FrozenVideo, type RenderContext, RenderProblem } from '../index.js';
import { workOnRenders } from './index.js';

type Draw = (video: FrozenVideo, from: number, context: RenderContext) => Promise<void>;

/** Videos of more than three slides are spread, one slide per span. */
const cut = (video: FrozenVideo) =>
  video.slides.length <= 3
    ? [{ from: 0, to: video.slides.length, frames: 100 }]
    : video.slides.map((_, n) => ({ from: n, to: n + 1, frames: 100 }));

const untilAborted: Draw = (_video, _from, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('the speech of a long video', () => {
  it('is made in turns, between which the video of another workspace is rendered', async () => {
    const planned: string[] = [];
    const turns: number[] = [];
    let other = async (): Promise<void> => undefined;
    const pipeline = scriptedPipeline(
      async () => ({ durationSeconds: 1 }),
      undefined,
      async (video, turn) => {
        planned.push(video.name);
        if (video.name !== 'long' || turns.length === 3) return;
        turn.found(turns.at(-1) ?? 0);
        await turn.make(async () => ({ samples: new Float32Array(100) }));
        turns.push(turn.spoken);
        if (turns.length === 1) await other();
        throw new SpeechError('interrupted', 'the speech is continued in a later turn');
      },
    );
    const api = await openTestApi({ FIGUREHEAD_WORKER_CONCURRENCY: '1' }, pipeline);
    try {
      const [long, short] = [await api.caller(), await api.caller()];
      const start = async ({ call }: TestCaller, name: string): Promise<string> => {
        const { body } = await call('POST', '/videos', { name, slides: [{ id: 1, speech: name }] });
        await call('POST', `/videos/render/${body._id}`);
        return body._id;
      };
      other = async () => void (await start(short, 'short'));
      const id = await start(long, 'long');
      const measured = measurePipeline(pipeline, api.test.kernel);
      await workOnRenders(api.test.kernel, { pipeline: measured, review: createReview() });
      let video = (await long.call('GET', `/videos/${id}`)).body;
      while (video.status !== 'ready') {
        expect(['queued', 'rendering']).toContain(video.status);
        await setTimeout(30);
        video = (await long.call('GET', `/videos/${id}`)).body;
      }
      expect(planned).toEqual(['long', 'short', 'long', 'long', 'long']);
      expect(turns).toEqual([100, 200, 300]);
    } finally {
      await api.close();
    }
  });

  it('ends when more is spoken than there are minutes left', async () => {
    const pipeline = scriptedPipeline(
      async () => ({ durationSeconds: 1 }),
      undefined,
      async (_video, turn) => {
        await turn.make(async () => ({ samples: new Float32Array(7 * 48_000) }));
        throw new SpeechError('interrupted', 'the speech is continued in a later turn');
      },
    );
    const api = await openTestApi({}, pipeline);
    try {
      const { call } = await api.caller({ minutes: 0.1 });
      const { body } = await call('POST', '/videos', { name: 'long', slides: [{ id: 1, speech: 'Hello.' }] });
      await call('POST', `/videos/render/${body._id}`);
      await workOnRenders(api.test.kernel, { pipeline, review: createReview() });
      await expect
        .poll(async () => (await call('GET', `/videos/${body._id}`)).body)
        .toMatchObject({ status: 'error', error: expect.stringContaining('no minutes left') });
    } finally {
      await api.close();
    }
  });
});

describe('a long video', () => {
  let api: TestApi;
  const drawn: string[] = [];
  const joined: string[] = [];
  /** Spans that had started when the unspread render started. */
  let shortAfter = 0;
  let draw: Draw = async () => undefined;
  /** Continues work that a test has paused. */
  let release = (): void => undefined;

  beforeAll(async () => {
    const pipeline = scriptedPipeline(
      async (video) => {
        if (video.slides.length === 1) shortAfter = drawn.length;
        joined.push(video.name);
        return { durationSeconds: video.slides.length };
      },
      {
        cut,
        async draw(video, { from }, context): Promise<RenderedSpan> {
          drawn.push(`${video.name} ${from}`);
          await draw(video, from, context);
          return { segments: [{ key: `${from}`, reused: false }], shotKeys: [`${from}`], reuse: [[]], goodFrame: 0 };
        },
      },
    );
    api = await openTestApi({ FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1', FIGUREHEAD_WORKER_CONCURRENCY: '2' }, pipeline);
    await workOnRenders(api.test.kernel, { pipeline, review: createReview() });
  });
  afterAll(() => api.close());
  afterEach(() => {
    release();
    drawn.length = 0;
    joined.length = 0;
    draw = async () => undefined;
  });

  async function rendering(caller: TestCaller, name: string, slides: number): Promise<string> {
    const all = Array.from({ length: slides }, (_, n) => ({ id: n + 1, speech: `Slide ${n}.` }));
    const { body } = await caller.call('POST', '/videos', { name, slides: all });
    await caller.call('POST', `/videos/render/${body._id}`);
    return body._id;
  }

  async function until(caller: TestCaller, id: string, ...statuses: string[]) {
    for (;;) {
      const { body } = await caller.call('GET', `/videos/${id}`);
      if (statuses.includes(body.status)) return body;
      await setTimeout(30);
    }
  }

  /** Intermediate files of renders. */
  async function leftovers(workspaceId: string) {
    const { kernel } = api.test;
    const { rows } = await sql`select 1 from render_spans`.execute(kernel.db);
    const objects: string[] = [];
    for await (const { key } of kernel.objects.list(`${workspaceId}/renders/`)) objects.push(key);
    const tmp = await readdir(join(kernel.config.dataDir, 'tmp')).catch(() => []);
    return [rows.length, objects, tmp.filter((name) => name.startsWith('render-'))];
  }

  async function eventsOf({ workspace }: TestCaller): Promise<string[]> {
    const { rows } = await sql<{ body: Buffer }>`
      select body from deliveries where workspace_id = ${workspace._id} order by created_at`.execute(
      api.test.kernel.db,
    );
    return rows.map((row) => JSON.parse(row.body.toString('utf8')).event);
  }

  it('is drawn span by span, joined, charged and reported once, and leaves no intermediate files', async () => {
    const caller = await api.caller({ minutes: 1 });
    await caller.call('POST', '/webhook', { url: 'http://127.0.0.1:9/' });
    const id = await rendering(caller, 'long', 6);
    expect(await until(caller, id, 'ready')).toMatchObject({ duration: 6 });
    expect(drawn.sort()).toEqual([0, 1, 2, 3, 4, 5].map((n) => `long ${n}`));
    expect(joined).toEqual(['long']);
    expect((await caller.call('GET', '/workspace')).body.minutes).toBe(0.9);
    expect(await eventsOf(caller)).toEqual(['video_ready']);
    await expect.poll(() => leftovers(caller.workspace._id)).toEqual([0, [], []]);
  });

  it('reports the progress of all its spans together', async () => {
    const caller = await api.caller();
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    draw = async (_video, from, { onProgress }) => {
      if (from < 2) return;
      onProgress({ stage: 'encoding', progress: 0.5 });
      await gate;
    };
    const id = await rendering(caller, 'half', 4);
    // Two spans are done and two half done: 0.08 + 0.9 × 0.75.
    await expect.poll(async () => (await caller.call('GET', `/videos/${id}`)).body.progress).toBeCloseTo(0.755, 2);
    release();
    await until(caller, id, 'ready');
  });

  it('does not delay the short video of another workspace', async () => {
    const [big, small] = [await api.caller(), await api.caller()];
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Drawing takes time, in which the short video is prepared.
    draw = () => gate.then(() => setTimeout(100));
    const long = await rendering(big, 'long', 20);
    // Both slots are taken when the short video arrives.
    await expect.poll(() => drawn.length).toBe(2);
    const short = await rendering(small, 'short', 1);
    release();
    await until(small, short, 'ready');
    await until(big, long, 'ready');
    // It was next, after two spans of the long video were drawn and perhaps two more had started.
    expect(shortAfter).toBeLessThan(10);
  });

  it('stops everywhere when it is cancelled, and leaves no files', async () => {
    const caller = await api.caller();
    let stopped = 0;
    draw = (...args) =>
      untilAborted(...args).finally(() => {
        stopped += 1;
      });
    const id = await rendering(caller, 'cancelled', 6);
    await expect.poll(() => drawn.length).toBe(2);
    expect((await caller.call('DELETE', `/videos/render/${id}`)).body).toEqual({ cancelled: true });
    await expect.poll(() => stopped).toBe(2);
    await expect.poll(() => api.test.kernel.queue.depth('renders')).toBe(0);
    expect(drawn).toHaveLength(2);
    await expect.poll(() => leftovers(caller.workspace._id)).toEqual([0, [], []]);
    expect((await caller.call('GET', `/videos/${id}`)).body.status).toBe('draft');
  });

  it('ends in error once when a span cannot be drawn, and its other spans stop', async () => {
    const caller = await api.caller();
    await caller.call('POST', '/webhook', { url: 'http://127.0.0.1:9/' });
    draw = async (video, from, context) => {
      if (from === 0) return untilAborted(video, from, context);
      throw new RenderProblem([{ field: `slides[${from}]`, message: 'the picture is gone' }]);
    };
    const id = await rendering(caller, 'broken', 6);
    expect((await until(caller, id, 'error')).error).toBe('slides[1]: the picture is gone');
    await expect.poll(() => api.test.kernel.queue.depth('renders')).toBe(0);
    expect(await eventsOf(caller)).toEqual(['video_error']);
    await expect.poll(() => leftovers(caller.workspace._id)).toEqual([0, [], []]);
  });

  it('gives the span of a silent worker to another; the first can no longer end it', async () => {
    const { kernel } = api.test;
    const caller = await api.caller();
    let silent = true;
    draw = async (_video, from) => {
      if (from !== 3 || !silent) return;
      silent = false;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    };
    const id = await rendering(caller, 'silent', 5);
    await expect.poll(() => drawn.includes('silent 3')).toBe(true);
    await expect.poll(() => drawn.length).toBe(5);
    // Simulates the queue after ten seconds without a heartbeat.
    await sql`
      update boss.job set state = 'retry', retry_count = retry_count + 1, start_after = now()
      where name = 'renders' and state = 'active' and data ->> 'span' = '3'`.execute(kernel.db);
    await until(caller, id, 'ready');
    expect(drawn.filter((span) => span === 'silent 3')).toHaveLength(2);
    release();
    await expect.poll(() => leftovers(caller.workspace._id)).toEqual([0, [], []]);
    expect(joined).toEqual(['silent']);
  });

  it('is cleaned up by the sweep when the process that ended it died before', async () => {
    const { kernel } = api.test;
    const caller = await api.caller();
    const id = await rendering(caller, 'swept', 1);
    await until(caller, id, 'ready');
    const { rows } = await sql<{ renderId: string; key: string }>`
      select r.id as render_id, v.video_key as key from renders r join videos v on v.id = r.video_id
      where v.id = ${id}`.execute(kernel.db);
    const { renderId = '', key = '' } = rows[0] ?? {};
    await sql`update renders set attempt = 3 where id = ${renderId}`.execute(kernel.db);
    const left = [`${caller.workspace._id}/renders/${renderId}/1/sound`, key.replace('-1/', '-2/')];
    for (const object of left) await kernel.objects.put(object, Buffer.from('x'), 'text/plain');
    await sweepLeftovers(kernel, { settledMs: -1 });
    expect(await Promise.all([...left, key].map((object) => kernel.objects.info(object)))).toEqual([
      undefined,
      undefined,
      expect.objectContaining({ key }),
    ]);
    const { rows: after } = await sql`select 1 from renders where id = ${renderId} and has_work`.execute(kernel.db);
    expect(after).toEqual([]);
  });
});
