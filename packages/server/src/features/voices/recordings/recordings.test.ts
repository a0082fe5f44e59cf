import { createSpeech, type Speech } from '@figurehead/media';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../../tests/support/api.js';
import { download, upload } from '../../../../../../tests/support/files.js';
import { asRecorded, wavOf } from '../../../../../../tests/support/recorded.js';
import { workOnMedia } from '../../library/index.js';

const SCRIPT = 'My mother bought a big black bag of plums.';

describe('the recording of a slide', () => {
  let api: TestApi;
  let me: TestCaller;
  let speech: Speech;
  let wav: Buffer;
  let length: number;
  beforeAll(async () => {
    api = await openTestApi();
    me = await api.caller();
    await workOnMedia(api.test.kernel);
    speech = createSpeech({ threads: 1 });
    const { samples } = await speech.utter('flite', SCRIPT, { voice: 'slt' });
    length = samples.length / 48_000;
    wav = wavOf(asRecorded(samples));
  });
  afterAll(async () => {
    await speech.close();
    await api.close();
  });

  /** A sound of the library that is ready. */
  const uploaded = async (caller: TestCaller, bytes: Uint8Array = wav) => {
    const { body } = await upload(api.http, {
      path: '/media',
      token: caller.token,
      file: { name: 'voice.wav', bytes },
    });
    const current = async () => (await caller.call('GET', `/media/${body._id}`)).body;
    await expect.poll(async () => (await current()).status).not.toBe('processing');
    return current();
  };
  const recorded = (src: string, more: object = {}) => ({
    id: 1,
    speech: SCRIPT,
    language: 'English',
    voiceType: 'audio',
    recording: { src },
    ...more,
  });
  const speak = async (caller: TestCaller, slide: object) => {
    const { body } = await caller.call('POST', '/videos', { name: 'Recorded', slides: [slide] });
    return { videoId: body._id, ...(await caller.call('POST', `/videos/voice/${body._id}/1`, {})) };
  };
  const messageOf = ({ body }: { body: { errors?: { field: string; message: string }[] } }) =>
    body.errors?.map(({ field, message }) => `${field}: ${message}`).join();

  it('is trimmed, has word times, and is stored with the slide', async () => {
    const medium = await uploaded(me);
    expect(medium.type).toBe('audio');
    const { status, body, videoId } = await speak(me, recorded(medium.url));
    expect(status).toBe(200);
    expect(body.words.map(({ text }: { text: string }) => text)).toEqual(SCRIPT.split(' '));
    expect(Math.abs(body.duration - length)).toBeLessThan(0.3);
    const sound = await download(api.http, body.url);
    expect([sound.status, sound.type]).toEqual([200, 'audio/wav']);
    const stored = (await me.call('GET', `/videos/${videoId}`)).body.slides[0];
    expect(stored).toMatchObject({ voiceType: 'audio', recording: { src: medium.url }, audio: { words: body.words } });
  });

  it('moves the mouth of a preview', async () => {
    const medium = await uploaded(me);
    const slide = { ...recorded(medium.url), avatar: { code: 'ava' } };
    const { body } = await me.call('POST', '/videos', { name: 'Recorded', slides: [slide] });
    const frame = async (version: object) => {
      const { bytes } = await me.call('POST', `/videos/preview/${body._id}/1?at=1`, { slide: version });
      return sharp(bytes).removeAlpha().raw().toBuffer();
    };
    const silent = await frame({ ...slide, voiceType: 'text', speech: '' });
    // Until the recording has been read, the presenter is silent as well.
    await expect.poll(async () => (await frame(slide)).equals(silent)).toBe(false);
  });

  it('of another workspace is refused, as are deleted files, files without sound and silence', async () => {
    const other = await api.caller();
    const theirs = await uploaded(other);
    expect(messageOf(await speak(me, recorded(theirs.url)))).toContain('a file of another workspace');
    const mine = await uploaded(me);
    await me.call('DELETE', `/media/${mine._id}`);
    expect(messageOf(await speak(me, recorded(mine.url)))).toBe(
      'recording.src: the recording cannot be used: the file no longer exists on this server',
    );
    const silent = await uploaded(me, wavOf(new Float32Array(48_000)));
    expect(messageOf(await speak(me, recorded(silent.url)))).toBe(
      'recording: the recording cannot be used: it is silent; expected speech',
    );
    expect(messageOf(await speak(me, recorded('http://127.0.0.1/voice.wav')))).toContain('recording.src');
    expect(messageOf(await speak(me, recorded('data:text/plain,hello')))).toContain('cannot be read as video or sound');
    expect(messageOf(await speak(me, recorded('', { recording: null })))).toBe(
      'recording: is required: the slide has none',
    );
  });
});
