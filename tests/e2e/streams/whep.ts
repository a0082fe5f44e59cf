import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as WhipWhep from 'whip-whep/whep.js';
import { exposeMouth, type WithMouth } from '../../support/live-viewer.js';
import { openSite, type Site } from '../../support/site.js';
import type { StreamStage } from './stage.js';

const PLAYER = createRequire(import.meta.url).resolve('whip-whep/whep.js');
const PAGE = `<!doctype html><title>Player</title><video autoplay playsinline></video>
  <script type="module">import * as player from '/whep.js'; window.player = player;</script>`;
const TEXT = 'Good morning. My name is Nora, and I am happy to show you around the museum today.';

/** Runs in the page: the package's player, used as in its README. */
async function watch({ base, token, text }: { base: string; token: string; text: string }) {
  const { WHEPClient } = (window as unknown as { player: typeof WhipWhep }).player;
  const pc = new RTCPeerConnection();
  pc.addTransceiver('audio', { direction: 'recvonly' });
  pc.addTransceiver('video', { direction: 'recvonly' });
  const video = document.querySelector('video') as HTMLVideoElement;
  const media = new MediaStream();
  pc.ontrack = ({ track }) => {
    media.addTrack(track);
    video.srcObject = media;
  };
  const whep = new WHEPClient();
  await whep.view(pc, `${base}/api/v1/whep?avatarCode=nora&width=256&height=256`, token);
  const resource = String((whep as unknown as { resourceURL: URL }).resourceURL);
  const shown = () => new Promise((resolve) => video.requestVideoFrameCallback(resolve));
  await shown();
  const counts = async () => {
    let [energy, frames] = [0, 0];
    for (const report of (await pc.getStats()).values()) {
      if (report.type !== 'inbound-rtp') continue;
      if (report.kind === 'audio') energy = report.totalAudioEnergy;
      else frames = report.framesDecoded;
    }
    return { energy, frames };
  };
  const before = await counts();
  const id = resource.split('/').at(-1);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await fetch(`${base}/api/v1/streams/render/${id}`, { method: 'POST', headers, body: JSON.stringify({ text }) });
  const changeOfMouth = (window as unknown as WithMouth).mouthOf(video);
  let moved = 0;
  let after = before;
  for (let n = 0; n < 250 && (after.energy - before.energy < 0.005 || moved < 30); n++) {
    await shown();
    moved += changeOfMouth();
    after = await counts();
  }
  const relays = pc.getConfiguration().iceServers?.flatMap(({ urls, username }) => [...[urls].flat(), typeof username]);
  await whep.stop();
  const gone = (await fetch(`${base}/api/v1/streams/${id}`, { headers })).status;
  const { videoWidth: width, videoHeight: height } = video;
  return {
    resource,
    relays,
    gone,
    width,
    height,
    sounded: after.energy - before.energy,
    moved,
    frames: after.frames,
  };
}

/** An unmodified player that watches by WHEP. */
export function whepScenarios({ has, server, relays, chromium, firefox }: StreamStage): void {
  describe('a player with WHEP', () => {
    let site: Site;
    let token: string;
    beforeAll(async () => {
      site = await openSite(async (request, response) => {
        const isModule = request.url === '/whep.js';
        response.writeHead(200, { 'content-type': isModule ? 'text/javascript' : 'text/html' });
        response.end(isModule ? await readFile(PLAYER) : PAGE);
      });
      const { body } = await server().call('POST', '/client-tokens', { origins: [site.origin], avatarCode: 'nora' });
      token = body.token;
    });
    afterAll(() => site?.close());

    function expectPlayed(seen: Awaited<ReturnType<typeof watch>>): void {
      console.info('WHEP', JSON.stringify(seen));
      expect(seen.resource).toMatch(new RegExp(`^${server().base}/api/v1/whep/\\w+$`));
      expect(seen).toMatchObject({ gone: 404, width: 256, height: 256 });
      expect(seen.sounded).toBeGreaterThan(0.005);
      expect(seen.moved).toBeGreaterThan(20);
      if (has.relays) {
        const { first, second } = relays();
        expect(seen.relays).toEqual([first.urls.udp, 'string', first.urls.tcp, 'string', second.urls.udp, 'string']);
      }
    }

    it.runIf(has.chromium)('plays picture and sound in Chromium with a client token, and ends the stream', async () => {
      const page = await chromium().newPage();
      await page.goto(`${site.origin}/`);
      await page.evaluate(exposeMouth);
      const seen = await page.evaluate(watch, { base: server().base, token, text: TEXT });
      await page.close();
      expectPlayed(seen);
    });

    it.runIf(has.firefox)('plays picture and sound in Firefox', async () => {
      await firefox().goto(`${site.origin}/`);
      await firefox().evaluate(exposeMouth, undefined);
      const seen = await firefox().evaluate(watch, { base: server().base, token, text: TEXT });
      await firefox().goto('about:blank');
      expectPlayed(seen);
    });
  });
}
