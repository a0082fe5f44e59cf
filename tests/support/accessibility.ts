import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What is judged: all default rules, or those of some tags or names; the whole page, or what a selector finds. */
interface Judged {
  readonly rules?: axe.RunOnly;
  readonly within?: string;
}

/**
 * Violations of accessibility rules on a page, as readable lines. The rules are loaded once for each page, and only violations are
 * transferred: the Playwright package of axe loads them for each call and transfers all results, which takes twice the time.
 */
export async function violationsOf(page: Page, { rules, within }: Judged = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  // Style sheets are only needed by a rule that does not run.
  const preload = { assets: ['media'] };
  const options: axe.RunOptions = { resultTypes: ['violations'], preload, ...(rules && { runOnly: rules }) };
  return page.evaluate(
    async ([where, how]) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(where ?? document, how);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary?.split('\n')[1]?.trim() ?? ''}`),
      );
    },
    [within, options] as const,
  );
}
