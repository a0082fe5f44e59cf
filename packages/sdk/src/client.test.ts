import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Video } from '@figurehead/contract';
import { routes } from '@figurehead/contract';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import {
  AuthenticationError,
  ConnectionError,
  createClient,
  type Figurehead,
  FigureheadError,
  ForbiddenError,
  NotFoundError,
  QuotaError,
  RateLimitError,
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
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  function json(status: number, body: unknown, headers: Record<string, string> = {}) {
    return (response: ServerResponse) => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'req-1', ...headers });
      response.end(JSON.stringify(body));
    };
  }

  /** Answers in turn; the last one stays. */
  function inTurn(...answers: ((response: ServerResponse) => void)[]) {
    let next = 0;
    return (response: ServerResponse) => answers[Math.min(next++, answers.length - 1)]?.(response);
  }

  it('has a function for every route of the contract', () => {
    expect(Object.keys(client).sort()).toEqual(Object.keys(routes).sort());
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
    [418, FigureheadError],
  ])('turns %i into its class, with message, status and request id', async (status, type) => {
    answer = json(status, { message: 'The sentence.', errors: [{ field: 'slides[0].id', message: 'expected' }, 7] });
    const error = await client.readVideo({ videoId: 'v' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(type);
    expect(error).toBeInstanceOf(FigureheadError);
    expect(error).toMatchObject({ name: type.name, message: 'The sentence.', status, requestId: 'req-1' });
    if (error instanceof ValidationError)
      expect(error.errors).toEqual([{ field: 'slides[0].id', message: 'expected' }]);
    expect(seen).toHaveLength(1);
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

  it('waits on a rate limit as long as it is told and repeats the call', async () => {
    const limited = json(429, { message: 'Too many requests per minute.', retryAfter: 1 }, { 'Retry-After': '1' });
    answer = inTurn(limited, json(200, { _id: 'o' }));
    const startMs = performance.now();
    expect(await client.generateChapters({ outlineId: 'o' })).toEqual({ _id: 'o' });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(990);
    expect(seen).toHaveLength(2);
  });

  it('gives up on a rate limit that asks for more than it may wait, and at once on a quota', async () => {
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
    const nobody = createClient({ baseUrl: 'http://127.0.0.1:1', token: 't' });
    await expect(nobody.listVideos()).rejects.toBeInstanceOf(ConnectionError);
  });

  describe('waitForVideo', () => {
    const looks = (...videos: object[]) =>
      inTurn(...videos.map((video) => json(200, { _id: 'v', deleted: false, ...video })));

    it('resolves with the finished video and tells every look', async () => {
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
