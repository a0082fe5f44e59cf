import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAREWELL, LONG, PRICE, QUESTION, scriptTalk, spokenQuestion, THANKS } from '../../support/museum-talk.js';
import { pageScript } from '../../support/page-script.js';
import type * as Pipecat from '../../support/pipecat-page.js';
import { openSite, type Site } from '../../support/site.js';
import type { StreamStage } from './stage.js';

const PACKAGES = fileURLToPath(new URL('../../support/pipecat-page.ts', import.meta.url));
/** Runs in the page: the packages, used as in their documentation, until the farewell; then the stream is closed on the server. */
async function converse({ base, token, farewell }: { base: string; token: string; farewell: string }) {
  const { PipecatClient, SmallWebRTCTransport, WavMediaManager } = (window as unknown as { pipecat: typeof Pipecat })
    .pipecat;
  const video = document.querySelector('video') as HTMLVideoElement;
  const media = new MediaStream();
  video.srcObject = media;
  const [told, heard, words, said, calls]: [string[], string[], string[], string[], unknown[]] = [[], [], [], [], []];
  let onAnswer = (): void => undefined;
  let onLeft = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    onAnswer = resolve;
  });
  const left = new Promise<void>((resolve) => {
    onLeft = resolve;
  });
  const transport = new SmallWebRTCTransport({ mediaManager: new WavMediaManager() });
  const client = new PipecatClient({
    transport,
    enableMic: true,
    enableCam: false,
    callbacks: {
      onTrackStarted: (track, participant) => {
        if (!participant?.local) media.addTrack(track);
      },
      onUserStartedSpeaking: () => told.push('user starts'),
      onUserStoppedSpeaking: () => told.push('user stops'),
      onBotStartedSpeaking: () => told.push('bot starts'),
      onBotStoppedSpeaking: () => told.push('bot stops'),
      onUserTranscript: ({ text, final }) => heard.push(`${text}${final ? '' : '…'}`),
      onBotTtsText: ({ text }) => {
        words.push(text);
        void (window as unknown as { onWord: () => Promise<void> }).onWord();
      },
      onBotLlmText: ({ text }) => {
        said.push(text);
        if (text === farewell) onAnswer();
      },
      onBotDisconnected: () => onLeft(),
    },
  });
  client.registerFunctionCallHandler('price', async ({ arguments: given }) => {
    calls.push(given);
    return { euros: 9 };
  });
  const ready = await client.connect({
    webrtcRequestParams: {
      endpoint: `${base}/api/v1/pipecat/offer`,
      headers: new Headers({ authorization: `Bearer ${token}` }),
    },
  });
  await answered;
  const { pc, pc_id: id } = transport as unknown as { pc: RTCPeerConnection; pc_id: string };
  let [energy, frames] = [0, 0];
  for (const report of (await pc.getStats()).values()) {
    if (report.type !== 'inbound-rtp') continue;
    if (report.kind === 'audio') energy = report.totalAudioEnergy;
    else frames = report.framesDecoded;
  }
  const headers = { authorization: `Bearer ${token}` };
  await fetch(`${base}/api/v1/streams/${id}`, { method: 'DELETE', headers });
  await left;
  return { version: ready.version, told, heard, words, said, calls, energy, frames };
}

/** Runs in the page, whose only route is the relay: one typed question. Returns the answer, and the types of the candidates that carry it. */
async function askRelayed({ base, token }: { base: string; token: string }) {
  const { PipecatClient, SmallWebRTCTransport, WavMediaManager } = (window as unknown as { pipecat: typeof Pipecat })
    .pipecat;
  const Direct = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Direct {
    constructor(given?: RTCConfiguration) {
      super({ ...given, iceTransportPolicy: 'relay' });
    }
  };
  const headers = new Headers({ authorization: `Bearer ${token}` });
  const transport = new SmallWebRTCTransport({
    mediaManager: new WavMediaManager(),
    webrtcRequestParams: { endpoint: `${base}/api/v1/pipecat/offer`, headers },
  });
  let onAnswer: (text: string) => void = () => undefined;
  const answered = new Promise<string>((resolve) => {
    onAnswer = resolve;
  });
  const client = new PipecatClient({
    transport,
    enableMic: false,
    enableCam: false,
    callbacks: { onBotLlmText: ({ text }) => onAnswer(text) },
  });
  await client.connect(await client.startBot({ endpoint: `${base}/api/v1/pipecat/start`, headers }));
  await client.sendText('What does it cost?');
  const answer = await answered;
  const { pc } = transport as unknown as { pc: RTCPeerConnection };
  const reports = [...(await pc.getStats()).values()];
  const { selectedCandidatePairId } = reports.find(({ type }) => type === 'transport');
  const { localCandidateId } = reports.find(({ id }) => id === selectedCandidatePairId);
  const { candidateType } = reports.find(({ id }) => id === localCandidateId);
  await client.disconnect();
  return { answer, candidateType };
}

/** An unmodified client of a framework for agents. */
export function pipecatScenarios({ has, server, models, chromium, microphone }: StreamStage): void {
  describe.runIf(has.chromium)("a page with Pipecat's unmodified client", () => {
    let site: Site;
    let page: Page;
    beforeAll(async () => {
      await writeFile(microphone(), await spokenQuestion());
      const script = await pageScript(PACKAGES, 'pipecat');
      site = await openSite((request, response) => {
        const isScript = request.url === '/pipecat.js';
        response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
        const body = '<!doctype html><title>Pipecat</title><video autoplay playsinline></video>';
        response.end(isScript ? script : `${body}<script src="/pipecat.js"></script>`);
      });
      page = await chromium().newPage({ permissions: ['microphone'] });
    });
    afterAll(async () => {
      await page?.close();
      await site?.close();
    });

    it('talks to an agent: words, a function call, an interruption, and the end, with a client token', async () => {
      await scriptTalk(models(), page);
      const { body: agent } = await server().call('POST', '/agents', {
        name: 'Guide',
        prompt: 'You are the guide of a museum.',
        tools: [PRICE],
      });
      const { body: client } = await server().call('POST', '/client-tokens', {
        origins: [site.origin],
        avatarCode: 'nora',
        agentId: agent._id,
      });
      await page.goto(`${site.origin}/`);
      const seen = await page.evaluate(converse, { base: server().base, token: client.token, farewell: FAREWELL });
      console.info('pipecat', JSON.stringify(seen));
      expect(seen.version).toBe('2.1.0');
      expect(seen.heard[0]).toBe(QUESTION);
      // A busy machine may stall in the sentence, which is then heard in two parts.
      expect(seen.heard.join(' ')).toContain(THANKS);
      expect(seen.calls[0]).toEqual({ day: 'Sunday' });
      const results = models().questions.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'));
      expect(results[0]?.content).toBe('{"euros":9}');
      // The spoken part of the long answer, and the answer after the interruption.
      const [long = '', ...after] = seen.said;
      expect(LONG.startsWith(long)).toBe(true);
      expect(long.length).toBeLessThan(LONG.trim().length);
      expect(after.at(-1)).toBe(FAREWELL);
      expect(seen.words.join(' ')).toBe(seen.said.join(' '));
      expect(seen.told.filter((what) => what.startsWith('bot')).slice(0, 3)).toEqual([
        'bot starts',
        'bot stops',
        'bot starts',
      ]);
      expect(seen.told.filter((what) => what === 'user stops').length).toBeGreaterThan(1);
      expect(seen.told).toContain('user starts');
      expect(seen.energy).toBeGreaterThan(0.005);
      expect(seen.frames).toBeGreaterThan(0);
      await expect.poll(async () => (await server().call('GET', '/streams')).body.total).toBe(0);
    });

    it.runIf(has.relays)(
      'talks to an agent through the TURN server that the API names, where there is no other route',
      async () => {
        models().script(() => 'It is nine euros.');
        const { body: agent } = await server().call('POST', '/agents', { name: 'Guide', prompt: 'Answer.' });
        const { body: client } = await server().call('POST', '/client-tokens', {
          origins: [site.origin],
          avatarCode: 'nora',
          agentId: agent._id,
        });
        await page.goto(`${site.origin}/`);
        const seen = await page.evaluate(askRelayed, { base: server().base, token: client.token });
        expect(seen.candidateType).toBe('relay');
        // The question of the microphone may interrupt the answer after any word.
        expect(seen.answer).toMatch(/^It\b/);
        expect('It is nine euros.').toContain(seen.answer);
      },
    );
  });
}
