import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi } from '../../../../../tests/support/api.js';
import { upload } from '../../../../../tests/support/files.js';

const BRAND = {
  colors: { background: '#102030', text: '#ffffff', accent: '#ffcc00' },
  headingFont: 'Lato',
  bodyFont: 'Roboto',
  logo: 'https://example.com/logo.png',
  avatar: 'marcus',
  voice: 'rms',
  voiceProvider: 'flite',
  language: 'English',
  aiLabel: 'Made with AI',
};

describe('the brand of a workspace', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  it('is empty at first, is replaced as a whole, and belongs to its workspace', async () => {
    const [me, other] = [await api.caller(), await api.caller()];
    const none = Object.fromEntries(Object.keys(BRAND).map((key) => [key, null]));
    expect((await me.call('GET', '/brand')).body).toEqual(none);
    expect((await me.call('PUT', '/brand', BRAND)).body).toEqual(BRAND);
    expect((await me.call('GET', '/brand')).body).toEqual(BRAND);
    expect((await other.call('GET', '/brand')).body).toEqual(none);
    expect((await me.call('PUT', '/brand', { headingFont: 'Lato' })).body).toEqual({ ...none, headingFont: 'Lato' });
  });

  it('has no presenter after that one was deleted: outlines and imports use the default one', async () => {
    const me = await api.caller();
    await me.call('PUT', '/brand', BRAND);
    // As saved while it existed.
    await sql`update brands set brand = jsonb_set(brand, '{avatar}', to_jsonb(${'f'.repeat(24)}::text))
      where workspace_id = ${me.workspace._id}`.execute(api.test.kernel.db);
    expect((await me.call('GET', '/brand')).body).toEqual({ ...BRAND, avatar: null });
    const outline = (await me.call('POST', '/outline', { title: 'Bees', source: 'Bees make honey.' })).body;
    const chapters = [{ id: 'a', title: 'Honey', summary: 'It keeps for years.', script: 'Hello.' }];
    await me.call('PATCH', `/outline/${outline._id}`, { chapters });
    const { slides } = (await me.call('POST', `/outline/${outline._id}/video`, {})).body;
    expect(slides[0]).toMatchObject({ avatar: { code: 'clara' }, voice: 'rms' });
    const deck = { name: 'x.pdf', bytes: Buffer.from('%PDF-1.4 nothing') };
    const refused = await upload(api.http, { path: '/videos/from-presentation', token: me.token, file: deck });
    expect([refused.status, refused.body.message]).toEqual([400, expect.not.stringContaining('There is no avatar')]);
  });

  it('accepts only existing presenters and voices, valid colours, and a logo with a URL', async () => {
    const me = await api.caller();
    for (const wrong of [
      { avatar: 'nobody-of-this-name' },
      { voice: 'nobody-of-this-name' },
      { colors: { ...BRAND.colors, accent: 'red' } },
      { logo: 'logo.png' },
      { aiLabel: 'x'.repeat(61) },
    ]) {
      expect((await me.call('PUT', '/brand', wrong)).status).toBeGreaterThanOrEqual(400);
    }
  });

  it('labels the films of its workspace that have no label of their own', async () => {
    const [me, other] = [await api.caller(), await api.caller()];
    await me.call('PUT', '/brand', { aiLabel: 'Made with AI' });
    const labelOf = async ({ call }: typeof me, data: object) => {
      const slides = [{ id: 1, speech: 'Hello.' }];
      const { _id } = (await call('POST', '/videos', { name: 'Tour', slides, data })).body;
      await call('POST', `/videos/render/${_id}`);
      const { rows } = await sql<{ label: string | null }>`
        select document->'data'->>'aiLabel' as label from renders where video_id = ${_id}`.execute(api.test.kernel.db);
      // The document itself stays as it was written.
      expect((await call('GET', `/videos/${_id}`)).body.data).toEqual(data);
      return rows[0]?.label;
    };
    expect(await labelOf(me, {})).toBe('Made with AI');
    expect(await labelOf(me, { aiLabel: ' ' })).toBe('Made with AI');
    expect(await labelOf(me, { aiLabel: 'Synthetic' })).toBe('Synthetic');
    expect(await labelOf(other, {})).toBe(null);
  });

  it('is applied to the video of an outline, with presenter and voice, unless the call specifies others', async () => {
    const me = await api.caller();
    await me.call('PUT', '/brand', BRAND);
    const outline = (await me.call('POST', '/outline', { title: 'Bees', source: 'Bees make honey.' })).body;
    const chapters = [{ id: 'a', title: 'Honey', summary: 'It keeps for years.', script: 'Hello.' }];
    await me.call('PATCH', `/outline/${outline._id}`, { chapters });
    const make = async (choice: object) =>
      (await me.call('POST', `/outline/${outline._id}/video`, choice)).body.slides[0];
    const slide = await make({});
    expect(slide).toMatchObject({
      avatar: { code: 'marcus' },
      voice: 'rms',
      canvas: { background: '#102030' },
    });
    expect(slide.canvas.objects).toMatchObject([
      { text: 'Honey', fill: '#ffffff', fontFamily: 'Lato' },
      { fontFamily: 'Roboto' },
      { type: 'avatar' },
      { type: 'image', src: BRAND.logo },
    ]);
    expect(await make({ avatar: 'nora', voice: 'slt', voiceProvider: 'flite' })).toMatchObject({
      avatar: { code: 'nora' },
      voice: 'slt',
    });
  });
});
