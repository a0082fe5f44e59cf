import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as Simli from 'simli-client';
import { WebSocket } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exposeMouth, type WithMouth } from '../../support/live-viewer.js';
import { openPackageSite } from '../../support/page-script.js';
import type { Site } from '../../support/site.js';
import { spokenPcm } from '../../support/spoken-pcm.js';
import type { StreamStage } from './stage.js';

const ADAPTER = fileURLToPath(new URL('../../../examples/simli-adapter/server.js', import.meta.url));
// The package's own entry names `./Client`, a file that is called `client.js`.
const PACKAGE = createRequire(import.meta.url).resolve('simli-client/dist/client.js');

/** Runs in the page: the package, used as in its documentation. */
async function watch({ adapter, apiKey, sound }: { adapter: string; apiKey: string; sound: string }) {
  const pcm = Uint8Array.from(atob(sound), (byte) => byte.charCodeAt(0));
  const { SimliClient, generateSimliSessionToken, generateIceServers } = (window as unknown as { simli: typeof Simli })
    .simli;
  const config = { faceId: 'nora', handleSilence: true, maxSessionLength: 600, maxIdleTime: 300 };
  const refused = await generateSimliSessionToken({ config, apiKey: 'fh_wrong' }, adapter).catch(String);
  const unknown = await generateSimliSessionToken({ config: { ...config, faceId: 'nobody' }, apiKey }, adapter).catch(
    String,
  );
  const { session_token } = await generateSimliSessionToken({ config, apiKey }, adapter);
  const iceServers = await generateIceServers(apiKey, adapter);
  const video = document.querySelector('video') as HTMLVideoElement;
  const audio = document.querySelector('audio') as HTMLAudioElement;
  const client = new SimliClient(
    session_token,
    video,
    audio,
    iceServers,
    undefined,
    'p2p',
    'websockets',
    adapter.replace('http', 'ws'),
  );
  const told: string[] = [];
  const heard = new EventTarget();
  for (const event of ['start', 'speaking', 'silent', 'stop', 'error'] as const) {
    client.on(event, () => {
      told.push(event);
      heard.dispatchEvent(new Event(event));
    });
  }
  const next = (event: string) => new Promise((resolve) => heard.addEventListener(event, resolve, { once: true }));
  let acks = 0;
  client.on('ack', () => {
    acks += 1;
  });
  await client.start();

  const { pc } = (client as unknown as { connection: { pc: RTCPeerConnection } }).connection;
  const energy = async () => {
    for (const report of (await pc.getStats()).values()) {
      if (report.type === 'inbound-rtp' && report.kind === 'audio') return Number(report.totalAudioEnergy);
    }
    return 0;
  };
  const mouth = await (window as unknown as WithMouth).watchMouth(video);
  const send = (times: number) => {
    for (let n = 0; n < times; n++) {
      for (let at = 0; at < pcm.length; at += 6000) client.sendAudioData(pcm.slice(at, at + 6000));
    }
  };

  await mouth.more(25);
  const silent = mouth.movementFrom(0);
  const before = await energy();
  const [began, ended] = [next('speaking'), next('silent')];
  send(1);
  await began;
  const from = mouth.changes.length;
  await ended;
  const spoken = { sounded: (await energy()) - before, silent, moved: mouth.movementFrom(from), acks };

  const [again, silenced] = [next('speaking'), next('silent')];
  // More than the server accepts at once.
  send(5);
  await again;
  client.ClearBuffer();
  await silenced;
  const immediate = next('silent');
  client.sendAudioDataImmediate(pcm);
  await immediate;
  await client.stop();
  return { refused, unknown, iceServers, told, spoken };
}

/** An unmodified client of another service, which talks to the example adapter. */
export function simliScenarios({ has, server, chromium }: StreamStage): void {
  describe.runIf(has.chromium)('a page with the unmodified package simli-client', () => {
    let site: Site;
    let adapter: { readonly url: string; close(): void };
    beforeAll(async () => {
      site = await openPackageSite(PACKAGE, 'simli');
      const env = { ...process.env, URL: server().base, PORT: '0', ICE_SERVERS: '[{"urls":"stun:127.0.0.1:3478"}]' };
      const child = spawn(process.execPath, [ADAPTER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(child.stdout, 'data');
      adapter = { url: String(line).trim(), close: () => void child.kill() };
    });
    afterAll(async () => {
      adapter?.close();
      await site?.close();
    });

    it('shows a presenter that speaks the sound it sends, is silent after ClearBuffer, and leaves no stream behind', async () => {
      const pcm = await spokenPcm(16_000);
      const page = await chromium().newPage();
      await page.goto(`${site.origin}/`);
      await page.evaluate(exposeMouth);
      const seen = await page.evaluate(watch, {
        adapter: adapter.url,
        apiKey: server().token,
        sound: pcm.toString('base64'),
      });
      console.info('simli-client', JSON.stringify(seen));
      await page.close();
      expect(seen).toMatchObject({
        refused: '"The server answered 401: not authorised."',
        iceServers: [{ urls: 'stun:127.0.0.1:3478' }],
        told: ['start', 'speaking', 'silent', 'speaking', 'silent', 'speaking', 'silent'],
      });
      expect(seen.unknown).toMatch(/no avatar/);
      expect(seen.spoken.sounded).toBeGreaterThan(0.005);
      expect(seen.spoken.moved).toBeGreaterThan(1.5 * seen.spoken.silent);
      expect(seen.spoken.moved).toBeGreaterThan(0.5);
      expect(seen.spoken.acks).toBe(Math.ceil(pcm.length / 6000));
      await expect.poll(async () => (await server().call('GET', '/streams')).body.total).toBe(0);
    });

    it('ends for the page when the stream ends, and a token works once', async () => {
      const { session_token } = (await (
        await fetch(`${adapter.url}/compose/token`, {
          method: 'POST',
          headers: { 'x-simli-api-key': server().token },
          body: '{"faceId":"nora"}',
        })
      ).json()) as { session_token: string };
      const open = async (token: string) => {
        const socket = new WebSocket(`${adapter.url.replace('http', 'ws')}/compose/webrtc/p2p?session_token=${token}`);
        const told: string[] = [];
        socket.addEventListener('message', ({ data }) => told.push(String(data)));
        socket.addEventListener('error', () => told.push('refused'));
        const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
        const opened = new Promise((resolve) => socket.addEventListener('open', resolve));
        await Promise.race([opened, closed]);
        return { socket, told, closed };
      };
      const first = await open(session_token);
      const second = await open(session_token);
      expect(second.told).toEqual(['refused']);
      first.socket.send('{"type":"offer","sdp":"nonsense"}');
      await first.closed;
      expect(first.told).toEqual([expect.stringMatching(/^ERROR: .*offer/)]);
      expect((await server().call('GET', '/streams')).body.total).toBe(0);
    });
  });
}
