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

  it.each([
    [{ slides: [{ id: '1', duration: '', hasAvatar: null, avatar: null, canvas: null, voice: '', speech: null }] }],
    [{ tags: null, public: '', data: null, folderId: '', type: null, slides: null }],
    [{ data: { format: '', resolution: null, fps: '', subtitlesEnabled: '', musicUrl: '' } }],
    [{ slides: [{ id: 1, canvas: { objects: [{ type: 'text', left: null, top: '', fontSize: '', text: 'a' }] } }] }],
    [{ slides: [{ id: 1, canvas: { objects: null, background: null } }] }],
    [
      {
        slides: [
          { id: 1, animation: 'spin_3d', canvas: { objects: [{ type: 'text', animation: { type: 'wobble' } }] } },
        ],
      },
    ],
  ])('send null and empty text for what they do not set: %j', async (body) => {
    const made = await me.call('POST', '/videos', { name: 'x', ...body });
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
    expect(made.body).toMatchObject({ public: false, tags: [], folderId: null, type: 'video' });
    const again = await me.call('PATCH', `/videos/${made.body._id}`, made.body);
    expect([again.status, again.body]).toEqual([200, { ...made.body, updatedAt: again.body.updatedAt }]);
  });

  it('are asked for what is required, also when they send null for it', async () => {
    for (const [body, field] of [
      [{ name: null }, 'name'],
      [{ name: 'x', slides: [{ id: null }] }, 'slides[0].id'],
      [{ name: 'x', slides: [{ id: 1, canvas: { objects: [null] } }] }, 'slides[0].canvas.objects[0]'],
    ] as const) {
      const answer = await me.call('POST', '/videos', body);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    }
  });

  it('name a presenter by a number', async () => {
    const made = await me.call('POST', '/videos', { name: 'x', slides: [{ id: 1, avatar: { id: 12 } }] });
    expect(made.body.slides[0].avatar).toEqual({ id: 12, code: '12' });
  });

  it('send addresses with spaces and letters beyond ASCII', async () => {
    const background = 'https://media.example/Zürich Bahnhof.jpg';
    const objects = [{ type: 'image', src: 'https://media.example/my picture ü.png?ä=é b', width: 100, height: 100 }];
    const { _id, slides } = await send({ id: 1, duration: 2, canvas: { objects, background } });
    expect(slides[0].canvas).toMatchObject({ objects, background });
    expect((await me.call('POST', `/videos/validate/${_id}`)).body).toEqual({ valid: true, errors: [] });
  });

  it('end paths with a slash, send other content types or none, and a token after any spelling of Bearer', async () => {
    const body = { name: 'x', slides: [{ id: 1, speech: 'Hi' }] };
    const types = [
      'application/json; charset=utf8',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      '',
    ];
    for (const type of types) {
      const made = await me.call('POST', '/videos/', body, { 'content-type': type });
      expect([type, made.status]).toEqual([type, 200]);
      expect((await me.call('GET', `/videos/${made.body._id}/`)).body).toEqual(made.body);
      const rendered = await me.call('POST', `/videos/render/${made.body._id}/`, undefined, { 'content-type': type });
      expect(rendered.body).toEqual({ accepted: true });
    }
    for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
      const answer = await me.call('GET', '/videos/', undefined, { authorization: `${scheme} ${me.token}` });
      expect([scheme, answer.status]).toEqual([scheme, 200]);
    }
  });

  it('list with parameters of other services, empty ones, and flags in any case', async () => {
    for (const query of [
      'limit=5&page=&status=',
      'limit=05&utm_source=x&_=1',
      'deleted=False&tags=&search=&folderId=',
    ]) {
      const answer = await me.call('GET', `/videos?${query}`);
      expect([query, answer.status, answer.body.page]).toEqual([query, 200, 1]);
    }
    const none = await me.call('GET', '/videos?deleted=True');
    expect([none.status, none.body.total]).toEqual([200, 0]);
    expect((await me.call('GET', '/videos?limit=many')).body.errors).toEqual([
      { field: 'limit', message: expect.stringContaining('integer') as string },
    ]);
  });

  it('subscribe and open folders with empty text for what they do not set', async () => {
    const hook = await me.call('POST', '/webhook', { url: 'https://hooks.example/a b/ü', techEmail: '' });
    expect([hook.status, hook.body.techEmail]).toEqual([200, null]);
    expect((await me.call('POST', '/folders', { name: 'f', parentId: '' })).body.parentId).toBeNull();
  });
});
