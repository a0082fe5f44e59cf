import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** One page with the word "Harbour"; offsets are left to the reader's repair. */
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

/** Many videos of one template, videos of presentations and outlines. */
export function productionScenarios({ fixture, page, go, button, made }: Stage): void {
  it('fills a template in from a CSV and sends every row off', async () => {
    const slides = [{ id: 1, speech: 'Hello {{name}}!', voice: 'slt', voiceProvider: 'flite', language: 'English' }];
    const template = await fixture().call('POST', '/videos', { name: 'Greeting', type: 'template', slides });
    made.templateId = template._id;
    await go('/templates');
    await page().getByRole('link', { name: 'Create a batch of Greeting' }).click();
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('Name,City\nAda,London\nGrace,\n') };
    await page().locator('input[type=file]').setInputFiles(file);
    await page().getByText('people.csv: 2 rows').waitFor();
    expect(await fixture().violations()).toEqual([]);
    await button('Render 2 videos').click();
    await page().waitForURL(/tags=batch-/);
    await page().getByText('2 videos', { exact: true }).waitFor();
  });

  it('takes a presentation and turns an outline into a draft', async () => {
    await go('/import');
    const file = { name: 'harbour.pdf', mimeType: 'application/pdf', buffer: Buffer.from(PDF) };
    await page().locator('input[type=file]').setInputFiles(file);
    await page().getByText('1 slide, 0 with notes').waitFor({ timeout: 30_000 });

    await go('/outlines');
    await button('New outline').first().click();
    await page().getByLabel('Topic').fill('Tides');
    await page()
      .getByLabel('Text to work from')
      .fill('# Ebb\nWater goes out. It leaves sand.\n# Flood\nWater comes in. It lifts boats.');
    await button('Create outline').click();
    await button('Write chapters').click();
    await button('Write all scripts').click();
    await page().getByLabel('Script').first().waitFor();
    made.outlineId = page().url().split('/').at(-1) ?? '';
    await button('Make a video').click();
    await page().waitForURL(/\/edit$/);
  });
}
