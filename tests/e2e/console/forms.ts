import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** What is entered in forms is kept like the work in the editor. */
export function formScenarios({ fixture, page, go, button, eventually }: Stage): void {
  it('has what was entered in a dialog or a settings form again after closing, leaving, a lost connection and a reload', async () => {
    await go('/outlines');
    await button('New outline').first().click();
    const dialog = page().getByRole('dialog', { name: 'New outline' });
    await dialog.getByLabel('Topic').fill('Tides');
    await dialog.getByLabel('Text to work from').fill('A long text that was pasted.');
    await page().keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page().reload();
    await button('New outline').first().click();
    expect(await dialog.getByLabel('Text to work from').inputValue()).toBe('A long text that was pasted.');
    await dialog.getByText('This browser kept it.').waitFor();
    expect(await fixture().violations()).toEqual([]);
    await button('Create outline').click();
    await page().getByRole('heading', { name: 'Tides', level: 1 }).waitFor();
    await go('/outlines');
    await button('New outline').first().click();
    expect(await dialog.getByLabel('Topic').inputValue()).toBe('');

    const agentId = await agent();
    await go(`/agents/${agentId}?tab=settings`);
    await prompt().fill('You are a pilot.');
    await page().getByRole('tab', { name: 'Talk' }).click();
    await page().getByRole('tab', { name: 'Settings' }).click();
    expect(await prompt().inputValue()).toBe('You are a pilot.');
    await page().context().setOffline(true);
    await button('Save').click();
    await page().getByText('The action failed').waitFor();
    await page().context().setOffline(false);
    await page().getByRole('link', { name: 'Videos' }).click();
    await go(`/agents/${agentId}?tab=settings`);
    await page().getByText('You have unsaved changes').waitFor();
    await button('Save').click();
    await eventually(async () => (await read(agentId)).prompt).toBe('You are a pilot.');
    await page().getByText('You have unsaved changes').waitFor({ state: 'detached' });
    await prompt().fill('You are a sailor.');
    await page().reload();
    await button('Discard it').click();
    expect(await prompt().inputValue()).toBe('You are a pilot.');
    await eventually(kept).toBe(0);
    // The browser itself reports what fails without a connection.
    fixture().complaints.splice(0);
  });

  it('overwrites no change of a colleague in a form without a word, keeps their other changes, and takes theirs', async () => {
    const agentId = await agent();
    await go(`/agents/${agentId}?tab=settings`);
    await prompt().fill('Mine.');
    await fixture().call('PATCH', `/agents/${agentId}`, { prompt: 'Theirs.', greeting: 'Ahoy.' });
    await button('Save').click();
    const notice = page().getByRole('alert').filter({ hasText: 'This was changed elsewhere' });
    expect(await notice.innerText()).toContain('Prompt: Theirs.');
    expect(await fixture().violations()).toEqual([]);
    expect((await read(agentId)).prompt).toBe('Theirs.');
    expect(await page().getByLabel('Greeting').inputValue()).toBe('Ahoy.');
    await button('Save').click();
    await eventually(async () => (await read(agentId)).prompt).toBe('Mine.');
    expect((await read(agentId)).greeting).toBe('Ahoy.');

    await prompt().fill('Mine again.');
    await eventually(kept).toBe(1);
    await fixture().call('PATCH', `/agents/${agentId}`, { prompt: 'Theirs again.' });
    await page().reload();
    await notice.getByRole('button', { name: 'Take theirs' }).click();
    expect(await prompt().inputValue()).toBe('Theirs again.');

    // A brand is sent as a whole.
    await go('/settings');
    const label = page().getByLabel('Label of films and live presenters');
    await label.fill('Made by us');
    const brand = await fixture().call('GET', '/brand');
    await fixture().call('PUT', '/brand', { ...brand, headingFont: 'Lato' });
    await button('Save the brand').click();
    await eventually(() => fixture().call('GET', '/brand')).toMatchObject({
      aiLabel: 'Made by us',
      headingFont: 'Lato',
    });
    await fixture().call('PUT', '/brand', brand);
  });

  it('saves a chapter of an outline beside those that others change, before a video is made of it', async () => {
    const { _id } = await fixture().call('POST', '/outline', {
      title: 'Harbour',
      source: '# One\nFirst.\n# Two\nSecond.',
    });
    await fixture().call('POST', `/outline/${_id}/generate-chapters`, {});
    await fixture().call('POST', `/outline/${_id}/generate-script`, {});
    const outline = () => fixture().call('GET', `/outline/${_id}`);
    const { chapters } = await outline();
    await go(`/outlines/${_id}`);
    const script = page().getByLabel('Script', { exact: true }).first();
    await script.fill('Mine.');
    const [one, ...others] = chapters;
    const theirs = others.map((chapter: object) => ({ ...chapter, script: 'Theirs.' }));
    await fixture().call('PATCH', `/outline/${_id}`, { chapters: [one, ...theirs] });
    await button('Make a video').click();
    await page().waitForURL(/\/edit$/);
    const scripts = (await outline()).chapters.map((chapter: { script: string }) => chapter.script);
    expect(scripts).toEqual(['Mine.', ...others.map(() => 'Theirs.')]);
    const { slides } = await fixture().call('GET', `/videos/${page().url().split('/').at(-2)}`);
    expect(JSON.stringify(slides)).toContain('Mine.');
    expect(fixture().complaints).toEqual([]);
  });

  const prompt = () => page().getByLabel('Prompt');
  const read = (agentId: string) => fixture().call('GET', `/agents/${agentId}`);

  async function agent(): Promise<string> {
    return (await fixture().call('POST', '/agents', { name: 'Janitor', prompt: 'You open doors.' }))._id;
  }

  /** Number of entries that the browser keeps. */
  function kept(): Promise<number> {
    return page().evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('figurehead:draft')).length);
  }
}
