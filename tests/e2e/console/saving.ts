import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** Work in the editor is kept: with two tabs, without a connection, after leaving, and the film of a changed video. */
export function savingScenarios({ fixture, page, go, button, eventually }: Stage): void {
  it('saves over no change of another tab: shows both versions, and takes theirs, mine, or mine as a copy', async () => {
    const id = await video('Two tabs', 'One.', 'Two.');
    const other = await page().context().newPage();
    const choose = (name: string) => page().getByRole('dialog').getByRole('button', { name }).click();
    /** Both tabs change the first slide; the other one saves first. */
    const collide = async (theirs: string, mine: string) => {
      await go(`/videos/${id}/edit`);
      await other.goto(page().url());
      await script(other).fill(theirs);
      await eventually(() => speech(id)).toBe(theirs);
      await script(page()).fill(mine);
      await page().getByRole('dialog', { name: 'This video was changed elsewhere' }).waitFor();
    };
    await collide('Theirs.', 'Mine.');
    const slide = page().getByRole('dialog').getByRole('group', { name: 'Slide 1' });
    expect(await slide.innerText()).toMatch(/Mine\..*Theirs\./s);
    expect(await fixture().violations()).toEqual([]);
    expect(await speech(id)).toBe('Theirs.');
    await choose('Take theirs');
    await page().getByText('Saved', { exact: true }).waitFor();
    expect(await script(page()).inputValue()).toBe('Theirs.');
    await button('Undo').click();
    await eventually(() => speech(id)).toBe('Mine.');

    await collide('Theirs again.', 'Mine again.');
    await page().keyboard.press('Escape');
    await page().getByText('Your changes are not saved yet.').waitFor();
    await button('Render').click();
    await page().getByText('Choose first which version stays.').waitFor();
    await button('Compare the versions').click();
    await choose('Replace theirs by mine');
    await eventually(() => speech(id)).toBe('Mine again.');

    await collide('Theirs at last.', 'Mine as a copy.');
    await choose('Keep mine as a copy');
    await page().waitForURL((url) => !url.pathname.includes(id));
    await eventually(() => script(page()).inputValue()).toBe('Mine as a copy.');
    expect(await speech(id)).toBe('Theirs at last.');
    await other.close();
    // The browser itself reports each refused save.
    expect(fixture().complaints.splice(0)).toHaveLength(3);
  });

  it('is not disturbed by a change of something else, such as the tags', async () => {
    const id = await video('Tagged meanwhile', 'One.');
    await go(`/videos/${id}/edit`);
    await script(page()).waitFor();
    await fixture().call('PATCH', `/videos/${id}`, { tags: ['new'] });
    await script(page()).fill('Mine.');
    await eventually(() => speech(id)).toBe('Mine.');
    await page().getByText('Saved', { exact: true }).waitFor();
    expect(fixture().complaints.splice(0)).toHaveLength(1);
  });

  it('tells as long as the connection is lost that nothing is saved, and saves by itself when it is back', async () => {
    const id = await video('Offline', 'One.');
    await go(`/videos/${id}/edit`);
    await script(page()).waitFor();
    await page().context().setOffline(true);
    await script(page()).fill('Typed offline.');
    const banner = page().getByRole('alert').filter({ hasText: 'Your last changes are not saved' });
    await banner.waitFor();
    expect(await banner.innerText()).toContain('This browser keeps your changes');
    await button('Try now').click();
    await banner.waitFor();
    await page().context().setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await page().getByText('Saved', { exact: true }).waitFor();
    expect(await speech(id)).toBe('Typed offline.');
    expect(await kept()).toBe(0);
    fixture().complaints.splice(0);
  });

  it('offers what was not saved when the editor was left, or when the browser crashed', async () => {
    const id = await video('Left', 'One.');
    await go(`/videos/${id}/edit`);
    await script(page()).waitFor();
    await page().context().setOffline(true);
    await script(page()).fill('Left behind.');
    await page().getByRole('link', { name: 'Back to the video' }).click();
    await page().getByText('Open the video again to save them.').waitFor();
    await page().context().setOffline(false);
    expect(await speech(id)).toBe('One.');
    await go(`/videos/${id}/edit`);
    await page().getByText('You have unsaved changes').waitFor();
    expect(await script(page()).inputValue()).toBe('One.');
    expect(await fixture().violations()).toEqual([]);
    await button('Restore them').click();
    await eventually(() => speech(id)).toBe('Left behind.');
    await eventually(kept).toBe(0);

    // A tab that ends without any event of the page.
    const crashing = await page().context().newPage();
    await crashing.goto(`${fixture().url}/videos/${id}/edit`);
    await script(crashing).waitFor();
    await crashing.route('**/api/v1/videos/*', (route) => route.abort());
    await script(crashing).fill('Lost in a crash.');
    await crashing.getByText('This browser keeps your changes').waitFor();
    const devtools = await crashing.context().newCDPSession(crashing);
    const crashed = crashing.waitForEvent('crash');
    // A page that has crashed answers nothing.
    void devtools.send('Page.crash').catch(() => undefined);
    await crashed;
    await crashing.close();
    await fixture().call('PATCH', `/videos/${id}`, { slides: [{ id: 1, speech: 'Changed since.' }] });
    await go(`/videos/${id}/edit`);
    await button('Restore them').click();
    const dialog = page().getByRole('dialog', { name: 'This video was changed elsewhere' });
    expect(await dialog.getByRole('group', { name: 'Slide 1' }).innerText()).toMatch(/crash\..*Changed since\./s);
    await dialog.getByRole('button', { name: 'Replace theirs by mine' }).click();
    await eventually(() => speech(id)).toBe('Lost in a crash.');

    await go(`/videos/${id}/edit`);
    await script(page()).waitFor();
    expect(await page().getByText('You have unsaved changes').count()).toBe(0);
    fixture().complaints.splice(0);
  });

  it('keeps showing the last film of a video that was changed, and says that it has changed since', async () => {
    const id = await video('Filmed', 'Ahoy.');
    await fixture().call('POST', `/videos/render/${id}`);
    await eventually(async () => (await fixture().call('GET', `/videos/${id}`)).status).toBe('ready');
    await go(`/videos/${id}/edit`);
    await script(page()).fill('Ahoy there.');
    await page().getByText('Saved', { exact: true }).waitFor();
    await eventually(() => speech(id)).toBe('Ahoy there.');
    await go(`/videos/${id}`);
    await page().getByText('The video has changed since.').waitFor();
    await page().waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 1);
    expect(await page().getByRole('link', { name: 'Download MP4' }).getAttribute('href')).toContain('.mp4');
    expect(await fixture().violations()).toEqual([]);
    await button('Render').click();
    await button('Lip-sync').waitFor();
    expect(await page().getByText('The video has changed since.').count()).toBe(0);
  });

  it('keeps versions that can be named, shown, restored and copied', async () => {
    const id = await video('Versions', 'First words.', 'Second slide.');
    await go(`/videos/${id}/edit`);
    await button('Versions').click();
    const drawer = page().getByRole('dialog', { name: 'Versions' });
    await drawer.getByText('No earlier version yet.').waitFor();
    await drawer.getByLabel('Name of this version').fill('Before the fair');
    await drawer.getByRole('button', { name: 'Keep it' }).click();
    await drawer.getByText('Before the fair').waitFor();
    await page().keyboard.press('Escape');
    await script(page()).fill('Worse words.');
    await eventually(() => speech(id)).toBe('Worse words.');
    await button('Versions').click();
    await drawer.getByRole('button', { name: 'Show' }).click();
    await drawer.getByText('1. First words.').waitFor();
    await drawer.getByLabel('Name', { exact: true }).fill('The good one');
    await drawer.getByRole('button', { name: 'Rename' }).click();
    await drawer.getByText('The good one').waitFor();
    expect(await fixture().violations()).toEqual([]);
    await drawer.getByRole('button', { name: 'Restore' }).click();
    await eventually(() => speech(id)).toBe('First words.');
    await button('Versions').click();
    await drawer.getByText('Before a restore').waitFor();
    await drawer.getByRole('button', { name: 'Show' }).first().click();
    await drawer.getByText('1. Worse words.').waitFor();
    await drawer.getByRole('button', { name: 'Copy to a new video' }).click();
    await page().waitForURL((url) => !url.pathname.includes(id));
    await eventually(() => script(page()).inputValue()).toBe('Worse words.');
    expect(await speech(id)).toBe('First words.');
    expect(fixture().complaints).toEqual([]);
  });

  async function video(name: string, ...texts: string[]): Promise<string> {
    const slides = texts.map((text, index) => ({ id: index + 1, speech: text, avatar: { code: 'nora' } }));
    return (await fixture().call('POST', '/videos', { name, slides }))._id;
  }

  /** The stored script of the first slide. */
  async function speech(id: string): Promise<string> {
    return (await fixture().call('GET', `/videos/${id}`)).slides[0].speech;
  }

  /** Number of documents that the browser keeps. */
  function kept(): Promise<number> {
    return page().evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('figurehead:draft')).length);
  }
}

function script(page: Page) {
  return page.getByLabel('Speech', { exact: true });
}
