import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type CatalogueVoice, createSpeech, type Speech } from '@figurehead/media';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../../tests/support/api.js';
import { CLONING_MODEL, writeCloningModel } from '../../../../../../tests/support/cloning-model.js';
import { download, upload } from '../../../../../../tests/support/files.js';
import { openTestKernel } from '../../../../../../tests/support/kernel.js';
import { hasSherpa } from '../../../../../../tests/support/natural-voice.js';
import { asRecorded, wavOf } from '../../../../../../tests/support/recorded.js';
import {
  PROVIDER_KEY,
  type SpeechProviders,
  startSpeechProviders,
} from '../../../../../../tests/support/speech-providers.js';
import { workOnMedia } from '../../library/index.js';
import { createWorkspace } from '../../workspaces/index.js';
import { createRecordings } from '../recordings/recordings.js';
import { naturalFolder } from '../speech.js';
import * as store from './clone-store.js';
import { createClones } from './clones.js';

const TEXT =
  'My mother bought a big black bag of plums, and she made a pie for all of us. We sat in the garden and ate it with cream.';
const CONSENT = 'I agree that this voice is mine and may speak. Anna Berg, 3 May';

it('the cloned voices of other workspaces are not read, except which of the catalogue they are', async () => {
  const { kernel, close } = await openTestKernel();
  const catalogue = ['public', 'own0', 'other7'].map(
    (voice): CatalogueVoice => ({
      ...{ provider: 'elevenlabs', voice, name: voice, language: 'English', locale: 'en-US', gender: 'female' },
      premium: false,
    }),
  );
  const [own, other] = [
    await createWorkspace(kernel, { name: 'own' }),
    await createWorkspace(kernel, { name: 'other' }),
  ];
  for (const [{ _id: workspaceId, name }, count] of [[own, 2] as const, [other, 30] as const]) {
    for (let n = 0; n < count; n++) {
      await store.voiceClones.insert(kernel.db, {
        ...{ id: kernel.ids.next(), workspaceId, name: `${name} ${n}`, gender: 'female' },
        ...{ language: 'English', locale: 'en-US', provider: 'elevenlabs', voice: `${name}${n}`, seconds: 8 },
        ...{ consentStatement: CONSENT, consentGivenBy: 'Anna', createdAt: new Date(kernel.clock.now()) },
      });
    }
  }
  const read: Record<string, unknown>[] = [];
  const db = kernel.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      read.push(...result.rows);
      return result;
    },
  });
  const speech = createSpeech({ threads: 1 });
  const clones = createClones(
    { ...kernel, db },
    { speech, recordings: createRecordings(kernel), voices: async () => catalogue, forget: async () => undefined },
  );
  const namesOf = (voices: readonly { name: string }[]) => voices.map(({ name }) => name);
  expect(namesOf(await clones.list(own._id))).toEqual(['own 1', 'own 0']);
  expect(read.map((row) => row['workspaceId'])).toEqual([own._id, own._id]);
  read.length = 0;
  expect(namesOf(await clones.within(catalogue, own._id))).toEqual(['public', 'own 1', 'own 0']);
  const foreign = read.filter((row) => row['workspaceId'] !== own._id);
  expect(foreign).toHaveLength(2);
  expect(foreign).toEqual(
    expect.arrayContaining(['own0', 'other7'].map((voice) => ({ provider: 'elevenlabs', voice }))),
  );
  expect(namesOf(await clones.within(catalogue, undefined))).toHaveLength(33);
  expect(await clones.within([], 'third')).toEqual([]);
  await speech.close();
  await close();
});

describe('a voice that is made at a provider', () => {
  let api: TestApi;
  let providers: SpeechProviders;
  let me: TestCaller;
  let speech: Speech;
  let cloud: Speech;
  let recording: string;
  beforeAll(async () => {
    speech = createSpeech({ threads: 1 });
    const say = (text: string) => speech.utter('flite', text, { voice: 'slt' });
    providers = await startSpeechProviders(say);
    cloud = createSpeech({ threads: 1, elevenlabs: { apiKey: PROVIDER_KEY, baseUrl: providers.url } });
    api = await openTestApi({ FIGUREHEAD_ELEVENLABS_KEY: PROVIDER_KEY, FIGUREHEAD_ELEVENLABS_URL: providers.url });
    me = await api.caller();
    await workOnMedia(api.test.kernel);
    const bytes = wavOf(asRecorded((await say(TEXT)).samples));
    const file = { name: 'voice.wav', bytes };
    const { body } = await upload(api.http, { path: '/media', token: me.token, file });
    const current = async () => (await me.call('GET', `/media/${body._id}`)).body;
    while ((await current()).status === 'processing') await setTimeout(50);
    recording = (await current()).url;
  });
  afterAll(async () => {
    await Promise.all([speech.close(), cloud.close()]);
    await api.close();
    await providers.close();
  });

  const clone = () =>
    me.call('POST', '/voices/clones', {
      ...{ name: 'Anna', gender: 'female', provider: 'elevenlabs', consent: CONSENT, recording: { src: recording } },
    });
  /** Its clones by the provider's own list. */
  const atProvider = async (): Promise<string[]> => {
    const answer = await fetch(`${providers.url}/v1/voices`, { headers: { 'xi-api-key': PROVIDER_KEY } });
    const { voices } = (await answer.json()) as { voices: { voice_id: string }[] };
    return voices.map(({ voice_id }) => voice_id).filter((voice) => voice.startsWith('cl0ne'));
  };
  const clonesAt = (hours: number, engine = cloud) => {
    const { kernel } = api.test;
    const clock = { ...kernel.clock, now: () => Date.now() + hours * 3600_000 };
    return createClones(
      { ...kernel, clock },
      {
        ...{
          speech: engine,
          recordings: createRecordings(kernel),
          voices: async () => [],
          forget: async () => undefined,
        },
      },
    );
  };

  it('is removed there an hour after its process died before it had written it, and is listed nowhere until then', async () => {
    const { objects } = api.test.kernel;
    const { put } = objects;
    Object.assign(objects, { put: () => Promise.reject(new Error('the process died')) });
    providers.refusesRemovals = true;
    expect((await clone()).status).toBe(500);
    Object.assign(objects, { put });
    providers.refusesRemovals = false;
    expect(await atProvider()).toHaveLength(1);
    expect((await me.call('GET', '/voices')).text).not.toContain('cl0ne');
    await clonesAt(0.9).removeUnowned();
    expect(await atProvider()).toHaveLength(1);
    await clonesAt(1.1).removeUnowned();
    expect(await atProvider()).toEqual([]);
  });

  it('is removed there when its provider is configured again, if it was deleted meanwhile', async () => {
    const { body } = await clone();
    expect(await atProvider()).toHaveLength(1);
    const away = clonesAt(0, speech);
    await away.remove((await store.voiceClones.find(api.test.kernel.db, body.id))!);
    await clonesAt(2, speech).removeUnowned();
    expect(await atProvider()).toHaveLength(1);
    await clonesAt(2).removeUnowned();
    expect(await atProvider()).toEqual([]);
    expect(await store.listUnowned(api.test.kernel.db, new Date(Date.now() + 3600_000))).toEqual([]);
  });

  it('is kept when it has been written', async () => {
    const { body } = await clone();
    await clonesAt(2).removeUnowned();
    expect(await atProvider()).toEqual([body.voice]);
    expect((await me.call('DELETE', `/voices/clones/${body.id}`)).status).toBe(200);
    expect(await atProvider()).toEqual([]);
  });
});

describe.skipIf(!hasSherpa('cloned voices'))('a cloned voice', () => {
  let api: TestApi;
  let providers: SpeechProviders;
  let me: TestCaller;
  let speech: Speech;
  let wav: Buffer;
  let recording: Promise<string> | undefined;
  beforeAll(async () => {
    speech = createSpeech({ threads: 1 });
    const say = (text: string) => speech.utter('flite', text, { voice: 'slt' });
    providers = await startSpeechProviders(say);
    api = await openTestApi({
      FIGUREHEAD_ELEVENLABS_KEY: PROVIDER_KEY,
      FIGUREHEAD_ELEVENLABS_URL: providers.url,
    });
    me = await api.caller();
    await workOnMedia(api.test.kernel);
    wav = wavOf(asRecorded((await say(TEXT)).samples));
  });
  afterAll(async () => {
    await speech.close();
    await api.close();
    await providers.close();
  });

  /** URL of a sound in the caller's library. */
  const uploaded = async (caller: TestCaller, bytes: Uint8Array): Promise<string> => {
    const { body } = await upload(api.http, {
      path: '/media',
      token: caller.token,
      file: { name: 'voice.wav', bytes },
    });
    const current = async () => (await caller.call('GET', `/media/${body._id}`)).body;
    await expect.poll(async () => (await current()).status).not.toBe('processing');
    return (await current()).url;
  };
  const clone = async (more: object = {}, caller = me) => {
    recording ??= uploaded(me, wav);
    const wish = { name: 'Anna', gender: 'female', provider: 'sherpa', consent: CONSENT };
    return caller.call('POST', '/voices/clones', { ...wish, recording: { src: await recording }, ...more });
  };
  const listed = async (caller: TestCaller) => {
    const { body } = await caller.call('GET', '/voices');
    return body.flatMap((group: { female: object[]; male: object[] }) => [...group.female, ...group.male]);
  };

  it('needs a model that imitates recordings: the error names the command that adds one', async () => {
    const { status, body } = await clone();
    expect([status, body.message]).toEqual([400, expect.stringContaining('figurehead voices add pocket-en')]);
  });

  it('is made from a recording with its consent, and speaks everywhere in its workspace only', async () => {
    const folder = join(naturalFolder(api.test.kernel.config).folder, 'echo');
    await mkdir(folder, { recursive: true });
    await writeCloningModel(folder);
    await writeFile(join(folder, 'voice.json'), JSON.stringify(CLONING_MODEL));
    const { status, body } = await clone({ text: TEXT });
    expect([status, body]).toEqual([
      200,
      {
        ...{ id: expect.any(String), name: 'Anna', gender: 'female', language: 'English', voiceProvider: 'sherpa' },
        ...{ voice: `clone-${body.id}`, seconds: expect.any(Number), createdAt: expect.any(String) },
        consent: { statement: CONSENT, givenBy: 'API token of Test', givenAt: body.createdAt },
      },
    ]);
    expect((await me.call('GET', '/voices/clones')).body).toMatchObject({ clones: [body], total: 1 });
    const voice = (await listed(me)).find((one: { voice: string }) => one.voice === body.voice);
    expect(voice).toMatchObject({ name: 'Anna', voiceProvider: 'sherpa', locale: 'en-US' });

    const choice = { voice: body.voice, provider: 'sherpa', language: 'English' };
    expect((await me.call('PATCH', '/voices/customization-preview', choice)).status).toBe(200);
    expect((await download(api.http, voice.url)).status).toBe(200);
    const slides = [{ id: 1, speech: 'Good morning.', voice: body.voice, voiceProvider: 'sherpa' }];
    const { body: video } = await me.call('POST', '/videos', { name: 'x', slides });
    const spoken = await me.call('POST', `/videos/voice/${video._id}/1`, {});
    expect([spoken.status, spoken.body.words.length]).toEqual([200, 2]);

    const other = await api.caller();
    expect((await listed(other)).filter((one: { voice: string }) => one.voice === body.voice)).toEqual([]);
    expect((await other.call('GET', '/voices/clones')).body.total).toBe(0);
    expect((await other.call('PATCH', '/voices/customization-preview', choice)).status).toBe(400);
    expect((await other.call('DELETE', `/voices/clones/${body.id}`)).status).toBe(403);
  });

  it('is deleted with its recording and its sample, and then speaks no more', async () => {
    const { body } = await clone({ name: 'Gone' });
    const voice = (await listed(me)).find((one: { voice: string }) => one.voice === body.voice);
    expect((await download(api.http, voice.url)).status).toBe(200);
    const stored = async () => {
      const keys: string[] = [];
      for (const folder of [`${me.workspace._id}/clones/`, 'voice-samples/'])
        for await (const { key } of api.test.kernel.objects.list(folder)) keys.push(key);
      return keys.filter((key) => key.includes(body.id) || voice.url.includes(key));
    };
    expect(await stored()).toHaveLength(2);
    expect((await me.call('DELETE', `/voices/clones/${body.id}`)).body).toEqual({ _id: body.id, deleted: true });
    expect(await stored()).toEqual([]);
    expect((await download(api.http, voice.url)).status).toBe(404);
    const choice = { voice: body.voice, provider: 'sherpa', language: 'English' };
    expect((await me.call('PATCH', '/voices/customization-preview', choice)).status).toBe(400);
    expect((await me.call('DELETE', `/voices/clones/${body.id}`)).status).toBe(404);
  });

  it('refuses silence, one second, a minute, a chord, and a text of something else', async () => {
    const chord = Float32Array.from({ length: 12 * 48_000 }, (_, n) =>
      [220, 277, 330].reduce((sum, hertz) => sum + 0.2 * Math.sin((2 * Math.PI * hertz * n) / 48_000), 0),
    );
    const short = (await speech.utter('flite', 'Hello there.', { voice: 'slt' })).samples;
    const long = new Float32Array(60 * 48_000).map((_, n) => chord[n % 48_000]! * Number(n % 48_000 < 40_000));
    const cases: [sound: Float32Array, message: string][] = [
      [new Float32Array(8 * 48_000), 'it is silent'],
      [short, 'expected 5 to 30 s of speech'],
      [long, 'expected 5 to 30 s of speech, got'],
      [chord, 'no pauses between words'],
    ];
    for (const [sound, message] of cases) {
      const { status, body } = await clone({ recording: { src: await uploaded(me, wavOf(sound)) } });
      expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
    }
    const { status, body } = await clone({ text: 'Hm.' });
    expect([status, body.message]).toEqual([400, expect.stringContaining('does not belong to the recording')]);
  });

  it.each([
    [{ consent: undefined }, 'consent'],
    [{ consent: '   ' }, 'consent'],
    [{ language: 'Klingon' }, 'language'],
    [{ recording: { src: 'http://127.0.0.1/voice.wav' } }, 'recording'],
  ])('refuses %j', async (more, field) => {
    const { status, body } = await clone(more);
    expect([status, body.errors[0].field.split('.')[0]]).toEqual([400, field]);
  });

  it('refuses a recording of another workspace, and makes two at once', async () => {
    const other = await api.caller();
    expect((await clone({}, other)).body.message).toContain('another workspace');
    const made = await Promise.all([clone({ name: 'A' }), clone({ name: 'B' })]);
    expect(made.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(made.map(({ body }) => body.voice)).size).toBe(2);
  });

  it('is made and deleted at ElevenLabs, and hidden from other workspaces of the same account', async () => {
    const other = await api.caller();
    const { status, body } = await clone({ provider: 'elevenlabs' });
    expect([status, body.voice, body.voiceProvider]).toEqual([200, 'cl0ne0', 'elevenlabs']);
    const choice = { voice: body.voice, provider: 'elevenlabs', language: 'English' };
    expect((await me.call('PATCH', '/voices/customization-preview', choice)).status).toBe(200);
    expect((await other.call('PATCH', '/voices/customization-preview', choice)).status).toBe(400);
    expect((await me.call('DELETE', `/voices/clones/${body.id}`)).status).toBe(200);
    const left = await fetch(`${providers.url}/v1/voices/cl0ne0`, { headers: { 'xi-api-key': PROVIDER_KEY } });
    expect(left.status).toBe(404);
  });
});
