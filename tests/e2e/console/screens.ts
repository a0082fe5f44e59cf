import { expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** A shift of the layout that no input caused, as Chromium reports it. */
interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly { readonly node: Node | null }[];
}

/** Most that the layout of a screen may move while it loads: "good" by Web Vitals. */
const MAX_SHIFT = 0.1;

/** Time limit of the tour: each screen is loaded and checked twice, which takes four minutes on a machine busy with much else. */
const TOUR_MS = 900_000;

/** Runs in each page from its first moment: notes how much moves without input, and what. */
function watchShifts(): void {
  const seen = { total: 0, texts: new Set<string>() };
  Object.assign(window, { shifts: seen });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
      if (hadRecentInput) continue;
      seen.total += value;
      for (const { node } of sources) seen.texts.add(node?.textContent?.trim().slice(0, 30) ?? '');
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** Every screen: still while it loads, accessible in both schemes and at all widths, without console errors. */
export function screensScenarios({ fixture, page, go, made }: Stage): void {
  it(
    'has no violation on any screen, light or dark, fits from 360 to 2560 px, and does not move while it loads',
    async () => {
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
      await page().addInitScript(watchShifts);
      for (const path of screens) {
        await go(path);
        await page().locator('main h1').waitFor();
        const dialog = dialogs.get(path);
        if (dialog !== undefined) await page().getByRole('dialog', { name: dialog }).waitFor();
        await page().waitForFunction(() => document.querySelector('[aria-busy=true], .mantine-Loader-root') === null);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page().emulateMedia({ colorScheme });
          // Colours fade; colours in between have a different contrast.
          await page().evaluate(() =>
            Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))),
          );
          found.push(...(await fixture().violations()).map((line) => `${path} ${colorScheme} ${line}`));
        }
        const [shift, moved] = await page().evaluate(() => {
          const { total, texts } = (window as unknown as { shifts: { total: number; texts: Set<string> } }).shifts;
          return [total, [...texts]] as const;
        });
        if (shift > MAX_SHIFT) found.push(`${path} moves by ${shift.toFixed(2)}: ${moved.join(', ')}`);
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
    },
    TOUR_MS,
  );

  it('logged no errors, and called no other server', () => {
    expect(fixture().complaints).toEqual([]);
  });
}
