import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdminWorkspacePatch } from '@figurehead/contract';
import { createSpeech } from '@figurehead/media';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAvatars } from '../../packages/server/src/features/avatars/index.js';
import { createSpeechMetrics, createVoices, openSpeech } from '../../packages/server/src/features/voices/index.js';
import { createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { createApi } from '../../packages/server/src/roles/api.js';
import { openPreviews } from '../../packages/server/src/roles/engine.js';
import { call, scriptedPipeline } from '../support/api.js';
import { openTestKernel } from '../support/kernel.js';
import { PROVIDER_KEY, type SpeechProviders, startSpeechProviders } from '../support/speech-providers.js';

/** An API with ElevenLabs configured, simulated by a server of the test: its voices are premium ones. */
async function openPremiumApi() {
  const own = createSpeech({ threads: 1 });
  const providers: SpeechProviders = await startSpeechProviders((text) => own.utter('flite', text, { voice: 'slt' }));
  const test = await openTestKernel({
    FIGUREHEAD_ELEVENLABS_KEY: PROVIDER_KEY,
    FIGUREHEAD_ELEVENLABS_URL: providers.url,
  });
  const { kernel } = test;
  const speechMetrics = createSpeechMetrics();
  const speech = openSpeech(kernel.config, { onUnavailable: () => undefined, onSpoken: speechMetrics.onSpoken });
  kernel.lifecycle.onClose('speech', () => speech.close());
  const pipeline = scriptedPipeline(async () => ({ durationSeconds: 1 }));
  const voices = createVoices(kernel, speech);
  const avatars = createAvatars(kernel);
  const previews = openPreviews(kernel, { voices, avatars });
  const http = createApi(kernel, { voices, avatars, pipeline, previews, speechMetrics });
  await http.app.ready();
  return {
    kernel,
    providers,
    async caller(settings: AdminWorkspacePatch) {
      const { _id } = await createWorkspace(kernel, { name: 'V', ...settings });
      const { token } = await createToken(kernel, { workspaceId: _id, userId: _id, name: 'v' });
      const headers = { authorization: `Bearer ${token}` };
      const send = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) =>
        call(http, { method, path, body, headers });
      return { id: _id, send };
    },
    async close() {
      await test.close();
      await providers.close();
      await own.close();
    },
  };
}

describe('voices of a paid provider', () => {
  let api: Awaited<ReturnType<typeof openPremiumApi>>;
  beforeAll(async () => {
    api = await openPremiumApi();
  });
  afterAll(() => api.close());

  const rachel = { voice: 'v0ice1d', provider: 'elevenlabs', language: 'English' };
  const slides = [{ id: 1, speech: 'Hello there.', voice: rachel.voice, voiceProvider: rachel.provider }];
  const cached = async (workspaceId: string) => {
    const folder = join(api.kernel.config.dataDir, 'objects', workspaceId, 'speech');
    return (await readdir(folder, { recursive: true }).catch(() => [])).filter((file) => /\.(wav|json)$/.test(file));
  };

  // Proves: 4.1.7, D.voices.9
  it('are saved on a paid plan only, and previewed on any', async () => {
    const free = await api.caller({ plan: 'Team', status: 'free' });
    const refused = await free.send('PATCH', '/voices', { ...rachel, speed: 1.1 });
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('needs a paid plan')]);
    const preview = await free.send('PATCH', '/voices/customization-preview', { ...rachel, speed: 1.1 });
    expect([preview.status, Object.keys(preview.body)]).toEqual([200, ['url', 'duration', 'text']]);
    const paid = await api.caller({ plan: 'Creator' });
    const saved = await paid.send('PATCH', '/voices', { ...rachel, speed: 1.1, stability: 0.4 });
    expect([saved.status, saved.body]).toEqual([200, { ...rachel, speed: 1.1, stability: 0.4 }]);
  });

  // Proves: 4.1.3, 4.1.6, D.voices.10
  it('are synthesised again by a preview, which keeps the cached audio; saving drops it', async () => {
    const me = await api.caller({ plan: 'Team' });
    const { body: video } = await me.send('POST', '/videos', { name: 'x', slides });
    const path = `/videos/voice/${video._id}/1`;
    await me.send('POST', path, {});
    const spoken = api.providers.requests.length;
    await me.send('POST', path, {});
    expect(api.providers.requests).toHaveLength(spoken);
    const before = await cached(me.id);
    expect(before.length).toBeGreaterThan(0);

    const previews = [];
    for (let n = 0; n < 2; n++) {
      const earlier = api.providers.requests.length;
      await me.send('PATCH', '/voices/customization-preview', { ...rachel, stability: 0.25, speed: 0.9 });
      previews.push(api.providers.requests.slice(earlier).map(({ body }) => body));
    }
    expect(previews[0]?.length).toBeGreaterThan(0);
    expect(previews[1]).toEqual(previews[0]);
    const { voice_settings: settings } = JSON.parse(api.providers.requests.at(-1)?.body ?? '{}');
    expect(settings).toMatchObject({ stability: 0.25, speed: 0.9 });
    expect(await cached(me.id)).toEqual(before);

    await me.send('PATCH', '/voices', { ...rachel, speed: 0.8 });
    expect(await cached(me.id)).toEqual([]);
    const earlier = api.providers.requests.length;
    await me.send('POST', path, {});
    expect(api.providers.requests).toHaveLength(earlier + 1);
  });

  // Proves: D.voices.7
  it('have separate customizations in each workspace', async () => {
    const [me, other] = [await api.caller({ plan: 'Team' }), await api.caller({ plan: 'Team' })];
    await me.send('PATCH', '/voices', { ...rachel, speed: 0.75 });
    const find = async ({ send }: typeof me) =>
      (await send('GET', '/voices')).body
        .flatMap(({ male, female }: { male: object[]; female: object[] }) => [...male, ...female])
        .find(({ voice }: { voice: string }) => voice === rachel.voice);
    expect(await find(me)).toMatchObject({ premium: true, speed: 0.75 });
    expect(await find(other)).not.toHaveProperty('speed');
  });
});

describe('the sample sentence', () => {
  let api: Awaited<ReturnType<typeof openPremiumApi>>;
  beforeAll(async () => {
    api = await openPremiumApi();
  });
  afterAll(() => api.close());

  // Proves: 2.2.3, 2.2.4, 2.2.5, 4.1.2, 4.1.3, 4.1.4
  it('is fixed for each locale and cannot be set by the caller', async () => {
    const me = await api.caller({ plan: 'Free' });
    const voice = { voice: 'slt', provider: 'flite', language: 'English' };
    const say = async (extra: object) =>
      (await me.send('PATCH', '/voices/customization-preview', { ...voice, ...extra })).body;
    const english = (await say({})).text;
    expect((await say({ locale: 'en-US' })).text).toBe(english);
    expect((await say({ message: 'x', sentence: 'y' })).text).toBe(english);
    expect((await say({ locale: 'fr-FR' })).text).not.toBe(english);
    expect((await say({ text: 'x' })).message).toEqual(expect.any(String));
    const slow = await say({ speed: 0.7 });
    const fast = await say({ speed: 1.2 });
    expect(slow.duration / fast.duration).toBeGreaterThan(1.4);
    for (const edge of [{ stability: 0 }, { stability: 1 }]) expect(await say(edge)).toHaveProperty('url');
  });
});
