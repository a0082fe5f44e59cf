import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSpeech, SAMPLE_RATE } from '@figurehead/media';
import type * as Sdk from '@figurehead/sdk';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeWav } from '../../packages/server/src/features/voices/wav.js';
import { hasChromium, launchChromium } from '../support/chromium.js';
import { type LanguageModel, openLanguageModel, type StreamedPart } from '../support/language-model.js';
import { type LiveServer, openLiveServer } from '../support/live-server.js';
import { exposeSdk } from '../support/live-viewer.js';

const QUESTION = 'What does a ticket for the museum cost on Sunday?';
/** Longer than the pause after which the viewer's microphone repeats the question. */
const LONG = 'The museum has many rooms, and each of them is worth a visit on a rainy day. '.repeat(8);
const PRICE = { name: 'price', description: 'The price of a ticket.', parameters: { type: 'object', properties: {} } };

describe.runIf(hasChromium())('a conversation in Chromium', () => {
  let server: LiveServer;
  let models: LanguageModel;
  let browser: Browser;
  let page: Page;
  let folder: string;
  beforeAll(async () => {
    models = await openLanguageModel();
    folder = await mkdtemp(join(tmpdir(), 'fh-conversation-'));
    const microphone = join(folder, 'question.wav');
    await writeFile(microphone, await question());
    server = await openLiveServer({ FIGUREHEAD_LLM_URL: models.url, FIGUREHEAD_STT_URL: models.url });
    browser = await launchChromium({ microphone });
    const context = await browser.newContext({ permissions: ['microphone'] });
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([server?.close(), models?.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  it('hears the microphone, calls a tool of the page, answers aloud, and stops when the viewer speaks again', async () => {
    models.hear((index) => (index === 0 ? QUESTION : 'Thank you, that is enough.'));
    models.script((_question, index) => [callPrice(), LONG][index] ?? 'Good bye.');
    const { body: agent } = await server.call('POST', '/agents', {
      name: 'Guide',
      prompt: 'You are the guide of a museum.',
      avatarCode: 'nora',
      tools: [PRICE],
    });
    await page.goto(server.pageUrl);
    await page.evaluate(exposeSdk);
    const seen = await page.evaluate(converse, agent._id);
    console.info('conversation', JSON.stringify(seen));
    expect(seen.calls).toEqual([{ day: 'Sunday' }]);
    expect(seen.heard.slice(0, 2)).toEqual([QUESTION, 'Thank you, that is enough.']);
    expect(seen.loudness).toBeGreaterThan(0.02);
    // The long answer, as far as it was spoken, and the one after the interruption.
    expect(LONG.startsWith(seen.said[0] ?? '-')).toBe(true);
    expect(seen.said[0]?.length).toBeLessThan(LONG.length);
    expect(seen.states.slice(0, 5)).toEqual(['thinking', 'speaking', 'listening', 'thinking', 'speaking']);
    expect(seen.isStopped).toBe(true);
    const result = models.questions[1]?.messages.at(-1);
    expect(result).toMatchObject({ role: 'tool', content: '{"euros":9}' });
    const [first] = models.utterances;
    expect(first?.includes('WAVEfmt')).toBe(true);
  });

  it('takes typed words where the viewer has no microphone', async () => {
    models.script(() => 'It is nine euros.');
    const { body: agent } = await server.call('POST', '/agents', { name: 'Guide', prompt: 'Answer.' });
    await page.goto(server.pageUrl);
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
    expect(said).toBe('It is nine euros.');
  });
});

async function* callPrice(): AsyncGenerator<StreamedPart, void, void> {
  yield { tool: 'price', arguments: '{"day":"Sunday"}' };
}

/** A microphone's sound: a second of silence, the question, and eight seconds of silence, over and over. */
async function question(): Promise<Buffer> {
  const speech = createSpeech({ threads: 1 });
  const parts = [new Float32Array(SAMPLE_RATE)];
  for await (const { samples } of speech.synthesize('flite', QUESTION, { voice: 'awb', locale: 'en-GB' })) parts.push(samples);
  await speech.close();
  parts.push(new Float32Array(8 * SAMPLE_RATE));
  return encodeWav(Float32Array.from(parts.flatMap((part) => [...part])));
}

/** Runs in the page: one conversation until the second answer, with what was told and heard. */
async function converse(agentId: string) {
  const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
  const client = createClient({ baseUrl: location.origin, token: 'added by the server' });
  const calls: unknown[] = [];
  const stream = await LiveStream.open(client, {
    agentId,
    // A browser decodes only what is played.
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
  const answered = new Promise<void>((resolve) => {
    stream.on('conversation.said', ({ text = '' }) => {
      said.push(text);
      if (said.length === 2) resolve();
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
