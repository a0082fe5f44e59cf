import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

const SPEECH = 'Our revenue grew again.';
const VOICE = { voice: 'slt', voiceProvider: 'flite', language: 'English' };
const TITLE = { type: 'textbox', left: 40, top: 40, width: 300, height: 40, text: 'The year', fontSize: 28 };

/** The tools for scripts, and videos in other languages and formats. */
export function scriptScenarios({ fixture, page, go, button, eventually }: Stage): void {
  it('puts pauses and emphasis into a script where the cursor is, and speaks them', async () => {
    const { read } = await open();
    const field = page().getByLabel('Speech', { exact: true });
    const speech = () => field.inputValue();
    await field.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(6, 6));
    await button('Emphasis').click();
    expect(await speech()).toBe('<speak>Our <emphasis>revenue</emphasis> grew again.</speak>');
    await button('Emphasis').click();
    expect(await speech()).toBe(SPEECH);
    await button('Emphasis').click();
    await field.press('ArrowRight');
    await button('Pause').click();
    await page().getByText('4 words · 0:02').waitFor();
    const marked = '<speak>Our <emphasis>revenue</emphasis><break time="0.5s"/> grew again.</speak>';
    await eventually(async () => (await read()).slides[0].speech).toBe(marked);
    await button('Listen').click();
    await page().locator('audio[src]').waitFor();
    await button('Check').click();
    await page().getByText('No problems found').waitFor();
    // The timeline shows the words without their tags.
    const words = page().locator('.fh-word');
    expect(await words.allTextContents()).toEqual(['Our', 'revenue', 'grew', 'again.']);
    expect(await fixture().violations()).toEqual([]);
  });

  it('exports a video as XLIFF and imports its translation in one step, with a voice of the language', async () => {
    const { read } = await open();
    await page().getByRole('tab', { name: 'Video', exact: true }).click();
    const [file] = await Promise.all([page().waitForEvent('download'), button('Export XLIFF').click()]);
    expect(file.suggestedFilename()).toBe('In other words.xlf');
    const exported = await readFile(await file.path(), 'utf8');
    const german = new Map([
      [SPEECH, 'Unser Umsatz ist wieder gewachsen.'],
      [TITLE.text, 'Das Jahr'],
    ]);
    const translated = exported
      .replace('srcLang=', 'trgLang="de" srcLang=')
      .replace(
        /(<source[^>]*>)([^<]*)<\/source>/g,
        (whole, _tag, text) => `${whole}<target>${german.get(text)}</target>`,
      );
    await choose('translated.xlf', translated);
    await page()
      .getByText(/^2 texts replaced\./)
      .waitFor();
    await page()
      .getByText(/\(German, \w+\) speaks in place of/)
      .waitFor();
    const texts = async () => {
      const [slide] = (await read()).slides;
      return [slide.speech, slide.canvas.objects[0].text, slide.language];
    };
    await eventually(texts).toEqual([...german.values(), 'German']);
    await button('Undo').click();
    await eventually(texts).toEqual([SPEECH, TITLE.text, 'English']);
    await choose('untranslated.xlf', exported);
    await page().getByText('This file has no translations').waitFor();
    await choose('other.xlf', '<html/>');
    await page().getByText('This is not an XLIFF file.').waitFor();
  });

  it('keeps the content of a slide on the canvas when the format changes, in one step', async () => {
    const { read } = await open();
    await page().getByRole('tab', { name: 'Video', exact: true }).click();
    await page().getByRole('combobox', { name: 'Format', exact: true }).click();
    await page().getByRole('option', { name: 'Tall, 9:16' }).click();
    const title = async () => (await read()).slides[0].canvas.objects[0];
    await eventually(async () => (await read()).data.format).toBe('9_16');
    const { left, top, scaleX } = await title();
    expect(left + TITLE.width * scaleX).toBeLessThan(360);
    expect(top).toBeGreaterThan(200);
    await button('Undo').click();
    await eventually(async () => (await title()).left).toBe(TITLE.left);
    await button('Check').click();
    await page().getByText('No problems found').waitFor();
  });

  async function open() {
    const slide = { id: 1, speech: SPEECH, avatar: { code: 'nora' }, ...VOICE };
    const canvas = { version: '6.0.0', background: '#ffffff', objects: [TITLE] };
    const body = { name: 'In other words', slides: [{ ...slide, canvas }] };
    const { _id } = await fixture().call('POST', '/videos', body);
    await go(`/videos/${_id}/edit`);
    await page().locator('.konvajs-content').waitFor();
    return { read: () => fixture().call('GET', `/videos/${_id}`) };
  }

  async function choose(name: string, content: string): Promise<void> {
    const [chooser] = await Promise.all([page().waitForEvent('filechooser'), button('Import XLIFF').click()]);
    await chooser.setFiles({ name, mimeType: 'application/xliff+xml', buffer: Buffer.from(content) });
  }
}
