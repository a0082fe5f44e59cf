import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.js';

export const LIVEKIT_VERSION = '1.13.5';
/** Built by `scripts/livekit-server.sh`. */
const PROGRAM = join(homedir(), `.cache/figurehead-tests/livekit-server-${LIVEKIT_VERSION}`);
const KEY = { id: 'devkey', secret: 'a secret of the tests, long enough' } as const;

/** A separate livekit-server on the loopback. */
export interface LiveKitServer {
  /** `ws:` address. */
  readonly url: string;
  readonly port: number;
  /** The server's API key. */
  readonly key: { readonly id: string; readonly secret: string };
  /** An access token for a room; `attributes` make it one of an agent. `expiresInSeconds` may be negative. */
  token(
    room: string,
    identity: string,
    options?: { attributes?: Record<string, string>; grants?: Record<string, unknown>; expiresInSeconds?: number },
  ): string;
  /** Calls a method of the server's `RoomService`, e.g. `ListParticipants`. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked by what tests expect of them
  call(method: string, body: { room?: string; name?: string; identity?: string }): Promise<any>;
  close(): Promise<void>;
}

/** False where tests with a LiveKit server cannot run; prints it, so that they are not mistaken for passed. */
export function hasLiveKitServer(): boolean {
  const isThere = existsSync(PROGRAM);
  if (!isThere) console.warn(`SKIPPED: tests of LiveKit rooms need ${PROGRAM} (scripts/livekit-server.sh builds it)`);
  return isThere;
}

/** Starts a server without rooms. The caller closes it. @param options.lite it takes part in ICE as an ICE-lite agent. */
export async function openLiveKitServer(options: { readonly lite?: boolean } = {}): Promise<LiveKitServer> {
  const [port, udpPort] = [await freePort(), await freePort()];
  const folder = await mkdtemp(join(tmpdir(), 'fh-livekit-'));
  const rtc = {
    tcp_port: 0,
    udp_port: udpPort,
    node_ip: '127.0.0.1',
    enable_loopback_candidate: true,
    interfaces: { includes: ['lo'] },
    use_ice_lite: options.lite === true,
  };
  // The tests share the machine, so its load says nothing.
  const agents = { target_load: 100 };
  const configuration = { port, bind_addresses: ['127.0.0.1'], keys: { [KEY.id]: KEY.secret }, rtc, agents };
  const path = join(folder, 'livekit.yaml');
  await writeFile(path, JSON.stringify(configuration));
  const child = spawn(PROGRAM, ['--config', path], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (log += text.toString()));
  const gone = once(child, 'exit');
  while (
    !(await fetch(`http://127.0.0.1:${port}`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`livekit-server did not start:\n${log}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url: `ws://127.0.0.1:${port}`,
    port,
    key: KEY,
    token: (room, identity, { attributes, grants, expiresInSeconds } = {}) =>
      sign({
        claims: { sub: identity, ...(attributes && { attributes, kind: 'agent' }) },
        video: { roomJoin: true, room, ...grants },
        expiresInSeconds: expiresInSeconds ?? 3600,
      }),
    async call(method, body) {
      const response = await fetch(`http://127.0.0.1:${port}/twirp/livekit.RoomService/${method}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${sign({ claims: {}, video: { roomCreate: true, roomAdmin: true, roomList: true, room: body.room }, expiresInSeconds: 60 })}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      return response.json();
    },
    async close() {
      // A mere SIGTERM waits for participants, without end for one that left while it was being let in.
      child.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function sign(token: { claims: object; video: object; expiresInSeconds: number }): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: KEY.id,
    nbf: now - 3600,
    exp: now + token.expiresInSeconds,
    video: token.video,
    ...token.claims,
  };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', KEY.secret).update(text).digest('base64url')}`;
}
