import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import pg from 'pg';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../../tests/support/api.js';
import { freePort } from '../../../../../../tests/support/ports.js';
import { startRole } from '../../../../../../tests/support/role.js';
import { signalled } from '../../../../../../tests/support/signalled.js';
import { mountSmallDisk } from '../../../../../../tests/support/small-disk.js';
import { type UploadRow, uploads } from './upload-store.js';
import { receivePart } from './uploads.js';

describe('resumable uploads (tus 1.0)', () => {
  let api: TestApi;
  let me: TestCaller;
  let png: Buffer;
  beforeAll(async () => {
    api = await openTestApi({ FIGUREHEAD_UPLOAD_MAX_MB: '1' });
    me = await api.caller();
    png = await sharp({ create: { width: 90, height: 70, channels: 3, background: '#123456' } })
      .png()
      .toBuffer();
  });
  afterAll(() => api.close());

  type Headers = Record<string, string>;
  async function send(
    method: 'POST' | 'HEAD' | 'PATCH' | 'DELETE' | 'OPTIONS',
    url: string,
    headers: Headers = {},
    payload?: Buffer,
    caller = me,
  ) {
    const answer = await api.http.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${caller.token}`, 'tus-resumable': '1.0.0', ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    return { status: answer.statusCode, headers: answer.headers, text: answer.body };
  }
  const part = (url: string, offset: number, bytes: Buffer) =>
    send('PATCH', url, { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }, bytes);
  async function start(length: number, metadata: Headers = {}): Promise<string> {
    const pairs = Object.entries(metadata).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
    const made = await send('POST', '/api/v1/uploads', {
      'upload-length': String(length),
      'upload-metadata': pairs.join(','),
    });
    expect(made.status, made.text).toBe(201);
    return new URL(String(made.headers.location)).pathname;
  }

  it('a file sent in parts becomes a medium', async () => {
    const { body: folder } = await me.call('POST', '/upload-folders', { name: 'F' });
    const url = await start(png.length, { filename: 'größe.png', name: 'Größe', folderId: folder._id });
    expect((await send('HEAD', url)).headers).toMatchObject({
      'upload-offset': '0',
      'upload-length': String(png.length),
      'tus-resumable': '1.0.0',
    });
    const first = await part(url, 0, png.subarray(0, 100));
    expect([first.status, first.headers['upload-offset'], first.headers['x-media-id']]).toEqual([
      204,
      '100',
      undefined,
    ]);
    expect((await part(url, 0, png.subarray(0, 100))).status).toBe(409);
    const last = await part(url, 100, png.subarray(100));
    expect([last.status, last.headers['upload-offset']]).toEqual([204, String(png.length)]);
    const media = await me.call('GET', `/media/${last.headers['x-media-id']}`);
    expect(media.body).toMatchObject({
      name: 'Größe',
      type: 'image',
      status: 'ready',
      width: 90,
      height: 70,
      folderId: folder._id,
    });
    expect((await send('HEAD', url)).headers['x-media-id']).toBe(media.body._id);
    expect((await part(url, png.length, Buffer.alloc(0))).headers['x-media-id']).toBe(media.body._id);
  });

  it('a client behind a proxy that passes only POST names the method in X-HTTP-Method-Override', async () => {
    const url = await start(png.length, { filename: 'a.png' });
    const posted = (method: string, headers: Headers = {}, bytes?: Buffer) =>
      send('POST', url, { 'x-http-method-override': method, ...headers }, bytes);
    const body = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    const sent = await posted('PATCH', body, png.subarray(0, 100));
    expect([sent.status, sent.headers['upload-offset']]).toEqual([204, '100']);
    const read = await posted('HEAD');
    expect([read.status, read.headers['upload-offset']]).toEqual([200, '100']);
    expect((await posted('PUT')).status).toBe(404);
    expect((await send('POST', url)).status).toBe(404);
    expect((await posted('DELETE')).status).toBe(204);
    expect((await send('HEAD', url)).status).toBe(404);
    const preflight = await api.http.app.inject({ method: 'OPTIONS', url });
    expect(preflight.headers['access-control-allow-headers']).toContain('X-HTTP-Method-Override');
  });

  it('bytes received before a connection broke are kept', async () => {
    const url = await start(png.length, { filename: 'a.png' });
    await api.http.app.listen({ port: 0, host: '127.0.0.1' });
    const address = api.http.app.server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const headers = {
      authorization: `Bearer ${me.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      'content-length': png.length,
    };
    const broken = request({ host: '127.0.0.1', port, path: url, method: 'PATCH', headers });
    broken.on('error', () => undefined);
    broken.write(png.subarray(0, 64));
    // Node.js discards what the handler has not read yet when a connection breaks.
    await expect.poll(() => spooledBytes(api.test.kernel.config.dataDir)).toEqual([64]);
    broken.destroy();
    await expect.poll(async () => (await send('HEAD', url)).headers['upload-offset']).toBe('64');
    expect((await part(url, 64, png.subarray(64))).headers['x-media-id']).toMatch(/^[0-9a-f]{24}$/);
  });

  it('is understood as other clients send it: media types with parameters, methods in any case, a part with the announcement', async () => {
    const url = await start(png.length, { filename: 'p.png', name: 'P' });
    const loose = { 'upload-offset': '0', 'content-type': 'Application/Offset+Octet-Stream; charset=utf-8' };
    const first = await send('POST', url, { ...loose, 'x-http-method-override': 'patch' }, png.subarray(0, 50));
    expect([first.status, first.headers['upload-offset']]).toEqual([204, '50']);
    const { headers } = await send('HEAD', url);
    expect(headers['upload-metadata']).toBe(`filename ${btoa('p.png')},name ${btoa('P')}`);

    const announce = { 'upload-length': String(png.length), 'content-type': 'application/offset+octet-stream' };
    const begun = await send('POST', '/api/v1/uploads', announce, png.subarray(0, 60));
    expect([begun.status, begun.headers['upload-offset'], begun.headers['x-media-id']]).toEqual([201, '60', undefined]);
    const rest = await part(new URL(String(begun.headers.location)).pathname, 60, png.subarray(60));
    expect(rest.headers['x-media-id']).toMatch(/^[0-9a-f]{24}$/);
    const whole = await send('POST', '/api/v1/uploads', announce, png);
    expect([whole.status, whole.headers['upload-offset']]).toEqual([201, String(png.length)]);
    expect((await me.call('GET', `/media/${whole.headers['x-media-id']}`)).body).toMatchObject({ status: 'ready' });
  });

  it('says what it does not take: parallel parts, an unknown length, an empty file', async () => {
    const reason = async (headers: Headers) => {
      const { status, text } = await send('POST', '/api/v1/uploads', headers);
      return [status, JSON.parse(text).message];
    };
    expect(await reason({ 'upload-length': '5', 'upload-concat': 'partial' })).toEqual([
      400,
      expect.stringContaining('send it as one upload'),
    ]);
    expect(await reason({ 'upload-defer-length': '1' })).toEqual([400, expect.stringContaining('must be known')]);
    expect(await reason({ 'upload-length': '0' })).toEqual([400, expect.stringContaining('the file is empty')]);
  });

  it('of two requests for one offset exactly one succeeds', async () => {
    const url = await start(png.length);
    const answers = await Promise.all([1, 2, 3, 4].map(() => part(url, 0, png.subarray(0, 50))));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409]);
    expect((await send('HEAD', url)).headers['upload-offset']).toBe('50');
  });

  it('a refused file ends its upload; excess bytes, too large files and wrong headers have different errors', async () => {
    const url = await start(5);
    const refused = await part(url, 0, Buffer.from('hello'));
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([400, expect.stringContaining('unknown type')]);
    expect((await send('HEAD', url)).status).toBe(404);

    const small = await start(3);
    expect((await part(small, 0, Buffer.from('hello'))).status).toBe(400);
    expect((await send('HEAD', small)).headers['upload-offset']).toBe('0');
    expect(
      (await send('PATCH', small, { 'upload-offset': '0', 'content-type': 'text/plain' }, Buffer.from('x'))).status,
    ).toBe(415);
    const large = await send('POST', '/api/v1/uploads', { 'upload-length': '1048577' });
    expect([large.status, large.text]).toEqual([400, expect.stringContaining('1 MB')]);
    expect((await send('POST', '/api/v1/uploads', {})).status).toBe(400);
    expect((await send('POST', '/api/v1/uploads', { 'tus-resumable': '0.2.2', 'upload-length': '3' })).status).toBe(
      412,
    );
  });

  it('a process killed while creating the medium blocks the upload only until its lease ends', async () => {
    const { kernel, env } = api.test;
    const url = await start(png.length, { filename: 'held.png' });
    const id = url.split('/').at(-1) ?? '';
    const port = await freePort();
    const role = await startRole('api', { ...env, PORT: String(port) });
    const headers = {
      authorization: `Bearer ${me.token}`,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    };
    // Holds the process at the row of the medium.
    const table = new pg.Client({ connectionString: kernel.config.databaseUrl });
    await table.connect();
    await table.query('begin; lock table media in exclusive mode');
    const sent = fetch(`http://127.0.0.1:${port}${url}`, { method: 'PATCH', headers, body: new Uint8Array(png) });
    const answered = sent.then(
      () => true,
      () => false,
    );
    const lease = () =>
      sql<{ leaseUntil: Date | null }>`select lease_until as "leaseUntil" from uploads where id = ${id}`;
    const leaseUntil = async () => (await lease().execute(kernel.db)).rows[0]?.leaseUntil ?? null;
    await expect.poll(leaseUntil).not.toBeNull();
    await role.kill();
    expect(await answered).toBe(false);
    await table.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'figurehead api'`);
    await table.query('rollback');
    await table.end();

    const whole = String(png.length);
    expect((await send('HEAD', url)).headers).toMatchObject({ 'upload-offset': whole, 'upload-length': whole });
    const early = await part(url, png.length, Buffer.alloc(0));
    expect([early.status, early.headers['x-media-id']]).toEqual([204, undefined]);
    const end = (await leaseUntil())?.getTime() ?? 0;
    expect(end - Date.now()).toBeLessThan(15_000);
    await sql`update uploads set lease_until = now() - interval '1 second' where id = ${id}`.execute(kernel.db);
    const made = await Promise.all(Array.from({ length: 10 }, () => part(url, png.length, Buffer.alloc(0))));
    const ids = new Set(made.flatMap(({ headers }) => headers['x-media-id'] ?? []));
    expect(ids.size).toBe(1);
    expect((await me.call('GET', `/media/${[...ids][0]}`)).body).toMatchObject({ status: 'ready', name: 'held.png' });
    const { rows } = await sql`select 1 from media where name = 'held.png'`.execute(kernel.db);
    expect(rows).toHaveLength(1);
  });

  it('an upload that is deleted while its medium is made answers 404', async () => {
    const url = await start(png.length, { filename: 'deleted.png' });
    const made = signalled();
    const { kernel } = api.test;
    // Holds the request at the row of the medium.
    const held = kernel.db.transaction().execute(async (tx) => {
      await sql`lock table media in exclusive mode`.execute(tx);
      await made.promise;
    });
    const last = part(url, 0, png);
    const waiting = sql`select 1 from pg_locks where not granted and relation = 'media'::regclass`;
    await expect.poll(async () => (await waiting.execute(kernel.db)).rows.length).toBe(1);
    expect((await send('DELETE', url)).status).toBe(204);
    made.signal();
    await held;
    expect((await last).status).toBe(404);
    expect((await sql`select 1 from media where name = 'deleted.png'`.execute(kernel.db)).rows).toEqual([]);
  });

  it('a body whose connection closed before it is read ends', async () => {
    const id = (await start(10)).split('/').at(-1) ?? '';
    const row = await uploads.find(api.test.kernel.db, id);
    expect(await receivePart(api.test.kernel, row as UploadRow, Readable.from([]).destroy(), (work) => work())).toBe(0);
  });

  it('a workspace has at most 20 open uploads, also when it starts more at once', async () => {
    const other = await api.caller();
    const headers = { 'upload-length': '10' };
    const started = () => send('POST', '/api/v1/uploads', headers, undefined, other);
    const answers = await Promise.all(Array.from({ length: 40 }, started));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.find(({ status }) => status === 400)?.text).toContain('20 uploads are open already');
  });

  it('of thousands of parts is refused another one', async () => {
    const url = await start(10_000);
    const id = url.split('/').at(-1);
    const parts = JSON.stringify(Array.from({ length: 5000 }, (_, n) => `part ${n}`));
    await sql`update uploads set parts = ${parts}::jsonb, received = 5000 where id = ${id}`.execute(api.test.kernel.db);
    const refused = await part(url, 5000, png.subarray(0, 1));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('5000 parts')]);
  });

  it('many requests of one workspace leave database connections to others', async () => {
    const url = await start(10);
    const { kernel } = api.test;
    const table = new pg.Client({ connectionString: kernel.config.databaseUrl });
    await table.connect();
    await table.query('begin; lock table uploads in access exclusive mode');
    const heads = Array.from({ length: 40 }, () => send('HEAD', url));
    const waiting = `select 1 from pg_locks where not granted and relation = 'uploads'::regclass`;
    await expect.poll(async () => (await table.query(waiting)).rows.length).toBeGreaterThanOrEqual(8);
    const other = await (await api.caller()).call('GET', '/videos');
    await table.query('rollback');
    await table.end();
    expect(other.status).toBe(200);
    for (const { status } of await Promise.all(heads)) expect(status).toBe(200);
  });

  it('uploads belong to their workspace, can be cancelled, and preflights need no token', async () => {
    const other = await api.caller();
    const url = await start(10);
    expect((await send('HEAD', url, {}, undefined, other)).status).toBe(403);
    expect((await send('DELETE', url, {}, undefined, other)).status).toBe(403);
    expect((await send('HEAD', url, { authorization: 'Bearer unknown' })).status).toBe(401);
    expect((await send('DELETE', url)).status).toBe(204);
    expect((await send('HEAD', url)).status).toBe(404);
    const options = await api.http.app.inject({ method: 'OPTIONS', url: '/api/v1/uploads' });
    expect([options.statusCode, options.headers]).toMatchObject([
      204,
      { 'tus-version': '1.0.0', 'tus-max-size': '1048576', 'access-control-allow-origin': '*' },
    ]);
  });
});

const disk = mountSmallDisk('64k');
afterAll(() => disk?.close());

it.runIf(disk)(
  'a disk that fills up while parts are joined is reported, and with space the upload is finished',
  async () => {
    const api = await openTestApi({ FIGUREHEAD_DATA: disk!.dataDir, FIGUREHEAD_DISK_RESERVE_MB: '0' });
    const me = await api.caller();
    const side = 170;
    const png = await sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
      .png()
      .toBuffer();
    const send = (method: 'POST' | 'PATCH', url: string, headers: Record<string, string>, payload?: Buffer) =>
      api.http.app.inject({
        method,
        url,
        headers: { authorization: `Bearer ${me.token}`, 'tus-resumable': '1.0.0', ...headers },
        ...(payload && { payload }),
      });
    const made = await send('POST', '/api/v1/uploads', { 'upload-length': String(png.length) });
    const { pathname } = new URL(String(made.headers.location));
    const part = (from: number, to = png.length) => {
      const headers = { 'upload-offset': String(from), 'content-type': 'application/offset+octet-stream' };
      return send('PATCH', pathname, headers, png.subarray(from, to));
    };
    expect(png.length).toBeGreaterThan(70_000);
    expect((await part(0, 40_000)).statusCode).toBe(204);
    expect((await part(40_000)).statusCode).toBe(503);
    disk!.resize('64m');
    const finished = await part(png.length);
    expect([finished.statusCode, finished.headers['x-media-id']]).toEqual([204, expect.any(String)]);
    await api.close();
  },
);

/** Sizes of the parts that are being received. */
async function spooledBytes(dataDir: string): Promise<number[]> {
  const folders = (await readdir(join(dataDir, 'tmp'))).filter((name) => name.startsWith('tus-'));
  const sizes = folders.map((name) => stat(join(dataDir, 'tmp', name, 'part')).then(({ size }) => size));
  return Promise.all(sizes);
}
