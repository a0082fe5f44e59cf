import { writeFile } from 'node:fs/promises';
import { AGENT_LIMITS } from '@figurehead/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showConsole, type TestConsole } from '../../support/console.js';
import { callPrice, PRICE, QUESTION, spokenQuestion } from '../../support/museum-talk.js';
import { makeStage } from '../console/stage.js';
import type { StreamStage } from './stage.js';

/** The console's screen of an agent. */
export function agentsScreenScenarios({ has, server, models, chromium, microphone }: StreamStage): void {
  describe.runIf(has.chromium)('the screen of an agent on a server with a language model and a recogniser', () => {
    let fixture: TestConsole;
    let agentId: string;
    const { page, go, button } = makeStage(() => fixture);
    const transcript = () => page().getByRole('log', { name: 'Transcript' });

    beforeAll(async () => {
      fixture = await showConsole(chromium(), {
        url: server().base,
        kernel: server().kernel,
        microphone: microphone(),
      });
      await writeFile(fixture.microphone, await spokenQuestion(60));
      await page().goto(fixture.url);
      await page().getByLabel('E-mail').fill(fixture.email);
      await page().locator('input[type=password]').fill(fixture.password);
      await button('Sign in').click();
      await page().getByRole('heading', { name: 'Videos', level: 1 }).waitFor();
      const agent = { name: 'Guide', prompt: 'You are the guide of a museum.', avatarCode: 'nora', tools: [PRICE] };
      // On a busy machine the page shows its first picture, and with it the call, later than a tool may usually take.
      const { _id } = await fixture.call('POST', '/agents', { ...agent, toolSeconds: AGENT_LIMITS.toolSeconds.most });
      agentId = _id;
    });
    afterAll(() => fixture?.close());

    it('says what to do about a blocked microphone', async () => {
      await fixture.allowMicrophone(false);
      await go(`/agents/${agentId}`);
      await button('Start the conversation').click();
      await page().getByRole('alert').getByText('The microphone is blocked for this page.').waitFor();
      expect(await fixture.violations()).toEqual([]);
    });

    it('hears the microphone, shows both sides, and takes the result of a tool from the user', async () => {
      await fixture.allowMicrophone(true);
      models().hear(() => QUESTION);
      models().script(({ messages }) =>
        messages.some(({ role }) => role === 'tool') ? 'It is nine euros.' : callPrice(),
      );
      await button('Start the conversation').click();
      await page().waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0);
      await transcript().getByText(QUESTION).first().waitFor();
      // What it repeats would interrupt the agent.
      await button('Mute microphone').click();
      expect(await button('Mute microphone').getAttribute('aria-pressed')).toBe('true');
      const call = page().getByRole('status').filter({ hasText: 'The agent calls price' }).first();
      await call.getByLabel('Result').fill('{"euros": 9}');
      await call.getByRole('button', { name: 'Return' }).click();
      await transcript().getByText('It is nine euros.').first().waitFor();
      const results = models().questions.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'));
      expect(results[0]?.content).toBe('{"euros":9}');
    });

    it('answers typed words, and explains an answer that failed', async () => {
      models().script(() => 'There is a shop.');
      await page().getByLabel('Type instead of speaking').fill('Do you have a shop?');
      await page().keyboard.press('Enter');
      await transcript().getByText('Do you have a shop?').waitFor();
      await transcript().getByText('There is a shop.').waitFor();
      for (const colorScheme of ['dark', 'light'] as const) {
        await fixture.useScheme(colorScheme);
        expect(await fixture.violations()).toEqual([]);
      }
      models().script(() => ({ status: 500 }));
      await page().getByLabel('Type instead of speaking').fill('And a café?');
      await page().keyboard.press('Enter');
      await page().getByRole('alert').filter({ hasText: 'language model' }).waitFor();
      await button('End the conversation').click();
      await page().getByText('The conversation has ended').waitFor();
    });

    it('fits a phone, with the transcript below the picture, and shows a kept transcript there', async () => {
      await page().setViewportSize({ width: 390, height: 844 });
      // The frame first slides to its new place.
      await page().waitForFunction(() => document.documentElement.scrollWidth <= 390);
      const [picture, words] = await Promise.all([
        page().locator('.fh-stage').boundingBox(),
        transcript().boundingBox(),
      ]);
      expect(words?.y).toBeGreaterThan((picture?.y ?? 0) + (picture?.height ?? 0));
      await page().getByRole('tab', { name: 'Transcripts' }).click();
      await page()
        .getByRole('button', { name: /^Read the transcript/ })
        .click();
      const dialog = page().getByRole('dialog');
      await dialog.getByText('There is a shop.').waitFor();
      expect(await fixture.violations()).toEqual([]);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'hidden' });
      await page().setViewportSize({ width: 1280, height: 800 });
    });

    it('deletes a kept transcript after a question', async () => {
      page().once('dialog', (asked) => void asked.accept());
      await page()
        .getByRole('button', { name: /^Delete the transcript/ })
        .click();
      await page().getByText('No transcripts yet').waitFor();
      expect((await fixture.call('GET', `/agents/${agentId}/conversations`)).total).toBe(0);
    });

    it('gives the HTML that puts the agent on a page', async () => {
      await page().getByRole('tab', { name: 'On your page' }).click();
      await page().getByLabel('Address of your site').fill('https://www.example.org');
      await button('Create the snippet').click();
      expect(await page().getByTestId('snippet').textContent()).toMatch(
        / avatar="nora" microphone><\/figurehead-presenter>$/,
      );
      expect((await fixture.call('GET', '/client-tokens')).clientTokens).toMatchObject([
        { agentId, avatarCode: 'nora' },
      ]);
    });
  });
}
