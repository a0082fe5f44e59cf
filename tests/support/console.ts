import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { RunOnly } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { addMember, createWorkspace, setOperator } from '../../packages/server/src/features/workspaces/index.js';
import type { Kernel } from '../../packages/server/src/kernel/contract.js';
import { violationsOf } from './accessibility.js';
import { launchChromium } from './chromium.js';
import { openTestKernel } from './kernel.js';
import { freePort } from './ports.js';
import { startRole } from './role.js';

/** The console as users see it: a real server with all its roles, a real browser, and a signed-in administrator. */
export interface TestConsole {
  readonly url: string;
  readonly email: string;
  readonly password: string;
  readonly page: Page;
  /** Path of the WAV file that the browser's microphone hears; a scenario writes it. */
  readonly microphone: string;
  /** Lets pages use the microphone, or forbids it. */
  allowMicrophone(allowed: boolean): Promise<void>;
  /** Console errors of the browser so far, and requests to other servers; both should stay empty. */
  readonly complaints: string[];
  /** Calls the API as the signed-in user. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies whose shape they are about to check
  call(method: string, path: string, body?: object): Promise<any>;
  /** Shows the page in light or dark colours. */
  useScheme(scheme: 'light' | 'dark'): Promise<void>;
  /** Violations of WCAG A and AA and of good practice on the current page, or only those of its colours, as readable lines. */
  violations(rules?: 'all' | 'colours'): Promise<string[]>;
  close(): Promise<void>;
}

const RULES = {
  all: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} satisfies Readonly<Record<string, RunOnly>>;

/** Starts everything once for a test file. */
export async function openConsole(): Promise<TestConsole> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const test = await openTestKernel({
    PORT: String(port),
    FIGUREHEAD_URL: url,
    FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
    // Slides refer to files of this server by its loopback address.
    FIGUREHEAD_MEDIA_ALLOW_PRIVATE: '1',
    FIGUREHEAD_LOG_LEVEL: 'info',
    // Otherwise its stream host measures the machine first.
    FIGUREHEAD_STREAM_CAPACITY: '4',
    // Downloads of voices fail at once, without a network.
    FIGUREHEAD_VOICES_MIRROR: 'file:///no-such-folder',
  });
  const roles = await Promise.all((['api', 'worker', 'streams'] as const).map((role) => startRole(role, test.env)));
  const microphone = join(test.kernel.config.dataDir, 'microphone.wav');
  const browser = await launchChromium({ microphone });
  const shown = await showConsole(browser, { url, kernel: test.kernel, microphone });
  return {
    ...shown,
    async close() {
      await browser.close();
      // Killed instead of drained, because unfinished renders of tests would be waited for.
      await Promise.all(roles.map((role) => role.kill()));
      await test.close();
    },
  };
}

/**
 * A page of the browser for the console of a server that runs, and an administrator, who is not signed in yet. Closing it closes the page.
 * @param server `kernel` is one of its installation; `microphone` is the file of the browser's microphone.
 */
export async function showConsole(
  browser: Browser,
  server: { readonly url: string; readonly kernel: Kernel; readonly microphone: string },
): Promise<TestConsole> {
  const { url, kernel, microphone } = server;
  const workspace = await createWorkspace(kernel, {
    name: 'Harbour',
    plan: 'Team',
    status: 'active',
    minutes: 60,
  });
  const [email, password] = ['ada@example.com', randomBytes(9).toString('base64url')];
  const person = { workspaceId: workspace._id, email, name: 'Ada', role: 'owner', password } as const;
  const { _id } = await addMember(kernel, person);
  await setOperator(kernel.db, _id, true);
  // Without animations, so that tests need not wait for them.
  const context: BrowserContext = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    }
  });
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith('http') && host !== new URL(url).host) complaints.push(`external: ${request.url()}`);
  });
  return {
    url,
    email,
    password,
    page,
    microphone,
    allowMicrophone: (allowed) => (allowed ? context.grantPermissions(['microphone']) : context.clearPermissions()),
    complaints,
    call: (method, path, body) =>
      page.evaluate(
        async ([verb, where, content]) => {
          const answer = await fetch(`/api/v1${where}`, {
            method: verb,
            ...(content && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) }),
          });
          return answer.json();
        },
        [method, path, body] as const,
      ),
    async useScheme(colorScheme) {
      await page.emulateMedia({ colorScheme });
      // The page itself follows a moment later.
      await page.waitForFunction(
        (scheme) => document.documentElement.dataset.mantineColorScheme === scheme,
        colorScheme,
      );
    },
    async violations(rules = 'all') {
      // Waits for fades, which may not have started yet; endless animations are ignored.
      await page.waitForFunction(() => {
        const isThere = (element: Element | null): boolean =>
          element === null || (getComputedStyle(element).opacity === '1' && isThere(element.parentElement));
        const dialogs = [...document.querySelectorAll('[role=dialog]')].filter((dialog) => dialog.checkVisibility());
        const animations = document
          .getAnimations()
          .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
        return dialogs.every(isThere) && animations.every(({ playState }) => playState !== 'running');
      });
      return violationsOf(page, { rules: RULES[rules] });
    },
    close: () => context.close(),
  };
}
