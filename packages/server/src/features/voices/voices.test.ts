import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { download } from '../../../../../tests/support/files.js';
import { SharedWork } from '../../kernel/workers/shared-work.js';
import { createAvatars, presenterOf } from '../avatars/index.js';
import { readVideo } from '../videos/store.js';
import { findSlide, speakSlide } from './slide-speech.js';
import type { Voices } from './voices.js';

describe('voices and avatars', () => {
  let api: TestApi;
  let caller: TestCaller;
  beforeAll(async () => {
    const aliases = { voices: { 'elevenlabs:flq6f7yk4E4fJM5XTYuZ': 'flite:slt' }, avatars: { vadim: 'marcus' } };
    api = await openTestApi({ FIGUREHEAD_ALIASES: JSON.stringify(aliases) });
    caller = await api.caller();
  });
  afterAll(() => api.close());

  const listed = async (voice: string) => {
    const { body } = await caller.call('GET', '/voices');
    return body
      .flatMap((group: { male: object[]; female: object[] }) => [...group.male, ...group.female])
      .find((one: { voice: string }) => one.voice === voice);
  };

  // Proves: D.voices.1
  it('lists voices by language and gender, English first', async () => {
    const { body } = await caller.call('GET', '/voices');
    expect(body[0].name).toBe('English');
    expect(body.map(({ name }: { name: string }) => name)).toContain('German');
    const slt = await listed('slt');
    expect(slt).toEqual({
      character: 'Sally',
      voice: 'slt',
      voiceProvider: 'flite',
      locale: 'en-US',
      icon: expect.stringContaining('/media/voice-icons/flite/'),
      tags: ['female', 'flite'],
      premium: false,
      name: 'Sally',
      url: expect.stringContaining('/media/voice-samples/flite/'),
    });
  });

  it('links a picture and a spoken sample of every voice, created on first request', async () => {
    const { icon, url } = await listed('de');
    const [sound, again] = await Promise.all([download(api.http, url), download(api.http, url)]);
    expect([sound.status, sound.type]).toEqual([200, 'audio/wav']);
    expect(sound.bytes.length).toBeGreaterThan(2 * 48_000);
    expect(again.bytes.equals(sound.bytes)).toBe(true);
    const picture = await download(api.http, icon);
    expect([picture.status, picture.type]).toEqual([200, 'image/webp']);
    expect(picture.bytes.subarray(8, 12).toString()).toBe('WEBP');
    const forged = url.replace(/voice-samples.[a-z]+.[0-9a-f]{4}/, (part: string) => `${part.slice(0, -4)}0000`);
    expect((await download(api.http, forged)).status).toBe(403);
    const gone = api.test.kernel.objects.link('voice-samples/flite/000000000000000000000000.wav', 60);
    expect((await download(api.http, gone)).status).toBe(404);
  });

  it('uses the workspace’s pronunciations, in their language, for all speech', async () => {
    const own = await api.caller();
    const { body: video } = await own.call('POST', '/videos', {
      name: 'x',
      slides: [{ id: 1, speech: 'Our SQL is quick.', voice: 'slt', voiceProvider: 'flite' }],
    });
    const speak = async () => (await own.call('POST', `/videos/voice/${video._id}/1`, {})).body;
    const before = await speak();
    const pronunciations = [
      { word: 'SQL', spoken: 'a structured query language of our own', language: 'English' },
      { word: 'sql', spoken: 'sequel', language: null },
      { word: 'unrelated', spoken: 'not in the text', language: null },
    ];
    const saved = await own.call('PUT', '/pronunciations', { pronunciations });
    expect([saved.status, saved.body]).toEqual([200, { pronunciations }]);
    expect((await own.call('GET', '/pronunciations?page=2&limit=2')).body).toEqual({
      ...{ pronunciations: [pronunciations[2]], page: 2, limit: 2, total: 3 },
    });
    const after = await speak();
    expect(after.duration).toBeGreaterThan(before.duration + 1);
    expect(after.words.map(({ text }: { text: string }) => text)).toEqual(['Our', 'SQL', 'is', 'quick.']);
    // Another word does not cause a new synthesis; another workspace is not affected.
    await own.call('PUT', '/pronunciations', { pronunciations: pronunciations.slice(0, 2) });
    expect((await speak()).url.split('?')[0]).toBe(after.url.split('?')[0]);
    expect((await caller.call('GET', '/pronunciations')).body.total).toBe(0);
    await own.call('PUT', '/pronunciations', { pronunciations: [] });
    expect((await speak()).duration).toBe(before.duration);
  });

  it.each([
    [[{ word: '…', spoken: 'x' }], 'pronunciations[0].word'],
    [[{ word: 'x', spoken: '!?' }], 'pronunciations[0].spoken'],
    [
      [
        { word: 'Acme', spoken: 'a' },
        { word: 'acme', spoken: 'b', language: null },
      ],
      'pronunciations[1].word',
    ],
  ])('refuses the pronunciations %j', async (pronunciations, field) => {
    const answer = await caller.call('PUT', '/pronunciations', { pronunciations });
    expect([answer.status, answer.body.errors.map((error: { field: string }) => error.field)]).toEqual([400, [field]]);
  });

  // Proves: 4.1.5, 4.6.1, D.videos.33, D.voices.7, D.voices.8
  it('saves settings of a voice, shows them and uses them', async () => {
    const settings = { voice: 'slt', provider: 'flite', language: 'English', stability: 0.2, speed: 0.8 };
    const { body: video } = await caller.call('POST', '/videos', {
      name: 'x',
      slides: [{ id: 5, speech: 'The quick brown fox jumps over the lazy dog.', voice: 'slt', voiceProvider: 'flite' }],
    });
    const before = await caller.call('POST', `/videos/voice/${video._id}/5`, {});
    expect((await caller.call('PATCH', '/voices', settings)).body).toEqual(settings);
    expect(await listed('slt')).toMatchObject({ stability: 0.2, speed: 0.8 });
    const after = await caller.call('POST', `/videos/voice/${video._id}/5`, {});
    expect(after.body.duration / before.body.duration).toBeCloseTo(1 / 0.8, 1);
    const sound = await download(api.http, after.body.url);
    expect([sound.status, sound.type]).toEqual([200, 'audio/wav']);
    expect(sound.bytes.subarray(0, 4).toString()).toBe('RIFF');
    expect(after.body.words.map(({ text }: { text: string }) => text).join(' ')).toContain('quick brown fox');
    const stored = (await caller.call('GET', `/videos/${video._id}`)).body.slides[0];
    expect(stored.audio).toMatchObject({ url: expect.stringContaining('/media/'), duration: after.body.duration });
    // The sound belongs to its text: a changed text removes it.
    const changed = await caller.call('PATCH', `/videos/${video._id}`, {
      slides: [{ ...stored, speech: 'Something else.' }],
    });
    expect(changed.body.slides[0].audio).toBeUndefined();
  });

  // Proves: 2.2.3, 4.1.2, 4.1.4, 4.1.5, D.voices.11, D.voices.12
  it('previews the sample sentence of a locale, without saving anything', async () => {
    const wish = { voice: 'de', provider: 'espeak', language: 'German', locale: 'de-DE', speed: 1.1 };
    const { status, body } = await caller.call('PATCH', '/voices/customization-preview', wish);
    expect([status, body.text]).toEqual([200, expect.stringContaining('Hallo')]);
    expect((await download(api.http, body.url)).bytes.length).toBe(44 + Math.round(body.duration * 48_000) * 2);
    const seconds = Number(new URL(body.url).searchParams.get('expires')) - Date.now() / 1000;
    expect(seconds).toBeGreaterThan(590);
    expect(seconds).toBeLessThanOrEqual(600);
    expect(await listed('de')).not.toHaveProperty('speed');
    const refused = await caller.call('PATCH', '/voices/customization-preview', { ...wish, text: 'free text' });
    expect([refused.status, refused.body.errors]).toEqual([400, [{ field: 'text', message: 'is not accepted' }]]);
  });

  // Proves: 2.2.1, 2.2.2, 2.2.4, 2.2.5, 4.1.1, 8.4.6, D.voices.3
  it.each([
    [{ provider: 'acme' }, 'provider'],
    [{ stability: 1.1 }, 'stability'],
    [{ speed: 0.6 }, 'speed'],
    [{ speed: 1.3 }, 'speed'],
    [{ voice: undefined }, 'voice'],
    [{ language: undefined }, 'language'],
  ])('refuses %j', async (change, field) => {
    const body = { voice: 'slt', provider: 'flite', language: 'English', ...change };
    for (const path of ['/voices', '/voices/customization-preview']) {
      const answer = await caller.call('PATCH', path, body);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    }
  });

  it('names the field of the request that has an unknown provider', async () => {
    const answer = await caller.call('POST', '/streams', { voiceProvider: 'acme' });
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ field: 'voiceProvider' }]]);
  });

  it('speaks a slide without undoing what is changed meanwhile', async () => {
    const { kernel } = api.test;
    const own = await api.caller();
    const slides = [{ id: 1, speech: 'One.', voice: 'slt', voiceProvider: 'flite', duration: 3 }];
    const { body: made } = await own.call('POST', '/videos', { name: 'v', slides });
    const changedWhileSpoken = async (patch: object, change: object) => {
      const video = await readVideo(kernel.read, made._id);
      const slide = findSlide(video!, '1');
      const speaking: Voices = {
        ...api.voices,
        async speak(...wish) {
          const spoken = await api.voices.speak(...wish);
          await own.call('PATCH', `/videos/${made._id}`, { slides: [{ ...slide, ...patch }] });
          return spoken;
        },
      };
      const { signal } = new AbortController();
      await speakSlide(kernel, speaking, { video: video!, slide, change, signal });
      return (await own.call('GET', `/videos/${made._id}`)).body.slides[0];
    };
    expect(await changedWhileSpoken({ duration: 2 }, { speech: 'Two.' })).toMatchObject({
      speech: 'Two.',
      duration: 2,
      audio: { url: expect.stringContaining('/speech/1-') },
    });
    const later = await changedWhileSpoken({ speech: 'Three.' }, {});
    expect([later.speech, later.audio]).toEqual(['Three.', undefined]);
  });

  // Proves: 4.1.8, D.voices.4
  it('says what to configure for an unconfigured provider', async () => {
    const answer = await caller.call('PATCH', '/voices', { voice: 'x', provider: 'azure', language: 'English' });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('FIGUREHEAD_AZURE_SPEECH_KEY')]);
    const unknown = await caller.call('PATCH', '/voices', { voice: 'nobody', provider: 'flite', language: 'English' });
    expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining('"nobody"')]);
  });

  it('synthesises the same request of 100 concurrent callers once, for the preview and for a slide', async () => {
    const own = await api.caller();
    const spoken = async (): Promise<number> => {
      const text = await api.http.metrics.getSingleMetricAsString('figurehead_speech_first_chunk_seconds');
      const counts = [...text.matchAll(/_count\{[^}]*\} (\d+)/g)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const wish = { voice: 'slt', provider: 'flite', language: 'English', speed: 1.1 };
    // Nothing is stored before all callers have joined.
    let callers = 100;
    const { objects } = api.test.kernel;
    const joined = vi.spyOn(SharedWork.prototype, 'run');
    const { put } = objects;
    const held = vi.spyOn(objects, 'put').mockImplementation(async (...args) => {
      await expect.poll(() => joined.mock.calls.length).toBe(callers);
      return put.apply(objects, args);
    });
    onTestFinished(() => {
      joined.mockRestore();
      held.mockRestore();
    });
    const before = await spoken();
    const previews = await Promise.all(
      Array.from({ length: 100 }, () => own.call('PATCH', '/voices/customization-preview', wish)),
    );
    expect(new Set(previews.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await spoken()) - before).toBe(1);
    callers += 1;
    await own.call('PATCH', '/voices/customization-preview', wish);
    expect((await spoken()) - before).toBe(2);

    callers += 100;
    const voice = await api.voices.resolve(own.workspace._id, { voice: 'slt', provider: 'flite' });
    const stop = new AbortController().signal;
    const text = 'A sentence that was never said before.';
    const speeches = await Promise.all(
      Array.from({ length: 100 }, () => api.voices.speak(own.workspace._id, text, voice, stop)),
    );
    expect(new Set(speeches.map(({ key }) => key)).size).toBe(1);
    expect((await spoken()) - before).toBe(3);
  });

  // Proves: D.voices.5, D.voices.6
  it('accepts foreign ids by alias only', async () => {
    const foreign = { voice: 'flq6f7yk4E4fJM5XTYuZ', provider: 'elevenlabs', language: 'English' };
    expect((await caller.call('PATCH', '/voices/customization-preview', foreign)).status).toBe(200);
    expect((await caller.call('PATCH', '/voices/customization-preview', { ...foreign, voice: 'other' })).status).toBe(
      400,
    );
  });

  it('chooses another voice for a slide that names none when its presenter changes', async () => {
    const { kernel } = api.test;
    const avatars = createAvatars(kernel);
    const workspaceId = caller.workspace._id;
    const { body: groups } = await caller.call('GET', '/voices');
    const knownAs = (group: { name: string; male: object[]; female: object[] }) =>
      (['male', 'female'] as const).flatMap((gender) =>
        (group[gender] as { voice: string; voiceProvider: string }[]).map((one) => ({
          ...one,
          gender,
          language: group.name,
        })),
      );
    const known = (groups as Parameters<typeof knownAs>[0][]).flatMap(knownAs);
    const spokenBy = async (code: string, wish: { language?: string; voice?: string } = {}) => {
      const presenter = await presenterOf(avatars, kernel.config, { workspaceId, code });
      const { voice, provider } = await api.voices.resolve(workspaceId, { ...wish, presenter });
      const found = known.find((one) => one.voice === voice && one.voiceProvider === provider);
      return { voice, gender: found?.gender, language: found?.language };
    };
    const listed: { code: string; gender: string; defaultVoice: { voice: string } }[] = (
      await caller.call('GET', '/avatars')
    ).body;
    expect(new Set(listed.map(({ gender }) => gender))).toEqual(new Set(['female', 'male']));
    for (const { code, gender, defaultVoice } of listed) {
      expect(await spokenBy(code)).toEqual({ voice: defaultVoice.voice, gender, language: 'English' });
      // Of a language that the presenter's own voice does not speak: one of the same gender.
      expect(await spokenBy(code, { language: 'German' })).toMatchObject({ gender, language: 'German' });
      // A voice that the slide names stays.
      expect(await spokenBy(code, { voice: 'awb' })).toMatchObject({ voice: 'awb' });
    }
  });

  // Proves: D.voices.2
  it('lists presenters with downloadable pictures', async () => {
    const { body } = await caller.call('GET', '/avatars?realtime=true');
    const marcus = body.find(({ code }: { code: string }) => code === 'marcus');
    expect(marcus).toMatchObject({
      name: 'Marcus',
      gender: 'male',
      status: 'ready',
      realtime: true,
      defaultVoice: { voice: 'rms' },
    });
    const picture = await api.http.app.inject({ method: 'GET', url: new URL(marcus.thumbnail).pathname });
    expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/webp']);
    expect((await caller.call('GET', '/avatars?realtime=false')).body).toEqual([]);
  });
});
