import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silence } from '../../audio.js';
import { digestOf } from '../../digest.js';
import { type FolderStore, openFolderStore } from '../../folder-store.js';
import { parseDocument } from '../../scene/index.js';
import { createSpeech, type Speech, SpeechError } from '../../speech/index.js';
import type { RenderResources, ResolvedVoice } from '../contract.js';
import { SpeechTurn } from './cached-speech.js';
import { speakSlides } from './speak-slides.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-speak-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A network service that responds asynchronously and counts concurrent requests. */
function service(answer: (text: string, atOnce: number) => void) {
  const seen = { now: 0, most: 0, asked: [] as string[] };
  const utter: Speech['utter'] = async (_provider, text) => {
    seen.asked.push(text);
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    const atOnce = seen.now;
    await new Promise((resolve) => setImmediate(resolve));
    try {
      answer(text, atOnce);
      return { samples: silence(Number(text)), marks: { phonemes: [], words: [] } };
    } finally {
      seen.now -= 1;
    }
  };
  const resources: RenderResources = {
    speech: { utter, recorded: () => Promise.reject(new Error('nothing is recorded')) },
    resolveVoice: async (): Promise<ResolvedVoice> => ({ provider: 'azure', voice: 'v', locale: 'en-US' }),
    resolvePack: () => Promise.reject(new Error('no presenter is shown')),
    fonts: () => Promise.reject(new Error('no text is shown')),
    assets: { picture: async () => Buffer.alloc(0), file: async () => '' },
  };
  return { seen, resources };
}

/** The text of each slide is the length of its speech in samples. */
async function speak(resources: RenderResources, texts: readonly string[]) {
  const slides = texts.map((speech, n) => ({ id: n + 1, speech, duration: 1 }));
  const { document } = parseDocument({ slides, data: {} });
  const shares: number[] = [];
  const spoken = await speakSlides({
    document,
    resources,
    folder,
    store: undefined,
    signal: new AbortController().signal,
    onProgress: (share) => shares.push(share),
  });
  return { lengths: spoken.map((slide) => slide?.track.samples ?? null), shares };
}

it('synthesizes three slides at once and returns them in order; progress never decreases', async () => {
  const { resources, seen } = service(() => undefined);
  const { lengths, shares } = await speak(resources, ['10', '20', '', '30', '40', '50']);
  expect(lengths).toEqual([10, 20, null, 30, 40, 50]);
  expect(seen.most).toBe(3);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(shares.at(-1)).toBe(1);
});

it('retries a rate-limited service one slide at a time', async () => {
  const { resources, seen } = service((_text, atOnce) => {
    if (atOnce > 1) throw new SpeechError('rate_limited', 'too many requests');
  });
  const { lengths } = await speak(resources, ['10', '20', '30', '40', '50']);
  expect(lengths).toEqual([10, 20, 30, 40, 50]);
  expect(seen.asked.length).toBeGreaterThan(5);
});

it('reports the first of several slides that cannot be spoken, and stops further requests', async () => {
  const { resources, seen } = service((text) => {
    if (text === '20' || text === '30') throw new SpeechError('bad_option', `no ${text}`);
  });
  await expect(speak(resources, ['10', '20', '30', '40', '50', '60'])).rejects.toMatchObject({
    problems: [{ path: 'slides[1].speech', message: 'no 20' }],
  });
  expect(seen.asked).not.toContain('60');
});

it('speaks in turns as it would at once, each sentence in one of them', async () => {
  const speech = createSpeech({ threads: 1 });
  const { resources } = service(() => undefined);
  const texts = ['One. Two and <break time="1s"/> three. Four!', 'x²³ '.repeat(10), 'The end.', 'After it.'];
  const slides = texts.map((text, n) => ({ id: n + 1, speech: text }));
  const { document } = parseDocument({ slides, data: {} });
  const speakIn = async (store: FolderStore, turn?: SpeechTurn) => {
    const spoken = await speakSlides({
      document,
      resources: {
        ...resources,
        speech,
        resolveVoice: async () => ({ provider: 'flite', voice: 'slt', locale: 'en-US' }),
      },
      folder,
      store,
      turn,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    return Promise.all(
      spoken.map(async (slide) => ({ ...slide?.track, sound: digestOf([...(await readFile(slide?.samples ?? ''))]) })),
    );
  };
  const maxBytes = 1e9;
  const whole = await speakIn(await openFolderStore(join(folder, 'whole'), { maxBytes }));
  const store = await openFolderStore(join(folder, 'turns'), { maxBytes });
  const left: number[] = [];
  let now = 0;
  for (let done: typeof whole | undefined; done === undefined; ) {
    const turn = new SpeechTurn({ ms: 1, spoken: left.at(-1) ?? 0 }, () => now++);
    done = await speakIn(store, turn).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'interrupted' });
      left.push(turn.spoken);
      return undefined;
    });
    if (done) expect(done).toEqual(whole);
  }
  expect(left.length).toBeGreaterThan(1);
  expect(left).toEqual([...new Set(left)].sort((a, b) => a - b));
  await speech.close();
});

it('goes on to the end when the cache does not keep the sentences of earlier turns', async () => {
  let now = 0;
  const turn = new SpeechTurn({ ms: 1, spoken: 10 }, () => now++);
  const speak = async () => ({ samples: silence(1) });
  for (let sentence = 0; sentence < 5; sentence++) await turn.make(speak);
  turn.found(10);
  await expect(turn.make(speak)).rejects.toMatchObject({ code: 'interrupted' });
});

it('refuses a slide of more than an hour of speech', async () => {
  const { resources } = service(() => undefined);
  const tenMinutes = async () => ({ samples: silence(600 * SAMPLE_RATE) });
  const utter: Speech['utter'] = async (_provider, _text, { keep }) => {
    for (let sentence = 0; sentence < 7; sentence++) await keep?.({ sentence }, tenMinutes);
    throw new Error('expected a refusal');
  };
  const { document } = parseDocument({ slides: [{ id: 1, speech: '1'.repeat(20_000) }], data: {} });
  const spoken = speakSlides({
    document,
    resources: { ...resources, speech: { ...resources.speech, utter } },
    folder,
    store: await openFolderStore(join(folder, 'hour'), { maxBytes: 1e9 }),
    turn: new SpeechTurn({ ms: 1e9, spoken: 0 }),
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  await expect(spoken).rejects.toMatchObject({
    problems: [{ path: 'slides[0].speech', message: expect.stringContaining('at most 60 minutes') }],
  });
});
