import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReview } from '../../packages/server/src/features/moderation/index.js';
import { workOnRenders } from '../../packages/server/src/features/renders/job/index.js';
import { openTestApi, scriptedPipeline, type TestApi, type TestCaller } from '../support/api.js';

/** The shapes of requests that programs in public send to the original service. */
describe('programs written for the original service', () => {
  let api: TestApi;
  let me: TestCaller;
  beforeAll(async () => {
    const pipeline = scriptedPipeline(async () => ({ durationSeconds: 2 }));
    api = await openTestApi({}, pipeline);
    await workOnRenders(api.test.kernel, { pipeline, review: createReview() });
    me = await api.caller();
  });
  afterAll(() => api.close());

  /** A slide with the presenter as its picture in a box of the original's size. */
  const slideWith = (presenter: { code: string; canvas: string }, fields: object = {}, canvas: object = {}) => ({
    id: 1,
    status: 'edited',
    canvas: {
      objects: [
        {
          type: 'avatar',
          left: 151.5,
          top: 36,
          fill: '#4868FF',
          scaleX: 0.1,
          scaleY: 0.1,
          width: 1080,
          height: 1080,
          src: presenter.canvas,
          avatarType: 'transparent',
          animation: { type: null, exitType: null },
        },
      ],
      background: '#00FF00',
      version: '4.4.0',
      ...canvas,
    },
    avatar: { code: presenter.code, gender: 'female', canvas: presenter.canvas },
    animation: 'fade_in',
    language: 'English',
    speech: 'Hi there! It’s my first video created by API.',
    voice: 'slt',
    voiceType: 'text',
    voiceProvider: 'flite',
    ...fields,
  });
  const presenter = async () => (await me.call('GET', '/avatars')).body[0];
  const send = async (slide: object, fields: object = {}) => {
    const answer = await me.call('POST', '/videos', { name: 'Hello from API!', slides: [slide], ...fields });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body;
  };
  /** As programs wait: until the document has the key `url`. */
  const poll = async (id: string): Promise<string> => {
    await expect.poll(async () => 'url' in (await me.call('GET', `/videos/${id}`)).body).toBe(true);
    return (await me.call('GET', `/videos/${id}`)).body.url;
  };

  it.each(['#00FF00', 'transparent'])(
    'create a video of a listed presenter in front of %s, render it without a body, and wait for its url',
    async (background) => {
      const { _id } = await send(slideWith(await presenter(), {}, { background }), {
        tags: ['test'],
        public: false,
        format: '1_1',
        resolution: '1080p',
      });
      expect((await me.call('POST', `/videos/validate/${_id}`)).body).toEqual({ valid: true, errors: [] });
      expect((await me.call('POST', `/videos/render/${_id}`)).body).toEqual({ accepted: true });
      expect(await poll(_id)).toMatch(/^http/);
    },
  );

  // Proves: D.videos.7b
  it('send booleans and numbers as text, to create and to change; the answers hold booleans and numbers', async () => {
    const slide = slideWith(await presenter());
    const [avatar] = slide.canvas.objects;
    const written = {
      ...slide,
      id: '1',
      hasAvatar: 'true',
      duration: '3.5',
      canvas: { ...slide.canvas, objects: [{ ...avatar, scaleX: '0.1', width: '1080', flipX: 'False' }] },
    };
    const { status: _unknown, ...known } = slide;
    const stored = {
      ...known,
      hasAvatar: true,
      duration: 3.5,
      canvas: { ...slide.canvas, objects: [{ ...avatar, flipX: false }] },
    };
    const data = { subtitlesEnabled: 'True', fps: '30', mine: 'true' };
    const expected = { public: true, data: { subtitlesEnabled: true, fps: 30, mine: 'true' }, slides: [stored] };
    const created = await send(written, { public: 'true', data, type: 'template' });
    expect(created).toMatchObject(expected);
    expect(created.slides).toEqual([stored]);
    const other = await send({ id: 1 });
    const changed = await me.call('PATCH', `/videos/${other._id}`, { public: 'TRUE', data, slides: [written] });
    expect(changed.body).toMatchObject(expected);
    expect((await me.call('GET', `/videos/${other._id}`)).body.slides).toEqual([stored]);
    const { body: batch } = await me.call('POST', `/videos/renderTemplate/${created._id}`, {
      templateData: [{ a: 1 }],
    });
    expect((await me.call('GET', `/videos/${batch.videoId}`)).body.slides).toEqual([stored]);
  });

  it.each([
    [{ public: 'yes' }, 'public', 'must be boolean'],
    [{ data: { fps: 'fast' } }, 'data.fps', 'must be integer'],
    [{ slides: [{ id: 'one' }] }, 'slides[0].id', 'must be integer'],
    [{ slides: [{ id: 1, gestures: '0' }] }, 'slides[0].gestures', 'must be boolean'],
  ])('are told about text that is neither: %j', async (body, field, message) => {
    const answer = await me.call('POST', '/videos', { name: 'x', ...body });
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ field, message: expect.stringContaining(message) as string }],
    ]);
  });

  // Proves: D.videos.7a
  it('name a presenter by its id', async () => {
    const { id, code, canvas, gender } = await presenter();
    const { _id, slides } = await send({ ...slideWith({ code, canvas }), avatar: { id, gender, canvas } });
    expect(slides[0].avatar).toEqual({ id, code: id, gender, canvas });
    expect((await me.call('POST', `/videos/validate/${_id}`)).body).toEqual({ valid: true, errors: [] });
  });

  it('fill pictures of a template by the numbers of their objects', async () => {
    const slide = slideWith(await presenter(), { speech: '{{story1}}' });
    const image = { type: 'image', left: 0, top: 0, width: 320, height: 180 };
    const objects = [
      ...slide.canvas.objects,
      { ...image, id: 929527292291, src: 'https://a.example/1.png' },
      { ...image, id: '515125141627', src: 'https://a.example/2.png' },
    ];
    const template = await send({ ...slide, canvas: { ...slide.canvas, objects } }, { type: 'template' });
    const [first, second] = ['https://a.example/anna.png', 'https://a.example/bob.png'];
    const answer = await me.call('POST', `/videos/renderTemplate/${template._id}`, {
      templateData: [{ story1: 'Once.', 929527292291: first, 515125141627: second, unused: 'x' }],
      emailNotification: false,
      fitTextBox: true,
    });
    expect(answer.body).toEqual({ accepted: true, requestId: expect.any(String), videoId: expect.any(String) });
    const { body: video } = await me.call('GET', `/videos/${answer.body.videoId}`);
    expect(video.slides[0].speech).toBe('Once.');
    expect(video.slides[0].canvas.objects.map(({ src }: { src: string }) => src).slice(1)).toEqual([first, second]);
    expect(await poll(video._id)).toMatch(/^http/);
  });
});
