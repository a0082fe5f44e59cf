import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createSpeech } from '@figurehead/media';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { CLONING_MODEL, writeCloningModel } from '../../support/cloning-model.js';
import { hasSherpa } from '../../support/natural-voice.js';
import { asRecorded, wavOf } from '../../support/recorded.js';
import type { Stage } from './stage.js';

/** Voices, presenters and live streams. */
export function castScenarios({ fixture, page, go, button, eventually, turn }: Stage): void {
  it('previews a voice with other settings and saves them', async () => {
    await go('/voices');
    await page().getByRole('slider', { name: 'Speed' }).focus();
    for (let press = 0; press < 5; press += 1) await page().keyboard.press('ArrowRight');
    await button('Listen').click();
    await page().locator('audio[src]').waitFor();
    await button('Save').click();
    await page().getByText('Adjusted').waitFor();
  });

  it.skipIf(!hasSherpa('cloning in the console'))(
    'clones a voice from a recording with the consent of its speaker, speaks with it, and deletes it',
    async () => {
      const folder = join(dirname(fixture().microphone), 'voices', CLONING_MODEL.name);
      await mkdir(folder, { recursive: true });
      await writeCloningModel(folder);
      await writeFile(join(folder, 'voice.json'), JSON.stringify(CLONING_MODEL));
      const speech = createSpeech({ threads: 1 });
      const text = 'The tide comes in, and every boat in the harbour rises with it. Then the wind turns, and we sail.';
      const { samples } = await speech.utter('flite', text, { voice: 'slt' });
      await speech.close();

      await go('/voices');
      await button('Clone a voice').click();
      const dialog = page().getByRole('dialog', { name: 'Clone a voice' });
      await dialog.getByRole('button', { name: 'Choose a recording' }).click();
      const buffer = wavOf(asRecorded(samples));
      const file = { name: 'anna.wav', mimeType: 'audio/wav', buffer };
      await page().getByRole('dialog', { name: 'Choose a recording' }).locator('input[type=file]').setInputFiles(file);
      await dialog.getByLabel('The recording').waitFor();
      await dialog.getByLabel('Name').fill('Anna');
      await dialog.getByLabel('Sounds').click();
      await page().getByRole('option', { name: 'Female' }).click();
      const create = dialog.getByRole('button', { name: 'Create voice' });
      expect(await create.isDisabled()).toBe(true);
      await dialog.getByText('I confirm that this statement is true.').click();
      expect(await fixture().violations()).toEqual([]);
      await create.click();
      await page().getByRole('heading', { name: 'Anna', level: 2 }).waitFor();
      await button('Listen').click();
      await page().getByLabel('Anna speaks').waitFor();

      const cloned = page().getByRole('region', { name: 'Cloned voices' });
      await cloned.getByText('I am the person in this recording.').waitFor();
      expect(await fixture().violations()).toEqual([]);
      page().once('dialog', (question) => void question.accept());
      await cloned.getByRole('button', { name: 'Delete Anna' }).click();
      await cloned.waitFor({ state: 'hidden' });
      expect(JSON.stringify(await fixture().call('GET', '/voices'))).not.toContain('"Anna"');
    },
  );

  it('goes live, shows each word as it is spoken, interrupts, ends, and stores the recording', async () => {
    await go('/live');
    await turn('Record it', true);
    await button('Check the connection').click();
    await page().getByText('Picture and sound can travel').waitFor();
    await page().getByLabel('What to say').fill('The tide comes in, and every boat in the harbour rises with it.');
    await button('Go live').click();
    await page().waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0);
    await button('Say it').click();
    await page().locator('.fh-captions [data-now=true]').waitFor();
    const steps = page().getByRole('region', { name: 'Latency breakdown' });
    await steps.getByText(/Synthesis.*\d ms/).waitFor();
    await steps.getByText(/Encode.*\d ms/).waitFor();
    await button('Interrupt').click();
    await page().getByText('Listening').waitFor();
    await page().getByText('Captions appear here').waitFor();
    expect(await fixture().violations()).toEqual([]);
    await button('End the stream').click();
    await page().getByText('Its recording is in the library.').waitFor();
    await page().getByText('Captions appear here').waitFor();
    await go('/library');
    await page()
      .getByText(/^Live stream of/)
      .first()
      .waitFor();
  });

  it('creates the HTML that embeds a transparent presenter', async () => {
    await go('/live');
    await page().getByLabel('Address of your site').fill('https://www.example.org/contact');
    await turn('Transparent', true);
    await button('Create the snippet').click();
    expect(await page().getByTestId('snippet').textContent()).toMatch(
      /<figurehead-presenter token="eyJ[\w.-]+" avatar="\w+" background="transparent"><\/figurehead-presenter>$/,
    );
    expect(await fixture().violations()).toEqual([]);
  });

  it('uses dark colours while nothing is live, and shows voices and presenters without ids', async () => {
    await fixture().useScheme('dark');
    await go('/live');
    const stage = page().locator('.fh-stage').first();
    await stage.locator('img').waitFor();
    const [red] = (await stage.evaluate((element) => getComputedStyle(element).backgroundColor)).match(/\d+/g) ?? [];
    expect(Number(red)).toBeLessThan(80);
    await fixture().useScheme('light');
    expect(await page().getByRole('combobox', { name: 'Voice' }).inputValue()).not.toMatch(
      /flite|espeak|[a-z]{2}-[A-Z]{2}/,
    );
    await go('/presenters');
    const nora = page().locator('article', { hasText: 'Nora' });
    await nora.getByText(/^Voice [A-Z]/).waitFor();
    expect(await nora.getByText('nora', { exact: true }).count()).toBe(0);
  });

  it('creates no presenter from a photo that failed its check, even with consent', async () => {
    await go('/presenters');
    await button('From a photo or video').click();
    const dialog = page().getByRole('dialog');
    const faces = (await fixture().call('GET', '/avatars')).slice(0, 2);
    const [left, right] = await Promise.all(
      faces.map(async (avatar: { thumbnail: string }) =>
        Buffer.from(await (await fetch(avatar.thumbnail)).arrayBuffer()),
      ),
    );
    const { width = 0, height = 0 } = await sharp(left).metadata();
    const buffer = await sharp({ create: { width: width * 2, height, channels: 3, background: '#888888' } })
      .composite([
        { input: left, left: 0, top: 0 },
        { input: right, left: width, top: 0 },
      ])
      .png()
      .toBuffer();
    await dialog.locator('input[type=file]').setInputFiles({ name: 'two.png', mimeType: 'image/png', buffer });
    await dialog.getByText('We can’t use this photo').waitFor();
    await dialog.getByLabel('Name').fill('Two');
    await dialog.getByRole('combobox', { name: 'Voice and pronouns' }).click();
    await page().getByRole('option', { name: 'Female', exact: true }).click();
    await dialog.getByLabel('I confirm that this statement is true.').check();
    expect(await dialog.getByRole('button', { name: 'Create presenter' }).isDisabled()).toBe(true);
    // Better points do not turn two faces into one.
    await dialog.getByRole('button', { name: /^Chin/ }).focus();
    await page().keyboard.press('ArrowDown');
    await dialog.getByRole('button', { name: 'Check again with my points' }).click();
    await dialog.getByRole('button', { name: 'Check again with my points', disabled: true }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Create presenter' }).isDisabled()).toBe(true);
    await page().keyboard.press('Escape');
  });

  it('creates a presenter from a photo with corrected points and recorded consent, and deletes it', async () => {
    await go('/presenters');
    await button('From a photo or video').click();
    const dialog = page().getByRole('dialog');
    // A face that looks at the camera: one of the built-in presenters.
    const face = (await fixture().call('GET', '/avatars')).find((avatar: { code: string }) => avatar.code === 'mei');
    const buffer = Buffer.from(await (await fetch(face.thumbnail)).arrayBuffer());
    const photo = { name: 'grace.webp', mimeType: 'image/webp', buffer };
    await dialog.locator('input[type=file]').setInputFiles(photo);
    const chin = dialog.getByRole('button', { name: /^Chin/ });
    await chin.waitFor();
    const centre = async () => {
      const box = await chin.boundingBox();
      if (box === null) throw new Error('the point of the chin is not shown');
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const before = await centre();
    await chin.focus();
    await page().keyboard.press('Shift+ArrowDown');
    const lower = await centre();
    expect(lower.y).toBeGreaterThan(before.y);
    // A dragged point follows the pointer with its centre.
    await page().mouse.move(lower.x, lower.y);
    await page().mouse.down();
    await page().mouse.move(before.x, before.y, { steps: 4 });
    await page().mouse.up();
    expect(Math.abs((await centre()).y - before.y)).toBeLessThan(2);
    await dialog.getByLabel('Name').fill('Grace');
    await dialog.getByRole('combobox', { name: 'Voice and pronouns' }).click();
    await page().getByRole('option', { name: 'Female', exact: true }).click();
    expect(await fixture().violations()).toEqual([]);
    expect(await dialog.getByRole('button', { name: 'Create presenter' }).isDisabled()).toBe(true);
    await dialog.getByLabel('I confirm that this statement is true.').check();
    await dialog.getByRole('button', { name: 'Create presenter' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const made = async () =>
      (await fixture().call('GET', '/avatars')).find((avatar: { name: string }) => avatar.name === 'Grace');
    await expect.poll(async () => (await made())?.status).toBe('ready');
    expect((await made()).consent).toMatchObject({ statement: expect.stringContaining('I agree') });
    await button('Grace').click();
    await dialog.getByText('Consent on record').waitFor();
    expect(await fixture().violations()).toEqual([]);
    // A picture that is requested before the deletion and served after it would be an error in the log.
    await page().waitForFunction(
      () =>
        [...document.images].every(({ complete }) => complete) &&
        [...document.querySelectorAll('video')].every(
          ({ networkState }) => networkState !== HTMLMediaElement.NETWORK_LOADING,
        ),
    );
    page().once('dialog', (question) => void question.accept());
    await dialog.getByRole('button', { name: 'Delete Grace' }).click();
    await eventually(made).toBe(undefined);
  });
}
