import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSpeech } from '@figurehead/media';
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { odp, pdf, pptx, pptxParts, relationship } from '../../../../../tests/fixtures/presentations/decks.js';
import { zip } from '../../../../../tests/fixtures/presentations/zip.js';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { clipMp4, download } from '../../../../../tests/support/files.js';
import type { Kernel } from '../../kernel/contract.js';
import { createAvatars } from '../avatars/index.js';
import { createVoices } from '../voices/index.js';
import { workOnImports } from './index.js';
import type { Office } from './office/office.js';
import { PresentationProblem } from './reading/problem.js';
import { claimImport, endImport, removeUnshownPages } from './store.js';
import type { Speakers } from './voice-choice.js';

const GERMAN = 'Unsere Kosten sind im vergangenen Jahr leicht gestiegen, vor allem wegen der Energiepreise.';
const deck = [
  { title: 'Welcome', notes: 'Welcome to our quarterly review.\nLet us begin with the sales of the year.' },
  { title: 'Secret', notes: 'Never say this.', hidden: true },
  { title: 'Costs', bullets: ['Rent', 'Energy & people'], notes: GERMAN },
  { title: 'Thanks' },
];

/** A converter that draws the requested number of pages at the requested time. */
interface ScriptedOffice extends Office {
  act: (folder: string, signal: AbortSignal) => Promise<string>;
}

function speakersOf(kernel: Kernel): Speakers {
  const speech = createSpeech({ threads: 1 });
  kernel.lifecycle.onClose('speech of imports', () => speech.close());
  return { voices: createVoices(kernel, speech), avatars: createAvatars(kernel) };
}

describe('presentations', () => {
  let api: TestApi;
  let caller: TestCaller;
  const office: ScriptedOffice = {
    version: '24.8',
    strength: 'none',
    act: async () => '',
    convert: ({ folder, signal }) => office.act(folder, signal),
  };
  const draw = async (folder: string, pages: readonly string[]): Promise<string> => {
    const path = join(folder, 'drawn.pdf');
    await writeFile(path, pdf(pages));
    return path;
  };
  const usual: ScriptedOffice['act'] = (folder) => draw(folder, ['A', 'B', 'C']);

  beforeAll(async () => {
    api = await openTestApi({ FIGUREHEAD_REQUEST_TIMEOUT_SECONDS: '20' });
    const { kernel } = api.test;
    await workOnImports(kernel, { speakers: speakersOf(kernel), office: async () => office });
    caller = await api.caller();
  });
  afterAll(() => api.close());
  afterEach(() => {
    office.act = usual;
  });
  office.act = usual;

  async function upload(
    file: Buffer,
    options: { fields?: Record<string, string>; filename?: string; by?: TestCaller; to?: TestApi } = {},
  ) {
    const { fields = {}, filename = 'My deck.pptx', by = caller, to = api } = options;
    const form = Object.entries(fields).map(
      ([name, value]) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const payload = Buffer.concat([
      Buffer.from(
        `${form.join('')}--B\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
      ),
      file,
      Buffer.from('\r\n--B--\r\n'),
    ]);
    const answer = await to.http.app.inject({
      method: 'POST',
      url: '/api/v1/videos/from-presentation',
      headers: { authorization: `Bearer ${by.token}`, 'content-type': 'multipart/form-data; boundary=B' },
      payload,
    });
    return { status: answer.statusCode, body: answer.json() };
  }

  const read = async (id: string, by = caller) => (await by.call('GET', `/videos/${id}`)).body;

  // Proves: 4.6.8, D.videos.34
  it('become a draft with a slide per page, the page as its background and its notes as the script', async () => {
    const { status, body } = await upload(pptx(deck));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'My deck',
      status: 'draft',
      type: 'video',
      data: { format: '16_9', resolution: 'FullHD' },
    });
    expect(body.data.presentation).toEqual({ file: 'My deck.pptx', kind: 'pptx', pages: 3, warnings: [] });
    expect(body).not.toHaveProperty('progress');
    expect(body.slides.map((slide: { speech: string }) => slide.speech)).toEqual([deck[0]?.notes, GERMAN, '']);
    expect(body.slides.map((slide: { id: number; avatar: unknown }) => [slide.id, slide.avatar])).toEqual([
      [1, null],
      [2, null],
      [3, null],
    ]);
    expect(body.slides[0]).toMatchObject({ language: 'English', voiceType: 'text' });
    expect(body.slides[1]).toMatchObject({ language: 'German', voiceProvider: 'espeak' });
    expect(body.slides.map((slide: { duration?: number }) => slide.duration)).toEqual([undefined, undefined, 5]);
    const page = await download(api.http, body.slides[0].canvas.background);
    expect(page.type).toBe('image/png');
    expect(await sharp(page.bytes).metadata()).toMatchObject({ width: 1920, height: 1080 });
    expect(await read(body._id)).toEqual(body);
    expect((await caller.call('POST', `/videos/validate/${body._id}`)).body).toEqual({ valid: true, errors: [] });
  });

  it('are spoken in the language of each page, in English where no voice speaks it', async () => {
    const notes = [
      '最后一页：感谢大家的聆听。',
      'ありがとうございました',
      'Thank you all very much for being here today.',
    ];
    office.act = (folder) => draw(folder, notes);
    const { body } = await upload(odp(notes.map((text) => ({ title: 'x', notes: text }))));
    expect(body.slides).toMatchObject([
      { language: 'Chinese', voice: 'cmn' },
      { language: 'English', voiceProvider: 'flite' },
      { language: 'English', voiceProvider: 'flite' },
    ]);
    expect(body.data.presentation.warnings).toEqual([expect.stringMatching(/slide 2 seem to be Japanese/)]);
  });

  it('are spoken by the chosen voice in its own language only, on request, and say where it changes', async () => {
    const fields = { voice: 'rms', voiceProvider: 'flite', language: 'English', voicePerPage: 'true' };
    const { body } = await upload(pptx(deck), { fields });
    expect(body.slides).toMatchObject([
      { voice: 'rms', voiceProvider: 'flite', language: 'English' },
      { voiceProvider: 'espeak', language: 'German' },
      {},
    ]);
    expect(body.data.presentation.warnings).toEqual([
      'The chosen voice does not speak German; another one speaks slide 2.',
    ]);
  });

  it('answer 206 at once when the caller does not wait', async () => {
    const { status, body } = await upload(pptx(deck), { fields: { wait: 'false' } });
    expect([status, body.status]).toEqual([206, 'importing']);
    await expect.poll(async () => (await read(body._id)).status).toBe('draft');
  });

  it('keep the proportions of their pages', async () => {
    const { body } = await upload(pdf(['Old'], { width: 720, height: 540 }), { filename: 'old.pdf' });
    expect(body.data.format).toBe('16_9');
    const { data, info } = await sharp((await download(api.http, body.slides[0].canvas.background)).bytes)
      .raw()
      .toBuffer({ resolveWithObject: true });
    const pixel = (x: number, y: number) => [
      ...data.subarray((y * info.width + x) * info.channels, (y * info.width + x) * info.channels + 3),
    ];
    // A 4:3 page is centred; at its sides its own colour continues instead of black.
    expect([pixel(10, 500), pixel(1910, 500)]).toEqual([pixel(300, 20), pixel(300, 20)]);
    const upright = await upload(pdf(['Upright'], { width: 540, height: 960 }));
    expect(upright.body.data.format).toBe('9_16');
  });

  // Proves: D.videos.35
  it('use the requested presenter, voice, language, folder and name', async () => {
    const { _id: folderId } = (await caller.call('POST', '/folders', { name: 'Talks' })).body;
    const { body: avatars } = await caller.call('GET', '/avatars');
    const fields = {
      name: 'Talk',
      avatar: avatars[0].code,
      voice: 'de',
      voiceProvider: 'espeak',
      language: 'German',
      folderId,
    };
    const { status, body } = await upload(odp(deck), { fields, filename: 'x.odp' });
    expect([status, body.name, body.folderId]).toEqual([200, 'Talk', folderId]);
    for (const slide of body.slides) {
      expect(slide).toMatchObject({
        avatar: { code: fields.avatar },
        voice: 'de',
        voiceProvider: 'espeak',
        language: 'German',
        hasAvatar: true,
      });
      expect(slide.canvas.objects).toMatchObject([{ type: 'avatar' }]);
    }
    expect(body.slides.map((slide: { speech: string }) => slide.speech)).toEqual([deck[0]?.notes, GERMAN, '']);
  });

  // Proves: D.videos.36
  it('are refused immediately for detectable problems, without storing or counting anything', async () => {
    const by = await api.caller();
    const count = async () => (await by.call('GET', '/videos')).body.total;
    const many = pdf(Array.from({ length: 101 }, (_, page) => String(page)));
    const refusals = [
      [await upload(many, { by }), /has 101 pages/],
      [await upload(Buffer.from('x'), { by }), /is a \.pptx, \.ppt, \.odp or \.pdf/],
      [await upload(pdf(['x'], { encrypted: true }), { by }), /password/],
      [await upload(pptx(deck), { by, fields: { avatar: 'nobody' } }), /no avatar/],
      [await upload(pptx(deck), { by, fields: { voice: 'nobody' } }), /no voice/],
      [await upload(pptx(deck), { by, fields: { voiceProvider: 'nobody' } }), /must be one of/],
      [await upload(pptx(deck), { by, fields: { strict: 'maybe' } }), /strict/],
    ] as const;
    for (const [{ status, body }, says] of refusals) {
      expect(status).toBe(400);
      expect(body.message).toMatch(says);
    }
    expect(await count()).toBe(0);
    expect((await by.call('GET', '/apiConfig')).body.quotas[0].used).toBe(0);
  });

  it('count as creations, and leave no file when the quota is used up', async () => {
    const by = await api.caller({ plan: 'Free', status: 'free' });
    await Promise.all(Array.from({ length: 50 }, (_, n) => by.call('POST', '/videos', { name: `${n}` })));
    const { status, body } = await upload(pptx(deck), { by });
    expect([status, body.message]).toEqual([429, expect.stringContaining('50 videos created')]);
    const { rows } = await sql`select 1 from presentation_imports where workspace_id = ${by.workspace._id}`.execute(
      api.test.kernel.db,
    );
    expect(rows).toEqual([]);
  });

  // Proves: D.videos.37
  it('end with a readable error when only the conversion detects a problem', async () => {
    office.act = async () => {
      throw new PresentationProblem('LibreOffice could not convert the presentation.');
    };
    const failed = await upload(pptx(deck));
    expect([failed.status, failed.body.status, failed.body.error]).toEqual([
      200,
      'error',
      'LibreOffice could not convert the presentation.',
    ]);
    office.act = (folder) => draw(folder, ['A']);
    expect((await upload(pptx(deck))).body.error).toBe("LibreOffice drew 1 of the presentation's 3 pages.");
    office.act = async () => {
      throw new Error('segfault at 0x0');
    };
    expect((await upload(pptx(deck))).body.error).toMatch(/internal error/);
  });

  // Proves: D.webhook.15
  it('call their callbackUrl once, at success and at failure, and not when they are deleted', async () => {
    const own = await api.caller();
    const fields = { callbackUrl: 'https://receiver.example/done' };
    const imported = await upload(pptx(deck), { by: own, fields });
    expect(JSON.stringify(imported.body)).not.toContain('receiver.example');
    office.act = async () => {
      throw new PresentationProblem('It is broken.');
    };
    const failed = await upload(pptx(deck), { by: own, fields });
    const { deliveries } = (await own.call('GET', '/webhook/deliveries')).body;
    const told = deliveries.map(
      ({ url, callback, requestBody }: { url: string; callback: boolean; requestBody: string }) => ({
        url,
        callback,
        ...JSON.parse(requestBody),
      }),
    );
    expect(told.reverse()).toMatchObject([
      {
        url: fields.callbackUrl,
        callback: true,
        event: 'video_imported',
        error: null,
        video: { _id: imported.body._id, status: 'draft' },
      },
      { event: 'video_error', error: failed.body.error, video: { _id: failed.body._id, status: 'error' } },
    ]);
    const refused = await upload(pptx(deck), { by: own, fields: { callbackUrl: 'http://10.0.0.1/' } });
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toMatchObject([{ field: 'callbackUrl', message: expect.stringContaining('10.0.0.1') }]);
    expect((await own.call('GET', '/videos')).body.total).toBe(2);
  });

  it('are tried again after an outage', async () => {
    let tries = 0;
    office.act = async (folder) => {
      tries += 1;
      if (tries < 3) throw Object.assign(new Error('terminating connection'), { code: '57P01' });
      return draw(folder, ['A', 'B', 'C']);
    };
    expect((await upload(pptx(deck))).body).toMatchObject({ status: 'draft' });
    expect(tries).toBe(3);
  });

  it('become editable on request: the page without its text, which is objects', async () => {
    const { body } = await upload(pptx(deck), { fields: { editable: 'true' } });
    expect(body.slides[1].canvas.objects).toMatchObject([
      { type: 'textbox', text: 'B', fontFamily: 'Helvetica', fontSize: 32, fill: '#ffffff', left: 40 },
    ]);
    const { bytes } = await download(api.http, body.slides[1].canvas.background);
    // One colour is left: the letter is not in the picture.
    expect((await sharp(bytes).stats()).entropy).toBe(0);
    const flat = await upload(pptx(deck));
    expect(flat.body.slides[1].canvas.objects).toEqual([]);
    const words = await upload(pdf(['Words in a PDF']), { fields: { editable: 'true' }, filename: 'a.pdf' });
    expect(words.body.slides[0]).toMatchObject({
      title: 'Words in a PDF',
      canvas: { objects: [{ text: 'Words in a PDF' }] },
    });
  });

  it('keep text in the picture of an editable page when something hides a part of it', async () => {
    const picture = { width: 1, height: 1, filter: 'ASCIIHexDecode', data: '00>' };
    const texts = async (baseline: number) => {
      const file = pdf(['Words'], { baseline, picture });
      return (await upload(file, { fields: { editable: 'true' }, filename: 'a.pdf' })).body.slides[0].canvas.objects;
    };
    expect(await texts(40)).toEqual([]);
    expect(await texts(200)).toMatchObject([{ text: 'Words' }]);
  });

  it('show a page without a picture that cannot be read, and say so', async () => {
    const broken = { width: 64, height: 64, filter: 'JPXDecode', data: 'not a picture' };
    const { body } = await upload(pdf(['Words'], { picture: broken }), { filename: 'a.pdf' });
    expect(body.data.presentation.warnings).toEqual(['A picture of page 1 is missing: it cannot be read.']);
    expect(body).toMatchObject({ status: 'draft', slides: [{ title: 'Words' }] });
  });

  it('show words whose font is not in the PDF, also in scripts that its standard fonts lack', async () => {
    const { body } = await upload(pdf(['Words <日本語>']), { filename: 'a.pdf' });
    expect(body.slides[0].canvas.objects).toMatchObject([{ type: 'textbox', text: '日本語' }]);
  });

  it('play films in their place, with their sound where no presenter speaks, and name what is not played', async () => {
    const clip = (id: number, tag: string, file: string) =>
      `<p:pic><p:nvPicPr><p:cNvPr id="${id}" name="x"/><p:cNvPicPr/><p:nvPr><a:${tag} r:link="${file}"/></p:nvPr></p:nvPicPr><p:blipFill/><p:spPr><a:xfrm><a:off x="1219200" y="685800"/><a:ext cx="6096000" cy="3429000"/></a:xfrm></p:spPr></p:pic>`;
    const relationships = [
      relationship('rIdF', 'video', '../media/clip.mp4'),
      relationship('rIdB', 'video', '../media/broken.avi'),
      relationship('rIdL', 'video', 'file:///C:/films/far.mp4', true),
      relationship('rIdS', 'audio', '../media/song.m4a'),
    ].join('');
    const shapes = ['rIdF', 'rIdB', 'rIdL'].map((id, index) => clip(10 + index, 'videoFile', id)).join('');
    const pages = [
      { title: 'Silent', shapes: shapes + clip(20, 'audioFile', 'rIdS'), relationships },
      { title: 'Spoken', notes: 'Look at this.', shapes: clip(10, 'videoFile', 'rIdF'), relationships },
    ];
    office.act = (folder) => draw(folder, ['A', 'B']);
    const film = await clipMp4({ seconds: 7, width: 96, height: 64, sound: true });
    const media = [
      { name: 'ppt/media/clip.mp4', data: film },
      { name: 'ppt/media/broken.avi', data: 'not a film' },
      { name: 'ppt/media/song.m4a', data: 'not a song' },
    ];
    const { body: begun } = await upload(zip([...pptxParts(pages), ...media]), { fields: { wait: 'false' } });
    await expect.poll(async () => (await read(begun._id)).status).toBe('draft');
    const body = await read(begun._id);
    const place = { type: 'video', left: 64, top: 36, width: 320, height: 180, loop: false };
    expect(body.slides).toMatchObject([
      { duration: 7, canvas: { objects: [{ ...place, muted: false }] } },
      { canvas: { objects: [place] } },
    ]);
    expect(body.slides[1].canvas.objects[0]).not.toHaveProperty('muted');
    expect(body.data.presentation.warnings).toEqual([
      expect.stringContaining('links to 1 file elsewhere'),
      'The film broken.avi of page 1 is not played.',
      'The film far.mp4 of page 1 is not played. It is not in the presentation.',
      'The sound song.m4a of page 1 is not played.',
    ]);
    const { type } = await download(api.http, body.slides[0].canvas.objects[0].src);
    expect(type).toBe('video/mp4');
    expect((await caller.call('POST', `/videos/validate/${body._id}`)).body).toEqual({ valid: true, errors: [] });
  });

  it('keep transitions that videos have too', async () => {
    const transition = (effect: string) => `<p:transition>${effect}</p:transition>`;
    const pages = ['<p:fade/>', '<p:push dir="u"/>', '<p:wheel/>'].map((effect) => ({
      title: 'x',
      transition: transition(effect),
    }));
    const { body } = await upload(pptx(pages));
    expect(body.slides.map((slide: { transition?: string }) => slide.transition)).toEqual([
      'fade',
      'slide_up',
      undefined,
    ]);
  });

  it('have the titles of their pages as names of chapters', async () => {
    const { body } = await upload(pptx(deck));
    expect(body.slides.map((slide: { title: string }) => slide.title)).toEqual(['Welcome', 'Costs', 'Thanks']);
  });

  it('have their presenter in the corner of the page that is emptiest', async () => {
    const { body: avatars } = await caller.call('GET', '/avatars');
    const options = { fields: { avatar: avatars[0].code }, filename: 'a.pdf' };
    const placeOn = async (file: Buffer) => (await upload(file, options)).body.slides[0].canvas.objects[0];
    const empty = await placeOn(pdf([' ']));
    expect([empty.left > 320, empty.top > 180]).toEqual([true, true]);
    // The line begins at the left edge; a low page has it in both lower corners.
    const full = await placeOn(
      pdf(['A long line of text to the right edge'], { width: 960, height: 540, baseline: 40 }),
    );
    expect([full.left > 320, full.top > 180]).toEqual([true, false]);
  });

  it('are cancelled with their video, and their pages are removed when no copy uses them', async () => {
    const gate = new AbortController();
    const opened = new Promise((resolve) => gate.signal.addEventListener('abort', resolve));
    const { kernel } = api.test;
    let seen: AbortSignal | undefined;
    office.act = async (folder, signal) => {
      seen = signal;
      await opened;
      signal.throwIfAborted();
      return draw(folder, ['A', 'B', 'C']);
    };
    const waiting = upload(pptx(deck), { filename: 'gone.pptx' });
    const importing = async () => (await caller.call('GET', '/videos?status=importing')).body.videos;
    await expect
      .poll(async () => (await importing()).map((video: { stage: string }) => video.stage))
      .toEqual(['converting']);
    const [video] = await importing();
    expect(video).toMatchObject({ name: 'gone', progress: expect.any(Number) });
    expect((await caller.call('PATCH', `/videos/${video._id}`, { name: 'x' })).status).toBe(400);
    expect((await caller.call('POST', `/videos/render/${video._id}`)).status).toBe(400);
    expect((await caller.call('POST', '/videos/copy', { videoId: video._id })).status).toBe(400);
    const rows = { templateData: [{ name: 'x' }] };
    expect((await caller.call('POST', `/videos/renderTemplate/${video._id}`, rows)).status).toBe(400);
    await caller.call('DELETE', `/videos/${video._id}`);
    expect((await waiting).body).toMatchObject({ deleted: true, status: 'draft' });
    await expect.poll(() => seen?.aborted).toBe(true);
    gate.abort();

    office.act = usual;
    const { body: original } = await upload(pptx(deck));
    const { body: copy } = await caller.call('POST', '/videos/copy', { videoId: original._id });
    const page = copy.slides[0].canvas.background;
    await caller.call('DELETE', `/videos/${original._id}`);
    await removeUnshownPages(kernel);
    expect((await download(api.http, page)).status).toBe(200);
    await caller.call('DELETE', `/videos/${copy._id}`);
    await removeUnshownPages(kernel);
    expect((await download(api.http, page)).status).toBe(404);
  });

  it('belong to the worker that claimed them last', async () => {
    const { kernel } = api.test;
    const { body } = await upload(pptx(deck));
    const db = kernel.db;
    await sql`update presentation_imports set state = 'queued', attempt = 0 where video_id = ${body._id}`.execute(db);
    const { rows } = await sql<{
      id: string;
    }>`select id from presentation_imports where video_id = ${body._id}`.execute(db);
    const id = rows[0]?.id ?? '';
    const first = await claimImport(db, id);
    const second = await claimImport(db, id);
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
    const end = (attempt: number) =>
      kernel.transaction((tx) => endImport(tx, { id, attempt }, { state: 'done', now: new Date() }));
    expect(await end(1)).toBe(false);
    expect(await end(2)).toBe(true);
    expect(await claimImport(db, id)).toBeUndefined();
  });

  // Proves: 4.6.8, 7.4, D.videos.16, D.videos.38
  it('answer 206 after the request timeout, continue, and end', async () => {
    const slow = await openTestApi({ FIGUREHEAD_REQUEST_TIMEOUT_SECONDS: '1' });
    try {
      const { kernel } = slow.test;
      const by = await slow.caller();
      const { status, body } = await upload(pptx(deck), { to: slow, by });
      expect(status).toBe(206);
      expect(body).toEqual({
        message: expect.stringContaining('continues'),
        _id: expect.any(String),
        status: 'importing',
      });
      expect(await read(body._id, by)).toMatchObject({ status: 'importing', slides: [], progress: 0, stage: 'queued' });
      // A worker without LibreOffice starts only now.
      await workOnImports(kernel, { speakers: speakersOf(kernel), office: async () => undefined });
      await expect.poll(async () => (await read(body._id, by)).status).toBe('draft');
      const video = await read(body._id, by);
      expect(video.data.presentation.warnings).toEqual([
        expect.stringContaining('apt-get install libreoffice-impress'),
      ]);
      expect(video.slides[1].canvas.objects).toMatchObject([
        { type: 'textbox', text: 'Costs' },
        { type: 'textbox', text: 'Rent\nEnergy & people', list: 'bullet' },
      ]);
    } finally {
      await slow.close();
    }
  });
});
