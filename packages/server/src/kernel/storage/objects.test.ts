import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../config/config.js';
import type { Objects } from '../contract.js';
import { createLifecycle } from '../lifecycle.js';
import { createMediaLinks } from './media-links.js';
import { openLocalObjects } from './objects-local.js';
import { type BucketWaits, openS3Objects } from './objects-s3.js';
import { createTemporaryFolders } from './temporary-folders.js';

const links = createMediaLinks({ baseUrl: 'http://x', secret: 's', clock: { now: () => Date.now() } });
let folder: string;
let bucket: Server;
const stored = new Map<string, { body: Buffer; type: string }>();
const faults = { refusePuts: 0, truncate: false, isSilent: false, isBusy: false, stallsBodies: false };
const lifecycle = createLifecycle((name, error) => console.error(name, error));
const stores: Record<string, Objects> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-objects-'));
  bucket = createBucket();
  await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve));
  const { port } = bucket.address() as AddressInfo;
  const config = loadConfig({
    env: {
      FIGUREHEAD_S3_BUCKET: 'media',
      FIGUREHEAD_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      FIGUREHEAD_S3_ACCESS_KEY: 'k',
      FIGUREHEAD_S3_SECRET_KEY: 's',
      FIGUREHEAD_S3_PREFIX: 'fh/',
    },
  });
  stores['local'] = await openLocalObjects({ folder: join(folder, 'local'), links });
  const temporary = createTemporaryFolders({ dataDir: folder, lifecycle });
  const openS3 = (waits?: BucketWaits) =>
    openS3Objects({ config, bucket: 'media', temporary, links, lifecycle, ...(waits && { waits }) });
  stores['S3'] = openS3();
  stores['hasty S3'] = openS3({ connectMs: 1000, answerMs: 300, bodyMs: 1000 });
  stores['S3 of whole bodies'] = openS3({ connectMs: 60_000, answerMs: 60_000, bodyMs: 2000 });
});
afterAll(async () => {
  await lifecycle.close();
  bucket.closeAllConnections();
  await new Promise((resolve) => bucket.close(resolve));
  await rm(folder, { recursive: true });
});

describe.each(['local', 'S3'])('objects (%s)', (name) => {
  const store = () => stores[name]!;

  test('are returned whole and in ranges, with size and type', async () => {
    const put = await store().put(
      'w/v/a.txt',
      Readable.from([Buffer.from('hello '), Buffer.from('world')]),
      'text/plain',
    );
    expect(put).toMatchObject({ key: 'w/v/a.txt', size: 11, contentType: 'text/plain' });
    expect(await store().info('w/v/a.txt')).toMatchObject({ size: 11, contentType: 'text/plain' });
    const whole = await store().get('w/v/a.txt');
    expect(await text(whole!.body)).toBe('hello world');
    const part = await store().get('w/v/a.txt', { start: 6, end: 8 });
    expect(part!.info.size).toBe(11);
    expect(await text(part!.body)).toBe('wor');
  });

  test('are replaced as a whole, also by a file', async () => {
    const path = join(folder, `source-${name}`);
    await writeFile(path, Buffer.alloc(100_000, 7));
    await store().put('w/replace', Buffer.from('old'), 'text/plain');
    expect(await store().putFile('w/replace', path, 'video/mp4')).toMatchObject({
      size: 100_000,
      contentType: 'video/mp4',
    });
    const found = await store().get('w/replace');
    expect((await buffer(found!.body)).length).toBe(100_000);
  });

  test('that are missing are undefined, and deleting them does nothing', async () => {
    expect(await store().get('w/none')).toBeUndefined();
    expect(await store().info('w/none')).toBeUndefined();
    await store().delete('w/none');
    await store().deletePrefix('none/');
  });

  test('are deleted one by one and by prefix', async () => {
    for (const key of ['p/v1/a', 'p/v1/b/c', 'p/v10/a', 'p/v2/a'])
      await store().put(key, Buffer.from('x'), 'text/plain');
    await store().delete('p/v2/a');
    await store().deletePrefix('p/v1/');
    expect(
      await Promise.all(['p/v1/a', 'p/v1/b/c', 'p/v10/a', 'p/v2/a'].map((key) => store().info(key))),
    ).toMatchObject([undefined, undefined, { key: 'p/v10/a' }, undefined]);
    await store().deletePrefix('p/v1');
    expect(await store().info('p/v10/a')).toBeUndefined();
  });

  test('are listed by prefix, with their sizes and without internal files', async () => {
    for (const key of ['l/v1/a', 'l/v1/b/c', 'l/v10/a', 'l/w/a'])
      await store().put(key, Buffer.from('xyz'), 'text/plain');
    const list = async (prefix: string) => {
      const found: [string, number][] = [];
      for await (const { key, size } of store().list(prefix)) found.push([key, size]);
      return found.sort();
    };
    const size = name === 'S3' ? 0 : 3;
    expect(await list('l/v1/')).toEqual([
      ['l/v1/a', size],
      ['l/v1/b/c', size],
    ]);
    expect((await list('l/v1')).map(([key]) => key)).toEqual(['l/v1/a', 'l/v1/b/c', 'l/v10/a']);
    expect(await list('l/none/')).toEqual([]);
    await expect(list('../../')).rejects.toThrow('expected an object key');
  });

  test.each(['../x', 'a/../../x', '/etc/passwd', 'a//b', 'a/./b', '', 'a\0b', 'a~type', 'ü'])(
    'never have the key %j',
    async (key) => {
      await expect(store().put(key, Buffer.from('x'), 'text/plain')).rejects.toThrow('expected an object key');
      await expect(store().get(key)).rejects.toThrow('expected an object key');
      await expect(store().deletePrefix(key)).rejects.toThrow('expected an object key');
    },
  );
});

describe('local objects', () => {
  test('leave no files when their source fails halfway', async () => {
    const source = Readable.from(
      (async function* () {
        yield Buffer.alloc(1000);
        throw new Error('source broke');
      })(),
    );
    await expect(stores['local']!.put('w/half', source, 'text/plain')).rejects.toThrow('source broke');
    expect(await stores['local']!.info('w/half')).toBeUndefined();
    expect(await readdir(join(folder, 'local', 'incoming~'))).toEqual([]);
  });

  test('report a full disk in one sentence', async () => {
    const objects = await openLocalObjects({ folder: join(folder, 'full'), links });
    // /dev/full fails every write with ENOSPC; copying onto a link to it fails like a full disk.
    const full = Readable.from(
      (async function* () {
        yield Buffer.from('x');
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      })(),
    );
    await expect(objects.put('w/full', full, 'text/plain')).rejects.toThrow('The disk of the data folder is full');
  });

  test('do not follow links', async () => {
    await symlink('/etc', join(folder, 'local', 'link'));
    expect(await stores['local']!.info('link')).toBeUndefined();
    await rm(join(folder, 'local', 'link'));
  });
});

describe('S3 objects', () => {
  test('are resent when the server fails once', async () => {
    faults.refusePuts = 1;
    expect(await stores['S3']!.put('w/again', Readable.from([Buffer.from('abc')]), 'text/plain')).toMatchObject({
      size: 3,
    });
    expect(stored.get('fh/w/again')?.body.toString()).toBe('abc');
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  test('of a silent, busy or closed server are an error that says so, soon', async () => {
    const away = 'the bucket media does not answer';
    await stores['S3']!.put('w/there', Buffer.from('abc'), 'text/plain');
    for (const fault of ['isSilent', 'isBusy'] as const) {
      faults[fault] = true;
      await expect(stores['hasty S3']!.info('w/there')).rejects.toThrow(away);
      await expect(stores['hasty S3']!.get('w/there')).rejects.toThrow(away);
      await expect(stores['hasty S3']!.put('w/there', Buffer.from('abc'), 'text/plain')).rejects.toThrow(away);
      faults[fault] = false;
    }
    expect(await stores['S3']!.info('w/there')).toMatchObject({ size: 3 });
  });

  test('whose body stops are an error, and readers that wait do not delay others', async () => {
    await stores['S3']!.put('w/large', Buffer.alloc(4_000_000), 'text/plain');
    faults.stallsBodies = true;
    const stalled = await stores['S3 of whole bodies']!.get('w/large');
    await expect(buffer(stalled!.body)).rejects.toThrow('timed out');
    const waiting = await Promise.all(Array.from({ length: 100 }, () => stores['S3']!.get('w/large')));
    for (const one of waiting) one!.body.on('error', () => undefined).destroy();
    faults.stallsBodies = false;
  });

  test('stored only in part by the server are an error', async () => {
    faults.truncate = true;
    await expect(stores['S3']!.put('w/short', Buffer.from('abcdef'), 'text/plain')).rejects.toThrow(
      'holds 3 bytes of w/short instead of 6',
    );
    faults.truncate = false;
  });
});

/** An in-memory bucket with the part of S3 that we use. */
function createBucket(): Server {
  return createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://s3');
    const key = decodeURIComponent(url.pathname.replace(/^\/media\/?/, ''));
    const body = await buffer(request);
    const found = stored.get(key);
    if (faults.isSilent) return;
    if (faults.isBusy) {
      response.writeHead(503, { 'Content-Type': 'application/xml' }).end('<Error><Code>SlowDown</Code></Error>');
      return;
    }
    if (request.method === 'PUT') {
      if (faults.refusePuts > 0) {
        faults.refusePuts -= 1;
        response.writeHead(500).end();
        return;
      }
      stored.set(key, {
        body: faults.truncate ? body.subarray(0, 3) : body,
        type: String(request.headers['content-type']),
      });
      response.writeHead(200, { ETag: '"x"' }).end();
    } else if (request.method === 'DELETE') {
      stored.delete(key);
      response.writeHead(204).end();
    } else if (url.searchParams.get('list-type') === '2') {
      const prefix = url.searchParams.get('prefix') ?? '';
      const entries = [...stored.keys()]
        .filter((name) => name.startsWith(prefix))
        .map((name) => `<Contents><Key>${name}</Key></Contents>`);
      response
        .writeHead(200, { 'Content-Type': 'application/xml' })
        .end(`<?xml version="1.0"?><ListBucketResult>${entries.join('')}</ListBucketResult>`);
    } else if (found === undefined) {
      response
        .writeHead(404, { 'Content-Type': 'application/xml' })
        .end(request.method === 'HEAD' ? '' : '<Error><Code>NoSuchKey</Code></Error>');
    } else {
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
      const part = range === null ? found.body : found.body.subarray(Number(range[1]), Number(range[2]) + 1);
      response.writeHead(range === null ? 200 : 206, {
        'Content-Type': found.type,
        'Content-Length': part.length,
        'Last-Modified': new Date().toUTCString(),
        ...(range === null ? {} : { 'Content-Range': `bytes ${range[1]}-${range[2]}/${found.body.length}` }),
      });
      if (faults.stallsBodies && request.method === 'GET') response.write(part.subarray(0, 10));
      else response.end(request.method === 'HEAD' ? undefined : part);
    }
  });
}
