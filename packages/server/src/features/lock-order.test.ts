import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../tests/support/api.js';
import { heartbeatSpan } from './renders/records/spread-store.js';

/*
 * Each test holds the first lock of one party, lets the other party wait for it, and then takes the second lock. In an
 * order other than docs/database.md, the test's own transaction, which detects deadlocks sooner, would fail with 40P01.
 */
describe('the order of locks', () => {
  let api: TestApi;
  let caller: TestCaller;
  let holder: pg.Client;
  beforeAll(async () => {
    api = await openTestApi();
    caller = await api.caller();
    holder = new pg.Client({ connectionString: api.test.kernel.config.databaseUrl });
    await holder.connect();
    await holder.query("set deadlock_timeout = '10ms'");
  });
  afterAll(async () => {
    await holder.end();
    await api.close();
  });

  const waiting = () =>
    expect
      .poll(async () => {
        const { rows } = await sql`select 1 from pg_locks where not granted`.execute(api.test.kernel.db);
        return rows.length;
      })
      .toBeGreaterThan(0);

  const createFolder = async () => String((await caller.call('POST', '/folders', { name: 'F' })).body._id);
  const createVideo = async (more: object) =>
    String((await caller.call('POST', '/videos', { name: 'V', slides: [{ id: 1, speech: 'x' }], ...more })).body._id);

  it('is folder before video, for moving a video and for deleting a folder', async () => {
    const [from, to] = [await createFolder(), await createFolder()];
    const video = await createVideo({ folderId: from });
    await holder.query('begin');
    await holder.query('select 1 from folders where id = $1 for update', [to]);
    const move = caller.call('PATCH', `/videos/${video}`, { folderId: to });
    await waiting();
    await holder.query('update videos set name = name where id = $1', [video]);
    await holder.query('commit');
    expect((await move).status).toBe(200);
  });

  it('is render before span, for the heartbeat of a span and for its end', async () => {
    const video = await createVideo({});
    await caller.call('POST', `/videos/render/${video}`);
    const { db } = api.test.kernel;
    const { rows } = await sql<{ id: string }>`
      update renders set state = 'rendering', attempt = 1, plan = 1 where video_id = ${video} returning id`.execute(db);
    const renderId = rows[0]?.id ?? '';
    await sql`
      insert into render_spans (render_id, plan, span, from_slide, to_slide, frames) values (${renderId}, 1, 0, 0, 1, 10)`.execute(
      db,
    );
    await holder.query('begin');
    await holder.query('select 1 from renders where id = $1 for update', [renderId]);
    const report = { doneFrames: 5, now: new Date(), share: { from: 0, of: 1 } };
    const heartbeat = heartbeatSpan(db, { renderId, plan: 1, span: 0 }, report);
    await waiting();
    await holder.query('update render_spans set done_frames = 1 where render_id = $1', [renderId]);
    await holder.query('commit');
    expect(await heartbeat).toBe(true);
  });

  it('allows deleting folders while many videos move into them', async () => {
    const folders = await Promise.all(Array.from({ length: 12 }, createFolder));
    const videos = await Promise.all(folders.map((folderId) => createVideo({ folderId })));
    const moves = videos.flatMap((video) =>
      folders.map((folderId) => caller.call('PATCH', `/videos/${video}`, { folderId })),
    );
    const deletions = folders.map((id) => caller.call('DELETE', `/folders/${id}`));
    const statuses = (await Promise.all([...moves, ...deletions])).map(({ status }) => status);
    // A missing folder is a 400 for the video; nothing is a 500.
    expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([]);
  });
});
