import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { workbook } from '../../support/workbook.js';
import type { Stage } from './stage.js';

/** One page with the word "Harbour"; readers repair the missing offsets. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 640 360]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 43>>stream
BT /F1 48 Tf 60 160 Td (Harbour) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R/Size 6>>
%%EOF`;

const VOICE = { voice: 'slt', voiceProvider: 'flite', language: 'English' };

/** Batches of a template, and videos from presentations and outlines. */
export function productionScenarios({ fixture, page, go, button, eventually, made, turn }: Stage): void {
  /** The file downloaded by a click. */
  async function download(click: () => Promise<unknown>): Promise<Buffer> {
    const [file] = await Promise.all([page().waitForEvent('download'), click()]);
    return readFile(await file.path());
  }

  it('fills a template from a CSV and renders every row', async () => {
    const slides = [{ id: 1, speech: 'Hello {{name}}!', voice: 'slt', voiceProvider: 'flite', language: 'English' }];
    const template = await fixture().call('POST', '/videos', { name: 'Greeting', type: 'template', slides });
    made.templateId = template._id;
    await go('/templates');
    await page().getByRole('link', { name: 'Create a batch of Greeting' }).click();
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('Name,City\nAda,London\nGrace,\n') };
    await page().locator('input[type=file]').setInputFiles(file);
    await page().getByText('people.csv: 2 rows').waitFor();
    expect(await fixture().violations()).toEqual([]);
    await button('Preview row 2').click();
    const preview = page().getByRole('dialog', { name: 'Row 2: Greeting – Grace' });
    await preview.getByRole('img', { name: /as the video will show it/ }).waitFor();
    await preview.getByText('“Hello Grace!”').waitFor();
    await page().keyboard.press('Escape');
    await turn('E-mail me when all are done', true);
    await button('Render 2 videos').click();
    await page().waitForURL(/\/batches\//);
    await page().getByText('2 of 2 done').waitFor();
    made.requestId = page().url().split('/').at(-1) ?? '';
    for (const name of ['Greeting – Ada', 'Greeting – Grace']) await page().getByRole('link', { name }).waitFor();
    await page().getByText('You get an e-mail when all are done.').waitFor();
    await eventually(async () => (await fixture().call('GET', '/outbox')).mails).toMatchObject([
      {
        to: fixture().email,
        subject: '2 personalized videos are finished',
        text: expect.stringContaining(made.requestId),
      },
    ]);
    expect(await fixture().violations()).toEqual([]);
    const csv = await download(() => button('CSV of links').click());
    expect(csv.toString()).toMatch(
      /^row,name,status,link,error\r\n1,Greeting – Ada,ready,http\S+,\r\n2,Greeting – Grace,ready,/,
    );
    const zip = await download(() => button('Download 2 videos (ZIP)').click());
    expect(zip.subarray(0, 2).toString()).toBe('PK');
    for (const name of ['001 Greeting – Ada.mp4', '002 Greeting – Grace.mp4']) expect(zip.includes(name)).toBe(true);
  });

  it('reads tables of Excel and of the clipboard, and names the encoding', async () => {
    await go(`/templates/${made.templateId}`);
    const rows = page().getByLabel('Rows of the table');
    const name = 'gäste.csv';
    const buffer = Buffer.from('sep=;\r\nName;Stadt\r\nJürgen;Köln\r\n', 'latin1');
    await page().locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
    await rows.getByText('Greeting – Jürgen').waitFor();
    const encoding = page().getByRole('combobox', { name: 'Encoding of the file' });
    expect(await encoding.inputValue()).toBe('Western European (Windows-1252)');
    await encoding.click();
    await page().getByRole('option', { name: 'Cyrillic (Windows-1251)' }).click();
    await rows.getByText('Greeting – Jьrgen').waitFor();
    expect(await fixture().violations()).toEqual([]);

    // Larger than what the library decompresses without a worker, which the content policy forbids.
    const people = [['Name'], ...Array.from({ length: 20_000 }, (_, index) => [`Guest number ${index + 1}`])];
    const book = {
      name: 'guests.xlsx',
      mimeType: 'application/zip',
      buffer: Buffer.from(workbook({ Guests: people })),
    };
    await page().locator('input[type=file]').setInputFiles(book);
    await rows.getByText('Greeting – Guest number 1', { exact: true }).waitFor();
    await page().getByText('guests.xlsx: 20,000 rows').waitFor();

    await page()
      .getByLabel('Or paste cells of a spreadsheet')
      .evaluate((field) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', 'Name\tCity\r\nDoe, Jane\tOslo\r\n');
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      });
    await rows.getByText('Greeting – Doe, Jane').waitFor();
    await page().getByText('Pasted cells: 1 row').waitFor();
  });

  it('leaves a slide out of the videos of rows that have no value for it', async () => {
    await go('/templates');
    const texts = ['Save {{offer}}.', 'Hi {{name}}.'];
    const slides = texts.map((speech, index) => ({ id: index + 1, speech, ...VOICE }));
    const { _id } = await fixture().call('POST', '/videos', { name: 'Offer', type: 'template', slides });
    await go(`/videos/${_id}/edit`);
    await page().getByLabel('Only with a value for').first().fill('offer');
    await eventually(async () => (await fixture().call('GET', `/videos/${_id}`)).slides[0].showIf).toBe('offer');
    expect(await fixture().violations()).toEqual([]);
    await go(`/templates/${_id}`);
    const file = { name: 'names.csv', mimeType: 'text/csv', buffer: Buffer.from('name\nAda\n') };
    await page().locator('input[type=file]').setInputFiles(file);
    // The table has no column for it, and the batch can be rendered.
    await page().getByRole('button', { name: 'Render 1 video', disabled: false }).waitFor();
    await button('Preview row 1').click();
    const preview = page().getByRole('dialog', { name: 'Row 1: Offer – Ada' });
    await preview.getByText('“Hi Ada.”').waitFor();
    expect(await preview.getByRole('button', { name: 'Slide 2' }).count()).toBe(0);
    await page().keyboard.press('Escape');
  });

  it('explains why rows of a batch failed, and renders them again', async () => {
    const slides = [{ id: 1, speech: 'Hi {{name}}.', ...VOICE, voice: 'nobody' }];
    const { _id } = await fixture().call('POST', '/videos', { name: 'Broken', type: 'template', slides });
    const { requestId } = await fixture().call('POST', `/videos/renderTemplate/${_id}`, {
      templateData: [{ name: 'Ada' }, { name: 'Bob' }],
    });
    await go(`/batches/${requestId}`);
    await page().getByText('2 of 2 done').waitFor();
    await page()
      .getByText(/Slide 1, voice: .*nobody/)
      .first()
      .waitFor();
    await button('Retry 2 failed videos').click();
    await page().getByText('2 videos queued again.').waitFor();
    await button('Retry row 2').waitFor();
    const { videos } = await fixture().call('GET', `/batches/${requestId}`);
    for (const { _id: id } of videos) {
      await fixture().call('PATCH', `/videos/${id}`, { slides: [{ id: 1, speech: 'Hi.', ...VOICE }] });
    }
    await go(`/batches/${requestId}`);
    for (const row of [1, 2]) await button(`Render row ${row}`).click();
    await page().getByText('2 ready').waitFor();
  });

  it('finds videos by name, shows drafts as sketches, and keeps templates out of the list', async () => {
    const slides = [{ id: 1, speech: 'Hi.', avatar: { code: 'amara' }, ...VOICE }];
    await fixture().call('POST', '/videos', { name: 'Lighthouse tour', slides });
    await go('/videos');
    await page().getByLabel('Name', { exact: true }).fill('lighthouse');
    await page().getByText('1 video', { exact: true }).waitFor();
    await page().locator('article', { hasText: 'Lighthouse tour' }).locator('.fh-frame canvas').waitFor();
    await page().getByLabel('Name', { exact: true }).fill('Broken');
    await page().getByText('2 videos', { exact: true }).waitFor();
    await page().getByRole('combobox', { name: 'Kind' }).click();
    await page().getByRole('option', { name: 'Templates' }).click();
    await page().getByText('1 video', { exact: true }).waitFor();
  });

  it('imports a presentation and turns an outline into a draft', async () => {
    await go('/import');
    await page().getByLabel('Make the text editable').check();
    const file = { name: 'harbour.pdf', mimeType: 'application/pdf', buffer: Buffer.from(PDF) };
    await page().locator('input[type=file]').setInputFiles(file);
    await page().getByText('1 slide, 0 with notes').waitFor();
    const imported = (await fixture().call('GET', '/videos')).videos.find(
      ({ name }: { name: string }) => name === 'harbour',
    );
    const [slide] = (await fixture().call('GET', `/videos/${imported._id}`)).slides;
    expect(slide.canvas.objects).toMatchObject([{ type: 'textbox' }, { type: 'avatar' }]);

    await go('/outlines');
    await button('New outline').first().click();
    await page().getByLabel('Topic').fill('Tides');
    await page()
      .getByLabel('Text to work from')
      .fill('# Ebb\nWater goes out. It leaves sand.\n# Flood\nWater comes in. It lifts boats.');
    await button('Create outline').click();
    await button('Write chapters').click();
    await button('Write all scripts').click();
    const field = (name: string) => page().getByRole('textbox', { name }).first();
    await field('Script').waitFor();
    made.outlineId = page().url().split('/').at(-1) ?? '';
    const chapters = async () => (await fixture().call('GET', `/outline/${made.outlineId}`)).chapters;
    // The title is saved while the script is being written.
    await field('Chapter 1').fill('Low water');
    await field('Script').focus();
    await page().keyboard.press('End');
    await page().keyboard.type(' Gulls');
    await eventually(async () => (await chapters())[0].title).toBe('Low water');
    await page().keyboard.type(' arrive.');
    await field('Chapter 2').focus();
    await eventually(async () => (await chapters())[0]).toMatchObject({
      title: 'Low water',
      script: expect.stringContaining('Gulls arrive.'),
    });
    await button('Make a video').click();
    await page().waitForURL(/\/edit$/);
  });
}
