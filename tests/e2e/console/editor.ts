import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** The editor, and details of a render. */
export function editorScenarios({ fixture, page, go, button, eventually, playSpeech, made }: Stage): void {
  it('edits a slide: text on the canvas, dragging, undo, speech, checking the video', async () => {
    await go(`/videos/${made.videoId}/edit`);
    await button('Text').click();
    await page().getByLabel('Text', { exact: true }).fill('Ahoy');
    // Beside it the presenter became an object in the place that it had.
    await eventually(texts).toMatchObject([{ text: 'Ahoy', left: 40 }]);
    expect(await objects()).toHaveLength(2);
    const [text] = await texts();
    const canvas = page().getByRole('application');
    const box = await canvas.boundingBox();
    const scale = (box?.width ?? 0) / 640;
    const [x, y] = [(box?.x ?? 0) + (text.left + 30) * scale, (box?.y ?? 0) + (text.top + 18) * scale];
    await page().mouse.move(x, y);
    await page().mouse.down();
    await page().mouse.move(x + 50 * scale, y + 60 * scale, { steps: 6 });
    await page().mouse.up();
    await eventually(async () => Math.round((await texts())[0].left)).toBe(90);
    await canvas.press('ArrowRight');
    await eventually(async () => Math.round((await texts())[0].left)).toBe(91);
    await button('Undo').click();
    await button('Undo').click();
    await eventually(async () => (await texts())[0].left).toBe(40);
    await button('Redo').click();
    await eventually(async () => Math.round((await texts())[0].left)).toBe(90);
    expect(await fixture().violations()).toEqual([]);

    await page().getByRole('tab', { name: 'Slide', exact: true }).click();
    await page().getByLabel('Speech', { exact: true }).fill('Ahoy there.');
    await button('Listen').press('Enter');
    await page().locator('audio[src]').waitFor();
    // It was disabled meanwhile.
    await eventually(() => button('Listen').evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await fixture().violations()).toEqual([]);
    await button('Check').click();
    await page().getByText('No problems found').waitFor();
    expect((await fixture().call('GET', `/videos/${made.videoId}`)).slides[0].speech).toBe('Ahoy there.');
  });

  it('shows a slide drawn by the renderer at any second, and speaks it', async () => {
    await go(`/videos/${made.videoId}/edit`);
    await page().getByText('As rendered').click();
    const frame = page().getByRole('img', { name: /as the video will show it/ });
    await frame.waitFor();
    const shown = () => frame.evaluate((image: HTMLImageElement) => [image.src, image.naturalWidth] as const);
    const [first, width] = await shown();
    expect(width).toBeGreaterThan(300);
    await page().getByRole('slider', { name: 'Second of the slide' }).focus();
    for (let press = 0; press < 5; press += 1) await page().keyboard.press('ArrowRight');
    await eventually(async () => (await shown())[0]).not.toBe(first);
    const [second] = await shown();
    const choose = async (expression: string) => {
      await page().getByRole('combobox', { name: 'Expression' }).click();
      await page().getByRole('option', { name: expression }).click();
    };
    await choose('Serious');
    await eventually(async () => (await shown())[0]).not.toBe(second);
    const pictures = await frame.evaluateHandle((image: HTMLImageElement) => {
      const seen = new Set<string>();
      new MutationObserver(() => seen.add(image.src)).observe(image, { attributeFilter: ['src'] });
      return seen;
    });
    // Seconds of speech: a busy machine also draws several pictures meanwhile.
    await page()
      .getByLabel('Speech', { exact: true })
      .fill('Ahoy there. The tide is high, the wind is fair, and this ship sails for the islands at noon.');
    await choose('Excited');
    await playSpeech();
    // The picture moves while the slide plays, also right after a change, instead of only being right at its end.
    expect(await pictures.evaluate(({ size }) => size)).toBeGreaterThan(1);
    expect(await fixture().violations()).toEqual([]);
    expect((await fixture().call('GET', `/videos/${made.videoId}`)).slides[0].expression).toBe('excited');
  });

  it('plays the video from a slide on, slide after slide with sound, and returns to the canvas by a click on the picture', async () => {
    const avatar = { code: 'nora' };
    const voice = { avatar, voice: 'slt', voiceProvider: 'flite', language: 'English' };
    const silent = { id: 1, avatar, duration: 60 };
    const slides = [silent, { ...voice, id: 2, speech: 'Ahoy there.' }, { ...voice, id: 3, speech: 'And goodbye.' }];
    const { _id } = await fixture().call('POST', '/videos', { name: 'Played', slides });
    await go(`/videos/${_id}/edit`);
    await button('Slide 2: Ahoy there.').click();
    const heard = await page().evaluateHandle(() => {
      const sounds = new Set<string>();
      const { play } = HTMLMediaElement.prototype;
      HTMLMediaElement.prototype.play = function () {
        sounds.add(this.src);
        return play.call(this);
      };
      return sounds;
    });
    await button('Play video').click();
    await page().locator('[aria-current=true]', { hasText: '3' }).waitFor();
    await button('Play video').waitFor();
    expect(await heard.evaluate(({ size }) => size)).toBe(2);
    expect(await page().locator('[aria-current=true]').innerText()).toMatch(/^3/);
    await page()
      .getByRole('img', { name: /as the video will show it/ })
      .click();
    await page().getByRole('application').waitFor();
    // Pausing keeps the moment.
    await button(/^Slide 1/).click();
    await button('Play video').click();
    await eventually(() => second()).toBeGreaterThan(0);
    await button('Pause video').click();
    const paused = await second();
    expect(paused).toBeLessThan(60);
    await button('Play video').waitFor();
    expect(await second()).toBe(paused);
    expect(await fixture().violations()).toEqual([]);

    async function second(): Promise<number> {
      const ruler = page().getByRole('slider', { name: 'Second of the slide' });
      return Number(await ruler.getAttribute('aria-valuenow'));
    }
  });

  it('adds pictures and clips of the library to a slide, and music to the video', async () => {
    const picture = await sharp({ create: { width: 320, height: 180, channels: 3, background: '#b8442f' } })
      .png()
      .toBuffer();
    const { url } = (await fixture().call('GET', '/videos?status=ready&limit=1')).videos[0];
    const clip = Buffer.from(await (await fetch(url)).arrayBuffer());
    const choose = async (name: string, file: { name: string; mimeType: string; buffer: Buffer }) => {
      await button(name).first().click();
      await page().getByRole('dialog').locator('input[type=file]').setInputFiles(file);
      await page().getByRole('dialog').waitFor({ state: 'hidden' });
    };
    await go(`/videos/${made.videoId}/edit`);
    await choose('Picture', { name: 'sail.png', mimeType: 'image/png', buffer: picture });
    await choose('Video', { name: 'waves.mp4', mimeType: 'video/mp4', buffer: clip });
    await button('Picture').first().click();
    await page()
      .getByRole('dialog')
      .getByRole('button', { name: /sail.png/ })
      .waitFor();
    // The dialog fades in; colours in between have a different contrast.
    await page().waitForFunction(() => document.getAnimations().length === 0);
    expect(await fixture().violations()).toEqual([]);
    await page().keyboard.press('Escape');
    await page().getByRole('tab', { name: 'Video', exact: true }).click();
    await choose('Choose music', { name: 'shanty.wav', mimeType: 'audio/wav', buffer: wave() });
    await page().getByRole('combobox', { name: 'Burned-in captions' }).click();
    await page().getByRole('option', { name: 'Lines, the spoken word marked' }).click();
    expect(await fixture().violations()).toEqual([]);
    const stored = async () => {
      const { slides, data } = await fixture().call('GET', `/videos/${made.videoId}`);
      const kinds: string[] = slides[0].canvas.objects.map((one: { type: string }) => one.type);
      return { kinds: kinds.filter((kind) => kind !== 'avatar'), data };
    };
    await eventually(stored).toMatchObject({
      kinds: ['textbox', 'image', 'video'],
      data: { captions: 'words', musicUrl: expect.stringContaining('http') },
    });
    await button('Check').click();
    await page().getByText('No problems found').waitFor();
  });

  it('saves a pronunciation of the word selected in a script', async () => {
    await go(`/videos/${made.videoId}/edit`);
    await page()
      .getByLabel('Speech', { exact: true })
      .evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(0, 4));
    await button('Pronunciation').click();
    const dialog = page().getByRole('dialog');
    expect(await dialog.getByLabel('Word').inputValue()).toBe('Ahoy');
    await dialog.getByLabel('Pronounced as').fill('a hoi');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('“a hoi”').waitFor();
    expect((await fixture().call('GET', '/pronunciations')).pronunciations).toMatchObject([
      { word: 'Ahoy', spoken: 'a hoi', language: 'English' },
    ]);
    expect(await fixture().violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete Ahoy' }).click();
    await dialog.getByText('None yet').waitFor();
  });

  it('shows what moved the mouth, frame by frame next to the video', async () => {
    const [{ _id, name }] = (await fixture().call('GET', '/videos?status=ready&limit=1')).videos;
    await go(`/videos/${_id}`);
    await page().getByRole('heading', { name }).waitFor();
    await button('Lip-sync').click();
    const playhead = page().getByRole('slider', { name: /Playhead/ });
    await playhead.waitFor();
    const at = () => playhead.getAttribute('aria-valuenow').then(Number);
    await playhead.focus();
    await page().keyboard.press('Shift+ArrowRight');
    await eventually(at).toBeCloseTo(10.5 / 25, 1);
    await page().keyboard.press('ArrowLeft');
    await eventually(at).toBeCloseTo(9.5 / 25, 1);
    const film = () => page().evaluate(() => document.querySelector('video')?.currentTime ?? 0);
    expect(await film()).toBeCloseTo(await at(), 1);
    // Half a second of speech contains at least one phoneme, so the canvas is not blank.
    await eventually(async () => {
      await page().keyboard.press('ArrowRight');
      return playhead.getAttribute('aria-valuetext');
    }).not.toContain('phoneme none');
    const inked = await page()
      .locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
        return data.filter((value, index) => index % 4 === 3 && value > 0).length;
      });
    expect(inked).toBeGreaterThan(5000);
    expect(await fixture().violations()).toEqual([]);
  });

  // biome-ignore lint/suspicious/noExplicitAny: Fabric's objects
  async function objects(): Promise<any[]> {
    return (await fixture().call('GET', `/videos/${made.videoId}`)).slides[0].canvas.objects;
  }

  // biome-ignore lint/suspicious/noExplicitAny: Fabric's objects
  const texts = async (): Promise<any[]> => (await objects()).filter(({ type }) => type === 'textbox');
}

/** A second of a low tone: WAV, 8 kHz, 16 bit, mono. */
function wave(): Buffer {
  const samples = 8000;
  const file = Buffer.alloc(44 + samples * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + samples * 2, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(8000, 24);
  file.writeUInt32LE(16_000, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(samples * 2, 40);
  for (let n = 0; n < samples; n += 1) file.writeInt16LE(Math.round(8000 * Math.sin(n / 6)), 44 + n * 2);
  return file;
}
