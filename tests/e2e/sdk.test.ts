import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AdminWorkspacePatch, Video } from '@figurehead/contract';
import {
  AuthenticationError,
  createClient,
  type Figurehead,
  ForbiddenError,
  NotFoundError,
  QuotaError,
  RateLimitError,
  ValidationError,
  VideoError,
  verifyWebhook,
  waitForVideo,
} from '@figurehead/sdk';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { openTestKernel, type TestKernel } from '../support/kernel.js';
import { freePort } from '../support/ports.js';
import { type RunningRole, startRole } from '../support/role.js';

const SECRET = 'a random secret of high entropy';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The client against a real server: an API and a worker in separate processes. */
describe('the client and the real server', () => {
  let test: TestKernel;
  let roles: RunningRole[];
  let baseUrl: string;
  let client: Figurehead;
  let workspaceId: string;
  let receiver: Server;
  const received: Received[] = [];

  beforeAll(async () => {
    test = await openTestKernel({
      PORT: String(await freePort()),
      FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
      FIGUREHEAD_MEDIA_ALLOW_PRIVATE: '1',
    });
    roles = await Promise.all([startRole('api', test.env), startRole('worker', test.env)]);
    baseUrl = `http://127.0.0.1:${test.env['PORT']}`;
    receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const mine = await workspace({ plan: 'Team', minutes: 10 });
    workspaceId = mine.id;
    client = createClient({ baseUrl, token: mine.token });
    await client.subscribe({ body: { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook` } });
    await client.setWebhookSecret({ body: { secret: SECRET } });
  });
  afterAll(async () => {
    receiver.close();
    await Promise.all(roles.map((role) => role.stop()));
    await test.close();
  });

  async function workspace(settings: AdminWorkspacePatch) {
    const { _id: id } = await createWorkspace(test.kernel, { name: 'SDK', ...settings });
    const { token } = await createToken(test.kernel, { workspaceId: id, userId: id, name: 'sdk' });
    return { id, token };
  }

  async function eventOf(videoId: string) {
    const find = () => received.find(({ body }) => body.includes(videoId));
    await expect.poll(find).toBeDefined();
    const { headers, body } = find() ?? { headers: {}, body: Buffer.alloc(0) };
    return verifyWebhook(body, headers, SECRET);
  }

  const slide = { id: 1, speech: 'Hello.', voice: 'slt', voiceProvider: 'flite', avatar: { code: 'marcus' } };

  // Proves: 2.1.4, D.videos.14, D.videos.19, D.operating.2
  it('create a video, follow it until it is ready, and receive a signed event', async () => {
    const made = await client.createVideo({
      body: { name: 'Hello', data: { resolution: '720p', fps: 25 }, slides: [slide] },
    });
    expect(await client.validateVideo({ videoId: made._id })).toEqual({ valid: true, errors: [] });
    expect(await client.renderVideo({ videoId: made._id })).toEqual({ accepted: true });
    const seen: Video[] = [];
    const video = await waitForVideo(client, made._id, { intervalMs: 100, onProgress: (one) => seen.push(one) });
    expect(video).toMatchObject({ status: 'ready', duration: expect.any(Number) });
    const order = ['queued', 'rendering', 'ready'];
    const places = seen.map(({ status }) => order.indexOf(status));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    for (const { status, progress, stage, url } of seen) {
      if (status === 'rendering') expect([typeof progress, typeof stage, url]).toEqual(['number', 'string', undefined]);
    }
    const file = Buffer.from(await (await fetch(video.url ?? '')).arrayBuffer());
    expect(file.subarray(4, 8).toString()).toBe('ftyp');
    expect((await fetch(video.subtitlesUrl ?? '')).headers.get('content-type')).toContain('text/vtt');
    expect((await fetch(video.thumbnail ?? '')).headers.get('content-type')).toBe('image/jpeg');
    const event = await eventOf(made._id);
    expect(event).toMatchObject({ event: 'video_ready', error: null, video: { _id: made._id, status: 'ready' } });
    const { entries } = await client.listLedger();
    expect(entries).toMatchObject([{ kind: 'video', subjectId: made._id, seconds: Math.round(video.duration ?? 0) }]);
  });

  // Proves: 3.1.2, 4.6.4, 7.3, D.videos.9, D.videos.26
  it('agree on problems that only rendering detects: accepted, reported by a dry run, and an error in the end', async () => {
    const { _id: videoId } = await client.createVideo({
      body: {
        name: 'Wrong',
        slides: [
          { ...slide, voice: 'nobody' },
          { ...slide, id: 2, avatar: { code: 'nobody' } },
          { id: 3 },
          { ...slide, id: 4, canvas: { objects: [{ type: 'image', src: `${baseUrl}/nothing.png` }] } },
        ],
      },
    });
    const { valid, errors } = await client.validateVideo({ videoId });
    expect(valid).toBe(false);
    const fields = errors.map(({ field }) => field.split('.')[0]);
    expect(new Set(fields)).toEqual(new Set(['slides[0]', 'slides[1]', 'slides[2]', 'slides[3]']));
    await client.renderVideo({ videoId });
    const waiting = waitForVideo(client, videoId, { intervalMs: 100 });
    await expect(waiting).rejects.toMatchObject({
      constructor: VideoError,
      reason: 'error',
      message: expect.stringContaining('slides[0]'),
    });
    expect(await eventOf(videoId)).toMatchObject({ event: 'video_error', error: expect.stringContaining('slides[0]') });
    const empty = await client.createVideo({ body: { name: 'No slides' } });
    expect(await client.validateVideo({ videoId: empty._id })).toMatchObject({ valid: false });
    await client.deleteVideo({ videoId: empty._id });
  });

  // Proves: 7.1.2
  it('wait for a rate limit as long as the server says, and then continue', async () => {
    const { _id: videoId } = await client.createVideo({ body: { name: 'Limits', slides: [slide] } });
    const first = await client.synthesizeSlide({ videoId, slideId: '1', body: {} });
    expect(first.words.length).toBeGreaterThan(0);
    // A full minute window that ends in about two seconds.
    await sql`update rate_limits set minute_count = 20, minute_start = ${Date.now() - 58_000}
      where subject = ${workspaceId}`.execute(test.kernel.db);
    const startedAt = performance.now();
    expect(await client.synthesizeSlide({ videoId, slideId: '1', body: {} })).toMatchObject({
      duration: first.duration,
    });
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    const { token } = await createToken(test.kernel, { workspaceId, userId: workspaceId, name: 'hasty' });
    const hasty = createClient({ baseUrl, token, maxRateLimitWaitSeconds: 0 });
    await sql`update rate_limits set minute_count = 20, minute_start = ${Date.now()} where subject = ${workspaceId}`.execute(
      test.kernel.db,
    );
    const refused = hasty.synthesizeSlide({ videoId, slideId: '1', body: {} });
    await expect(refused).rejects.toBeInstanceOf(RateLimitError);
    await expect(refused).rejects.toMatchObject({ status: 429, retryAfter: expect.any(Number) });
  });

  // Proves: 7.1.4
  it('report failures with the same classes', async () => {
    const { _id: videoId } = await client.createVideo({ body: { name: 'Mine' } });
    const poor = createClient({ baseUrl, token: (await workspace({ plan: 'Free', minutes: 0 })).token });
    const nobody = createClient({ baseUrl, token: 'fh_nobody' });
    await expect(nobody.listVideos()).rejects.toBeInstanceOf(AuthenticationError);
    await expect(poor.readVideo({ videoId })).rejects.toBeInstanceOf(ForbiddenError);
    await expect(client.readVideo({ videoId: 'f'.repeat(24) })).rejects.toBeInstanceOf(NotFoundError);
    const wrong = client.updateVideo({ videoId, body: { tags: 'all' as unknown as string[] } });
    await expect(wrong).rejects.toBeInstanceOf(ValidationError);
    await expect(wrong).rejects.toMatchObject({ errors: [{ field: 'tags', message: 'must be array' }] });
    // A quota is not waited for, which would take hours.
    await expect(poor.createStream()).rejects.toBeInstanceOf(QuotaError);
  });

  it('page through lists and filter them', async () => {
    const list = await client.listVideos({ query: { status: 'error', limit: 5 } });
    expect(list).toMatchObject({ page: 1, limit: 5, total: 1, videos: [{ name: 'Wrong', status: 'error' }] });
    const { webhook } = await client.readApiConfig();
    expect(webhook).toMatchObject({ enabled: true, secretSet: true, failedDeliveries: 0 });
  });
});
