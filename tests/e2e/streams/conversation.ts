import { writeFile } from 'node:fs/promises';
import type * as Sdk from '@figurehead/sdk';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violationsOf } from '../../support/accessibility.js';
import { exposeSdk } from '../../support/live-viewer.js';
import { FAREWELL, LONG, PRICE, QUESTION, scriptTalk, spokenQuestion, THANKS } from '../../support/museum-talk.js';
import type { StreamStage } from './stage.js';

const AGENT = { name: 'Guide', prompt: 'You are the guide of a museum.' };
const ANSWER = 'It is nine euros.';

/** Conversations of a viewer with an agent. */
export function conversationScenarios({ has, server, models, chromium, firefox, microphone }: StreamStage): void {
  describe.runIf(has.chromium)('a conversation in Chromium', () => {
    let page: Page;
    beforeAll(async () => {
      await writeFile(microphone(), await spokenQuestion());
      page = await chromium().newPage({ permissions: ['microphone'] });
    });
    afterAll(() => page?.close());

    it('hears the microphone, calls a tool of the page, answers aloud, and stops when the viewer speaks again', async () => {
      await scriptTalk(models(), page);
      const { body: agent } = await server().call('POST', '/agents', { ...AGENT, avatarCode: 'nora', tools: [PRICE] });
      await page.goto(server().pageUrl);
      await page.evaluate(exposeSdk);
      const seen = await page.evaluate(converse, { agentId: agent._id, farewell: FAREWELL });
      console.info('conversation', JSON.stringify(seen));
      expect(seen.calls[0]).toEqual({ day: 'Sunday' });
      expect(seen.heard[0]).toBe(QUESTION);
      // A busy machine may stall in the sentence, which is then heard in two parts.
      expect(seen.heard.join(' ')).toContain(THANKS);
      expect(seen.loudness).toBeGreaterThan(0.02);
      // The spoken part of the long answer, and the answer after the interruption.
      const long = seen.said.find((text) => LONG.startsWith(text)) ?? '';
      expect(long).not.toBe('');
      expect(long.length).toBeLessThan(LONG.trim().length);
      // The second part of a sentence that a slow machine has split interrupts the thinking.
      const states = seen.states.join().replaceAll(/(?:thinking,listening,)+(?=thinking)/gu, '');
      expect(states).toContain('thinking,speaking,listening,thinking,speaking');
      expect(seen.isStopped).toBe(true);
      const results = models().questions.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'));
      expect(results[0]?.content).toBe('{"euros":9}');
      const [first] = models().utterances;
      expect(first?.includes('WAVEfmt')).toBe(true);
    });

    it('is held in the widget: the viewer clicks, speaks, and mutes the microphone with an accessible button', async () => {
      models().hear(() => QUESTION);
      models().script(() => ANSWER);
      const { body: agent } = await server().call('POST', '/agents', AGENT);
      const { body: token } = await server().call('POST', '/client-tokens', {
        origins: [new URL(server().pageUrl).origin],
        avatarCode: 'nora',
        agentId: agent._id,
      });
      await page.goto(server().pageUrl);
      const said = page.evaluate(
        ({ base, text, whole }) =>
          new Promise<string>((resolve) => {
            document.body.innerHTML = `<main><h1>Museum</h1><figurehead-presenter token="${text}" label="Guide" microphone></figurehead-presenter></main>`;
            // A slow machine may split the microphone's question, whose second part then interrupts the answer; the next one is whole.
            document.addEventListener('said', (event) => {
              const { text: answer } = (event as CustomEvent<{ text: string }>).detail;
              if (answer === whole) resolve(answer);
            });
            const script = Object.assign(document.createElement('script'), {
              type: 'module',
              src: `${base}/embed/figurehead.js`,
            });
            document.head.append(script);
          }),
        { base: server().base, text: token.token, whole: ANSWER },
      );
      await page.getByRole('button', { name: 'Start: Guide' }).click();
      expect(await said).toBe(ANSWER);
      const mute = page.getByRole('button', { name: 'Mute microphone' });
      expect(await mute.getAttribute('aria-pressed')).toBe('false');
      await mute.click();
      expect(await mute.getAttribute('aria-pressed')).toBe('true');
      const isMuted = await page.evaluate(() =>
        document.querySelector('figurehead-presenter')?.getAttribute('microphone'),
      );
      expect(isMuted).toBe('muted');
      expect(await violationsOf(page, { within: 'figurehead-presenter' })).toEqual([]);
      await page.getByRole('button', { name: 'End' }).click();
    });

    it('accepts typed text when the viewer has no microphone', async () => {
      models().script(() => ANSWER);
      const { body: agent } = await server().call('POST', '/agents', AGENT);
      await page.goto(server().pageUrl);
      await page.evaluate(exposeSdk);
      const said = await page.evaluate(async (agentId) => {
        const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
        const client = createClient({ baseUrl: location.origin, token: 'added by the server' });
        const stream = await LiveStream.open(client, { agentId, connectTimeoutMs: 120_000 });
        const answered = new Promise<string>((resolve) => {
          stream.on('conversation.said', ({ text = '' }) => resolve(text));
        });
        await stream.tell('What does it cost?');
        const text = await answered;
        await stream.close();
        return text;
      }, agent._id);
      expect(said).toBe(ANSWER);
    });
  });

  describe.runIf(has.firefox)('a conversation in Firefox', () => {
    afterAll(() => firefox().goto('about:blank'));

    it('hears the microphone, answers aloud, and stops when the viewer speaks again', async () => {
      models().hear((index) => (index === 0 ? QUESTION : THANKS));
      models().script(({ messages }) => (messages.at(-1)?.content.includes(THANKS) ? FAREWELL : LONG));
      const { body: agent } = await server().call('POST', '/agents', { ...AGENT, avatarCode: 'nora', greeting: LONG });
      await firefox().goto(server().pageUrl);
      await firefox().evaluate(exposeSdk, undefined);
      const seen = await firefox().evaluate(converseInTurns, {
        agentId: agent._id as string,
        farewell: FAREWELL,
        speech: (await spokenQuestion()).toString('base64'),
      });
      console.info('conversation in Firefox', JSON.stringify(seen));
      expect(seen.heard).toEqual([QUESTION, THANKS]);
      // The spoken parts of the greeting and of the answer, then the answer after the second interruption.
      const [greeting = '', answer = '', farewell] = seen.said;
      for (const text of [greeting, answer]) {
        expect(LONG.startsWith(text)).toBe(true);
        expect(text.length).toBeLessThan(LONG.trim().length);
      }
      expect(farewell).toBe(FAREWELL);
      expect(seen.energy).toBeGreaterThan(0.005);
      expect(seen.isStopped).toBe(true);
      expect(models().utterances[0]?.includes('WAVEfmt')).toBe(true);
    });
  });
}

/** Runs in the page: interrupts the greeting and the answer to it by speech into the microphone, until the farewell. */
async function converseInTurns(told: { agentId: string; farewell: string; speech: string }) {
  const { agentId, farewell } = told;
  const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
  const client = createClient({ baseUrl: location.origin, token: 'added by the server' });
  // The microphone of a headless Firefox plays a tone, of which the detector takes only the beginning for speech.
  const devices = navigator.mediaDevices;
  const ask = devices.getUserMedia.bind(devices);
  const mouth = new Audio(`data:audio/wav;base64,${told.speech}`) as HTMLAudioElement & {
    mozCaptureStream(): MediaStream;
  };
  // Repeated, because a captured track ends with its sound.
  mouth.loop = true;
  await mouth.play();
  devices.getUserMedia = async (wanted) => {
    for (const track of (await ask(wanted)).getTracks()) track.stop();
    const media = mouth.mozCaptureStream();
    for (const track of media.getTracks()) track.enabled = false;
    return media;
  };
  const [heard, said, states]: [string[], string[], string[]] = [[], [], []];
  let onStep: (step: string) => void = () => undefined;
  /** Resolves at the next change to a state, or at the next spoken word; fails with the story so far. */
  const next = (wanted: 'listening' | 'word') =>
    new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error(`no ${wanted}: ${JSON.stringify({ states, heard, said })}`));
      const timer = setTimeout(fail, 60_000);
      onStep = (step) => {
        if (step !== wanted) return;
        clearTimeout(timer);
        resolve();
      };
    });
  const stream = await LiveStream.open(client, {
    agentId,
    video: document.querySelector('video') as HTMLVideoElement,
    microphone: true,
    connectTimeoutMs: 120_000,
  });
  stream.on('conversation.heard', ({ text = '' }) => heard.push(text));
  stream.on('conversation.state', ({ state = 'listening' }) => {
    states.push(state);
    onStep(state);
  });
  stream.on('speech.word', () => onStep('word'));
  const answered = new Promise<void>((resolve) => {
    stream.on('conversation.said', ({ text = '' }) => {
      said.push(text);
      if (text === farewell) resolve();
    });
  });
  const microphone = stream.microphone as MediaStreamTrack;
  for (let turn = 0; turn < 2; turn++) {
    // An answer that is interrupted before its first word was not said.
    await next('word');
    const listens = next('listening');
    microphone.enabled = true;
    await listens;
    microphone.enabled = false;
  }
  await answered;
  let energy = 0;
  for (const report of (await stream.peer.getStats()).values())
    if (report.type === 'inbound-rtp' && report.kind === 'audio') energy = report.totalAudioEnergy;
  await stream.close();
  return { heard, said, energy, isStopped: microphone.readyState === 'ended' };
}

/** Runs in the page: one conversation until the farewell; returns its events and its sound. */
async function converse({ agentId, farewell }: { agentId: string; farewell: string }) {
  const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
  const client = createClient({ baseUrl: location.origin, token: 'added by the server' });
  const calls: unknown[] = [];
  const stream = await LiveStream.open(client, {
    agentId,
    // A browser only decodes media that is played.
    video: document.querySelector('video') as HTMLVideoElement,
    microphone: true,
    connectTimeoutMs: 120_000,
    tools: {
      price: (args) => {
        calls.push(args);
        return { euros: 9 };
      },
    },
  });
  const [heard, said, states]: [string[], string[], string[]] = [[], [], []];
  let loudness = 0;
  stream.on('conversation.heard', ({ text = '' }) => heard.push(text));
  stream.on('conversation.state', ({ state = 'listening' }) => {
    if (states.length > 0 || state !== 'listening') states.push(state);
  });
  const { onWord } = window as unknown as { onWord: () => Promise<void> };
  stream.on('speech.word', () => void onWord());
  const answered = new Promise<void>((resolve) => {
    stream.on('conversation.said', ({ text = '' }) => {
      said.push(text);
      if (text === farewell) resolve();
    });
  });
  const before = { energy: 0, seconds: 0 };
  const timer = setInterval(async () => {
    for (const report of (await stream.peer.getStats()).values()) {
      if (report.type !== 'inbound-rtp' || report.kind !== 'audio') continue;
      const seconds = report.totalSamplesDuration - before.seconds;
      if (seconds > 0) loudness = Math.max(loudness, Math.sqrt((report.totalAudioEnergy - before.energy) / seconds));
      [before.energy, before.seconds] = [report.totalAudioEnergy, report.totalSamplesDuration];
    }
  }, 100);
  await answered;
  clearInterval(timer);
  const { microphone } = stream;
  await stream.close();
  return { calls, heard, said, states, loudness, isStopped: microphone?.readyState === 'ended' };
}
