import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi } from '../../../../../tests/support/api.js';
import { type LanguageModel, openLanguageModel } from '../../../../../tests/support/language-model.js';

const SLIDES = [
  {
    id: 1,
    speech: 'Hello {{name}}. <break time="1s"/> Welcome.',
    voice: 'slt',
    voiceProvider: 'flite',
    language: 'English',
    canvas: {
      objects: [
        { type: 'textbox', text: 'Title', width: 100 },
        { type: 'group', objects: [{ type: 'text', text: 'Inside' }, { type: 'rect' }] },
        { type: 'textbox', text: '  ' },
      ],
    },
  },
  { id: 2, speech: '' },
];

/** The list of texts in a request to the model. */
function askedIn(question: { messages: readonly { content: string }[] }): string[] {
  return JSON.parse(/\[.*\]/.exec(question.messages[1]?.content ?? '')?.[0] ?? '[]');
}

describe('the translation of a video', () => {
  let model: LanguageModel;
  let api: TestApi;
  beforeAll(async () => {
    model = await openLanguageModel();
    api = await openTestApi({ FIGUREHEAD_LLM_URL: model.url });
  });
  afterAll(async () => {
    await api.close();
    await model.close();
  });

  it('is a new draft with every text translated, in a voice of the language; the video itself stays', async () => {
    const me = await api.caller();
    model.script((question) => JSON.stringify({ texts: askedIn(question).map((text) => `de: ${text}`) }));
    const { _id } = (await me.call('POST', '/videos', { name: 'Greeting', slides: SLIDES })).body;
    const { status, body } = await me.call('POST', `/videos/translate/${_id}`, { language: 'German' });
    expect([status, body.message]).toEqual([200, undefined]);
    expect(body).toMatchObject({
      name: 'de: Greeting',
      status: 'draft',
      slides: [
        {
          speech: 'de: Hello {{name}}. <break time="1s"/> Welcome.',
          language: 'German',
          canvas: { objects: [{ text: 'de: Title' }, { objects: [{ text: 'de: Inside' }, {}] }, { text: '  ' }] },
        },
        { speech: '' },
      ],
    });
    expect(body._id).not.toBe(_id);
    expect(body.slides[0].voice).not.toBe('slt');
    expect((await me.call('GET', `/videos/${_id}`)).body.slides[0].speech).toBe(SLIDES[0]?.speech);
  });

  it('keeps the sex of each presenter, and without one that of the voice', async () => {
    const me = await api.caller();
    model.script((question) => JSON.stringify({ texts: askedIn(question) }));
    const slide = { speech: 'Hello.', voiceProvider: 'flite', language: 'English' };
    const slides = [
      { ...slide, id: 1, voice: 'slt', avatar: { code: 'amara' } },
      { ...slide, id: 2, voice: 'rms', avatar: { code: 'marcus' } },
      { ...slide, id: 3, voice: 'slt', avatar: { code: 'marcus' }, hasAvatar: false },
      { ...slide, id: 4, voice: 'rms' },
    ];
    const { _id } = (await me.call('POST', '/videos', { name: 'Greeting', slides })).body;
    const { body } = await me.call('POST', `/videos/translate/${_id}`, { language: 'German' });
    const groups: { name: string; female: { voice: string; voiceProvider: string }[] }[] = (
      await me.call('GET', '/voices')
    ).body;
    const women = groups
      .find(({ name }) => name === 'German')
      ?.female.map((one) => `${one.voiceProvider} ${one.voice}`);
    const isFemale = (one: { voice: string; voiceProvider: string }) =>
      women?.includes(`${one.voiceProvider} ${one.voice}`);
    expect(body.slides.map(isFemale)).toEqual([true, false, true, false]);
  });

  it('speaks the script of a recording with the voice; a recording without a script is kept', async () => {
    const me = await api.caller();
    const recording = { src: 'https://media.example/voice.wav' };
    const recorded = { voiceType: 'audio', recording };
    const slides = [
      { id: 1, speech: 'Hello.', ...recorded },
      { id: 2, speech: '', ...recorded },
    ];
    model.script((question) => JSON.stringify({ texts: askedIn(question).map((text) => `de: ${text}`) }));
    const { _id } = (await me.call('POST', '/videos', { name: 'Greeting', slides })).body;
    const { body } = await me.call('POST', `/videos/translate/${_id}`, { language: 'German' });
    expect(body.slides).toMatchObject([{ speech: 'de: Hello.', voiceType: 'text' }, recorded]);
    expect(body.slides[0].recording).toBeUndefined();
  });

  it('asks the model once more when a placeholder or a tag is lost, then fails with a reason that is not the request’s', async () => {
    const me = await api.caller();
    const { _id } = (await me.call('POST', '/videos', { name: 'Greeting', slides: SLIDES })).body;
    model.script((question, index) =>
      JSON.stringify({ texts: askedIn(question).map((text) => (index === 0 ? 'lost' : text)) }),
    );
    expect((await me.call('POST', `/videos/translate/${_id}`, { language: 'German' })).status).toBe(200);
    expect(model.questions[1]?.messages.at(-1)?.content).toContain('braces');
    model.script(() => 'no JSON');
    const refused = await me.call('POST', `/videos/translate/${_id}`, { language: 'German' });
    expect([refused.status, refused.body.message]).toEqual([
      503,
      expect.stringMatching(/^The language model of this server failed: the language model's answer cannot be used: /),
    ]);
    model.script(() => ({ status: 401 }));
    const failed = await me.call('POST', `/videos/translate/${_id}`, { language: 'German' });
    expect([failed.status, failed.body.message]).toEqual([
      503,
      "The language model of this server failed: the language model's server answered 401. Try again later.",
    ]);
  });

  it('is refused where no model is configured, and for a language that no voice speaks', async () => {
    const me = await api.caller();
    const { _id } = (await me.call('POST', '/videos', { name: 'Greeting', slides: SLIDES })).body;
    expect((await me.call('POST', `/videos/translate/${_id}`, { language: 'Klingon' })).status).toBe(400);
    const plain = await openTestApi();
    try {
      const other = await plain.caller();
      const video = (await other.call('POST', '/videos', { name: 'Greeting', slides: SLIDES })).body;
      const refused = await other.call('POST', `/videos/translate/${video._id}`, { language: 'German' });
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('FIGUREHEAD_LLM_URL')]);
    } finally {
      await plain.close();
    }
  });
});
