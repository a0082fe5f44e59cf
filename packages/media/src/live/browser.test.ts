import { fileURLToPath } from 'node:url';
import type { PresenterPack } from '@figurehead/presenter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrowserName,
  hasBrowser,
  openViewer,
  type Viewer,
  type ViewerSample,
} from '../../../../tests/support/stream-browser.js';
import { testSpeech } from '../../../../tests/support/test-speech.js';
import { loadPack } from '../presenter/index.js';
import type { LiveHost } from './contract.js';
import { openLiveHost } from './host.js';

const PACK = fileURLToPath(new URL('../../../../presenters/packs/helen', import.meta.url));
/** #df9a5e: a colour that a wrong matrix would shift. */
const BACKGROUND = [0xdf, 0x9a, 0x5e];
/** Levels that count as sound and as silence: test speech has 0.15. */
const LOUD = 0.03;
const SILENT = 0.005;

const CASES: { browser: BrowserName; codec: 'H264' | 'VP8' }[] = [
  { browser: 'chromium', codec: 'H264' },
  { browser: 'firefox', codec: 'VP8' },
];

describe('a live session in a real browser', () => {
  let host: LiveHost;
  let pack: PresenterPack;
  const warnings: string[] = [];

  beforeAll(async () => {
    pack = await loadPack(PACK);
    host = await openLiveHost({
      ports: { from: 11_000, to: 11_099 },
      onWarning: (doing, error) => warnings.push(`${doing}: ${String(error)}`),
    });
  });

  afterAll(async () => {
    await host.close();
  });

  for (const { browser, codec } of CASES) {
    const installed = hasBrowser(browser);
    if (!installed) console.warn(`SKIPPED: ${browser} is not installed, ${codec} was not tried in it`);
    it.skipIf(!installed)(
      `plays ${codec} in ${browser}: mouth and sound together, silence when interrupted`,
      async () => {
        const session = await host.open({
          id: `${browser}-${codec}`,
          pack,
          picture: { width: 512, height: 512, fps: 25, background: '#df9a5e' },
          iceServers: [],
        });
        let viewer: Viewer | undefined;
        try {
          viewer = await openViewer(session, browser, codec);
          const { seen } = viewer;
          await viewer.until('the first frames', () => seen.looks.some((look) => look.shown > 10));
          expect(session.stats().codec).toBe(codec);

          const handle = session.speak('spoken', testSpeech({ syllables: 6, chunkSyllables: 2 }));
          expect(await handle.started).toBeGreaterThanOrEqual(0);
          expect(await handle.ended).toBe('spoken');
          await viewer.until('the end of speech', () => seen.events.some((event) => event.type === 'speech.ended'));
          await viewer.until('silence after speech', () => isQuiet(seen.looks));
          const spoken = [...seen.looks];
          expect(spoken.filter((look) => look.rms > LOUD).length).toBeGreaterThan(20);
          expect(mouthWithSound(spoken)).toBeGreaterThan(0.35);
          expect(seen.events.filter((event) => event.type === 'speech.word')).toHaveLength(6);

          const long = session.speak('cut', testSpeech({ syllables: 30, chunkSyllables: 2 }));
          await long.started;
          await viewer.until('sound', () => seen.looks.slice(-8).some((look) => look.rms > LOUD));
          expect(session.interrupt('all')).toEqual({ interrupted: true, dropped: 0 });
          expect(await long.ended).toBe('interrupted');
          await viewer.until('silence after the interruption', () => isQuiet(seen.looks));
          expect(seen.events.map((event) => event.type)).toContain('speech.interrupted');
          await viewer.until('a still mouth', () => motionOf(seen.looks.slice(-12)) < motionOf(spoken) / 3);

          // Long enough for the idle loop to have taken over.
          const shownBefore = seen.looks.at(-1)!.shown;
          await viewer.until('a moving picture while idle', () => seen.looks.at(-1)!.shown > shownBefore + 75);
          expect(seen.errors).toEqual([]);
          expect(seen.corner.map((value, at) => Math.abs(value - BACKGROUND[at]!) < 8)).toEqual([true, true, true]);
          // A busy machine steps down to a smaller picture.
          expect([256, 384, 512]).toContain(seen.width);
          expect(warnings).toEqual([]);
        } finally {
          await viewer?.close();
          await session.close();
        }
        expect(await session.closed).toBe('requested');
      },
    );
  }
});

/** Mean motion of the mouth while pictures are shown. */
function motionOf(looks: readonly ViewerSample[]): number {
  const shown = looks.filter((look) => look.shown > 0);
  return shown.reduce((sum, look) => sum + look.motion, 0) / Math.max(1, shown.length);
}

/** The last half second was silent. */
function isQuiet(looks: readonly ViewerSample[]): boolean {
  const last = looks.slice(-12);
  return last.length === 12 && last.every((look) => look.rms < SILENT);
}

/**
 * Correlation of the mouth's darkness with the sound at the best shift of up to 0.4 s: samples are 40 ms apart, a busy machine
 * delays sound, and Firefox reports levels about 0.2 s late.
 */
function mouthWithSound(looks: readonly ViewerSample[]): number {
  let best = -1;
  for (let shift = -10; shift <= 10; shift++) {
    const pairs = looks.flatMap((look, index) => {
      const other = looks[index + shift];
      return other && other.shown > 0 ? [[look.rms, other.dark] as const] : [];
    });
    best = Math.max(best, correlate(pairs));
  }
  return best;
}

function correlate(pairs: readonly (readonly [number, number])[]): number {
  const mean = (at: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length;
  const [meanA, meanB] = [mean(0), mean(1)];
  let [both, a, b] = [0, 0, 0];
  for (const pair of pairs) {
    both += (pair[0] - meanA) * (pair[1] - meanB);
    a += (pair[0] - meanA) ** 2;
    b += (pair[1] - meanB) ** 2;
  }
  return a === 0 || b === 0 ? 0 : both / Math.sqrt(a * b);
}
