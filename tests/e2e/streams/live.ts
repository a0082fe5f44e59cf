import { createSpeech } from '@figurehead/media';
import { encodeWav } from '@figurehead/media/basic';
import type * as Sdk from '@figurehead/sdk';
import { createClient } from '@figurehead/sdk';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveServer } from '../../support/live-server.js';
import { exposeMouth, exposeSdk, watchStream } from '../../support/live-viewer.js';
import type { StreamStage } from './stage.js';

const TEXT = 'Good morning. My name is Nora, and I am happy to show you around the museum today.';

/** Requirements for every browser. `npm run bench:live` measures delay and smoothness. */
function expectLiveliness(seen: Awaited<ReturnType<typeof watchStream>>): void {
  console.info('live stream', JSON.stringify(seen));
  expect(seen.loudness.speaking).toBeGreaterThan(0.02);
  expect(seen.loudness.before).toBeLessThan(0.002);
  expect(seen.loudness.after).toBeLessThan(0.002);
  expect(seen.interrupted).toEqual({ interrupted: true, dropped: 1 });
  expect(seen.movement.speaking).toBeGreaterThan(1.5 * seen.movement.silent);
  expect(seen.positions).toEqual([0, 1]);
  expect(seen.outcomes).toEqual(['interrupted', 'interrupted', 'spoken']);
}

/** Streams that speak texts, answers and sound to a viewer. */
export function liveScenarios({ has, server, chromium, firefox }: StreamStage): void {
  const call: LiveServer['call'] = (...parts) => server().call(...parts);

  describe.runIf(has.chromium)('a live stream in Chromium', () => {
    let page: Page;
    const problems: string[] = [];

    beforeAll(async () => {
      page = await chromium().newPage({ viewport: { width: 640, height: 900 } });
      page.on('pageerror', (error) => problems.push(error.message));
    });
    afterAll(() => page?.close());

    // Proves: 3.3.1, 3.3.2, D.streams.2, D.streams.15
    it('starts in the example page, speaks with captions, and stops', async () => {
      await page.goto(server().exampleUrl);
      await page.click('figurehead-presenter .start');
      await page.getByText('Connected.').waitFor();
      await page.waitForFunction(
        () =>
          Number(document.querySelector('figurehead-presenter')?.shadowRoot?.querySelector('video')?.videoWidth) > 0,
      );
      await page.fill('#text', TEXT);
      await page.getByText('Speak', { exact: true }).click();
      await page.locator('figurehead-presenter .captions', { hasText: 'museum' }).waitFor();
      await page.getByRole('button', { name: 'End' }).click();
      await page.getByText('Ended: stopped.').waitFor();
      await expect.poll(async () => (await call('GET', '/streams')).body.total).toBe(0);
      expect(problems).toEqual([]);
    });

    // Proves: 3.3.4, 3.3.5
    it('shows a mouth that moves with the sound, speaks texts in order, and falls silent when interrupted', async () => {
      await page.goto(server().pageUrl);
      await page.evaluate(exposeSdk);
      await page.evaluate(exposeMouth);
      const seen = await page.evaluate(watchStream, TEXT);
      expectLiveliness(seen);
      expect(seen.codec).toBe('video/H264');
      expect((await call('GET', `/streams/${seen.id}`)).status).toBe(404);
      expect((await call('POST', `/streams/render/${seen.id}`, { text: 'x' })).status).toBe(404);
      expect(problems).toEqual([]);
    });

    it('speaks an answer that arrives in pieces as one utterance, while it is being written', async () => {
      await page.goto(server().pageUrl);
      await page.evaluate(exposeSdk);
      const seen = await page.evaluate(async () => {
        const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
        const stream = await LiveStream.open(createClient({ baseUrl: location.origin, token: 'x' }));
        const events: string[] = [];
        const words: string[] = [];
        const heard = new Promise<void>((resolve) => void stream.on('speech.started', () => resolve()));
        for (const type of ['speech.started', 'speech.ended', 'speech.interrupted'] as const) {
          stream.on(type, ({ id }) => events.push(`${type} ${id}`));
        }
        stream.on('speech.word', ({ text }) => words.push(text ?? ''));
        async function* answer() {
          yield* ['Well, of', ' course, ', 'I', ' am'];
          // The rest is sent after the beginning was heard.
          await heard;
          yield* [' hap', 'py to 😀 he', 'lp. Ask', ' me.'];
        }
        const utterance = await stream.speak(answer());
        const outcome = await utterance.finished;
        await utterance.sent;
        await stream.close();
        return { id: utterance.id, outcome, events, words };
      });
      expect(seen.outcome).toBe('spoken');
      expect(seen.events).toEqual([`speech.started ${seen.id}`, `speech.ended ${seen.id}`]);
      expect(seen.words.join(' ')).toBe('Well, of course, I am happy to 😀 help. Ask me.');
      expect(problems).toEqual([]);
    });

    it('speaks an uploaded recording with moving lips, and sends the same events to its caller and its viewer', async () => {
      const speech = createSpeech({ threads: 1 });
      const { samples } = await speech.utter('flite', 'My mother may bake a big apple pie.', { voice: 'slt' });
      await speech.close();
      await page.goto(server().pageUrl);
      await page.evaluate(exposeSdk);
      const streamId = await page.evaluate(async () => {
        const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
        const stream = await LiveStream.open(createClient({ baseUrl: location.origin, token: 'x' }));
        const told: Sdk.StreamEvent[] = [];
        for (const type of ['speech.started', 'speech.viseme', 'speech.position', 'speech.ended'] as const) {
          stream.on(type, (event) => told.push(event));
        }
        Object.assign(window, {
          told,
          ended: new Promise<void>((resolve) => stream.on('speech.ended', () => resolve())),
        });
        return stream.id;
      });
      const client = createClient({ baseUrl: server().base, token: server().token });
      const events = await client.watchStream({ streamId });
      const file = new Blob([new Uint8Array(encodeWav(samples))]);
      const { id } = await client.speakSound({ streamId, file, fileName: 'pie.wav' });
      const told = await page.evaluate(async () => {
        const { told, ended } = window as unknown as { told: Sdk.StreamEvent[]; ended: Promise<void> };
        await ended;
        return told;
      });
      const { firstSound } = await client.readStreamStats({ streamId });
      await client.closeStream({ streamId });
      const toCaller: Sdk.StreamEvent[] = [];
      for await (const event of events) if (told.some(({ type }) => type === event.type)) toCaller.push(event);
      const seen = { id, told, toCaller, firstSound };
      console.info('recording', JSON.stringify({ firstSound: seen.firstSound, events: seen.told.length }));
      expect(seen.toCaller).toEqual(seen.told);
      expect(seen.told.map(({ id }) => id)).toEqual(seen.told.map(() => seen.id));
      expect(seen.told[0]?.type).toBe('speech.started');
      expect(seen.told.at(-1)).toMatchObject({ type: 'speech.ended' });
      expect(seen.told.at(-1)?.position ?? 0).toBeCloseTo((1000 * samples.length) / 48_000, -2);
      const shapes = seen.told.filter(({ type }) => type === 'speech.viseme').map(({ viseme }) => viseme);
      expect(shapes.filter((shape) => shape === 'PP').length).toBeGreaterThanOrEqual(4);
      expect(new Set(shapes).size).toBeGreaterThan(4);
      expect(problems).toEqual([]);
    });

    it('speaks sound while it arrives over a WebSocket, until it is interrupted', async () => {
      const speech = createSpeech({ threads: 1 });
      const { samples } = await speech.utter('flite', TEXT, { voice: 'slt' });
      await speech.close();
      const pcm = encodeWav(samples).subarray(44).toString('base64');
      await page.goto(server().pageUrl);
      await page.evaluate(exposeSdk);
      const seen = await page.evaluate(
        async ({ base, token, pcm: encoded }) => {
          const pcm = Uint8Array.from(atob(encoded), (byte) => byte.charCodeAt(0));
          const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
          const stream = await LiveStream.open(createClient({ baseUrl: base, token }));
          const visemes = new Set<string | undefined>();
          stream.on('speech.viseme', ({ viseme }) => visemes.add(viseme));
          async function* sound(repeats: number) {
            // Pieces of 100 ms.
            for (let n = 0; n < repeats; n++) {
              for (let at = 0; at < pcm.length; at += 9600) yield pcm.slice(at, at + 9600);
            }
          }
          const [first, second] = [
            await stream.speakSound(sound(1), { sampleRate: 48_000 }),
            await stream.speakSound(sound(9), { sampleRate: 48_000 }),
          ];
          const outcomes = [await first.finished];
          await stream.interrupt();
          outcomes.push(await second.finished);
          await Promise.all([first.sent, second.sent]);
          await stream.close();
          return { outcomes, positions: [first.position, second.position], visemes: visemes.size };
        },
        { base: server().base, token: server().token, pcm },
      );
      expect(seen).toMatchObject({ outcomes: ['spoken', 'interrupted'], positions: [0, 1] });
      expect(seen.visemes).toBeGreaterThan(4);
      expect(problems).toEqual([]);
    });

    it('shows a close-up presenter', async () => {
      await page.goto(server().pageUrl);
      await page.evaluate(exposeSdk);
      const seen = await page.evaluate(async () => {
        const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
        const video = document.querySelector('video') as HTMLVideoElement;
        const shown = new Promise((resolve) => video.requestVideoFrameCallback(resolve));
        const client = createClient({ baseUrl: location.origin, token: 'x' });
        const stream = await LiveStream.open(client, { avatarCode: 'leo.closeup', video });
        await shown;
        const outcome = await (await stream.speak('Hello.')).finished;
        const canvas = new OffscreenCanvas(1, 1).getContext('2d') as OffscreenCanvasRenderingContext2D;
        // The tip of the nose: skin.
        canvas.drawImage(video, video.videoWidth / 2, video.videoHeight * 0.45, 2, 2, 0, 0, 1, 1);
        const seen = { outcome, width: video.videoWidth, skin: [...canvas.getImageData(0, 0, 1, 1).data] };
        await stream.close();
        return seen;
      });
      expect(seen).toMatchObject({ outcome: 'spoken', width: 512 });
      expect(seen.skin[0]).toBeGreaterThan(1.2 * (seen.skin[2] ?? 255));
    });

    // Proves: 4.2.2
    it('ends when its viewer closes the page, and costs half of the connected time', async () => {
      const before = (await call('GET', '/apiConfig')).body.minutes;
      const startedMs = performance.now();
      await page.goto(server().pageUrl);
      await page.evaluate(exposeSdk);
      const id = await page.evaluate(async () => {
        const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
        const stream = await LiveStream.open(createClient({ baseUrl: location.origin, token: 'x' }));
        await new Promise((resolve) => setTimeout(resolve, 3000));
        return stream.id;
      });
      expect((await call('GET', `/streams/${id}`)).body.status).toBe('connected');
      await page.goto('about:blank');
      await expect.poll(async () => (await call('GET', `/streams/${id}`)).status).toBe(404);
      const spentSeconds = (before - (await call('GET', '/apiConfig')).body.minutes) * 60;
      expect(spentSeconds).toBeGreaterThan(1.4);
      expect(spentSeconds).toBeLessThan((performance.now() - startedMs) / 1000 / 2 + 1);
    });
  });

  // Firefox has no built-in H.264, so it tests VP8.
  describe.runIf(has.firefox)('a live stream in Firefox', () => {
    afterAll(() => firefox().goto('about:blank'));

    // Proves: 3.3.4, 3.3.5
    it('shows a mouth that moves with the sound, speaks texts in order, and falls silent when interrupted', async () => {
      await firefox().goto(server().pageUrl);
      await firefox().evaluate(exposeSdk, undefined);
      await firefox().evaluate(exposeMouth, undefined);
      const seen = await firefox().evaluate(watchStream, TEXT);
      expectLiveliness(seen);
      expect((await call('GET', `/streams/${seen.id}`)).status).toBe(404);
    });
  });

  describe('a live stream without a viewer', () => {
    it('answers invalid input with clear errors', async () => {
      const { body: stream } = await call('POST', '/streams', {});
      for (const sdp of ['garbage', 'v=0\r\n', stream.webrtcData.offer.sdp]) {
        const answer = await call('PUT', `/streams/${stream.id}`, { answer: { type: 'answer', sdp } });
        expect([sdp.slice(0, 9), answer.status]).toEqual([sdp.slice(0, 9), 400]);
        expect(answer.body.errors[0].field).toBe('answer.sdp');
      }
      const candidate = (text: string) =>
        call('POST', `/streams/candidate/${stream.id}`, { candidate: { candidate: text, sdpMid: '0' } });
      expect((await candidate('nonsense')).status).toBe(400);
      expect((await candidate('candidate:1 1 udp 2113937151 abcd.local 50000 typ host')).status).toBe(200);
      expect((await call('DELETE', `/streams/${stream.id}`)).status).toBe(200);
    });
  });
}

/** The end of stream hosts. The last scenario, because no host is left. */
export function lostHostScenarios({ server }: StreamStage): void {
  it('a live stream without a viewer ends when its host dies, with or without further calls, and its recording says so', async () => {
    const { call, replaceHost } = server();
    const open = async (settings: object = {}) => {
      const { status, body } = await call('POST', '/streams', settings);
      expect(status).toBe(200);
      return body;
    };
    const quiet = await open();
    await replaceHost();
    await expect.poll(async () => (await call('GET', `/streams/${quiet.id}`)).status).toBe(404);
    const [called, left, recorded] = [await open(), await open(), await open({ record: true })];
    await server().host.kill();
    expect((await call('POST', `/streams/render/${called.id}`, { text: 'Are you there?' })).status).toBe(404);
    expect((await call('GET', `/streams/${left.id}`)).status).toBe(404);
    const recording = async () => (await call('GET', `/media/${recorded.recordingId}`)).body;
    await expect.poll(async () => (await recording()).status).toBe('error');
    expect((await recording()).error).toBe('The stream ended without its host, and the recording was lost.');
    expect((await call('POST', '/streams', {})).status).toBe(429);
  });
}
