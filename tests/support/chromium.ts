import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const EXECUTABLE = '/usr/bin/chromium';

/** False where tests with a browser cannot run. Says so, so that nobody takes them for passed. */
export function hasChromium(): boolean {
  const isThere = existsSync(EXECUTABLE);
  if (!isThere) console.warn(`SKIPPED: tests with a browser need ${EXECUTABLE}`);
  return isThere;
}

/** A headless Chromium with a profile of its own that plays sound without a click and talks to nobody by itself. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
}
