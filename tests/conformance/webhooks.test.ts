import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebhookBody } from '@figurehead/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createReview } from '../../packages/server/src/features/moderation/index.js';
import { RenderProblem } from '../../packages/server/src/features/renders/index.js';
import { workOnRenders } from '../../packages/server/src/features/renders/job/index.js';
import { startDeliverySender } from '../../packages/server/src/features/webhooks/index.js';
import { createValidation } from '../../packages/server/src/kernel/http/validation.js';
import { openTestApi, scriptedPipeline, type TestApi, type TestCaller } from '../support/api.js';
import { signInAs } from '../support/web.js';

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies whose shape they are about to check
  readonly body: any;
}

const conforms = createValidation().body(WebhookBody);

/**
 * From the render call to the bytes that a subscriber receives; everything in between is real except for the pictures.
 */
describe('events', () => {
  let api: TestApi;
  let server: Server;
  let url: string;
  let received: Received[];
  let answer: (response: ServerResponse) => void;

  beforeAll(async () => {
    const pipeline = scriptedPipeline(async (video) => {
      if (video.name.includes('broken')) throw new RenderProblem('slides[0].voice: there is no such voice');
      return { durationSeconds: 2 };
    });
    api = await openTestApi({ FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1' }, pipeline);
    await workOnRenders(api.test.kernel, { pipeline, review: createReview() });
    startDeliverySender(api.test.kernel);
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const raw = Buffer.concat(chunks);
      const { method = '', url: path = '', headers } = request;
      received.push({ method, path, headers, raw, body: JSON.parse(raw.toString()) });
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=1`;
  });
  afterAll(async () => {
    await api.close();
    server.close();
  });
  beforeEach(() => {
    received = [];
    answer = (response) => response.end();
  });

  async function subscribed(settings: Parameters<TestApi['caller']>[0] = {}, techEmail?: string): Promise<TestCaller> {
    const caller = await api.caller(settings);
    await caller.call('POST', '/webhook', { url, ...(techEmail === undefined ? {} : { techEmail }) });
    return caller;
  }

  async function rendered(caller: TestCaller, name = 'Hello'): Promise<string> {
    const { body } = await caller.call('POST', '/videos', { name, tags: ['a'], slides: [{ id: 1, speech: 'Hi.' }] });
    await caller.call('POST', `/videos/render/${body._id}`);
    return body._id;
  }

  const arrive = async (count: number) => {
    await expect.poll(() => received.length).toBeGreaterThanOrEqual(count);
    return received;
  };
  const quiet = () => new Promise((resolve) => setTimeout(resolve, 1200));
  const statusOf = async (caller: TestCaller, id: string) => (await caller.call('GET', `/videos/${id}`)).body.status;

  // Proves: 2.1.1, 2.1.2, 3.1.1, 6.1, 6.2, 6.1.1, 6.2.1, 6.2.2
  it('are POSTs of the specified body to the subscriber’s URL, one per video, with the document of GET', async () => {
    const me = await subscribed();
    const id = await rendered(me);
    const [event] = await arrive(1);
    expect([event?.method, event?.path]).toEqual(['POST', '/hook?key=1']);
    expect(conforms(structuredClone(event?.body))).toEqual(event?.body);
    expect(Object.keys(event?.body)).toEqual(['event', 'error', 'video']);
    expect(event?.body).toMatchObject({ event: 'video_ready', error: null });
    // As in lists: without its slides and its render report.
    const { slides: _slides, render: _render, ...document } = (await me.call('GET', `/videos/${id}`)).body;
    const unsigned = (video: Record<string, string>) => ({
      ...video,
      ...{ url: '', thumbnail: '', subtitlesUrl: '', srtUrl: '' },
    });
    expect(unsigned(event?.body.video)).toEqual(unsigned(document));
    for (const field of [
      '_id',
      'name',
      'status',
      'userId',
      'accountId',
      'thumbnail',
      'url',
      'createdAt',
      'updatedAt',
    ]) {
      expect(typeof event?.body.video[field], field).toBe('string');
    }
    expect(event?.body.video).toMatchObject({ public: false, deleted: false, tags: ['a'], duration: 2, data: {} });
    await quiet();
    expect(received).toHaveLength(1);
  });

  // Proves: 3.1.2, 6.3, 6.2.2, 6.4.6, 7.3
  it('report an error with its summary, instead of a status code of the render call', async () => {
    const me = await subscribed();
    const { body } = await me.call('POST', '/videos', { name: 'broken', slides: [{ id: 1, speech: 'Hi.' }] });
    expect((await me.call('POST', `/videos/render/${body._id}`)).status).toBe(200);
    const [event] = await arrive(1);
    expect(event?.body).toMatchObject({
      event: 'video_error',
      error: 'slides[0].voice: there is no such voice',
      video: { _id: body._id, status: 'error', error: 'slides[0].voice: there is no such voice' },
    });
    expect(event?.body.video).not.toHaveProperty('url');
    expect((await me.call('GET', '/videos?status=error')).body.videos).toMatchObject([{ _id: body._id }]);
  });

  // Proves: 6.2.3, 6.2.4
  it('contain requestId and batchRowId only for personalization videos', async () => {
    const me = await subscribed();
    const { body: template } = await me.call('POST', '/videos', { name: '{{n}}', slides: [{ id: 1, speech: 'Hi.' }] });
    const { body: batch } = await me.call('POST', `/videos/renderTemplate/${template._id}`, {
      templateData: [{ n: 'fine' }, { n: 'broken' }],
    });
    await arrive(2);
    const told = received.map(({ body }) => [body.event, body.requestId, body.batchRowId, body.video.batchRowId]);
    expect(told.sort()).toEqual([
      ['video_error', batch.requestId, 1, 1],
      ['video_ready', batch.requestId, 0, 0],
    ]);
    await rendered(me);
    expect(Object.keys((await arrive(3))[2]?.body)).toEqual(['event', 'error', 'video']);
  });

  // Proves: 4.5.5, 5.5, 6.1.3, 6.1.4, 6.3.1, 6.3.2
  it('are signed once a secret is stored: HMAC-SHA256 of timestamp, dot and raw body, in hex', async () => {
    const me = await subscribed();
    await rendered(me);
    await arrive(1);
    const discarded = await me.call('PUT', '/webhook/secret', { secret: 'ключ' });
    expect(discarded.body).toEqual({ accepted: true });
    await rendered(me, 'Ünïcode “quotes” 🎬');
    const [first, second] = await arrive(2);
    expect(first?.headers).not.toHaveProperty('service-signature');
    expect(first?.headers).not.toHaveProperty('service-timestamp');
    const timestamp = String(second?.headers['service-timestamp']);
    expect(timestamp).toMatch(/^\d{13}$/);
    const hmac = createHmac('sha256', 'ключ')
      .update(`${timestamp}.`)
      .update(second?.raw ?? '')
      .digest('hex');
    expect(second?.headers['service-signature']).toBe(hmac);
    expect(second?.headers['delivery-id']).toMatch(/^\S+$/);
    expect(second?.headers['delivery-id']).not.toBe(first?.headers['delivery-id']);
  });

  // Proves: 3.1.3, 6.1, 6.2, D.videos.15
  it('are not sent on entering moderation; approval sends video_ready, rejection nothing', async () => {
    const me = await subscribed({ moderation: 'all' });
    const web = await signInAs(api, { workspaceId: me.workspace._id, role: 'reviewer' });
    const [good, bad] = [await rendered(me, 'good'), await rendered(me, 'bad')];
    for (const id of [good, bad]) {
      await expect.poll(() => statusOf(me, id)).toBe('moderation');
      expect((await me.call('GET', `/videos/${id}`)).body).not.toHaveProperty('url');
    }
    await quiet();
    expect(received).toEqual([]);
    const { body: cases } = await web('GET', '/moderation');
    expect(cases).toMatchObject({ total: 2, cases: [{ videoId: good }, { videoId: bad }] });
    expect((await web('POST', `/moderation/${good}/approve`)).body).toEqual({ accepted: true });
    expect((await web('POST', `/moderation/${bad}/reject`, { reason: 'Not here.' })).body).toEqual({ accepted: true });
    await arrive(1);
    await quiet();
    expect(received.map(({ body }) => [body.event, body.video._id])).toEqual([['video_ready', good]]);
    expect((await me.call('GET', `/videos/${bad}`)).body).toMatchObject({ status: 'error', error: 'Not here.' });
    expect((await web('POST', `/moderation/${bad}/approve`)).status).toBe(400);
  });

  it('of moderation come from owners and reviewers in the console, not from members or tokens', async () => {
    const me = await subscribed({ moderation: 'all' });
    const id = await rendered(me);
    await expect.poll(() => statusOf(me, id)).toBe('moderation');
    const member = await signInAs(api, { workspaceId: me.workspace._id, role: 'member' });
    for (const send of [member, me.call]) {
      expect((await send('POST', `/moderation/${id}/approve`)).status).toBe(403);
      expect((await send('GET', '/moderation')).status).toBe(403);
    }
    expect(await statusOf(me, id)).toBe('moderation');
    // Cancelled while it waits: a draft again, without an event.
    expect((await me.call('DELETE', `/videos/render/${id}`)).body).toEqual({ cancelled: true });
    expect(await statusOf(me, id)).toBe('draft');
    await quiet();
    expect(received).toEqual([]);
  });

  // Proves: 2.4.2, 2.4.4, 3.2.1, 3.2.2, 3.2.3, 3.2.4, 6.4.1, 6.4.4, 6.4.5, 7.3.2
  it('are lost when a receiver fails; ten failures disable it, subscribing again enables it', async () => {
    const me = await subscribed({}, 'ops@receiver.example');
    answer = (response) => response.writeHead(500).end();
    const config = async () => (await me.call('GET', '/apiConfig')).body.webhook;
    for (let n = 1; n <= 9; n++) await me.call('POST', '/webhook/test');
    await expect.poll(async () => (await config()).failedDeliveries).toBe(9);
    expect(await config()).toMatchObject({ enabled: true });
    await rendered(me);
    await expect.poll(async () => (await config()).enabled).toBe(false);
    expect(received).toHaveLength(10);
    const discarded = await me.call('PUT', '/webhook/secret', { secret: 'too late' });
    expect([discarded.status, discarded.body]).toEqual([200, { accepted: true }]);
    await rendered(me, 'unheard');
    await quiet();
    expect(received).toHaveLength(10);
    answer = (response) => response.writeHead(204).end();
    expect((await me.call('POST', '/webhook', { url })).body).toMatchObject({
      enabled: true,
      failedDeliveries: 0,
      secretSet: false,
      techEmail: 'ops@receiver.example',
    });
    await rendered(me, 'heard again');
    expect((await arrive(11))[10]?.body.video.name).toBe('heard again');
    const web = await signInAs(api, { workspaceId: me.workspace._id, role: 'owner' });
    const { body: outbox } = await web('GET', '/outbox');
    expect(outbox.total).toBe(10);
    expect(outbox.mails[0].to).toBe('ops@receiver.example');
  });

  // Proves: 6.1.2, D.webhook.3, D.webhook.12, D.webhook.14
  it('are logged with the exact bytes, and can be resent with a new id and signature', async () => {
    const me = await subscribed();
    await me.call('PUT', '/webhook/secret', { secret: 's' });
    await rendered(me);
    await arrive(1);
    const log = async () => (await me.call('GET', '/webhook/deliveries')).body.deliveries;
    await expect.poll(async () => (await log())[0]?.state).toBe('delivered');
    const [delivery] = await log();
    expect(delivery).toMatchObject({ requestBody: received[0]?.raw.toString(), responseStatus: 200 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { body: again } = await me.call('POST', `/webhook/deliveries/${delivery._id}/resend`);
    await arrive(2);
    expect(received[1]?.raw.equals(received[0]?.raw ?? Buffer.alloc(0))).toBe(true);
    expect(received[1]?.headers['delivery-id']).toBe(again.deliveryId);
    expect(received[1]?.headers['delivery-id']).not.toBe(received[0]?.headers['delivery-id']);
    expect(received[1]?.headers['service-signature']).not.toBe(received[0]?.headers['service-signature']);
    await me.call('DELETE', '/webhook');
    expect((await me.call('GET', '/apiConfig')).body.webhook).toBeNull();
  });
});
