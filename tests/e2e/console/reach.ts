import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** Users with only a keyboard, and users with a phone. */
export function reachScenarios({ fixture, page, go, button, eventually, made }: Stage): void {
  it('leads from a script to a shared link by keyboard alone', async () => {
    await page().context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await go('/videos');
    await button('New video').waitFor();
    await tabTo('New video');
    await page().keyboard.press('Enter');
    await page().getByRole('dialog', { name: 'New video' }).waitFor();
    await tabTo('What should they say?');
    await page().keyboard.type('By keyboard.');
    await tabTo('Create video');
    await page().keyboard.press('Enter');
    await page().locator('video[src][controls]').waitFor();
    await tabTo('Copy link');
    await page().keyboard.press('Enter');
    await page().getByText('Link copied').waitFor();
    const link = await page().evaluate(() => navigator.clipboard.readText());
    const answer = await fetch(link);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'video/mp4']);
  });

  it('edits and renders a video by keyboard alone: objects are placed, moved, layered, deleted and brought back', async () => {
    await go('/videos');
    await button('New video').waitFor();
    await tabTo('New video');
    await page().keyboard.press('Enter');
    await page().getByRole('dialog', { name: 'New video' }).waitFor();
    await tabTo('What should they say?');
    await page().keyboard.press('Control+a');
    await page().keyboard.type('No mouse.');
    await tabTo('Open the editor');
    await page().keyboard.press('Enter');
    await page().getByRole('application').waitFor();
    const videoId = /videos\/(\w+)\/edit/.exec(page().url())?.[1];
    const slide = async () => (await fixture().call('GET', `/videos/${videoId}`)).slides[0];
    // Below them is the presenter, in the place that it had.
    const objects = async () =>
      ((await slide()).canvas.objects as { type: string; left: number; top: number }[]).filter(
        ({ type }) => type !== 'avatar',
      );

    const presenters = page().getByRole('radiogroup', { name: 'Presenter' });
    const first = (await slide()).avatar.code;
    await tabTo((await presenters.getByRole('radio', { checked: true }).textContent()) ?? '');
    await page().keyboard.press('ArrowRight');
    await eventually(async () => (await slide()).avatar.code).not.toBe(first);

    await tabTo('Text');
    await page().keyboard.press('Enter');
    await eventually(async () => (await objects()).length).toBe(1);
    const before = (await objects())[0];
    await tabTo((await page().getByRole('application').getAttribute('aria-label')) ?? '');
    await page().keyboard.press('ArrowRight');
    await page().keyboard.press('Shift+ArrowDown');
    await eventually(async () => (await objects()).map(({ left, top }) => [left, top])).toEqual([
      [(before?.left ?? 0) + 1, (before?.top ?? 0) + 10],
    ]);
    await page().keyboard.press('Enter');
    await page().locator('textarea.fh-stage-text').waitFor();
    await page().keyboard.press('Control+a');
    await page().keyboard.type('Written by keyboard');
    await page().keyboard.press('Escape');
    await eventually(async () => (await objects())[0]).toMatchObject({ text: 'Written by keyboard' });

    await tabTo('Shape');
    await page().keyboard.press('Enter');
    await page().getByRole('menuitem').first().waitFor();
    await page().keyboard.press('ArrowDown');
    await page().keyboard.press('Enter');
    await eventually(async () => (await objects()).length).toBe(2);
    const types = async () => (await objects()).map(({ type }) => type);
    const [text = '', shape = ''] = await types();
    await tabTo('Send backward');
    await page().keyboard.press('Enter');
    await eventually(types).toEqual([shape, text]);
    await tabTo('Delete object');
    await page().keyboard.press('Enter');
    await eventually(types).toEqual([text]);
    await page().keyboard.press('Control+z');
    await eventually(types).toEqual([shape, text]);

    await tabTo('Canvas');
    await page().keyboard.press('ArrowRight');
    await page()
      .getByRole('img', { name: /as the video will show it/ })
      .waitFor();
    await tabTo('Render');
    await page().keyboard.press('Enter');
    await page().locator('video[src][controls]').waitFor();
  });

  it('makes a video on a phone: the script comes before the timeline, no row of buttons breaks, and hints are for touch', async () => {
    const phone = await page()
      .context()
      .browser()
      ?.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, reducedMotion: 'reduce' });
    if (!phone) throw new Error('the browser is closed');
    try {
      await phone.addCookies(await page().context().cookies());
      const screen = await phone.newPage();
      await screen.goto(`${fixture().url}/videos`);
      // The menu and the page that it covers are never there together.
      const [menu, library] = [/(Open|Close) menu/, screen.getByRole('link', { name: 'Library' })];
      await screen.getByRole('button', { name: 'New video' }).waitFor();
      expect(await library.count()).toBe(0);
      await screen.getByRole('button', { name: menu }).tap();
      await library.waitFor();
      expect(await screen.getByRole('button', { name: 'New video' }).count()).toBe(0);
      await screen.getByRole('button', { name: menu }).tap();
      await screen.getByRole('button', { name: 'New video' }).tap();
      await screen.getByRole('dialog').getByLabel('What should they say?').fill('On a phone.');
      await screen.getByRole('button', { name: 'Open the editor' }).tap();
      await screen.getByText('A larger screen helps with bigger edits.').waitFor();
      const topOf = async (role: 'button' | 'tab', name: string) =>
        Math.round((await screen.getByRole(role, { name, exact: true }).boundingBox())?.y ?? 0);
      const tops = await Promise.all(['Undo', 'Redo', 'Check', 'Render'].map((name) => topOf('button', name)));
      expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(4);
      const tabs = await Promise.all(['Slide', 'Objects', 'Video'].map((name) => topOf('tab', name)));
      expect(new Set(tabs).size).toBe(1);
      const script = await screen.getByLabel('Speech', { exact: true }).boundingBox();
      const timeline = await screen.getByRole('region', { name: 'Timeline' }).boundingBox();
      expect(script?.y).toBeLessThan(timeline?.y ?? 0);
      expect(await screen.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      await screen.getByRole('button', { name: 'Render' }).tap();
      await screen.locator('video[src][controls]').waitFor();
    } finally {
      await phone.close();
    }
  });

  it('says when the server cannot be reached, keeps the way to other screens, and goes on when it can', async () => {
    await go('/videos');
    await page().locator('article').first().waitFor();
    await page().context().setOffline(true);
    await page().getByRole('link', { name: 'Library' }).click();
    await page().getByRole('alert').getByText('The server did not answer').first().waitFor();
    await page().getByRole('link', { name: 'Videos' }).waitFor();
    await page().context().setOffline(false);
    await button('Try again').first().click();
    await page().getByRole('heading', { name: 'Library', level: 1 }).waitFor();
    await page().getByRole('tab', { name: 'Fonts' }).waitFor();
    expect(await page().getByRole('alert').count()).toBe(0);
    // Refused on purpose.
    const lines = fixture().complaints.splice(0);
    expect(lines.filter((line) => !/ERR_INTERNET_DISCONNECTED|did not answer/.test(line))).toEqual([]);
  });

  it('closes one thing with each Escape on a phone, and keeps the slide in sight beside the last field on a desktop', async () => {
    await page().setViewportSize({ width: 390, height: 800 });
    await go('/videos');
    await button('Open menu').click();
    await page()
      .getByRole('button', { name: /Harbour$/ })
      .click();
    await page().getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await page().keyboard.press('Escape');
    await page().getByRole('menuitem', { name: 'Sign out' }).waitFor({ state: 'hidden' });
    expect(await button('Close menu').isVisible()).toBe(true);
    await page().keyboard.press('Escape');
    await button('Open menu').waitFor();
    await page().setViewportSize({ width: 1280, height: 800 });
    await go(`/videos/${made.videoId}/edit`);
    await page().getByRole('combobox', { name: 'Entrance' }).scrollIntoViewIfNeeded();
    const box = await page().getByRole('application').boundingBox();
    expect(box && box.y >= 0 && box.y + box.height <= 800).toBe(true);
  });

  /** Presses Tab until the element with this name has the focus. */
  async function tabTo(name: string): Promise<void> {
    const reached: string[] = [];
    for (let press = 0; press < 150; press += 1) {
      await page().keyboard.press('Tab');
      const focused = await page().evaluate(() => {
        const element = document.activeElement;
        const isField = element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement;
        const labels = isField ? [...(element.labels ?? [])] : [];
        return element?.getAttribute('aria-label') ?? labels[0]?.textContent ?? element?.textContent ?? '';
      });
      if (focused.trim() === name) return;
      reached.push(focused.slice(0, 30));
    }
    throw new Error(`Tab does not reach “${name}”, only ${reached.join(', ')}`);
  }
}
