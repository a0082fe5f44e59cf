import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createReceiver } from '../../examples/webhook-receivers/receiver.js';

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly valid: boolean;
  readonly reason?: string;
}

const FOLDER = fileURLToPath(new URL('../../examples/webhook-receivers/', import.meta.url));
const { vectors } = JSON.parse(readFileSync(new URL('../fixtures/webhook-vectors.json', import.meta.url), 'utf8')) as {
  vectors: Vector[];
};
const plain = vectors[0] as Vector;
/**
 * The vectors have a fixed time, a receiver uses its own clock. With such a wide tolerance only the signature decides.
 */
const ANY_TIME = '9000000000000';

interface Running {
  readonly url: string;
  /** Bodies that were passed on for processing. */
  events(): Promise<string[]>;
}
type Start = (secret: string, toleranceMs: string) => Promise<Running>;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function listening(server: Server | ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const typescript: Start = async (secret, toleranceMs) => {
  const events: string[] = [];
  const server = createReceiver({
    secret,
    toleranceMs: Number(toleranceMs),
    onEvent: (event) => void events.push(event.video._id),
  });
  return { url: await listening(server), events: async () => events };
};

const python: Start = async (secret, toleranceMs) => {
  const child = spawn('python3', [join(FOLDER, 'receiver.py')], {
    env: { ...process.env, WEBHOOK_SECRET: secret, WEBHOOK_TOLERANCE_MS: toleranceMs, PORT: '0', PYTHONUTF8: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closers.push(() => stop(child));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await expect.poll(() => output).toContain('http://');
  const url = /http:\S+/.exec(output)?.[0] ?? '';
  const lines = async () => output.trim().split('\n').slice(1);
  return { url, events: async () => (await lines()).map((line) => line.split(' ')[2] ?? '') };
};

/** Like `socat TCP-LISTEN:…,fork EXEC:./receiver.sh`: one process per connection. */
const shell: Start = async (secret, toleranceMs) => {
  const inbox = await mkdtemp(join(tmpdir(), 'receiver-sh-'));
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const child = spawn('bash', [join(FOLDER, 'receiver.sh')], {
      env: { ...process.env, WEBHOOK_SECRET: secret, WEBHOOK_TOLERANCE_MS: toleranceMs, WEBHOOK_INBOX: inbox },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // The script may answer before it has read everything.
    child.stdin.on('error', () => socket.unpipe(child.stdin));
    socket.on('error', () => child.kill());
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
  });
  const url = await listening(server);
  closers.push(() => rm(inbox, { recursive: true }));
  const events = async () => {
    const names = (await readdir(inbox)).filter((name) => name.endsWith('.json'));
    const bodies = await Promise.all(names.map((name) => readFile(join(inbox, name), 'utf8')));
    return bodies.map((body) => (JSON.parse(body) as { video: { _id: string } }).video._id);
  };
  return { url, events };
};

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

function post(url: string, headers: Record<string, string>, body: string): Promise<Response> {
  // A service sends every delivery on a new connection; a receiver that keeps connections would also work.
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Connection: 'close', ...headers },
    body,
  });
}

function signed(secret: string, body: string, timestampMs: number): Record<string, string> {
  const signature = createHmac('sha256', secret).update(`${timestampMs}.${body}`).digest('hex');
  return { 'Delivery-ID': 'd1', 'Service-Timestamp': String(timestampMs), 'Service-Signature': signature };
}

function has(command: string, ...args: string[]): boolean {
  const found = spawnSync(command, args, { stdio: 'ignore' }).status === 0;
  if (!found) console.warn(`SKIPPED: the ${command} receiver is not tested, ${command} is not on this machine.`);
  return found;
}

const receivers: [name: string, present: boolean, start: Start][] = [
  ['receiver.ts', true, typescript],
  ['receiver.py', has('python3', '--version'), python],
  ['receiver.sh', has('bash', '--version') && has('openssl', 'version'), shell],
];

describe.each(receivers)('%s', (_name, present, start) => {
  // Proves: 5.5, 6.3.1, 6.3.4, 6.3.5
  it.skipIf(!present)('accepts every valid vector and refuses every other one', async () => {
    const secrets = [...new Set(vectors.map(({ secret }) => secret))];
    for (const secret of secrets) {
      const receiver = await start(secret, ANY_TIME);
      const own = vectors.filter((vector) => vector.secret === secret);
      const accepted = new Set<string>();
      for (const { name, headers, body, valid, reason } of own) {
        const answer = await post(receiver.url, headers, body);
        expect(answer.status, name).toBe(valid ? 200 : 401);
        const text = await answer.text();
        if (reason) expect(text.trim(), name).toBe(reason);
        if (valid) accepted.add((JSON.parse(body) as { video: { _id?: string } }).video._id ?? '');
      }
      await expect.poll(async () => new Set(await receiver.events())).toEqual(accepted);
    }
  });

  // Proves: 6.3.6
  it.skipIf(!present)('refuses an old delivery and accepts a current one', async () => {
    const receiver = await start(plain.secret, '300000');
    expect((await post(receiver.url, plain.headers, plain.body)).status).toBe(401);
    const late = signed(plain.secret, plain.body, Date.now() - 301_000);
    expect(await (await post(receiver.url, late, plain.body)).text()).toContain('stale_timestamp');
    expect((await post(receiver.url, signed(plain.secret, plain.body, Date.now()), plain.body)).status).toBe(200);
    await expect.poll(() => receiver.events()).toHaveLength(1);
  });

  it.skipIf(!present)('accepts only POST', async () => {
    const receiver = await start(plain.secret, '300000');
    const answer = await fetch(receiver.url, { headers: { Connection: 'close' } });
    expect([405, 501]).toContain(answer.status);
  });
});
