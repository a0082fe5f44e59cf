import { beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from './stage.js';

/** A shift of the layout that no input caused, as Chromium reports it. */
interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly { readonly node: Node | null }[];
}

/** Most that the layout of a screen may move while it loads: "good" by Web Vitals. */
const MAX_SHIFT = 0.1;

/** Each screen; `:name` is replaced by the id of what earlier scenarios made. */
const SCREENS = [
  '/videos',
  '/videos/:video',
  '/videos/:ready?first',
  '/videos/:ready?view=lip-sync',
  '/videos/:video/edit',
  '/templates',
  '/templates/:template',
  '/batches/:request',
  '/import',
  '/outlines',
  '/outlines/:outline',
  '/presenters',
  '/presenters?id=nora',
  '/presenters?new=photo',
  '/voices',
  '/library',
  '/live',
  '/agents',
  '/agents/:agent',
  '/agents/:agent?tab=settings',
  '/agents/:agent?tab=transcripts',
  '/agents/:agent?tab=page',
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

/** Screens that open with a dialog, and its name. */
const DIALOGS = new Map([
  ['/presenters?id=nora', 'Nora'],
  ['/presenters?new=photo', 'A presenter of your own'],
]);

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
  describe('a screen', () => {
    const ids = new Map<string, string>();
    beforeAll(async () => {
      const ready = (await fixture().call('GET', '/videos?status=ready&limit=1')).videos[0]._id;
      for (const [name, id] of Object.entries(made)) ids.set(name.replace(/Id$/, ''), id);
      ids.set('ready', ready);
      await page().addInitScript(watchShifts);
    });

    it.each(SCREENS)(
      '%s has no violation, light or dark, fits from 360 to 2560 px, and does not move while it loads',
      async (path) => {
        await page().setViewportSize({ width: 1280, height: 800 });
        await go(path.replace(/:(\w+)/, (_, name: string) => ids.get(name) ?? ''));
        await page().locator('main h1').waitFor();
        const dialog = DIALOGS.get(path);
        if (dialog !== undefined) await page().getByRole('dialog', { name: dialog }).waitFor();
        await page().waitForFunction(() => document.querySelector('[aria-busy=true], .mantine-Loader-root') === null);
        const found: string[] = [];
        // A scheme changes colours only.
        for (const [colorScheme, rules] of [
          ['light', 'all'],
          ['dark', 'colours'],
        ] as const) {
          await fixture().useScheme(colorScheme);
          found.push(...(await fixture().violations(rules)).map((line) => `${colorScheme} ${line}`));
        }
        const [shift, moved] = await page().evaluate(() => {
          const { total, texts } = (window as unknown as { shifts: { total: number; texts: Set<string> } }).shifts;
          return [total, [...texts]] as const;
        });
        if (shift > MAX_SHIFT) found.push(`moves by ${shift.toFixed(2)}: ${moved.join(', ')}`);
        expect(found).toEqual([]);
        for (const width of [360, 2560]) {
          await page().setViewportSize({ width, height: 800 });
          // The frame first slides to its new place.
          const fits = page().waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth);
          await fits.catch((error: unknown) => {
            throw new Error(`too wide at ${width}`, { cause: error });
          });
        }
      },
    );
  });

  it('logged no errors, and called no other server', () => {
    expect(fixture().complaints).toEqual([]);
  });
}
