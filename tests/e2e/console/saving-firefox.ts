import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FirefoxPage, hasFirefox, launchFirefox } from '../../support/firefox.js';
import type { Stage } from './stage.js';

/** Work in the editor is kept, as in `saving.ts`, by Firefox. Colleagues are calls of the API. */
export function firefoxScenarios({ fixture, eventually }: Stage): void {
  describe.skipIf(!hasFirefox())('in Firefox', () => {
    let firefox: FirefoxPage;

    beforeAll(async () => {
      firefox = await launchFirefox();
      await firefox.goto(fixture().url);
      const { email, password } = fixture();
      const status = await firefox.evaluate(
        async (body) => {
          const headers = { 'content-type': 'application/json' };
          return (await fetch('/api/v1/session', { method: 'POST', headers, body: JSON.stringify(body) })).status;
        },
        { email, password },
      );
      expect(status).toBe(200);
    });
    afterAll(() => firefox?.close());

    it('saves over no change of a colleague, and keeps both versions', async () => {
      const id = await edit('Two people in Firefox');
      await fixture().call('PATCH', `/videos/${id}`, { slides: [{ id: 1, speech: 'Theirs.' }] });
      await type('Mine.');
      await reads('This video was changed elsewhere');
      expect(await speech(id)).toBe('Theirs.');
      await press('Keep mine as a copy');
      await eventually(() => firefox.evaluate(() => location.pathname, null)).not.toContain(id);
      await eventually(script).toBe('Mine.');
      expect(await speech(id)).toBe('Theirs.');
    });

    it('says that nothing is saved while the connection is lost, and saves when it is back', async () => {
      const id = await edit('Offline in Firefox');
      await setOffline(true);
      await type('Typed offline.');
      await reads('This browser keeps your changes');
      expect(await speech(id)).toBe('One.');
      await setOffline(false);
      await eventually(() => speech(id)).toBe('Typed offline.');
      await eventually(text).not.toContain('This browser keeps your changes');
    });

    it('offers what was not saved when the editor was left', async () => {
      const id = await edit('Left in Firefox');
      await setOffline(true);
      await type('Left behind.');
      await reads('This browser keeps your changes');
      await press('Back to the video');
      await reads('Open the video again to save them.');
      await setOffline(false);
      expect(await speech(id)).toBe('One.');
      await firefox.goto(`${fixture().url}/videos/${id}/edit`);
      await reads('You have unsaved changes');
      await press('Restore them');
      await eventually(() => speech(id)).toBe('Left behind.');
    });

    it('keeps showing the last film of a video that was changed', async () => {
      const id = await edit('Filmed in Firefox');
      await fixture().call('POST', `/videos/render/${id}`);
      await eventually(async () => (await fixture().call('GET', `/videos/${id}`)).status).toBe('ready');
      await firefox.goto(`${fixture().url}/videos/${id}/edit`);
      await eventually(script).toBe('One.');
      await type('One more.');
      await eventually(() => speech(id)).toBe('One more.');
      await firefox.goto(`${fixture().url}/videos/${id}`);
      await reads('The video has changed since.');
      const film = await firefox.evaluate(() => document.querySelector('video')?.src ?? '', null);
      expect((await fetch(film)).status).toBe(200);
    });

    it('restores a version', async () => {
      const id = await edit('Versions in Firefox');
      await fixture().call('POST', `/videos/versions/${id}`, { versionName: 'Before the fair' });
      await type('Worse words.');
      await eventually(() => speech(id)).toBe('Worse words.');
      await press('Versions');
      await reads('Before the fair');
      await press('Show');
      await press('Restore');
      await eventually(() => speech(id)).toBe('One.');
      await eventually(script).toBe('One.');
    });

    /** Opens the editor of a new video with one slide. */
    async function edit(name: string): Promise<string> {
      const slides = [{ id: 1, speech: 'One.', avatar: { code: 'nora' } }];
      const { _id } = await fixture().call('POST', '/videos', { name, slides });
      await firefox.goto(`${fixture().url}/videos/${_id}/edit`);
      await eventually(script).toBe('One.');
      return _id;
    }

    /** The stored script of the first slide. */
    async function speech(id: string): Promise<string> {
      return (await fixture().call('GET', `/videos/${id}`)).slides[0].speech;
    }

    function text(): Promise<string> {
      return firefox.evaluate(() => document.body.innerText, null);
    }

    async function reads(words: string): Promise<void> {
      await eventually(text).toContain(words);
    }

    /** The script in the editor. */
    function script(): Promise<string | undefined> {
      return firefox.evaluate(() => document.querySelector<HTMLTextAreaElement>('textarea')?.value, null);
    }

    async function type(words: string): Promise<void> {
      await firefox.evaluate((value) => {
        const field = document.querySelector('textarea');
        field?.focus();
        field?.select();
        document.execCommand('insertText', false, value);
      }, words);
    }

    /** Clicks the button or link with this name, as soon as it is there. */
    async function press(name: string): Promise<void> {
      const click = (wanted: string) => {
        const all = [...document.querySelectorAll<HTMLElement>('button, a')];
        const found = all.filter((one) => [one.ariaLabel, one.innerText.trim()].includes(wanted)).at(-1);
        found?.click();
        return found !== undefined;
      };
      await eventually(() => firefox.evaluate(click, name)).toBe(true);
    }

    /** What the page sends fails, as without a connection. */
    async function setOffline(isOffline: boolean): Promise<void> {
      await firefox.evaluate((off) => {
        const own = window as Window & { online?: typeof fetch };
        own.online ??= window.fetch;
        window.fetch = off ? () => Promise.reject(new TypeError('NetworkError')) : own.online;
        if (!off) window.dispatchEvent(new Event('online'));
      }, isOffline);
    }
  });
}
