import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FirefoxPage, hasFirefox, launchFirefox } from '../support/firefox.js';
import { type LiveServer, openLiveServer } from '../support/live-server.js';
import { exposeSdk, watchStream } from '../support/live-viewer.js';

// Firefox has no H.264 of its own: it is the browser that shows whether VP8 works.

describe.runIf(hasFirefox())('a live stream in Firefox', () => {
  let server: LiveServer;
  let page: FirefoxPage;

  beforeAll(async () => {
    [server, page] = await Promise.all([openLiveServer(), launchFirefox()]);
  });
  afterAll(async () => {
    await page?.close();
    await server?.close();
  });

  it('shows a mouth that moves with the sound, takes texts in turn, and falls silent when it is interrupted', async () => {
    await page.goto(server.pageUrl);
    await page.evaluate(exposeSdk, undefined);
    const seen = await page.evaluate(watchStream, 'Good morning. My name is Nora, and I am happy to show you around.');
    console.info('live stream in Firefox', JSON.stringify(seen));
    expect(seen.firstFrameMs).toBeLessThan(5000);
    expect(seen.framesPerSecond).toBeGreaterThan(15);
    expect(seen.firstSoundMs).toBeLessThan(2000);
    expect(seen.loudness.speaking).toBeGreaterThan(0.02);
    expect(seen.loudness.before).toBeLessThan(0.002);
    expect(seen.loudness.after).toBeLessThan(0.002);
    expect(seen.interrupted).toEqual({ interrupted: true, dropped: 1 });
    expect(seen.silentAfterMs).toBeLessThan(800);
    expect(seen.movement.speaking).toBeGreaterThan(1.3 * seen.movement.silent);
    expect(seen.outcomes).toEqual(['interrupted', 'interrupted', 'spoken']);
    expect((await server.call('GET', `/streams/${seen.id}`)).status).toBe(404);
  });
});
