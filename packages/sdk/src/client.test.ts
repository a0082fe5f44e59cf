import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Video } from '@figurehead/contract';
import { routes } from '@figurehead/contract';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import {
  AuthenticationError,
  ChangedSinceError,
  ConnectionError,
  createClient,
  downloadVideo,
  etagOf,
  type Figurehead,
  FigureheadError,
  ForbiddenError,
  IdempotencyError,
  NotFoundError,
  QuotaError,
  RateLimitError,
  type ReadyVideo,
  renderAndWait,
  ServerError,
  ValidationError,
  VideoError,
  waitForVideo,
} from './index.js';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('the client', () => {
  let server: Server;
  let baseUrl: string;
  let seen: Seen[];
  let answer: (response: ServerResponse, request: Seen) => void;
  let client: Figurehead;

  beforeEach(async () => {
    seen = [];
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method, url, headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
      seen.push(one);
      answer(response, one);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    answer = json(200, {});
    client = createClient({ baseUrl, token: 'fh_token' });
  });
  afterEach(async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  function json(status: number, body: unknown, headers: Record<string, string> = {}) {
    return (response: ServerResponse) => {
      response.writeHead(status, {
        'Content-Type': 'application/json',
        'X-Request-Id': 'req-1',
        'Error-Code': 'theKind',
        ...headers,
      });
      response.end(JSON.stringify(body));
    };
  }

  /** Answers in turn; the last one stays. */
  function inTurn(...answers: ((response: ServerResponse) => void)[]) {
    let next = 0;
    return (response: ServerResponse) => answers[Math.min(next++, answers.length - 1)]?.(response);
  }

  it('sends the version that a change is based on, and says by its class that there is a newer one', async () => {
    answer = json(200, { _id: 'v' }, { ETag: '"3"' });
    const video = await client.readVideo({ videoId: 'v' });
    expect([etagOf(video), etagOf({ ...video })]).toEqual(['"3"', undefined]);
    answer = json(200, { _id: 'v' }, { ETag: 'W/"4"' });
    expect(etagOf(await client.readVideo({ videoId: 'v' }))).toBe('"4"');
    answer = json(412, { message: 'Changed.' });
    const ifMatch = etagOf(video)!;
    const saving = client.updateVideo({ videoId: 'v', body: { name: 'x' } }, { ifMatch });
    await expect(saving).rejects.toBeInstanceOf(ChangedSinceError);
    await expect(client.updateVideo({ videoId: 'v', body: {} })).rejects.toMatchObject({
      message: 'Changed.',
      status: 412,
    });
    expect(seen.map(({ headers }) => headers['if-match'])).toEqual([undefined, undefined, '"3"', undefined]);
  });

  it('has a function for every route of the contract', () => {
    const { openSoundSocket, ...calls } = client;
    expect(Object.keys(calls).sort()).toEqual(Object.keys(routes).sort());
    expect(openSoundSocket).toBeTypeOf('function');
  });

  it('knows the types of each route', () => {
    expectTypeOf(client.readVideo).parameter(0).toHaveProperty('videoId').toEqualTypeOf<string>();
    expectTypeOf<Awaited<ReturnType<Figurehead['readVideo']>>>().toEqualTypeOf<Video>();
    // Only compiled: each line would be refused by the server.
    const refused = () => [
      // @ts-expect-error the path needs a parameter
      client.readVideo(),
      // @ts-expect-error the body needs a name
      client.createVideo({ body: {} }),
      // @ts-expect-error there is no such status filter
      client.listDeliveries({ query: { state: 'lost' } }),
    ];
    expect(refused).toBeTypeOf('function');
  });

  it('puts parameters, query and body where they belong, with the token', async () => {
    answer = json(200, { text: 'ok' });
    await client.synthesizeSlide({ videoId: 'a/b?c', slideId: '7', body: { speech: 'Hi' } });
    await client.listVideos({ query: { status: 'ready,error', page: 2, deleted: true } });
    await client.listVideos();
    await client.deleteVideo({ videoId: 'v' });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/v1/videos/voice/a%2Fb%3Fc/7',
      'GET /api/v1/videos?status=ready%2Cerror&page=2&deleted=true',
      'GET /api/v1/videos',
      'DELETE /api/v1/videos/v',
    ]);
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer fh_token', 'content-type': 'application/json' });
    expect(seen[0]?.body).toBe('{"speech":"Hi"}');
    expect(seen[3]?.headers).not.toHaveProperty('content-type');
  });

  it('takes a base address with or without the prefix', async () => {
    await createClient({ baseUrl: `${baseUrl}/api/v1/`, token: 't' }).readApiConfig();
    await createClient({ baseUrl: `${baseUrl}/`, token: 't' }).readApiConfig();
    expect(seen.map(({ url }) => url)).toEqual(['/api/v1/apiConfig', '/api/v1/apiConfig']);
  });

  it('says what is expected when it is made without an address', () => {
    expect(() => createClient({ token: 't' } as never)).toThrow(
      "createClient needs baseUrl: the address of the server was expected, such as 'http://localhost:8080', or '' on a page of the server itself; undefined was given.",
    );
  });

  it('refuses an empty parameter, which would be another route', () => {
    expect(() => client.readVideo({ videoId: '' })).toThrow(TypeError);
    expect(seen).toEqual([]);
  });

  it('uses the console session when there is no token', async () => {
    const inits: (RequestInit | undefined)[] = [];
    const session = createClient({
      baseUrl: '',
      fetch: async (input, init) => {
        inits.push(init);
        expect(input).toBe('/api/v1/session');
        return new Response('{}');
      },
    });
    await session.readSession();
    expect(inits[0]?.credentials).toBe('include');
    expect(new Headers(inits[0]?.headers).has('authorization')).toBe(false);
  });

  it('uploads a file with its fields before it', async () => {
    await client.createMedia({ file: new Blob(['picture']), fileName: 'p.png', body: { name: 'Picture' } });
    expect(seen[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen[0]?.body.indexOf('name="name"')).toBeLessThan(seen[0]?.body.indexOf('filename="p.png"') ?? 0);
  });

  it.each([
    [400, ValidationError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [429, QuotaError],
    [500, ServerError],
    [502, ServerError],
    [409, IdempotencyError],
    [422, IdempotencyError],
    [418, FigureheadError],
  ])('turns %i into its class, with message, status and request id', async (status, type) => {
    answer = json(status, { message: 'The sentence.', errors: [{ field: 'slides[0].id', message: 'expected' }, 7] });
    const error = await client.readVideo({ videoId: 'v' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(type);
    expect(error).toBeInstanceOf(FigureheadError);
    expect(error).toMatchObject({
      ...{ name: type.name, message: 'The sentence.', status, requestId: 'req-1' },
      ...{ method: 'GET', url: `${baseUrl}/api/v1/videos/v`, code: 'theKind' },
    });
    if (error instanceof ValidationError)
      expect(error.errors).toEqual([{ field: 'slides[0].id', message: 'expected' }]);
    // Two retries for a failing server.
    expect(seen).toHaveLength(status >= 500 ? 3 : 1);
  });

  it('understands the bare 401, a page of a proxy, and an answer that is not JSON', async () => {
    answer = (response) => void response.writeHead(401, { 'X-Request-Id': 'req-2' }).end();
    await expect(client.listVoices()).rejects.toMatchObject({ name: AuthenticationError.name, requestId: 'req-2' });
    answer = (response) => void response.writeHead(503).end('<html>busy</html>');
    await expect(client.listVoices()).rejects.toMatchObject({
      name: ServerError.name,
      message: 'The server answered 503.',
    });
    answer = (response) => void response.end('<html>another server</html>');
    await expect(client.listVoices()).rejects.toBeInstanceOf(ServerError);
  });

  it('waits for a rate limit as long as the server says and repeats the call', async () => {
    const limited = json(429, { message: 'Too many requests per minute.', retryAfter: 1 }, { 'Retry-After': '1' });
    answer = inTurn(limited, json(200, { _id: 'o' }));
    const startMs = performance.now();
    expect(await client.generateChapters({ outlineId: 'o' })).toEqual({ _id: 'o' });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(990);
    expect(seen).toHaveLength(2);
  });

  it('fails for a rate limit longer than the allowed wait, and at once for a quota', async () => {
    answer = json(429, { message: 'Too many requests per hour.', retryAfter: 3_000 });
    await expect(client.generateScript({ outlineId: 'o' })).rejects.toMatchObject({
      name: RateLimitError.name,
      retryAfter: 3_000,
    });
    const impatient = createClient({ baseUrl, token: 't', maxRateLimitWaitSeconds: 1 });
    answer = json(429, { message: 'Too many requests per minute.', retryAfter: 0 });
    await expect(impatient.generateScript({ outlineId: 'o' })).rejects.toBeInstanceOf(RateLimitError);
    expect(seen).toHaveLength(1 + 5);
    answer = json(429, { message: '50 videos created in the last 8 hours.' });
    await expect(client.createVideo({ body: { name: 'n' } })).rejects.toBeInstanceOf(QuotaError);
    expect(seen).toHaveLength(7);
    answer = (response) => void response.writeHead(429, { 'Retry-After': '900' }).end('slow down, says a proxy');
    await expect(client.listVideos()).rejects.toMatchObject({ name: RateLimitError.name, retryAfter: 900 });
  });

  it('ends a call and its wait with the reason of the signal', async () => {
    answer = json(429, { message: 'Too many requests per minute.', retryAfter: 60 });
    const controller = new AbortController();
    const waiting = client.generateScript({ outlineId: 'o' }, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('changed my mind')), 100);
    await expect(waiting).rejects.toThrow('changed my mind');
    answer = () => undefined;
    const hanging = client.readVideo({ videoId: 'v' }, { signal: AbortSignal.timeout(100) });
    await expect(hanging).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('says when no answer comes', async () => {
    answer = () => undefined;
    const hasty = createClient({ baseUrl, token: 't', timeoutMs: 100 });
    await expect(hasty.listVideos()).rejects.toMatchObject({ name: ConnectionError.name, status: 0 });
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    const gone = createClient({ baseUrl, token: 't' });
    const refused = gone.listVideos({ query: { search: 'private' } });
    await expect(refused).rejects.toBeInstanceOf(ConnectionError);
    await expect(refused).rejects.toThrow(
      `GET ${baseUrl}/api/v1/videos: the server could not be reached (ECONNREFUSED)`,
    );
  });

  describe('repeats', () => {
    const broken = (response: ServerResponse) => void response.destroy();
    const failed = json(503, { message: 'restarting' });

    it.each([
      ['GET', () => client.readVideo({ videoId: 'v' })],
      ['PUT', () => client.savePronunciations({ body: { entries: [] } } as never)],
      ['DELETE', () => client.deleteVideo({ videoId: 'v' })],
      ['POST that creates', () => client.createVideo({ body: { name: 'n' } })],
    ])('a %s after a 5xx and after a broken connection, with the same key', async (_what, call) => {
      answer = inTurn(failed, broken, json(200, { _id: 'v' }));
      expect(await call()).toEqual({ _id: 'v' });
      expect(seen).toHaveLength(3);
      const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']));
      expect(keys.size).toBe(1);
      const [key] = keys;
      if (seen[0]?.method === 'POST') expect(key).toMatch(/^[0-9a-f]{32}$/);
      else expect(key).toBeUndefined();
    });

    it('neither a POST that does not create, nor a PATCH, nor more often than it may', async () => {
      answer = failed;
      await expect(client.speak({ streamId: 's', body: { text: 'Hi' } })).rejects.toBeInstanceOf(ServerError);
      await expect(client.updateVideo({ videoId: 'v', body: {} })).rejects.toBeInstanceOf(ServerError);
      expect(seen).toHaveLength(2);
      const never = createClient({ baseUrl, token: 't', maxRetries: 0 });
      await expect(never.readVideo({ videoId: 'v' })).rejects.toBeInstanceOf(ServerError);
      expect(seen).toHaveLength(3);
    });

    it('a call whose first arrival still runs, and gives each call its own key, or the one it is told', async () => {
      answer = inTurn(json(409, { message: 'still running', retryAfter: 0 }), json(200, { _id: 'v' }));
      await client.createVideo({ body: { name: 'n' } });
      await client.createVideo({ body: { name: 'n' } });
      await client.createVideo({ body: { name: 'n' } }, { idempotencyKey: 'order-17' });
      const keys = seen.map(({ headers }) => headers['idempotency-key']);
      expect(keys[0]).toBe(keys[1]);
      expect(new Set(keys).size).toBe(3);
      expect(keys[3]).toBe('order-17');
    });

    it('nothing once its signal is raised', async () => {
      const controller = new AbortController();
      // A pause that only the signal can end.
      answer = (response) => {
        response.once('finish', () => controller.abort(new Error('enough')));
        json(429, { message: 'slow down', retryAfter: 60 })(response);
      };
      await expect(client.readVideo({ videoId: 'v' }, { signal: controller.signal })).rejects.toThrow('enough');
      expect(seen).toHaveLength(1);
    });
  });

  describe('a list', () => {
    const all = Array.from({ length: 7 }, (_one, index) => ({ _id: String(index) }));
    const pages = (response: ServerResponse, { url }: Seen) => {
      const query = new URL(url ?? '', baseUrl).searchParams;
      const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 25)];
      const videos = all.slice((page - 1) * limit, page * limit);
      json(200, { videos, page, limit, total: all.length })(response);
    };

    it('is one page when awaited, and all items of all pages when iterated', async () => {
      answer = pages;
      const page = await client.listVideos({ query: { limit: 3, status: 'ready' } });
      expectTypeOf(page.total).toEqualTypeOf<number>();
      expect(page.videos).toHaveLength(3);
      expect(seen).toHaveLength(1);
      const ids: string[] = [];
      for await (const video of client.listVideos({ query: { limit: 3, status: 'ready' } })) {
        expectTypeOf(video._id).toEqualTypeOf<string>();
        ids.push(video._id);
      }
      expect(ids).toEqual(all.map(({ _id }) => _id));
      expect(seen.slice(1).map(({ url }) => new URL(url ?? '', baseUrl).search)).toEqual([
        '?limit=3&status=ready',
        '?limit=3&status=ready&page=2',
        '?limit=3&status=ready&page=3',
      ]);
    });

    it('is read no further than it is iterated, and skips what a new item has moved to the next page', async () => {
      answer = pages;
      for await (const video of client.listVideos({ query: { limit: 3 } })) if (video._id === '1') break;
      expect(seen).toHaveLength(1);
      const ids: string[] = [];
      for await (const { _id } of client.listVideos({ query: { limit: 3 } })) {
        if (_id === '2') all.unshift({ _id: 'new' });
        ids.push(_id);
      }
      expect(ids).toEqual(['0', '1', '2', '3', '4', '5', '6']);
    });
  });

  describe('downloadVideo', () => {
    const file = Buffer.from(Array.from({ length: 50_000 }, (_byte, index) => index % 251));
    const video = () => ({ url: `${baseUrl}/media/v.mp4?signature=secret` });
    /** Breaks every connection after a number of bytes; the last part is complete. */
    const breaking =
      (bytes: number, etag = () => '"a"') =>
      (response: ServerResponse, { headers }: Seen) => {
        const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
        const rest = headers['if-range'] === undefined || headers['if-range'] === etag() ? file.subarray(from) : file;
        const status = rest === file ? 200 : 206;
        response.writeHead(status, { 'Content-Type': 'video/mp4', 'Content-Length': rest.length, ETag: etag() });
        if (rest.length <= bytes) response.end(rest);
        else response.write(rest.subarray(0, bytes), () => response.destroy());
      };

    it('continues after a broken connection, into a Blob, a file or a stream, and reports progress', async () => {
      answer = breaking(20_000);
      const told: number[] = [];
      const blob = await downloadVideo(video(), {
        onProgress: ({ receivedBytes, totalBytes }) => {
          told.push(receivedBytes);
          expect(totalBytes).toBe(file.length);
        },
      });
      expect(Buffer.from(await blob.arrayBuffer()).equals(file)).toBe(true);
      expect(blob.type).toBe('video/mp4');
      expect(told.at(-1)).toBe(file.length);
      expect(seen.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=20000-', 'bytes=40000-']);
      const folder = await mkdtemp(join(tmpdir(), 'fh-download-'));
      await downloadVideo(video(), { to: join(folder, 'v.mp4') });
      expect((await readFile(join(folder, 'v.mp4'))).equals(file)).toBe(true);
      expect(await readdir(folder)).toEqual(['v.mp4']);
      await rm(folder, { recursive: true });
      const chunks: Uint8Array[] = [];
      await downloadVideo(video(), { to: new WritableStream({ write: (chunk) => void chunks.push(chunk) }) });
      expect(Buffer.concat(chunks).equals(file)).toBe(true);
    });

    it('fails when the file changes meanwhile, when nothing comes any more, and leaves no half file', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'fh-download-'));
      let version = 0;
      answer = breaking(20_000, () => `"${version++}"`);
      const to = join(folder, 'v.mp4');
      await expect(downloadVideo(video(), { to })).rejects.toThrow('the file has changed');
      answer = (response) => void response.destroy();
      const failure = downloadVideo(video(), { to, maxRetries: 1 });
      await expect(failure).rejects.toBeInstanceOf(ConnectionError);
      await expect(failure).rejects.toThrow(`GET ${baseUrl}/media/v.mp4: the connection broke 2 times`);
      answer = json(403, { message: 'expired' });
      await expect(downloadVideo(video(), { to })).rejects.toMatchObject({ name: ServerError.name, status: 403 });
      expect(await readdir(folder)).toEqual([]);
      await rm(folder, { recursive: true });
    });
  });

  it('knows that a ready video has a file', () => {
    const urlOf = (video: Video) => (video.status === 'ready' && !video.deleted ? video.url : undefined);
    expectTypeOf(urlOf).returns.toEqualTypeOf<string | undefined>();
    expectTypeOf<ReadyVideo['url']>().toEqualTypeOf<string>();
    // @ts-expect-error a draft has none
    expectTypeOf<Extract<Video, { status: 'draft' }>['url']>().toEqualTypeOf<string>();
  });

  describe('waitForVideo', () => {
    const looks = (...videos: object[]) =>
      inTurn(...videos.map((video) => json(200, { _id: 'v', deleted: false, ...video })));

    it('resolves with the finished video and reports every read', async () => {
      const failed = json(503, { message: 'restarting' });
      const rest = looks(
        { status: 'rendering', progress: 0.5 },
        { status: 'moderation' },
        { status: 'ready', url: 'u' },
      );
      answer = inTurn(looks({ status: 'queued' }), failed, rest, rest, rest);
      const told: string[] = [];
      const options = { intervalMs: 5, onProgress: (one: Video) => void told.push(one.status) };
      expect(await waitForVideo(client, 'v', options)).toMatchObject({ status: 'ready', url: 'u' });
      expect(told).toEqual(['queued', 'rendering', 'moderation', 'ready']);
    });

    it('renders first, with renderAndWait', async () => {
      answer = inTurn(
        json(200, { accepted: true }),
        looks({ status: 'rendering' }),
        looks({ status: 'ready', url: 'u' }),
      );
      const { url } = await renderAndWait(client, 'v', { intervalMs: 5 });
      expect(url).toBe('u');
      expect(seen.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
        'POST /api/v1/videos/render/v',
        'GET /api/v1/videos/v',
        'GET /api/v1/videos/v',
      ]);
    });

    it.each([
      ['error', { status: 'error', error: 'Slide 1: unknown voice.' }, 'Slide 1: unknown voice.'],
      ['cancelled', { status: 'draft' }, /draft/],
      ['deleted', { status: 'ready', deleted: true }, /deleted/],
    ])('rejects when it ends as %s', async (reason, last, message) => {
      answer = looks({ status: 'queued' }, last);
      const waiting = waitForVideo(client, 'v', { intervalMs: 5 });
      await expect(waiting).rejects.toThrow(message);
      await expect(waiting).rejects.toMatchObject({ name: VideoError.name, reason, video: { _id: 'v' } });
    });

    it('ends with the signal, and at once when the video is not there', async () => {
      answer = looks({ status: 'rendering' });
      const signal = AbortSignal.timeout(60);
      await expect(waitForVideo(client, 'v', { intervalMs: 5, signal })).rejects.toMatchObject({
        name: 'TimeoutError',
      });
      answer = json(404, { message: 'There is no video with this id.' });
      await expect(waitForVideo(client, 'v')).rejects.toBeInstanceOf(NotFoundError);
    });
  });
});
