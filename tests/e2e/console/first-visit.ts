import type { Request } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** Sign-in, the first video, and the list while videos are rendered. */
export function firstVisitScenarios({ fixture, page, go, button, eventually, made }: Stage): void {
  it('serves its page under a strict policy, its hashed files for a year, and no page instead of a missing file', async () => {
    const html = { headers: { accept: 'text/html' } };
    const answer = await fetch(`${fixture().url}/videos/anything`, html);
    expect(answer.status).toBe(200);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const asset = /\/assets\/[^"]+\.js/.exec(await answer.text())?.[0];
    const script = await fetch(fixture().url + asset);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await fetch(`${fixture().url}/assets/gone.js`, html)).status).toBe(404);
    expect((await fetch(`${fixture().url}/gone.png`, html)).status).toBe(404);
    expect((await fetch(`${fixture().url}/api/v1/nothing`, html)).status).toBe(401);
  });

  it('refuses a wrong password with a message, and accepts the right one', async () => {
    await go('/');
    await page().getByLabel('E-mail').fill(fixture().email);
    await page().locator('input[type=password]').fill('not this one');
    await button('Sign in').click();
    await page().getByText('Wrong e-mail or password.').waitFor();
    expect(await fixture().violations()).toEqual([]);
    // The browser itself reports the refused call.
    expect(fixture().complaints.splice(0)).toHaveLength(1);
    await page().locator('input[type=password]').fill(fixture().password);
    await button('Sign in').click();
    await page().getByRole('heading', { name: 'Create your first video' }).waitFor();
  });

  it('offers a natural voice with its size and licence on the first visit, and says why it could not be added', async () => {
    const offer = page().getByRole('region', { name: 'Add a natural voice' });
    // 90 MB, and 8 to 14 for the engine where it is not installed next to Figurehead.
    await offer.getByText(/38 voices · (?:9|10)\d MB/).waitFor();
    await offer.getByRole('link', { name: 'Apache-2.0' }).waitFor();
    await offer.getByRole('button', { name: 'Add: Kokoro', exact: true }).click();
    await offer.getByText('there is no file /no-such-folder/').waitFor();
    await offer.getByRole('button', { name: 'Try again: Kokoro', exact: true }).waitFor();
    expect(await fixture().violations()).toEqual([]);
    await go('/voices');
    await page().getByRole('region', { name: 'Natural voices' }).getByText('there is no file').waitFor();
    await go('/');
  });

  it('creates a first video with one click, and plays it with subtitles', async () => {
    await page().getByLabel('What should they say?').fill('Hello harbour.');
    await page().getByRole('radio', { name: 'Nora' }).click();
    await button('Create video').click();
    const player = page().locator('video[src][controls]');
    await player.waitFor();
    made.videoId = new URL(page().url()).pathname.split('/').at(-1) ?? '';
    await page().getByRole('heading', { name: 'Your first video is done. What next?' }).waitFor();
    await page().context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button('Copy link').last().click();
    await page().getByText('it plays in every browser').waitFor();
    const link = await page().evaluate(() => navigator.clipboard.readText());
    // Without a session.
    expect((await fetch(link)).headers.get('content-type')).toBe('video/mp4');
    await page().waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 1);
    expect(await player.evaluate((video: HTMLVideoElement) => video.duration)).toBeGreaterThan(0.5);
    expect(await page().locator('track[srclang=en-US]').getAttribute('src')).toContain('.vtt');
    expect(await page().getByRole('link', { name: 'Download MP4' }).getAttribute('href')).toContain('.mp4');
    expect(await page().getByText('Made by AI', { exact: true }).getAttribute('title')).toMatch(/^Signed by CN=/);
    await page().getByRole('combobox', { name: 'Tags' }).fill('greeting');
    await page().keyboard.press('Enter');
    await eventually(async () => (await fixture().call('GET', `/videos/${made.videoId}`)).tags).toEqual(['greeting']);
    await go('/videos?tags=greeting');
    await page().getByRole('link', { name: 'My first video' }).waitFor();
    await go('/videos?status=error');
    await page().getByText('No video matches these filters.').waitFor();
  });

  it('shows a rendering by server events, and polls only without them', async () => {
    const asked: string[] = [];
    const note = (request: Request) => asked.push(new URL(request.url()).pathname);
    const card = page().locator('article', { hasText: 'Tide table' });
    const slides = [{ id: 1, speech: 'High water.', voice: 'slt', voiceProvider: 'flite', language: 'English' }];
    await page().route('**/videos/events', (route) => route.abort());
    await go('/videos');
    const { _id } = await fixture().call('POST', '/videos', { name: 'Tide table', slides });
    page().on('request', note);
    await fixture().call('POST', `/videos/render/${_id}`);
    await card.getByText('Ready').waitFor();
    expect(asked.filter((path) => path === '/api/v1/videos').length).toBeGreaterThan(0);
    // The refusals that this test caused itself.
    expect(
      fixture()
        .complaints.splice(0)
        .every((line) => line.includes('/videos/events')),
    ).toBe(true);

    await page().unroute('**/videos/events');
    const again = page().waitForResponse((answer) => answer.url().endsWith('/videos/events'));
    await go('/videos');
    expect((await again).headers()['content-type']).toContain('text/event-stream');
    await card.waitFor();
    asked.length = 0;
    await fixture().call('PATCH', `/videos/${_id}`, { slides: [{ ...slides[0], speech: 'Low water.' }] });
    await card.getByText('Draft').waitFor();
    await fixture().call('POST', `/videos/render/${_id}`);
    await card.getByText('Ready').waitFor();
    page().off('request', note);
    // A changed status reloads the list, because the video may no longer match a filter; progress does not.
    expect(asked.filter((path) => path === '/api/v1/videos').length).toBeLessThan(8);
  });
}
