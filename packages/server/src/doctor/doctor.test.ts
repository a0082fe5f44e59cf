import { spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestKernel, type TestKernel } from '../../../../tests/support/kernel.js';
import { loadConfig } from '../kernel/config/config.js';
import { examineInstallation, type Finding } from './index.js';
import { probeServer } from './turn-probe.js';

let house: TestKernel;
let folder: string;
beforeAll(async () => {
  house = await openTestKernel();
  folder = await mkdtemp(join(tmpdir(), 'fh-doctor-'));
});
afterAll(async () => {
  await house.close();
  await rm(folder, { recursive: true });
});

async function examine(env: Record<string, string>): Promise<Map<string, Finding>> {
  const config = loadConfig({ env: { ...house.env, ...env }, cwd: folder });
  const findings = await examineInstallation(config, () => undefined);
  return new Map(findings.map((finding) => [finding.check, finding]));
}

/** The part of a TURN server (RFC 8656) that an allocation needs, written from the RFC independently of the client. */
async function openTurn(secret: string): Promise<{ port: number; requests: number[]; close: () => void }> {
  const socket: Socket = createSocket('udp4');
  const requests: number[] = [];
  const realm = 'test';
  socket.on('message', (message, from) => {
    const type = message.readUInt16BE(0);
    requests.push(type);
    const id = message.subarray(8, 20);
    const attributes = new Map<number, Buffer>();
    for (let at = 20; at < message.length; ) {
      const length = message.readUInt16BE(at + 2);
      attributes.set(message.readUInt16BE(at), message.subarray(at + 4, at + 4 + length));
      at += 4 + length + ((4 - (length % 4)) % 4);
    }
    const reply = (kind: number, list: [number, Buffer][]) => {
      const body = Buffer.concat(
        list.flatMap(([key, value]) => {
          const head = Buffer.alloc(4);
          head.writeUInt16BE(key, 0);
          head.writeUInt16BE(value.length, 2);
          return [head, value, Buffer.alloc((4 - (value.length % 4)) % 4)];
        }),
      );
      const head = Buffer.alloc(8);
      head.writeUInt16BE(kind, 0);
      head.writeUInt16BE(body.length, 2);
      head.writeUInt32BE(0x2112a442, 4);
      socket.send(Buffer.concat([head, id, body]), from.port, from.address);
    };
    const xored = (host: string, port: number) => {
      const bytes = host.split('.').map(Number);
      const cookie = [0x21, 0x12, 0xa4, 0x42];
      return Buffer.from([
        0,
        1,
        (port >> 8) ^ 0x21,
        (port & 255) ^ 0x12,
        ...bytes.map((byte, i) => byte ^ (cookie[i] ?? 0)),
      ]);
    };
    if (type === 1) return reply(0x0101, [[0x20, xored(from.address, from.port)]]);
    const user = attributes.get(6)?.toString();
    if (user === undefined) {
      return reply(type | 0x0110, [
        [9, Buffer.concat([Buffer.from([0, 0, 4, 1]), Buffer.from('Unauthorized')])],
        [0x14, Buffer.from(realm)],
        [0x15, Buffer.from('nonce-1')],
      ]);
    }
    const password = createHmac('sha1', secret).update(user).digest('base64');
    const key = createHash('md5').update(`${user}:${realm}:${password}`).digest();
    const signed = createHmac('sha1', key)
      .update(message.subarray(0, message.length - 24))
      .digest();
    if (!attributes.get(8)?.equals(signed)) {
      return reply(type | 0x0110, [[9, Buffer.concat([Buffer.from([0, 0, 4, 1]), Buffer.from('Unauthorized')])]]);
    }
    reply(type | 0x0100, [
      [0x16, xored('198.51.100.4', 50_123)],
      [0x20, xored(from.address, from.port)],
    ]);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, requests, close: () => socket.close() };
}

describe('the doctor', () => {
  test('finds no problem in a plain installation, and lists its checks', async () => {
    const found = await examine({});
    const order = [
      'Node',
      'processors',
      'memory',
      'open files',
      'data folder',
      'disk',
      'fonts',
      'LibreOffice',
      'database',
    ];
    expect([...found.keys()].slice(0, order.length)).toEqual(order);
    for (const check of ['Node', 'data folder', 'fonts', 'database', 'clock', 'connections', 'port', 'UDP']) {
      expect([check, found.get(check)?.ok]).toEqual([check, true]);
    }
    expect(found.get('database')?.detail).toMatch(/^PostgreSQL \d+\S* \(server\), up to date$/);
    expect(found.get('mail')).toMatchObject({
      status: 'skipped',
      advice: expect.stringContaining('FIGUREHEAD_SMTP_URL'),
    });
    expect(found.get('bucket')?.status).toBe('skipped');
  });

  test('gives advice for a port in use, a full disk, a silent mail server, bucket and relay', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const address = squatter.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const found = await examine({
      PORT: String(port),
      FIGUREHEAD_DISK_RESERVE_MB: '10000000',
      FIGUREHEAD_SMTP_URL: 'smtp://u:p@127.0.0.1:1',
      FIGUREHEAD_S3_BUCKET: 'b',
      FIGUREHEAD_S3_ENDPOINT: 'http://127.0.0.1:1',
      FIGUREHEAD_S3_ACCESS_KEY: 'a',
      FIGUREHEAD_S3_SECRET_KEY: 's',
      FIGUREHEAD_TURN_URLS: 'turn:127.0.0.1:1?transport=tcp',
      FIGUREHEAD_TURN_SECRET: 'hush',
    });
    squatter.close();
    for (const check of ['port', 'disk', 'mail', 'bucket', 'TURN']) {
      expect([check, found.get(check)]).toMatchObject([
        check,
        { ok: false, status: 'wrong', advice: expect.stringMatching(/\.$/) },
      ]);
    }
    expect(found.get('disk')?.detail).toContain('uploads are refused and renders wait');
  });

  test('requests a relayed address from a TURN server with clients’ credentials, and releases it', async () => {
    const turn = await openTurn('hush');
    const env = { FIGUREHEAD_TURN_URLS: `turn:127.0.0.1:${turn.port}` };
    const right = await examine({ ...env, FIGUREHEAD_TURN_SECRET: 'hush' });
    expect(right.get('TURN')?.detail).toMatch(/relays at 198\.51\.100\.4:50123 for 127\.0\.0\.1:\d+$/);
    // Allocate, Allocate with credentials, Refresh.
    expect(turn.requests).toEqual([3, 3, 4]);
    const wrong = await examine({ ...env, FIGUREHEAD_TURN_SECRET: 'another' });
    expect(wrong.get('TURN')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('401 Unauthorized (wrong shared secret'),
    });
    expect((await examine(env)).get('TURN')?.detail).toContain('FIGUREHEAD_TURN_SECRET is not set');
    expect((await probeServer(`stun:127.0.0.1:${turn.port}`)).mapped).toMatch(/^127\.0\.0\.1:\d+$/);
    turn.close();
  });

  test('distinguishes our stream host on the UDP port from another program', async () => {
    const [ours, another] = await Promise.all([
      holdPort(['start', '--role', 'streams']),
      holdPort(['something', 'else']),
    ]);
    const udpOf = async (port: number) => (await examine({ FIGUREHEAD_RTC_PORTS: String(port) })).get('UDP');
    expect(await udpOf(ours.port)).toMatchObject({
      ok: true,
      detail: `${ours.port} is used by the running stream host`,
    });
    expect(await udpOf(another.port)).toMatchObject({ status: 'warning', detail: 'the port is in use' });
    await Promise.all([ours.end(), another.end()]);
  });

  test('refuses an invalid address of a STUN or TURN server', async () => {
    await expect(probeServer('http://a')).rejects.toThrow(
      'expected a STUN or TURN address such as turn:host:3478, got http://a',
    );
  });
});

/** A process with such a command line that holds a UDP port. */
async function holdPort(args: string[]): Promise<{ port: number; end: () => Promise<unknown> }> {
  const program = `
    const socket = require('node:dgram').createSocket('udp4');
    socket.bind({ port: 0, exclusive: true }, () => console.log(socket.address().port));`;
  const child = spawn(process.execPath, ['-e', program, '--', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    port: Number(said.toString()),
    end: () => {
      child.kill();
      return gone;
    },
  };
}
