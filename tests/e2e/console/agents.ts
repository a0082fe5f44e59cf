import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** Agents on a server without a language model and a recogniser. */
export function agentScenarios({ fixture, page, go, button, eventually, made, turn }: Stage): void {
  it('creates an agent, and changes its presenter, voice, greeting, limits and tools', async () => {
    await go('/agents');
    await button('New agent').first().click();
    const dialog = page().getByRole('dialog', { name: 'New agent' });
    await dialog.getByLabel('Name').fill('Guide');
    await dialog.getByLabel('Prompt').fill('You are the guide of a museum.');
    expect(await fixture().violations()).toEqual([]);
    await button('Create agent').click();
    await page().getByRole('heading', { name: 'Guide', level: 1 }).waitFor();
    made.agentId = page().url().split('/').at(-1) ?? '';

    await page().getByRole('tab', { name: 'Settings' }).click();
    await page().getByRole('radio', { name: 'Marcus' }).click();
    await page().getByRole('combobox', { name: 'Voice' }).fill('Russell');
    await page()
      .getByRole('option', { name: /Russell/ })
      .first()
      .click();
    await page().getByLabel('Greeting').fill('Welcome!');
    await page().getByLabel('Answers in a conversation').fill('12');
    await page().getByLabel('Days to keep transcripts').fill('7');
    await button('Add a tool').click();
    const tool = page().getByRole('group', { name: 'Tool 1' });
    await tool.getByLabel('Name').fill('show_map');
    await tool.getByLabel('When to call it').fill('Shows a room on the map.');
    await tool.getByLabel('Arguments, as a JSON Schema').fill('{"type": "object"');
    await tool.getByText('This is not a JSON object').waitFor();
    await tool.getByLabel('Arguments, as a JSON Schema').fill('{"type": "object"}');
    await tool.getByText('This is not a JSON object').waitFor({ state: 'hidden' });
    await page().getByText('There are unsaved changes.').waitFor();
    expect(await fixture().violations()).toEqual([]);
    await button('Save').click();
    await page().getByText('There are unsaved changes.').waitFor({ state: 'hidden' });
    expect(await fixture().call('GET', `/agents/${made.agentId}`)).toMatchObject({
      name: 'Guide',
      avatarCode: 'marcus',
      voiceId: 'rms',
      voiceProvider: 'flite',
      language: 'English',
      greeting: 'Welcome!',
      maxTurns: 12,
      transcriptDays: 7,
      tools: [{ name: 'show_map', description: 'Shows a room on the map.', parameters: { type: 'object' } }],
    });
  });

  it('says which settings a server needs before it can hold conversations', async () => {
    await go(`/agents/${made.agentId}`);
    await turn('Microphone', false);
    await button('Start the conversation').click();
    const failure = page().getByRole('alert');
    // In writing, an agent needs no recogniser.
    await failure.getByText('it has no language model. Its administrator sets FIGUREHEAD_LLM_URL to').waitFor();
    expect(await fixture().violations()).toEqual([]);
    // The browser logs the refused call.
    fixture().complaints.splice(0);
  });

  it('closes a stream whose screen was left while it was opened', async () => {
    const openStreams = async () => (await fixture().call('GET', '/admin/workspaces')).workspaces[0].openStreams;
    await go('/live');
    const created = page().waitForResponse((answer) => new URL(answer.url()).pathname.endsWith('/streams'));
    // Not the end that the server sets itself, when no viewer connects.
    const closed = page().waitForResponse((answer) => answer.request().method() === 'DELETE');
    await button('Go live').click();
    await created;
    await page().getByRole('link', { name: 'Voices' }).click();
    await page().getByRole('heading', { name: 'Voices', level: 1 }).waitFor();
    await closed;
    await eventually(openStreams).toBe(0);
  });

  it('deletes an agent after a question', async () => {
    const { _id } = await fixture().call('POST', '/agents', { name: 'Porter', prompt: 'You open doors.' });
    await go('/agents');
    await page().getByRole('link', { name: 'Porter' }).click();
    page().once('dialog', (question) => void question.accept());
    await button('Delete').click();
    await page().getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page().getByRole('link', { name: 'Porter' }).waitFor({ state: 'detached' });
    const { agents } = await fixture().call('GET', '/agents');
    expect(agents.map((agent: { _id: string }) => agent._id)).not.toContain(_id);
  });
}
