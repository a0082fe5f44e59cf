import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type VideoSummary, WEBHOOK_DEADLINE_MS, WEBHOOK_MAX_FAILURES } from '@figurehead/contract';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestKernel, type TestKernel } from '../../../../../tests/support/kernel.js';
import type { Lifecycle, Mail } from '../../kernel/contract.js';
import { createLifecycle } from '../../kernel/lifecycle.js';
import { type SenderTimes, startDeliverySender } from './sender.js';
import { createWebhooks, enqueueCallbacks, enqueueDelivery, type Webhooks } from './service.js';
import { signatureHeaders, standardHeaders } from './signature.js';
import { claimCallback, claimDelivery, recordOutcome } from './store.js';

const WORKSPACE = 'workspace-a';

const built = (path: string) => JSON.stringify(new URL(`../../../dist/${path}`, import.meta.url).href);
/** A sender in its own process, from the compiled sources; its deliveries count as abandoned after 3 s. */
const OTHER_PROCESS = `
  import { loadConfig } from ${built('kernel/config/config.js')};
  import { createKernel } from ${built('kernel/create-kernel.js')};
  import { startDeliverySender } from ${built('features/webhooks/index.js')};
  startDeliverySender(await createKernel(loadConfig({ env: process.env }), 'api'), { leaseMs: 3000 });
`;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver on loopback that records requests and sends configured responses. */
interface Receiver {
  readonly url: string;
  readonly requests: Received[];
  answer: (response: ServerResponse, request: Received) => void;
  /** Maximum number of concurrent requests. */
  readonly atOnce: () => number;
  close(): Promise<void>;
}

async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  let open = 0;
  let most = 0;
  const server: Server = createServer(async (request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = { headers: request.headers, body: Buffer.concat(chunks) };
    requests.push(received);
    receiver.answer(response, received);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    answer: (response) => response.end('thanks'),
    atOnce: () => most,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

function video(name: string): VideoSummary {
  return {
    _id: '65f0c0ffee00c0ffee00c0de',
    name,
    type: 'video',
    status: 'ready',
    public: false,
    deleted: false,
    tags: [],
    userId: 'user',
    accountId: WORKSPACE,
    folderId: null,
    data: {},
    duration: 1.5,
    url: 'http://localhost/video.mp4',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
}

/** Waits for a fact, looking every 10 ms. */
async function until<T>(look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('webhook deliveries', () => {
  let test: TestKernel;
  let receiver: Receiver;
  let webhooks: Webhooks;
  let mails: Mail[];
  let lifecycles: Lifecycle[];

  beforeAll(async () => {
    test = await openTestKernel({ FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1' });
    webhooks = createWebhooks(test.kernel);
  });
  afterAll(async () => {
    await test.close();
  });
  beforeEach(async () => {
    await sql`truncate webhooks, deliveries`.execute(test.kernel.db);
    receiver = await startReceiver();
    mails = [];
    lifecycles = [];
  });
  afterEach(async () => {
    await Promise.all(lifecycles.map((lifecycle) => lifecycle.close()));
    await receiver.close();
  });

  function startSender({ allowPrivate = true, ...times }: SenderTimes & { allowPrivate?: boolean } = {}): Lifecycle {
    const lifecycle = createLifecycle((name, error) => {
      throw new Error(`${name}: ${String(error)}`);
    });
    lifecycles.push(lifecycle);
    const config = { ...test.kernel.config, webhookAllowPrivate: allowPrivate };
    const mailer = { send: async (mail: Mail) => void mails.push(mail) };
    startDeliverySender({ ...test.kernel, config, mailer, lifecycle }, times);
    return lifecycle;
  }

  const subscribe = (input: { url?: string; techEmail?: string | null } = {}) =>
    webhooks.subscribe(WORKSPACE, { url: receiver.url, ...input });
  const enqueue = (name: string, workspaceId = WORKSPACE) =>
    test.kernel.transaction((tx) =>
      enqueueDelivery(tx, { workspaceId, event: 'video_ready', video: video(name), error: null }),
    );
  const callBack = (name: string, url = receiver.url) =>
    test.kernel.transaction((tx) =>
      enqueueDelivery(tx, { workspaceId: WORKSPACE, event: 'video_ready', video: video(name), error: null }, [url]),
    );
  const log = async () => (await webhooks.list(WORKSPACE, { page: 1, limit: 100 })).deliveries;
  /** Waits until a sender receives the notifications of commits. */
  const listens = () =>
    until(async () => {
      const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
        and application_name = 'figurehead webhooks' and query ilike 'listen %'`.execute(test.kernel.db);
      return rows.length > 0;
    });
  const states = async () => (await log()).map((delivery) => delivery.state).reverse();
  const ended = (count: number) =>
    until(async () => {
      const deliveries = (await log()).filter(({ state }) => state !== 'pending' && state !== 'sending');
      return deliveries.length >= count && deliveries;
    });

  // Proves: 4.5.5
  it('posts the frozen bytes once with a Delivery-ID and no signature while there is no secret', async () => {
    startSender();
    await subscribe();
    await enqueue('Ünïcode “quotes”');
    const [delivery] = await ended(1);
    expect(receiver.requests).toHaveLength(1);
    const [request] = receiver.requests;
    expect(request?.headers['delivery-id']).toBe(delivery?.deliveryId);
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers).not.toHaveProperty('service-signature');
    expect(request?.headers).not.toHaveProperty('service-timestamp');
    expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([]);
    expect(request?.body.toString()).toBe(
      JSON.stringify({ event: 'video_ready', error: null, video: video('Ünïcode “quotes”') }),
    );
    expect(delivery).toMatchObject({
      state: 'delivered',
      responseStatus: 200,
      responseBody: 'thanks',
      error: null,
      requestBody: request?.body.toString(),
      url: receiver.url,
    });
    expect((await webhooks.describe(WORKSPACE))?.failedDeliveries).toBe(0);
  });

  // Proves: 3.2.5, 4.5.4, 6.1.3, 6.3.7
  it('signs timestamp, dot and raw body with the secret of the moment, without an overlap', async () => {
    startSender();
    await subscribe();
    await webhooks.setSecret(WORKSPACE, 'first secret');
    await enqueue('one');
    await ended(1);
    await webhooks.setSecret(WORKSPACE, 'second secret');
    await enqueue('two');
    await ended(2);
    const secrets = ['first secret', 'second secret'];
    receiver.requests.forEach(({ headers, body }, index) => {
      const timestamp = String(headers['service-timestamp']);
      expect(timestamp).toMatch(/^\d{13}$/);
      expect(Math.abs(Number(timestamp) - Date.now())).toBeLessThan(60_000);
      const expected = signatureHeaders({ secret: secrets[index] ?? '', timestampMs: Number(timestamp), body });
      expect(headers['service-signature']).toBe(expected['Service-Signature']);
    });
    expect(receiver.requests).toHaveLength(2);
  });

  it('also signs according to Standard Webhooks, matching its published example and its library', async () => {
    expect(
      standardHeaders({
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        timestampMs: 1_614_265_330_999,
        body: Buffer.from('{"test": 2432232314}'),
      }),
    ).toEqual({
      'Webhook-Id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'Webhook-Timestamp': '1614265330',
      'Webhook-Signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
    startSender();
    await subscribe();
    // The library expects secrets in base64; other text is used as the key directly.
    const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'plain text of a secret', 'whsec_not base64'];
    for (const [index, secret] of secrets.entries()) {
      await webhooks.setSecret(WORKSPACE, secret);
      await enqueue(`video ${index}`);
      const sent = (await ended(index + 1)).length;
      const { headers, body } = receiver.requests[sent - 1]!;
      const library = new Webhook(index === 0 ? secret : Buffer.from(secret).toString('base64'));
      const checked = library.verify(body.toString(), headers as Record<string, string>);
      expect(checked).toMatchObject({ video: { name: `video ${index}` } });
      expect(headers['webhook-id']).toBe(headers['delivery-id']);
      expect(() => library.verify(`${body} `, headers as Record<string, string>)).toThrow('No matching signature');
    }
  });

  // Proves: 6.1.4, 6.3.2
  it('makes the signatures that openssl makes', () => {
    const file = new URL('../../../../../tests/fixtures/webhook-vectors.json', import.meta.url);
    const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as {
      vectors: { name: string; secret: string; headers: Record<string, string>; body: string; valid: boolean }[];
    };
    const valid = vectors.filter((vector) => vector.valid && 'Service-Timestamp' in vector.headers);
    expect(valid.length).toBeGreaterThan(5);
    for (const { name, secret, headers, body } of valid) {
      const timestampMs = Number(headers['Service-Timestamp']);
      expect(signatureHeaders({ secret, timestampMs, body: Buffer.from(body) }), name).toEqual(headers);
    }
  });

  // Proves: 6.2.4
  it('adds requestId and batchRowId only for personalization videos, row 0 too', async () => {
    startSender();
    await subscribe();
    await test.kernel.transaction((tx) =>
      enqueueDelivery(tx, {
        workspaceId: WORKSPACE,
        event: 'video_error',
        video: video('row'),
        error: 'Slide 1 is empty.',
        requestId: 'Zk3QmB7xT1pL9sRa',
        batchRowId: 0,
      }),
    );
    await ended(1);
    expect(JSON.parse(receiver.requests[0]?.body.toString() ?? '')).toMatchObject({
      event: 'video_error',
      error: 'Slide 1 is empty.',
      requestId: 'Zk3QmB7xT1pL9sRa',
      batchRowId: 0,
    });
  });

  it('writes nothing without a subscription, when it is disabled, or when the transaction rolls back', async () => {
    await enqueue('before');
    await subscribe();
    await expect(
      test.kernel.transaction(async (tx) => {
        await enqueueDelivery(tx, { workspaceId: WORKSPACE, event: 'video_ready', video: video('x'), error: null });
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    await sql`update webhooks set enabled = false`.execute(test.kernel.db);
    await enqueue('disabled');
    expect(await log()).toEqual([]);
  });

  it('starts on the notification of the commit, not only on the next poll', async () => {
    startSender({ pollMs: 3_600_000 });
    await listens();
    await subscribe();
    await enqueue('first');
    await ended(1);
    await enqueue('second');
    await ended(2);
  });

  // Proves: 6.4.2, 8.4.4
  it('gives a receiver 10 seconds', () => {
    expect(WEBHOOK_DEADLINE_MS).toBe(10_000);
    expect(WEBHOOK_MAX_FAILURES).toBe(10);
  });

  // Proves: 6.4.2, 6.4.3
  it('counts an answer after the deadline as a failure, and a slow trickle of it too', async () => {
    startSender({ deadlineMs: 400 });
    await subscribe();
    receiver.answer = (response, { body }) => {
      if (body.includes('silent')) return;
      response.writeHead(200).write('begins');
    };
    await enqueue('silent');
    await enqueue('trickle');
    const deliveries = await ended(2);
    expect(deliveries.map(({ state }) => state)).toEqual(['failed', 'failed']);
    for (const { durationMs, error } of deliveries) {
      expect(durationMs).toBeGreaterThanOrEqual(390);
      expect(error).toBeTruthy();
    }
    expect((await webhooks.describe(WORKSPACE))?.failedDeliveries).toBe(2);
  });

  // Proves: 2.4.4, 6.4.1, 6.4.3, 6.4.4, D.webhook.10
  it.each([
    ['a redirect', 302, { Location: '/elsewhere' }],
    ['a client error', 404, {}],
    ['a server error', 503, {}],
  ])('counts %s as a failure and does not follow or repeat it', async (_name, status, headers) => {
    startSender();
    await subscribe({ techEmail: 'ops@receiver.example' });
    receiver.answer = (response) => response.writeHead(status, headers).end('no');
    await enqueue('refused');
    const [delivery] = await ended(1);
    expect(delivery?.state).toBe('failed');
    expect(delivery?.error).toMatch(/redirect|answered/);
    await enqueue('next');
    await ended(2);
    expect(receiver.requests).toHaveLength(2);
    await until(() => mails.length === 2);
    expect(mails[0]?.to).toBe('ops@receiver.example');
    expect(mails[0]?.text).toContain('1 of 10 failed deliveries');
  });

  // Proves: 6.4.3
  it('counts an unreachable receiver as a failure', async () => {
    startSender();
    await subscribe({ url: 'http://127.0.0.1:1/hook' });
    await enqueue('unreachable');
    const [delivery] = await ended(1);
    expect(delivery).toMatchObject({ state: 'failed', responseStatus: null });
    expect(delivery?.error).toBeTruthy();
  });

  it('delivers to a receiver that answers 100 Continue first, and says when one closes the connection', async () => {
    startSender();
    await subscribe();
    receiver.answer = (response) => {
      response.writeContinue();
      response.end('thanks');
    };
    await enqueue('continues');
    expect((await ended(1))[0]).toMatchObject({ state: 'delivered', responseStatus: 200, error: null });
    receiver.answer = (response) => void response.destroy();
    await enqueue('closes');
    const [closed] = await ended(2);
    const { host } = new URL(receiver.url);
    expect(closed).toMatchObject({
      state: 'failed',
      error: `${host} closed the connection before its answer was complete.`,
    });
  });

  // Proves: 3.2.1, 3.2.2, 8.4.4, D.webhook.7
  it('counts failures across successes, disables at exactly ten, and drops what waits', async () => {
    startSender();
    await subscribe({ techEmail: 'ops@receiver.example' });
    receiver.answer = (response, { body }) => response.writeHead(body.includes('good') ? 204 : 500).end();
    for (let n = 1; n <= 9; n += 1) await enqueue(`bad ${n}`);
    await enqueue('good');
    await ended(10);
    expect(await webhooks.describe(WORKSPACE)).toMatchObject({ enabled: true, failedDeliveries: 9 });
    // All in one transaction, so that the last two wait while the tenth failure happens.
    await test.kernel.transaction(async (tx) => {
      for (const name of ['bad 10', 'lost 1', 'lost 2']) {
        await enqueueDelivery(tx, { workspaceId: WORKSPACE, event: 'video_ready', video: video(name), error: null });
      }
    });
    await ended(13);
    expect(await webhooks.describe(WORKSPACE)).toMatchObject({ enabled: false, failedDeliveries: 10 });
    expect((await states()).sort()).toEqual([
      'delivered',
      'dropped',
      'dropped',
      ...Array.from({ length: 10 }, () => 'failed'),
    ]);
    expect(receiver.requests).toHaveLength(11);
    await until(() => mails.length === 10);
    expect(mails.filter(({ subject }) => subject === 'Webhook disabled')).toHaveLength(1);

    // The call that sets the secret does not report that it is too late; subscribing again starts from zero.
    await webhooks.setSecret(WORKSPACE, 'too late');
    expect(await webhooks.describe(WORKSPACE)).toMatchObject({ secretSet: false, secretFingerprint: null });
    expect(await subscribe()).toMatchObject({ enabled: true, failedDeliveries: 0, techEmail: 'ops@receiver.example' });
    await enqueue('good again');
    await ended(14);
    expect(receiver.requests).toHaveLength(12);
  });

  // Proves: 6.1.2
  it('sends one at a time per webhook, in order, with several senders at once; other webhooks do not wait', async () => {
    for (let n = 0; n < 4; n += 1) startSender();
    await subscribe();
    const others = await Promise.all([startReceiver(), startReceiver()]);
    await Promise.all(others.map((other, n) => webhooks.subscribe(`other-${n}`, { url: other.url })));
    receiver.answer = (response) => void setTimeout(() => response.end(), 20);
    const names = Array.from({ length: 25 }, (_, n) => `n${String(n).padStart(2, '0')}`);
    for (const name of names) {
      await enqueue(name);
      await Promise.all(others.map((_, n) => enqueue(name, `other-${n}`)));
    }
    await ended(names.length);
    const received = receiver.requests.map(
      ({ body }) => (JSON.parse(body.toString()) as { video: VideoSummary }).video.name,
    );
    expect(received).toEqual(names);
    expect(receiver.atOnce()).toBe(1);
    expect(new Set(receiver.requests.map(({ headers }) => headers['delivery-id'])).size).toBe(names.length);
    await until(() => others.every((other) => other.requests.length === names.length));
    await Promise.all(others.map((other) => other.close()));
  });

  it('keeps places for receivers that answer, however many others hang', async () => {
    const hanging = Array.from({ length: 40 }, (_, n) => `hanging-${n}`);
    const open: ServerResponse[] = [];
    receiver.answer = (response) => void open.push(response);
    for (const name of hanging) {
      await webhooks.subscribe(name, { url: receiver.url });
      await enqueue('hangs', name);
    }
    await sql`update webhooks set last_duration_ms = 10000`.execute(test.kernel.db);
    startSender({ deadlineMs: 120_000 });
    await until(() => receiver.requests.length >= 24);
    const quick = await startReceiver();
    await webhooks.subscribe('quick', { url: quick.url });
    await enqueue('answers', 'quick');
    await until(() => quick.requests.length === 1);
    const { rows } = await sql<{ status: string; count: string }>`
      select status, count(*) from deliveries where workspace_id like 'hanging-%' group by status order by status`.execute(
      test.kernel.db,
    );
    expect(rows).toEqual([
      { status: 'pending', count: '16' },
      { status: 'sending', count: '24' },
    ]);
    await quick.close();
    // The sender waits for these before it closes.
    receiver.answer = (response) => void response.end();
    for (const response of open) response.end();
    await until(
      async () =>
        (await sql`select 1 from deliveries where status in ('pending', 'sending')`.execute(test.kernel.db)).rows
          .length === 0,
    );
  });

  it('claims at once as many deliveries as there are webhooks that wait', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `waiting-${n}`);
    for (const name of names) {
      await webhooks.subscribe(name, { url: receiver.url });
      await enqueue('waits', name);
    }
    const claim = () => claimDelivery(test.kernel.transaction, { leaseMs: 10_000 }, () => ({}));
    // Claims meet at one webhook only in some rounds.
    for (let round = 0; round < 20; round += 1) {
      const claims = await Promise.all(names.map(claim));
      expect(claims.map((claimed) => claimed?.webhook.workspaceId).sort()).toEqual([...names].sort());
      expect(await claim()).toBeUndefined();
      await sql`update deliveries set status = 'pending'`.execute(test.kernel.db);
    }
  });

  it('serves webhooks in turn, however many deliveries wait for one of them', async () => {
    const busy = ['busy-1', 'busy-2', 'busy-3'];
    for (const name of busy) await webhooks.subscribe(name, { url: receiver.url });
    for (let n = 0; n < 20; n += 1) for (const name of busy) await enqueue(`${n}`, name);
    await webhooks.subscribe('late', { url: receiver.url });
    await enqueue('one', 'late');
    const served: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      const claim = await claimDelivery(test.kernel.transaction, { leaseMs: 10_000 }, () => ({}));
      if (claim === undefined) throw new Error('nothing was claimed');
      served.push(claim.webhook.workspaceId);
      const outcome = {
        status: 'delivered',
        responseStatus: 200,
        responseExcerpt: '',
        error: null,
        durationMs: 5,
      } as const;
      await recordOutcome(test.kernel.transaction, claim, outcome);
    }
    expect(served.slice(0, 4).sort()).toEqual([...busy, 'late']);
    expect(served.slice(4, 7).sort()).toEqual(busy);
  });

  // Proves: 6.4.1
  it('never sends again what a dead process had under way: its outcome is unknown and does not count', async () => {
    await subscribe({ techEmail: 'ops@receiver.example' });
    await enqueue('in flight when the process died');
    await enqueue('waiting');
    const claim = await claimDelivery(test.kernel.transaction, { leaseMs: 300 }, () => ({}));
    expect(claim?.delivery.status).toBe('sending');
    startSender();
    await ended(2);
    expect(await states()).toEqual(['unknown', 'delivered']);
    expect(receiver.requests.map(({ body }) => body.includes('waiting'))).toEqual([true]);
    expect(await webhooks.describe(WORKSPACE)).toMatchObject({ enabled: true, failedDeliveries: 0 });
    expect(mails).toEqual([]);
  });

  it('survives kill -9 of its process during a delivery: nothing is sent twice, and waiting deliveries are sent', async () => {
    await subscribe();
    receiver.answer = (response, { body }) => {
      if (!body.includes('in flight')) response.end();
    };
    await enqueue('in flight');
    await enqueue('waiting');
    const child = spawn(process.execPath, ['--input-type=module', '--eval', OTHER_PROCESS], {
      env: { ...process.env, ...test.env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const exited = once(child, 'exit');
    try {
      await until(() => receiver.requests.length === 1 || child.exitCode !== null);
    } finally {
      child.kill('SIGKILL');
    }
    expect(await exited).toEqual([null, 'SIGKILL']);
    startSender();
    await ended(2);
    expect(await states()).toEqual(['unknown', 'delivered']);
    expect(receiver.requests.map(({ body }) => body.includes('in flight'))).toEqual([true, false]);
    expect((await webhooks.describe(WORKSPACE))?.failedDeliveries).toBe(0);
  });

  // Proves: 7.3.2
  it('sends what was committed while no sender ran', async () => {
    await subscribe();
    await enqueue('while the api was down');
    startSender();
    expect((await ended(1))[0]?.state).toBe('delivered');
  });

  it('continues when its listening connection breaks, and listens again', async () => {
    startSender();
    await subscribe();
    await enqueue('before');
    await ended(1);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'figurehead webhooks'`.execute(test.kernel.db);
    await enqueue('after');
    expect((await ended(2)).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    await listens();
  });

  it('finishes running deliveries before it closes, and starts no others', async () => {
    const lifecycle = startSender();
    await subscribe();
    let answer = (): void => undefined;
    receiver.answer = (response) => {
      answer = () => response.end('late but fine');
    };
    await enqueue('under way');
    await enqueue('stays');
    await until(() => receiver.requests.length === 1);
    const closed = lifecycle.close();
    answer();
    await closed;
    expect(await states()).toEqual(['delivered', 'pending']);
  });

  it('sends nothing that it claims while it begins to close', async () => {
    await subscribe();
    await enqueue('stays');
    const lifecycle = createLifecycle((name, error) => {
      throw new Error(`${name}: ${String(error)}`);
    });
    let closed: Promise<void> | undefined;
    const transaction: TestKernel['kernel']['transaction'] = async (work) => {
      const result = await test.kernel.transaction(work);
      // The first transaction is the claim.
      closed ??= lifecycle.close();
      return result;
    };
    startDeliverySender({ ...test.kernel, transaction, lifecycle });
    await until(() => closed !== undefined);
    await closed;
    expect([receiver.requests.length, await states()]).toEqual([0, ['pending']]);
    startSender();
    expect(await ended(1)).toMatchObject([{ state: 'delivered' }]);
  });

  // Proves: D.webhook.7
  it('does not charge the failure of an earlier subscription to a new one', async () => {
    startSender();
    await subscribe();
    let fail = (): void => undefined;
    receiver.answer = (response) => {
      fail = () => response.writeHead(500).end();
    };
    await enqueue('old');
    await until(() => receiver.requests.length === 1);
    await subscribe();
    fail();
    await ended(1);
    expect(await webhooks.describe(WORKSPACE)).toMatchObject({ enabled: true, failedDeliveries: 0 });
  });

  // Proves: D.webhook.9
  it('checks the address again when it connects', async () => {
    startSender({ allowPrivate: false });
    await subscribe();
    await enqueue('to loopback');
    const [delivery] = await ended(1);
    expect(delivery?.state).toBe('failed');
    expect(delivery?.error).toMatch(/private|loopback/i);
    expect(receiver.requests).toEqual([]);
  });

  // Proves: D.webhook.15
  it('calls a callback address without a subscription, unsigned, and with one as signed as a webhook', async () => {
    startSender();
    await callBack('alone');
    const [alone] = await ended(1);
    expect(alone).toMatchObject({ state: 'delivered', callback: true, url: receiver.url });
    expect(receiver.requests[0]?.headers).not.toHaveProperty('service-signature');
    await subscribe({ url: 'http://127.0.0.1:9/' });
    await webhooks.setSecret(WORKSPACE, 'a secret');
    await callBack('signed');
    await ended(3);
    const { headers, body } = receiver.requests[1]!;
    const timestampMs = Number(headers['service-timestamp']);
    expect(headers).toMatchObject({
      'service-signature': signatureHeaders({ secret: 'a secret', timestampMs, body })['Service-Signature'],
      'webhook-id': headers['delivery-id'],
    });
    expect(JSON.parse(body.toString())).toMatchObject({ event: 'video_ready', video: { name: 'signed' } });
  });

  // Proves: D.webhook.15
  it('keeps failed callbacks out of the counter and the mail, and the end of a webhook out of callbacks', async () => {
    await subscribe({ techEmail: 'ops@receiver.example' });
    await webhooks.unsubscribe(WORKSPACE);
    await callBack('waits');
    await subscribe({ techEmail: 'ops@receiver.example' });
    await webhooks.unsubscribe(WORKSPACE);
    expect(await states()).toEqual(['pending']);
    await subscribe({ techEmail: 'ops@receiver.example' });
    receiver.answer = (response) => response.writeHead(500).end('no');
    startSender();
    await ended(1);
    for (let count = 0; count < WEBHOOK_MAX_FAILURES; count += 1) {
      await test.kernel.transaction((tx) =>
        enqueueCallbacks(tx, { workspaceId: WORKSPACE, event: 'video_error', video: video('x'), error: 'e' }, [
          receiver.url,
        ]),
      );
    }
    await ended(1 + WEBHOOK_MAX_FAILURES);
    expect(new Set(await states())).toEqual(new Set(['failed']));
    expect(await webhooks.describe(WORKSPACE)).toMatchObject({ enabled: true, failedDeliveries: 0 });
    expect(mails).toEqual([]);
    // One attempt each.
    expect(receiver.requests).toHaveLength(1 + WEBHOOK_MAX_FAILURES);
  });

  it('sends each callback once with several senders, one of a workspace at a time, and not those a dead process left', async () => {
    const { db, transaction } = test.kernel;
    await callBack('dying');
    await claimCallback(transaction, { leaseMs: 1 }, () => ({}));
    for (let count = 0; count < 20; count += 1) await callBack(`number ${count}`);
    expect(await claimCallback(transaction, { leaseMs: 1 }, () => ({}))).toBeUndefined();
    for (let count = 0; count < 4; count += 1) startSender({ pollMs: 50 });
    await ended(21);
    const names = receiver.requests.map(({ body }) => JSON.parse(body.toString()).video.name);
    expect(names).toEqual(Array.from({ length: 20 }, (_, index) => `number ${index}`));
    expect(receiver.atOnce()).toBe(1);
    expect((await states()).filter((state) => state !== 'delivered')).toEqual(['unknown']);
    const { rows } = await sql`select 1 from deliveries where status in ('pending', 'sending')`.execute(db);
    expect(rows).toEqual([]);
  });

  it('checks the address of a callback again when it connects, and resends it to its own address', async () => {
    startSender({ allowPrivate: false });
    await callBack('private');
    const [refused] = await ended(1);
    expect(refused).toMatchObject({ state: 'failed', error: expect.stringContaining('127.0.0.1') });
    expect(receiver.requests).toEqual([]);
    await lifecycles[0]?.close();
    startSender();
    await webhooks.resend(await webhooks.find(WORKSPACE, refused?._id ?? ''));
    await until(() => receiver.requests.length === 1);
    await ended(2);
    expect((await log()).map(({ callback, url }) => [callback, url])).toEqual([
      [true, receiver.url],
      [true, receiver.url],
    ]);
  });

  // Proves: D.webhook.13, D.webhook.14
  it('delivers a test and a resend as new deliveries that count', async () => {
    await expect(webhooks.test(WORKSPACE, 'user')).rejects.toMatchObject({ status: 400 });
    startSender();
    await subscribe();
    await webhooks.setSecret(WORKSPACE, 'secret');
    await enqueue('original');
    await ended(1);
    const tested = await webhooks.test(WORKSPACE, 'user');
    expect(tested.state).toBe('pending');
    await ended(2);
    expect(JSON.parse(tested.requestBody)).toMatchObject({ event: 'video_ready', video: { tags: ['webhook-test'] } });
    receiver.answer = (response) => response.writeHead(500).end();
    const original = (await log()).at(-1);
    const again = await webhooks.resend(await webhooks.find(WORKSPACE, original?._id ?? ''));
    await ended(3);
    expect(again._id).not.toBe(original?._id);
    const [first, , third] = receiver.requests;
    expect(third?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    expect(third?.headers['delivery-id']).toBe(again.deliveryId);
    expect(third?.headers['service-signature']).not.toBe(first?.headers['service-signature']);
    expect((await webhooks.describe(WORKSPACE))?.failedDeliveries).toBe(1);
  });
});
