import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** Every screen: accessible in both schemes and at all widths, without console errors. */
export function screensScenarios({ fixture, page, go, made }: Stage): void {
  it('has no violation on any screen, light or dark, and fits from 360 to 2560 px', async () => {
    const readyId = (await fixture().call('GET', '/videos?status=ready&limit=1')).videos[0]._id;
    const screens = [
      '/videos',
      `/videos/${made.videoId}`,
      `/videos/${readyId}?first`,
      `/videos/${readyId}?view=lip-sync`,
      `/videos/${made.videoId}/edit`,
      '/templates',
      `/templates/${made.templateId}`,
      `/batches/${made.requestId}`,
      '/import',
      '/outlines',
      `/outlines/${made.outlineId}`,
      '/presenters',
      '/presenters?id=nora',
      '/presenters?new=photo',
      '/voices',
      '/library',
      '/live',
      '/agents',
      `/agents/${made.agentId}`,
      `/agents/${made.agentId}?tab=settings`,
      `/agents/${made.agentId}?tab=transcripts`,
      `/agents/${made.agentId}?tab=page`,
      '/api',
      '/api?tab=webhook',
      '/api?tab=deliveries',
      '/api?tab=signature',
      '/api?tab=missed',
      '/usage',
      '/settings',
      '/admin',
      '/admin?tab=review',
      '/admin?tab=machines',
      '/admin?tab=plans',
      '/admin?tab=mail',
      '/nowhere',
    ];
    const dialogs = new Map([
      ['/presenters?id=nora', 'Nora'],
      ['/presenters?new=photo', 'A presenter of your own'],
    ]);
    const found: string[] = [];
    await go('/videos');
    for (const path of screens) {
      // Like a click on a link, without reloading the application.
      await page().evaluate((to) => window.history.pushState(null, '', to), path);
      await page().locator('main h1').waitFor();
      // Waits until dialogs of the previous screen have closed, and its own has opened.
      const dialog = dialogs.get(path);
      if (dialog !== undefined) await page().getByRole('dialog', { name: dialog }).waitFor();
      await page().waitForFunction(
        (shown) =>
          [...document.querySelectorAll('[role=dialog]')].filter((one) => one.checkVisibility()).length === shown,
        dialog === undefined ? 0 : 1,
      );
      await page().waitForFunction(() => document.querySelector('[aria-busy=true], .mantine-Loader-root') === null);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page().emulateMedia({ colorScheme });
        // Colours fade; colours in between have a different contrast.
        await page().evaluate(() =>
          Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))),
        );
        found.push(...(await fixture().violations()).map((line) => `${path} ${colorScheme} ${line}`));
      }
      for (const width of [360, 2560]) {
        await page().setViewportSize({ width, height: 800 });
        // The frame first slides to its new place.
        const fits = page().waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth);
        await fits.catch((error: unknown) => {
          throw new Error(`${path} is too wide at ${width}`, { cause: error });
        });
      }
      await page().setViewportSize({ width: 1280, height: 800 });
    }
    expect(found).toEqual([]);
  });

  it('logged no errors, and called no other server', () => {
    expect(fixture().complaints).toEqual([]);
  });
}
