import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const EXECUTABLE = '/usr/bin/chromium';
/**
 * Features that tests turn off. Of several such flags the last one counts, so the list has Playwright's features as well: they would make
 * requests, or change what its methods see.
 */
const DISABLED_FEATURES = [
  // The address bar's popups: two hidden pages for every window, which take two thirds of the processor time of opening one.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Makes no requests by itself, and plays sound without a click. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
];

/** False where browser tests cannot run; prints it, so that they are not mistaken for passed. */
export function hasChromium(): boolean {
  const isThere = existsSync(EXECUTABLE);
  if (!isThere) console.warn(`SKIPPED: tests with a browser need ${EXECUTABLE}`);
  return isThere;
}

/**
 * A headless Chromium with a separate profile that plays sound without a click and makes no requests by itself.
 * @param options `microphone`: a WAV file that its microphone plays over and over to pages that may use it; it may be written later. `flags`:
 * more of Chromium's.
 */
export async function launchChromium(
  options: { readonly microphone?: string; readonly flags?: readonly string[] } = {},
): Promise<Browser> {
  const { microphone, flags = [] } = options;
  const browser = await chromium.launch({
    executablePath: EXECUTABLE,
    headless: true,
    args: [
      ...CHROMIUM_FLAGS,
      ...flags,
      ...(microphone === undefined
        ? []
        : ['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${microphone}`]),
    ],
  });
  // A page that is loaded by a busy machine takes longer than Playwright's 30 s.
  browser.on('context', (context) => context.setDefaultTimeout(120_000));
  return browser;
}
