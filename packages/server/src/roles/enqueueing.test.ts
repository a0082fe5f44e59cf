import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import pg from 'pg';
import sharp from 'sharp';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { pptx } from '../../../../tests/fixtures/presentations/decks.js';
import { openTestApi, type TestApi, type TestCaller } from '../../../../tests/support/api.js';
import { toneWav, upload } from '../../../../tests/support/files.js';

/** Connections of the process, the minimum that the configuration allows. */
const POOL = 3;
/** Concurrent calls of routes that open files in separate processes. */
const FILES = 4 * POOL;

const AVA = fileURLToPath(new URL('../../../../presenters/packs/ava/base.webp', import.meta.url));

describe('many times more calls than connections, immediately after the start', () => {
  let api: TestApi;
  afterEach(() => api.close());

  async function start(env: Record<string, string> = {}): Promise<TestApi> {
    api = await openTestApi({ FIGUREHEAD_DATABASE_CONNECTIONS: String(POOL), ...env });
    return api;
  }

  /** Separate workspaces, so that no workspace limit applies. */
  const callers = (count: number): Promise<TestCaller[]> =>
    Promise.all(Array.from({ length: count }, () => api.caller({ plan: 'Enterprise', status: 'active' })));

  async function jobsOf(queue: string): Promise<number> {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from boss.job where name = ${queue}`.execute(
      api.test.kernel.db,
    );
    return rows[0]?.n ?? 0;
  }

  it('are all answered when they render, each with its job', async () => {
    await start();
    const videos = await Promise.all(
      (await callers(12)).flatMap((caller) =>
        Array.from({ length: 10 }, async () => {
          const { body } = await caller.call('POST', '/videos', { name: 'v', slides: [{ id: 1, speech: 'Hi' }] });
          return { caller, id: String(body._id) };
        }),
      ),
    );
    const answers = await Promise.all(videos.map(({ caller, id }) => caller.call('POST', `/videos/render/${id}`)));
    expect(answers.map(({ status }) => status)).toEqual(videos.map(() => 200));
    expect(await jobsOf('renders')).toBe(120);
  });

  it('are all answered when they render batches of 200 rows, each row with its job, in a few statements', async () => {
    await start();
    const templates = await Promise.all(
      (await callers(FILES)).map(async (caller) => {
        const slides = [{ id: 1, speech: 'Hi {{name}}' }];
        const { body } = await caller.call('POST', '/videos', { name: 't', type: 'template', slides });
        return { caller, id: String(body._id) };
      }),
    );
    const templateData = Array.from({ length: 200 }, (_, n) => ({ name: `n${n}` }));
    const answers = await Promise.all(
      templates.map(({ caller, id }) => caller.call('POST', `/videos/renderTemplate/${id}`, { templateData })),
    );
    expect(answers.map(({ status }) => status)).toEqual(templates.map(() => 200));
    expect(await jobsOf('renders')).toBe(200 * FILES);
    const { rows } = await sql<{ n: number }>`
      select count(distinct (render_id, batch_row_id))::int as n from videos where status = 'queued'`.execute(
      api.test.kernel.db,
    );
    expect(rows[0]?.n).toBe(200 * FILES);
  });

  it('take as many statements for a batch of 200 rows as for two rows', async () => {
    await start();
    const [caller] = await callers(1);
    const slides = [{ id: 1, speech: 'Hi {{name}}' }];
    const { body } = await caller!.call('POST', '/videos', { name: 't', type: 'template', slides });
    const statementsFor = async (count: number): Promise<number> => {
      const queries = vi.spyOn(pg.Client.prototype, 'query');
      const templateData = Array.from({ length: count }, (_, n) => ({ name: `n${n}` }));
      const { status } = await caller!.call('POST', `/videos/renderTemplate/${body._id}`, { templateData });
      const writes = queries.mock.calls
        .map(([query]: unknown[]) => (typeof query === 'string' ? query : ((query as { text?: string }).text ?? '')))
        .filter((text) => /insert into|^ *update/i.test(text));
      queries.mockRestore();
      expect(status).toBe(200);
      return writes.length;
    };
    const few = await statementsFor(2);
    expect(few).toBeGreaterThanOrEqual(4);
    expect(await statementsFor(200)).toBe(few);
  });

  it('are all answered when they upload sounds, each with its conversion', async () => {
    await start();
    const file = { name: 'tone.wav', bytes: toneWav(0.2) };
    const answers = await Promise.all(
      (await callers(FILES)).map(({ token }) => upload(api.http, { path: '/media', token, file })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await jobsOf('media')).toBe(FILES);
  });

  it('are all answered when they import presentations, each with its job', async () => {
    await start({ FIGUREHEAD_REQUEST_TIMEOUT_SECONDS: '1' });
    const file = { name: 'deck.pptx', bytes: await pptx([{ title: 'A', notes: 'B' }]) };
    const answers = await Promise.all(
      (await callers(FILES)).map(({ token }) => upload(api.http, { path: '/videos/from-presentation', token, file })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 206));
    expect(await jobsOf('presentations')).toBe(FILES);
  });

  it('are all answered when they create photo avatars, each with its job', async () => {
    await start();
    const portrait = await sharp(await readFile(AVA))
      .flatten({ background: '#9fb0b8' })
      .jpeg()
      .toBuffer();
    const image = { name: 'a.jpeg', data: `data:image/jpeg;base64,${portrait.toString('base64')}` };
    const body = { name: 'Anna', gender: 'female', consent: 'I agree. Anna', image };
    const answers = await Promise.all((await callers(FILES)).map((caller) => caller.call('POST', '/avatars', body)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await jobsOf('avatars')).toBe(FILES);
  });
});
