import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { get, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { limitConnections, watchArrivals, watchBodies } from './connections.js';
import { createSlots, type Slots } from './slots.js';

/** Above the 100 slots of a process. */
const MANY = 130;

describe('slots', () => {
  const limits = { atOnce: 3, perWorkspace: 2, waitingPerWorkspace: 2, waitMs: 60_000 };
  /** Work that fills a workspace's slots until the test ends it. */
  function hold(slots: Slots, workspaceId: string, count: number) {
    const ends: (() => void)[] = [];
    const running = Array.from({ length: count }, () =>
      slots.run(workspaceId, () => new Promise<void>((resolve) => ends.push(resolve))),
    );
    return { running, end: () => ends.splice(0).map((end) => end()) };
  }

  it('leave one for another workspace, refuse work when the queue of a workspace is full, and are freed however the work ends', async () => {
    const slots = createSlots(new Registry(), { limits });
    const held = hold(slots, 'a', 2);
    const waiting = ['first', 'second'].map((name) => slots.run('a', async () => name));
    await expect(slots.run('a', async () => 'more')).rejects.toMatchObject({
      code: 'overloaded',
      details: { retryAfterSeconds: 1 },
    });
    expect(await slots.run('b', async () => 'at once')).toBe('at once');
    held.end();
    expect(await Promise.all(waiting)).toEqual(['first', 'second']);
    await Promise.all(held.running);
    for (let i = 0; i < 5; i++) {
      const fails = slots.run('a', async () => {
        throw new Error('no');
      });
      await expect(fails).rejects.toThrow('no');
    }
    expect(await Promise.all([slots.run('a', async () => 1), slots.run('a', async () => 2)])).toEqual([1, 2]);
  });

  it('are refused to work that has waited too long', async () => {
    const slots = createSlots(new Registry(), { limits: { ...limits, waitMs: 10 } });
    const held = hold(slots, 'a', 2);
    await expect(slots.run('a', async () => 'late')).rejects.toMatchObject({ code: 'overloaded' });
    held.end();
    await Promise.all(held.running);
  });
});

describe('an API with slow and disconnecting clients', () => {
  let api: TestApi;
  let me: TestCaller;
  let port: number;
  const open: Socket[] = [];
  beforeAll(async () => {
    api = await openTestApi();
    me = await api.caller();
    port = await api.http.listen();
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });
  afterAll(() => api.close());

  /** Sends the data and waits until the server must have read it. */
  async function send(text: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    open.push(socket);
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.write(text, () => resolve()));
    return socket;
  }
  const head = (path: string, lines: readonly string[]) =>
    [`POST /api/v1${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
  const signIn = `${head('/session', ['Content-Type: application/json', 'Content-Length: 1000'])}{`;
  const upload = () =>
    `${head('/media', [
      `Authorization: Bearer ${me.token}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 100000',
    ])}--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nhalf a picture`;

  const slotsTaken = async () => {
    const gauge = api.http.metrics.getSingleMetric('figurehead_http_slots_taken');
    return (await gauge?.get())?.values[0]?.value;
  };
  const uploadsHeld = async () =>
    (await readdir(join(api.test.kernel.config.dataDir, 'tmp'), { recursive: true })).filter((name) =>
      /upload-[^/]*$/.test(name),
    ).length;
  const connections = () => new Promise<number>((resolve) => api.http.app.server.getConnections((_e, n) => resolve(n)));
  /** Makes as many concurrent calls as there are slots; each is answered. */
  async function expectAllSlotsFree(): Promise<void> {
    expect(await slotsTaken()).toBe(0);
    const answers = await Promise.all(Array.from({ length: 90 }, () => me.call('GET', '/videos?limit=1')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }

  it('has all slots free after more aborted sign-in bodies than slots', async () => {
    for (let i = 0; i < MANY; i++) (await send(signIn)).destroy();
    await expectAllSlotsFree();
  });

  it('answers others while more bodies than slots never end', async () => {
    await Promise.all(Array.from({ length: MANY }, () => send(signIn)));
    await expect.poll(async () => await connections()).toBeGreaterThanOrEqual(MANY);
    await expectAllSlotsFree();
    const [health] = await once(get({ port, path: '/healthz', agent: false }), 'response');
    expect(health.resume().statusCode).toBe(200);
  });

  it('answers others during slow uploads, refuses more than a hundred of one workspace, and removes the files of broken ones', async () => {
    const sockets = await Promise.all(Array.from({ length: MANY }, async () => send(upload())));
    const answers: string[] = [];
    for (const socket of sockets) socket.on('data', (data) => answers.push(data.toString()));
    await expect.poll(async () => [answers.length, await uploadsHeld()]).toEqual([MANY - 100, 100]);
    expect(answers.every((answer) => answer.startsWith('HTTP/1.1 429 '))).toBe(true);
    await expectAllSlotsFree();
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => await uploadsHeld()).toBe(0);
    await expectAllSlotsFree();
    const fresh = await send(upload());
    await expect.poll(async () => await uploadsHeld()).toBe(1);
    fresh.destroy();
  });

  it('accepts bodies and readers of events after more than its limits of both hung up before they were identified', async () => {
    const authorization = `Authorization: Bearer ${me.token}`;
    const body = `${head('/videos', [authorization, 'Content-Length: 12'])}{"name":`;
    const events = head('/videos/events', [authorization]).replace('POST', 'GET');
    for (const wanted of [body, events]) {
      await api.test.kernel.db.transaction().execute(async (tx) => {
        await sql`lock table tokens in access exclusive mode`.execute(tx);
        const sockets = await Promise.all(Array.from({ length: MANY }, () => send(wanted)));
        await expect.poll(async () => await connections()).toBe(MANY);
        for (const socket of sockets) socket.destroy();
        await expect.poll(async () => await connections()).toBe(0);
      });
      await expect.poll(slotsTaken).toBe(0);
    }
    const socket = await send(body);
    await expect.poll(async () => await connections()).toBe(1);
    socket.write('"x"}');
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
    expect(String((await once(await send(events), 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('watches the token of a long body no longer than its connection, also of one that hung up before it was identified', async () => {
    const watches = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const { db } = api.test.kernel;
    const before = watches();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = db.transaction().execute(async (tx) => {
      await sql`lock table tokens in access exclusive mode`.execute(tx);
      await released;
    });
    const long = head('/videos', [`Authorization: Bearer ${me.token}`, 'Content-Length: 4000000']);
    const sockets = await Promise.all(Array.from({ length: MANY }, () => send(long)));
    await expect.poll(connections).toBeGreaterThanOrEqual(MANY);
    for (const socket of sockets) socket.destroy();
    await expect.poll(connections).toBe(0);
    release();
    await held;
    await expect.poll(slotsTaken).toBe(0);
    await expect.poll(watches).toBeLessThan(before + MANY / 2);
  });

  it('answers a client that sends a refused body to the end, also when the connection closes then', async () => {
    const body = 'x'.repeat(6 * 1024 * 1024);
    for (const connection of ['keep-alive', 'close']) {
      for (const path of ['/videos', '/nothing', '/webhook/test']) {
        const headers = { authorization: `Bearer ${me.token}`, connection };
        const sent = request({ port, path: `/api/v1${path}`, method: 'POST', headers, agent: false }).end(body);
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        expect([answer.statusCode, await text(answer)]).toEqual([
          400,
          '{"message":"The body is larger than the limit of 5 MB."}',
        ]);
      }
    }
  });

  it('answers a malformed form with 400', async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nhalf a picture';
    for (const [type, body] of [
      ['multipart/form-data', part],
      [`multipart/form-data; boundary=${'b'.repeat(300)}`, part],
      ['multipart/form-data; boundary=b', part],
    ] as const) {
      const answer = await me.call('POST', '/media', body, { 'content-type': type });
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('the form cannot be read')]);
    }
  });

  it('answers what it cannot read as a request like every failure', async () => {
    for (const [sent, status, reason] of [
      [`GET /api/v1/videos?search=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'longer than 16 kB'],
      ['not HTTP\r\n\r\n', 400, 'it is not HTTP/1.1'],
    ] as const) {
      const socket = await send(sent);
      const answer = await text(socket);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\\r\\nX-Request-Id: [0-9a-f]{24}\\r\\n`));
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({ message: expect.stringContaining(reason) });
    }
  });

  it('refuses a request with two Host headers, which proxies and servers may understand differently', async () => {
    for (const [path, hosts, status] of [
      ['/api/v1/videos', ['x', 'y'], 400],
      ['/healthz', ['x', 'x'], 400],
      ['/healthz', ['x'], 200],
    ] as const) {
      const lines = hosts.map((host) => `Host: ${host}`);
      const socket = await send([`GET ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'));
      expect((await text(socket)).split(' ')[1]).toBe(String(status));
    }
  });

  it('ignores the wish for another protocol than WebSocket', async () => {
    const wish = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    const body = '{"name":"from a client that prefers HTTP/2"}';
    const lines = [`Authorization: Bearer ${me.token}`, `Content-Length: ${body.length}`, ...wish];
    const socket = await send(head('/videos', lines) + body);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('ignores the wish for a WebSocket where there is none, and goes on with the connection', async () => {
    const wish = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    const get = (path: string, lines: readonly string[]) =>
      [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${me.token}`, ...lines, '', ''].join('\r\n');
    for (const path of ['/healthz', '/openapi.json', '/api/v1/videos?limit=1']) {
      const socket = await send(get(path, wish));
      const [first] = (await once(socket, 'data')) as [Buffer];
      expect([path, first.toString('latin1', 0, 13)]).toEqual([path, 'HTTP/1.1 200 ']);
      socket.write(get('/healthz', ['Connection: close']));
      expect(await text(socket)).toContain('{"status":"ok"}');
    }
  });

  it('does not log a disconnect of a client as a failure', async () => {
    const errors = vi.spyOn(api.test.kernel.log, 'error');
    const uploads = await Promise.all(Array.from({ length: 10 }, () => send(upload())));
    await expect.poll(async () => await uploadsHeld()).toBe(10);
    for (const socket of uploads) socket.destroy();
    for (let i = 0; i < 10; i++) (await send(signIn)).destroy();
    await expect.poll(async () => [await connections(), await uploadsHeld()]).toEqual([0, 0]);
    expect(errors).not.toHaveBeenCalled();
    errors.mockRestore();
  });
});

describe('an API whose event loop is late', () => {
  it('answers 429 with a wait until it has caught up, and answers its health checks meanwhile', async () => {
    const api = await openTestApi({}, undefined, { refusesWhenLate: true });
    const me = await api.caller();
    const answers: { status: number; headers: Record<string, unknown> }[] = [];
    // The mean of a second counts, so the loop has to be late from one measurement to the next.
    while (!answers.some(({ status }) => status === 429)) {
      const until = performance.now() + 2500;
      while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 5));
      answers.push(await me.call('GET', '/videos'));
      expect((await api.http.app.inject('/healthz')).statusCode).toBe(200);
    }
    expect(answers.at(-1)?.headers['retry-after']).toBe('1');
    await expect.poll(async () => (await me.call('GET', '/videos')).status).toBe(200);
    await api.close();
  });
});

describe('an API whose database', () => {
  it.each([
    ['has a full disk', '53100', '60', 'The disk of the database is full'],
    ['ends the connection', '57P01', '5', 'The database of this server does not answer.'],
  ])('%s answers 503 with a clear message and a wait', async (_what, state, wait, words) => {
    const api = await openTestApi();
    const me = await api.caller();
    const { db } = api.test.kernel;
    await sql`
      create function refuse() returns trigger language plpgsql as
      ${sql.lit(`begin raise exception 'refused' using errcode = '${state}'; end`)}`.execute(db);
    await sql`create trigger refuse before insert on videos for each row execute function refuse()`.execute(db);
    const answer = await me.call('POST', '/videos', { name: 'Not kept' });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, wait]);
    expect(answer.body.message).toContain(words);
    await sql`drop trigger refuse on videos`.execute(db);
    expect((await me.call('POST', '/videos', { name: 'Kept' })).status).toBe(200);
    await api.close();
  });
});

it('an API whose files find no space answers 503 with a clear message and a wait', async () => {
  const api = await openTestApi();
  const me = await api.caller();
  const put = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  Object.assign(api.test.kernel.objects, {
    put: () => put().catch((cause) => Promise.reject(new Error('full', { cause }))),
  });
  const voice = { voice: 'slt', provider: 'flite', language: 'English' };
  const answer = await me.call('PATCH', '/voices/customization-preview', voice);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '60']);
  expect(answer.body.message).toContain('The disk of the server is full');
  await api.close();
});

describe('a connection', () => {
  it('is answered 408 and closed when its body stops or is too slow; a body that progresses may take long', async () => {
    const app = Fastify();
    watchBodies(app, { silentMs: 3000, leastBytesPerSecond: 200, lookEveryMs: 20 });
    app.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume().once('end', () => done(null));
    });
    app.post('/', async () => ({ received: true }));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const post = (bytesPerTick: number) => {
      const socket = connect(port, '127.0.0.1');
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 8000\r\n\r\nx');
      let left = 7999;
      const ticks = setInterval(() => {
        const bytes = Math.min(left, bytesPerTick);
        left -= bytes;
        if (bytes > 0) socket.write('x'.repeat(bytes));
      }, 50);
      return new Promise<string>((resolve) => {
        let text = '';
        socket.on('data', (data) => {
          text += data.toString();
        });
        socket.on('error', () => undefined);
        socket.on('close', () => {
          clearInterval(ticks);
          resolve(text.split('\r\n')[0] ?? '');
        });
      });
    };
    const [silent, trickling, steady] = await Promise.all([post(0), post(1), post(100)]);
    expect([silent, trickling, steady]).toEqual([
      'HTTP/1.1 408 Request Timeout',
      'HTTP/1.1 408 Request Timeout',
      'HTTP/1.1 200 OK',
    ]);
    await app.close();
  });

  it('of a burst is accepted before requests of the others start; endless new connections do not delay requests', async () => {
    const app = Fastify();
    const slots = createSlots(new Registry(), { isHeld: watchArrivals(app.server) });
    let accepted = 0;
    let begun = 0;
    const begunAt: number[] = [];
    app.server.on('connection', () => {
      accepted += 1;
      begunAt.push(begun);
    });
    app.get('/', () =>
      slots.run('a', async () => {
        begun += 1;
        return 'here';
      }),
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const sockets: Socket[] = [];
    const ask = () =>
      new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        sockets.push(socket);
        socket.once('data', () => resolve());
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      });
    await Promise.all(Array.from({ length: 300 }, ask));
    expect([accepted, begun]).toEqual([300, 300]);
    // The last ones may arrive after the first have started, because the client of this test shares its event loop.
    expect(begunAt[250]).toBeLessThan(50);
    let isAnswered = false;
    void ask().then(() => {
      isAnswered = true;
    });
    for (let n = 0; !isAnswered; n++) {
      expect(n).toBeLessThan(2000);
      sockets.push(connect(port, '127.0.0.1').on('error', () => undefined));
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const socket of sockets) socket.destroy();
    await app.close();
  });

  it('is closed when its address has too many; connections of proxies are not counted, and closed ones make room', async () => {
    const openServer = async (proxies: string[]) => {
      const app = Fastify();
      app.get('/', async () => 'here');
      limitConnections(app.server, { most: 5, proxies });
      await app.listen({ port: 0, host: '127.0.0.1' });
      return { app, port: (app.server.address() as AddressInfo).port };
    };
    const opened = async (port: number, count: number) => {
      const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined));
      const alive = await Promise.all(
        sockets.map(
          (socket) =>
            new Promise<boolean>((resolve) => {
              socket.on('close', () => resolve(false));
              socket.on('data', () => resolve(true));
              socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
            }),
        ),
      );
      return { sockets, alive: alive.filter(Boolean).length };
    };
    const direct = await openServer([]);
    const first = await opened(direct.port, 12);
    expect(first.alive).toBe(5);
    for (const socket of first.sockets) socket.destroy();
    const aliveOfFive = async () => {
      const again = await opened(direct.port, 5);
      for (const socket of again.sockets) socket.destroy();
      return again.alive;
    };
    await expect.poll(aliveOfFive).toBe(5);
    await direct.app.close();
    const proxied = await openServer(['127.0.0.0/8']);
    const many = await opened(proxied.port, 12);
    expect(many.alive).toBe(12);
    for (const socket of many.sockets) socket.destroy();
    await proxied.app.close();
  });
});
