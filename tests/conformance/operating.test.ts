import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, openTestApi, type TestApi } from '../support/api.js';

const PROGRAM = fileURLToPath(new URL('../../packages/server/bin/figurehead.js', import.meta.url));

/** The command line on the database of a running API, as used by administrators and tests. */
describe('the command line', () => {
  let api: TestApi;
  let folder: string;
  beforeAll(async () => {
    api = await openTestApi();
    folder = await mkdtemp(join(tmpdir(), 'fh-operating-'));
  });
  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  function figurehead(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = { PATH: process.env['PATH'], ...api.test.env };
    return new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }

  async function json(...args: string[]) {
    const { code, stdout, stderr } = await figurehead(...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  }

  const listVideos = (token: string) =>
    call(api.http, { method: 'GET', path: '/videos', headers: { authorization: `Bearer ${token}` } });

  // Proves: 2.4.6, D.plans.1, D.operating.5
  it('creates and changes workspaces, in the documented format', async () => {
    const made = await json(
      ...['workspace', 'create', '--name', 'Acme', '--plan', 'Creator', '--status', 'trial'],
      ...['--minutes', '12.5', '--allow-overlimit'],
    );
    expect(made).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Acme',
      plan: 'Creator',
      status: 'trial',
      minutes: 12.5,
      allowOverlimit: true,
      moderation: 'off',
    });
    const flags = [
      '--plan',
      'Team',
      '--status',
      'cancelled',
      '--minutes',
      '0',
      '--no-allow-overlimit',
      '--moderation',
      'flagged',
    ];
    expect(await json('workspace', 'set', made._id, ...flags)).toEqual({
      ...made,
      plan: 'Team',
      status: 'cancelled',
      minutes: 0,
      allowOverlimit: false,
      moderation: 'flagged',
    });
    for (const wrong of [
      ['--plan', 'Gold'],
      ['--status', 'paused'],
      ['--minutes', '-1'],
      ['--name', ' '],
      ['--moderation', 'some'],
    ]) {
      expect((await figurehead('workspace', 'set', made._id, ...wrong)).code).toBe(1);
    }
  });

  // Proves: D.names.1, D.plans.9, D.plans.10, D.operating.6
  it('creates tokens that are shown once, stored as a hash, recorded when used, and revoked', async () => {
    const workspace = await json('workspace', 'create', '--name', 'Tokens', '--plan', 'Team');
    const made = await json('token', 'create', '--workspace', workspace._id);
    expect(made).toMatchObject({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      token: expect.stringMatching(/^fh_\S{20,}$/),
      workspaceId: workspace._id,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await listVideos(made.token)).status).toBe(200);
    const { rows } = await sql`select * from tokens`.execute(api.test.kernel.db);
    expect(JSON.stringify(rows)).not.toContain(made.token);
    expect(JSON.stringify(rows)).toContain(made._id);
    expect((await figurehead('token', 'revoke', made._id)).code).toBe(0);
    const refused = await listVideos(made.token);
    expect([refused.status, refused.text]).toEqual([401, '']);
    expect((await figurehead('token', 'revoke', made._id)).code).toBe(1);
    expect((await figurehead('token', 'create', '--workspace', 'nobody')).code).toBe(1);
  });

  // Proves: D.operating.8
  it('approves and rejects videos that wait for review', async () => {
    const me = await api.caller();
    const ids: string[] = [];
    for (const name of ['good', 'bad']) {
      const { body } = await me.call('POST', '/videos', { name, slides: [{ id: 1, speech: 'Hi.' }] });
      await me.call('POST', `/videos/render/${body._id}`);
      await api.hold(body._id);
      ids.push(body._id);
    }
    const [good = '', bad = ''] = ids;
    const { cases } = await json('moderation', 'list', '--workspace', me.workspace._id);
    expect(cases.map(({ videoId }: { videoId: string }) => videoId)).toEqual([good, bad]);
    expect(await json('moderation', 'approve', good)).toEqual({ videoId: good, approved: true });
    expect(await json('moderation', 'reject', bad, '--reason', 'No.')).toEqual({ videoId: bad, approved: false });
    expect((await me.call('GET', `/videos/${good}`)).body.status).toBe('ready');
    expect((await me.call('GET', `/videos/${bad}`)).body).toMatchObject({ status: 'error', error: 'No.' });
    expect((await figurehead('moderation', 'approve', good)).code).toBe(1);
  });

  // Proves: D.plans.12, D.operating.7
  it('creates users who can sign in', async () => {
    const workspace = await json('workspace', 'create', '--name', 'Users', '--plan', 'Unlimited');
    const user = await json(
      'user',
      'create',
      '--workspace',
      workspace._id,
      '--email',
      'u@example.org',
      '--role',
      'owner',
    );
    const answer = await call(api.http, {
      method: 'POST',
      path: '/session',
      body: { email: 'u@example.org', password: user.password },
    });
    expect([answer.status, answer.body.workspace.plan]).toEqual([200, 'Unlimited']);
  });

  it('gives a user who lost the password a new one, which ends the sessions of the old one', async () => {
    const workspace = await json('workspace', 'create', '--name', 'Lost', '--plan', 'Unlimited');
    const lost = await json('user', 'create', '--workspace', workspace._id, '--email', 'lost@example.org');
    const signIn = (password: string) =>
      call(api.http, { method: 'POST', path: '/session', body: { email: 'lost@example.org', password } });
    const before = await signIn(lost.password);
    const cookie = String(before.headers['set-cookie']).split(';')[0] ?? '';
    const reset = await json('user', 'reset', '--email', 'Lost@example.org');
    expect(reset).toMatchObject({ _id: lost._id, email: 'lost@example.org' });
    expect((await signIn(lost.password)).status).toBe(401);
    expect((await call(api.http, { method: 'GET', path: '/session', headers: { cookie } })).status).toBe(401);
    expect((await signIn(reset.password)).status).toBe(200);
    const unknown = await figurehead('user', 'reset', '--email', 'nowhere@example.org');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('There is no user "nowhere@example.org".'),
    ]);
    const short = await figurehead('user', 'reset', '--email', 'lost@example.org', '--password', 'short');
    expect([short.code, short.stderr]).toEqual([1, expect.stringContaining('at least 8 characters')]);
  });

  // Proves: D.operating.11
  it('synthesises a text and renders a file without a server', async () => {
    const spoken = join(folder, 'out.wav');
    expect((await figurehead('say', 'Hello there.', '-o', spoken)).code).toBe(0);
    expect((await readFile(spoken)).subarray(0, 4).toString()).toBe('RIFF');
    const video = { name: 'x', data: { resolution: '720p' }, slides: [{ id: 1, duration: 0.4 }] };
    await writeFile(join(folder, 'video.json'), JSON.stringify(video));
    const rendered = await figurehead('render', 'video.json', '-o', 'out.mp4');
    expect([rendered.code, rendered.stderr.includes('Error')]).toEqual([0, false]);
    expect((await readFile(join(folder, 'out.mp4'))).subarray(4, 8).toString()).toBe('ftyp');
  });

  it('refuses an output path that cannot be written before any work, and names the given path', async () => {
    const video = { name: 'x', slides: [{ id: 1, speech: 'Never spoken.', duration: 3600 }] };
    await writeFile(join(folder, 'long.json'), JSON.stringify(video));
    const missing = join(folder, 'nowhere', 'x.mp4');
    const rendered = await figurehead('render', 'long.json', '-o', missing);
    expect(rendered.code).not.toBe(0);
    expect(rendered.stderr).toContain(
      `${missing} cannot be written: the folder ${join(folder, 'nowhere')} does not exist`,
    );
    expect(rendered.stderr).not.toContain('validating');
    const spoken = await figurehead('say', 'Hello.', '-o', join(folder, 'long.json', 'x.wav'));
    expect(spoken.stderr).toContain('is not a folder');
    const music = await figurehead('say', 'Hello.', '--speed', '1', '-o', 'x.mp3');
    expect([music.code, music.stderr]).toEqual([1, expect.stringContaining('the output is x.mp3')]);
    const fast = await figurehead('say', 'Hello.', '--speed', 'fast', '-o', 'x.wav');
    expect([fast.code, fast.stderr]).toEqual([1, expect.stringContaining("'fast' is invalid")]);
  });

  it('names the speech providers when a voice names one that does not exist', async () => {
    const spoken = await figurehead('say', 'Hello.', '--voice', 'bogus:1', '-o', join(folder, 'x.wav'));
    expect(spoken.code).not.toBe(0);
    expect(spoken.stderr).toContain('"bogus" is not a speech provider. Providers are flite, espeak');
  });

  // Proves: D.operating.4, D.operating.9
  it('checks the installation, and prints every configuration key', async () => {
    const doctor = await figurehead('doctor', '--json');
    expect(JSON.parse(doctor.stdout)).toEqual(expect.anything());
    const keys: { key: string }[] = await json('config');
    const documented = [
      ...[
        'PORT',
        'HOST',
        'DATABASE_URL',
        'FIGUREHEAD_URL',
        'FIGUREHEAD_DATA',
        'FIGUREHEAD_S3_BUCKET',
        'FIGUREHEAD_SMTP_URL',
      ],
      ...['FIGUREHEAD_TURN_URLS', 'FIGUREHEAD_TURN_SECRET', 'FIGUREHEAD_RTC_PORTS', 'FIGUREHEAD_RTC_ADDRESS'],
      ...['FIGUREHEAD_LLM_URL', 'FIGUREHEAD_LLM_KEY', 'FIGUREHEAD_LLM_MODEL', 'FIGUREHEAD_ALIASES'],
      ...['FIGUREHEAD_UPLOAD_MAX_MB', 'FIGUREHEAD_STREAM_IDLE_SECONDS', 'FIGUREHEAD_MODERATION_WORDS'],
      ...['FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE', 'FIGUREHEAD_MEDIA_ALLOW_PRIVATE'],
    ];
    expect(keys.map(({ key }) => key)).toEqual(expect.arrayContaining(documented));
  });
});
