import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** Actions of owners, reviewers and administrators. */
export function administrationScenarios({ fixture, page, go, button, eventually }: Stage): void {
  it('lets an administrator change a workspace’s settings, and a reviewer decide on its videos', async () => {
    await go('/admin');
    await page().getByLabel('Find').fill('harb');
    await button('Change Harbour').click();
    await page().getByRole('combobox', { name: 'Videos to review' }).click();
    await page().getByRole('option', { name: 'All videos' }).click();
    await button('Save').click();
    await page().getByRole('cell', { name: 'All videos' }).waitFor();
    const slides = [{ id: 1, speech: 'Look at me.', voice: 'slt', voiceProvider: 'flite', language: 'English' }];
    const ids: string[] = [];
    for (const name of ['Fair wind', 'Foul wind']) {
      const { _id } = await fixture().call('POST', '/videos', { name, slides });
      await fixture().call('POST', `/videos/render/${_id}`);
      ids.push(_id);
    }
    // The list of cases is read when its tab opens, and then every ten seconds.
    for (const id of ids) {
      await eventually(async () => (await fixture().call('GET', `/videos/${id}`)).status).toBe('moderation');
    }
    await page().getByRole('tab', { name: 'Review' }).click();
    const card = (name: string) => page().locator('.mantine-Card-root', { hasText: name });
    await card('Foul wind').waitFor();
    await card('Fair wind').waitFor();
    expect(await fixture().violations()).toEqual([]);
    await card('Foul wind').getByLabel('Reason for refusing').fill('Too windy.');
    await card('Foul wind').getByRole('button', { name: 'Refuse' }).click();
    await card('Fair wind').getByRole('button', { name: 'Release' }).click();
    await page().getByText('Nothing to review').waitFor();
    const [fair, foul] = await Promise.all(ids.map((id) => fixture().call('GET', `/videos/${id}`)));
    expect([fair.status, foul.status]).toEqual(['ready', 'error']);
    expect(foul.error).toContain('Too windy.');

    await page().getByRole('tab', { name: 'Workspaces' }).click();
    await button('New workspace').click();
    await page().getByRole('dialog').getByLabel('Name').fill('Lighthouse');
    await button('Create workspace').click();
    await page().getByText('2 workspaces').waitFor();
    await fixture().call('PATCH', `/admin/workspaces/${foul.accountId}`, { moderation: 'off' });
  });

  it('shows an administrator hosts, workers and queues, and drains a host', async () => {
    await go('/admin?tab=machines');
    // No streams are open on it, so its bar is empty.
    await page()
      .getByRole('progressbar', { name: /^Streams on/ })
      .waitFor({ state: 'attached' });
    await page()
      .getByRole('progressbar', { name: /^Processors of/ })
      .waitFor({ state: 'attached' });
    await page().getByRole('cell', { name: 'renders' }).waitFor();
    page().once('dialog', (question) => void question.accept());
    await page()
      .getByRole('button', { name: /^Drain/ })
      .click();
    await page().getByText('Draining').waitFor();
  });

  it('counts down the requests of limited endpoints', async () => {
    await go('/usage');
    const row = page().getByRole('row', { name: /videos\/voice/ });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/1\d of 20 left|of 200 left/);
  });

  it('renames the workspace and adds a person', async () => {
    await go('/settings');
    await page().getByLabel('Name', { exact: true }).fill('New harbour');
    await button('Rename').click();
    await page().getByText('Renamed.').waitFor();
    await button('Add a person').click();
    await page().getByRole('dialog').getByLabel('E-mail').fill('grace@example.com');
    const password = page().getByRole('dialog').locator('input[type=password]');
    await button('Add').click();
    // What the server says about a field is shown at it, and read with it.
    await page().getByRole('dialog').getByText('Is required for a user without an account').waitFor();
    expect(await password.getAttribute('aria-describedby')).toContain('error');
    expect(fixture().complaints.splice(0)).toHaveLength(1);
    expect(await fixture().violations()).toEqual([]);
    await password.fill('hoppers-moth');
    await button('Add').click();
    await page().getByText('grace@example.com').waitFor();
  });
}
