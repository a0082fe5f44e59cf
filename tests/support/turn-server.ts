import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.js';

const PROGRAM = '/usr/bin/turnserver';

/** A separate coturn on the loopback. */
export interface TurnServer {
  /** `turn:` URLs, over UDP and over TCP. */
  readonly urls: { readonly udp: string; readonly tcp: string };
  readonly port: number;
  readonly secret: string;
  /** Its output so far. */
  readonly log: () => string;
  close(): Promise<void>;
}

/** False where tests with a relay cannot run; prints it, so that they are not mistaken for passed. */
export function hasTurnServer(): boolean {
  const isThere = existsSync(PROGRAM);
  if (!isThere) console.warn(`SKIPPED: tests of connections through a relay need ${PROGRAM} (package coturn)`);
  return isThere;
}

/** Starts coturn with a shared secret. The caller closes it. @param port of one that was closed; any free one when absent. */
export async function openTurnServer(secret: string, port?: number): Promise<TurnServer> {
  port ??= await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'fh-turn-'));
  const flags = {
    'listening-ip': '127.0.0.1',
    'relay-ip': '127.0.0.1',
    'listening-port': String(port),
    'min-port': '11800',
    'max-port': '11899',
    realm: 'figurehead.test',
    'static-auth-secret': secret,
    userdb: join(folder, 'users'),
    pidfile: join(folder, 'pid'),
    'log-file': 'stdout',
  };
  const switches = [
    '-n',
    '--use-auth-secret',
    '--no-tls',
    '--no-dtls',
    '--no-cli',
    '--allow-loopback-peers',
    '--verbose',
  ];
  const child = spawn(PROGRAM, [...switches, ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (log += text.toString()));
  const gone = once(child, 'exit');
  const end = Date.now() + 10_000;
  while (!/TCP listener opened on : 127\.0\.0\.1/.test(log)) {
    if (Date.now() > end || child.exitCode !== null) throw new Error(`coturn did not start:\n${log}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    urls: { udp: `turn:127.0.0.1:${port}?transport=udp`, tcp: `turn:127.0.0.1:${port}?transport=tcp` },
    port,
    secret,
    log: () => log,
    async close() {
      child.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
