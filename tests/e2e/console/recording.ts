import { createSpeech } from '@figurehead/media';
import { expect, it } from 'vitest';
import { asRecorded, writeWav } from '../../support/recorded.js';
import type { Stage } from './stage.js';

const SCRIPT = 'My mother bought a big black bag of plums.';

/** A slide that speaks a recording. */
export function recordingScenarios({ fixture, page, go, button, eventually }: Stage): void {
  it('records a slide’s speech with the microphone, after a refusal that says what to do', async () => {
    const speech = createSpeech({ threads: 1 });
    const said = await speech.utter('flite', SCRIPT, { voice: 'slt' });
    await speech.close();
    await writeWav(fixture().microphone, asRecorded(said.samples, { before: 0.5, after: 1 }));
    const slides = [
      { id: 1, speech: SCRIPT, language: 'English', voice: 'slt', voiceProvider: 'flite', avatar: { code: 'nora' } },
    ];
    const { _id } = await fixture().call('POST', '/videos', { name: 'Recorded', slides });
    const stored = async () => (await fixture().call('GET', `/videos/${_id}`)).slides[0];
    await go(`/videos/${_id}/edit`);
    await page().getByText('Recording', { exact: true }).click();
    await eventually(async () => (await stored()).voiceType).toBe('audio');
    expect(await fixture().violations()).toEqual([]);

    await button('Record').click();
    const dialog = page().getByRole('dialog');
    await dialog.getByText(SCRIPT).waitFor();
    const timer = dialog.getByRole('timer');
    const recorded = (seconds: number) =>
      expect.poll(async () => Number((await timer.textContent())?.split(':').at(-1))).toBeGreaterThanOrEqual(seconds);
    await fixture().allowMicrophone(false);
    await dialog.getByRole('button', { name: 'Start recording' }).click();
    await dialog.getByText('The microphone is blocked for this page.').waitFor();
    expect(await fixture().violations()).toEqual([]);

    await fixture().allowMicrophone(true);
    await dialog.getByRole('button', { name: 'Start recording' }).click();
    const level = dialog.getByLabel('Level of the microphone');
    await level.waitFor();
    await eventually(() => level.evaluate((meter: HTMLMeterElement) => meter.value)).toBeGreaterThan(0.3);
    expect(await fixture().violations()).toEqual([]);
    await recorded(5);
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByLabel('The take').waitFor();
    await dialog.getByRole('button', { name: 'Record again' }).click();
    await recorded(4);
    await dialog.getByRole('button', { name: 'Stop' }).click();
    expect(await fixture().violations()).toEqual([]);
    await dialog.getByRole('button', { name: /Use this take/ }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page()
      .getByText(/of speech$/)
      .waitFor();
    await eventually(async () => (await stored()).audio?.words?.length).toBe(SCRIPT.split(' ').length);
    expect((await stored()).recording).toMatchObject({
      src: expect.stringContaining('/media/'),
      name: expect.stringContaining('Recording '),
    });
    await page().locator('.fh-wave path[d^="M0"]').waitFor();
    expect(await fixture().violations()).toEqual([]);
    await button('Check').click();
    await page().getByText('No problems found').waitFor();
  });

  it('speaks a sound of the library, and its text again', async () => {
    const { videos } = await fixture().call('GET', '/videos?search=Recorded');
    const stored = async () => (await fixture().call('GET', `/videos/${videos[0]._id}`)).slides[0];
    await go(`/videos/${videos[0]._id}/edit`);
    await button('Remove').click();
    await eventually(async () => (await stored()).recording).toBeNull();
    await button('Choose a file').click();
    const dialog = page().getByRole('dialog', { name: 'Choose a recording' });
    await dialog.getByRole('button', { name: /^Recording / }).click();
    await eventually(async () => (await stored()).recording?.src).toContain('/media/');
    await page().getByText('Text', { exact: true }).last().click();
    await eventually(async () => (await stored()).voiceType).toBe('text');
    await button('Listen').waitFor();
  });
}
