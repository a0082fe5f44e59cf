import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FetchError } from '../contract.js';
import { createSafeFetch, isPublicAddress } from './fetch.js';

const fetch = createSafeFetch();
const LIMITS = { deadlineMs: 3000, maxBytes: 1000, allowPrivate: true };
let server: Server;
let base: string;
const seen: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (request.url === '/redirect') response.writeHead(302, { Location: '/target' }).end();
    else if (request.url === '/large') response.writeHead(200).end(Buffer.alloc(5000));
    else if (request.url === '/silent') request.resume();
    else if (request.url === '/drip') {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    } else if (request.url === '/error') response.writeHead(503, { 'X-Why': 'busy' }).end('later');
    else request.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function codeOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    if (error instanceof FetchError) return error.code;
    throw error;
  }
  return 'no error';
}

describe('outgoing requests', () => {
  test('return any status as a result', async () => {
    const echoed = await fetch(`${base}/echo`, { ...LIMITS, method: 'POST', body: 'hello' });
    expect([echoed.status, echoed.body.toString()]).toEqual([200, 'hello']);
    const refused = await fetch(`${base}/error`, LIMITS);
    expect([refused.status, refused.body.toString()]).toEqual([503, 'later']);
  });

  // Proves: D.webhook.10
  test('do not follow redirects', async () => {
    expect(await codeOf(fetch(`${base}/redirect`, LIMITS))).toBe('redirect');
    expect(seen).not.toContain('GET /target');
  });

  test('end at the size limit and at the deadline, even while bytes arrive', async () => {
    expect(await codeOf(fetch(`${base}/large`, LIMITS))).toBe('too_large');
    expect(await codeOf(fetch(`${base}/drip`, { ...LIMITS, deadlineMs: 300 }))).toBe('timeout');
  });

  test('wait for the answer after 1xx answers', async () => {
    const continued = createServer((request, response) => {
      response.writeContinue();
      response.writeProcessing();
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      request.pipe(response);
    });
    await new Promise<void>((resolve) => continued.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(continued.address() as AddressInfo).port}/`;
    try {
      const { status, body } = await fetch(url, { ...LIMITS, method: 'POST', body: 'hello' });
      expect([status, body.toString()]).toEqual([200, 'hello']);
    } finally {
      await new Promise((resolve) => continued.close(resolve));
    }
  });

  test.each([
    ['at once', '', 'closed the connection before its answer was complete'],
    [
      'within the answer',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel',
      'closed the connection before its answer was complete',
    ],
    [
      'after it switched to another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
      'closed the connection before its answer was complete',
    ],
    ['after words that are not HTTP', 'hello\r\n\r\n', 'sent something that is not HTTP'],
  ])('to a server that closes %s say so, without a code', async (_when, sent, what) => {
    const closing = createTcpServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end(sent)),
    );
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(closing.address() as AddressInfo).port}`;
    const failed = fetch(`http://${host}/`, { ...LIMITS, method: 'POST', body: 'x' });
    await expect(failed).rejects.toMatchObject({ code: 'closed', message: `${host} ${what}.` });
    closing.close();
  });

  /** A server that answers anything with these bytes and then closes. */
  async function answering(bytes: string | Buffer, work: (url: string) => Promise<unknown>): Promise<void> {
    const raw = createTcpServer((socket) =>
      socket
        .on('error', () => undefined)
        .once('data', () => socket.end(bytes))
        .resume(),
    );
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    await work(`http://127.0.0.1:${(raw.address() as AddressInfo).port}/`);
    raw.close();
  }

  test.each([
    ['without a length', 'HTTP/1.1 200 OK\r\n\r\nhello'],
    ['of HTTP/1.0, without a reason', 'HTTP/1.0 200 \r\nServer: x\r\n\r\nhello'],
    [
      'that offers another protocol',
      'HTTP/1.1 200 OK\r\nConnection: Upgrade\r\nUpgrade: h2,h2c\r\nContent-Length: 5\r\n\r\nhello',
    ],
    [
      'in chunks with extensions and trailers',
      'HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n',
    ],
    [
      'with many headers',
      `HTTP/1.1 200 OK\r\n${'Set-Cookie: a=b; path=/some/long/path\r\n'.repeat(600)}Content-Length: 5\r\n\r\nhello`,
    ],
    ['with a status that is not registered', 'HTTP/1.1 299 Fine\r\nContent-Length: 5\r\n\r\nhello'],
  ])('read an answer %s', (_what, bytes) =>
    answering(bytes, async (url) => {
      // The answer comes before all of this is sent.
      const body = 'x'.repeat(400_000);
      expect((await fetch(url, { ...LIMITS, method: 'POST', body })).body.toString()).toBe('hello');
    }),
  );

  test.each([
    ['gzip', gzipSync('hello')],
    ['X-Gzip', gzipSync('hello')],
    ['deflate', deflateSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['identity', Buffer.from('hello')],
  ])('undo the content coding %s, which counts by what it becomes', (coding, bytes) =>
    answering(
      Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`), bytes]),
      async (url) => {
        expect((await fetch(url, LIMITS)).body.toString()).toBe('hello');
        expect(await codeOf(fetch(url, { ...LIMITS, maxBytes: 4 }))).toBe('too_large');
        expect((await fetch(url, { ...LIMITS, maxBytes: 4, excess: 'cut' })).body.toString()).toBe('hell');
      },
    ),
  );

  test('say what is wrong with a body that is not in its coding, and take what can be read of an excerpt', () =>
    answering('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nhello', async (url) => {
      await expect(fetch(url, LIMITS)).rejects.toThrow('not in its Content-Encoding');
      expect(await fetch(url, { ...LIMITS, excess: 'cut' })).toMatchObject({ status: 200 });
    }));

  test('end when nothing arrives for the longest silence, and not while bytes arrive', async () => {
    const silent = fetch(`${base}/silent`, { ...LIMITS, stallMs: 150 });
    await expect(silent).rejects.toMatchObject({
      code: 'stalled',
      message: expect.stringContaining('nothing for 0.15 s'),
    });
    expect(await codeOf(fetch(`${base}/drip`, { ...LIMITS, stallMs: 150, deadlineMs: 500 }))).toBe('timeout');
  });

  test('end when their caller aborts', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await expect(fetch(`${base}/drip`, { ...LIMITS, signal: controller.signal })).rejects.toThrow('enough');
  });

  test('end with a timeout when the signal of their caller is a deadline', async () => {
    for (const path of ['/drip', '/silent']) {
      const signal = AbortSignal.any([AbortSignal.timeout(100), new AbortController().signal]);
      expect([path, await codeOf(fetch(base + path, { ...LIMITS, signal }))]).toEqual([path, 'timeout']);
    }
    const late = AbortSignal.timeout(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await codeOf(fetch(`${base}/echo`, { ...LIMITS, signal: late }))).toBe('timeout');
  });

  test.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'http://0.0.0.0:PORT/',
  ])('do not reach %s unless private addresses are allowed', async (address) => {
    const before = seen.length;
    const url = address.replace('PORT', new URL(base).port);
    expect(await codeOf(fetch(url, { ...LIMITS, allowPrivate: false }))).toBe('blocked_address');
    expect(seen.length).toBe(before);
  });

  // Proves: D.webhook.8
  test('accept only http and https URLs', async () => {
    expect(await codeOf(fetch('file:///etc/passwd', LIMITS))).toBe('bad_url');
    expect(await codeOf(fetch('nonsense', LIMITS))).toBe('bad_url');
    expect(await codeOf(fetch('http://127.0.0.1:1/', LIMITS))).toBe('unreachable');
  });

  test.each(['8.8.8.8', '1.1.1.1', '2001:4860:4860::8888', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  // Proves: D.webhook.9, D.webhook.11
  test.each([
    ['a private network', ['10.0.0.1', '172.16.0.1', '192.168.1.1', 'fc00::1']],
    ['this machine', ['127.0.0.1', '127.255.255.254', '0.0.0.0', '::', '::1']],
    ['a link', ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'fec0::1']],
    [
      'metadata of a cloud',
      ['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
    ],
    ['a provider', ['100.64.0.1']],
    ['multicast or broadcast', ['224.0.0.1', '255.255.255.255', 'ff02::1']],
    [
      'reserved',
      ['192.0.2.1', '198.18.0.1', '240.0.0.1', '2001:db8::1', '3fff::1', '100::1', '5f00::1', '4000::1', 'e000::1'],
    ],
    ['IPv4 inside IPv6, mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:168.63.129.16', '::ffff:0:127.0.0.1']],
    ['IPv4 inside IPv6, compatible', ['::127.0.0.1', '::10.0.0.1', '::7f00:1', '::808:808']],
    ['IPv4 inside IPv6, NAT64', ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::168.63.129.16', '64:ff9b:1::1']],
    ['IPv4 inside IPv6, 6to4 and Teredo', ['2002:7f00:1::', '2002:808:808::1', '2001:0:1::1']],
    ['no address', ['x', '', '999.1.1.1', 'example.org']],
  ])('not public: %s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});
