import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from '../../../tests/support/chromium.js';
import { hasFirefox, launchFirefox } from '../../../tests/support/firefox.js';
import { hasLoudspeaker, openLoudspeaker } from '../../../tests/support/loudspeaker.js';
import { openSite, type Site } from '../../../tests/support/site.js';
import { spokenPcm } from '../../../tests/support/spoken-pcm.js';
import type { Presenter, PresenterOptions, Voice } from './index.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PACKAGE = '/node_modules/@figurehead/presenter-web/dist/';
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.html': 'text/html',
  '.wasm': 'application/wasm',
};
const PAGE = `<!doctype html><canvas width="256" height="256"></canvas><script type="module">import * as figurehead from '${PACKAGE}presenter.js'; globalThis.figurehead = figurehead</script>`;
/** Of the recording that is played, seconds. */
const SILENCE = 1;

declare const figurehead: { openPresenter(options: PresenterOptions): Promise<Presenter> };

/** What a page saw and heard, every picture: darkness of the mouth (0 … 255), level of the sound that goes to the loudspeaker, and how soon it is heard. */
interface Seen {
  readonly ms: number;
  readonly dark: number;
  readonly level: number;
  readonly latencyMs: number;
}

/** Runs in the page: a recording is spoken in one of the ways that a page can. */
async function speakInPage(way: 'stream' | 'file' | 'text'): Promise<{ seen: Seen[]; outcome: string }> {
  while (!('figurehead' in globalThis)) await new Promise((resolve) => setTimeout(resolve, 50));
  const analysers: AnalyserNode[] = [];
  const connect = AudioNode.prototype.connect as (this: AudioNode, to: AudioNode, ...others: number[]) => AudioNode;
  Object.assign(AudioNode.prototype, {
    connect(this: AudioNode, to: AudioNode, ...others: number[]) {
      if (to instanceof AudioDestinationNode && this.context instanceof AudioContext) {
        const analyser = new AnalyserNode(this.context, { fftSize: 1024 });
        connect.call(this, analyser);
        analysers.push(analyser);
      }
      return connect.call(this, to, ...others);
    },
  });
  const canvas = document.querySelector('canvas')!;
  const file = async (): Promise<ArrayBuffer> => (await fetch('/speech.wav')).arrayBuffer();
  const voice: Voice = () => file();
  const presenter = await figurehead.openPresenter({ canvas, voice, background: '#808080', seed: 7 });
  const small = new OffscreenCanvas(32, 20).getContext('2d', { willReadFrequently: true })!;
  const seen: Seen[] = [];
  let isOpen = true;
  const look = (ms: number): void => {
    if (!isOpen) return;
    requestAnimationFrame(look);
    // The mouth of the presenter in the package.
    small.drawImage(canvas, 112, 146, 32, 20, 0, 0, 32, 20);
    const { data } = small.getImageData(0, 0, 32, 20);
    let darkest = 255;
    for (let at = 1; at < data.length; at += 4) darkest = Math.min(darkest, data[at]!);
    let [power, latencyMs] = [0, 0];
    const block = new Float32Array(1024);
    for (const analyser of analysers) {
      analyser.getFloatTimeDomainData(block);
      power += block.reduce((sum, value) => sum + value * value, 0);
      const { contextTime = 0, performanceTime = 0 } = (analyser.context as AudioContext).getOutputTimestamp();
      latencyMs = Math.max(0, 1000 * (analyser.context.currentTime - contextTime) - (ms - performanceTime));
    }
    seen.push({ ms, dark: 255 - darkest, level: Math.sqrt(power / 1024), latencyMs });
  };
  requestAnimationFrame(look);
  const speak = async () => {
    if (way === 'text') return presenter.speak('One sentence');
    if (way === 'file') return presenter.speak(await file());
    const context = new AudioContext();
    const destination = context.createMediaStreamDestination();
    const node = new AudioBufferSourceNode(context, { buffer: await context.decodeAudioData(await file()) });
    node.connect(destination);
    const speech = presenter.speak(destination.stream);
    await context.resume();
    node.start();
    // Such a stream does not end.
    node.addEventListener('ended', () => setTimeout(speech.interrupt, 1000));
    return speech;
  };
  const outcome = await (await speak()).finished;
  await new Promise((resolve) => setTimeout(resolve, 700));
  isOpen = false;
  Object.assign(AudioNode.prototype, { connect });
  await presenter.close();
  return { seen, outcome };
}

/** A WAV file of this sound after and before silence. */
function wav(pcm: Buffer, rate: number): Buffer {
  const quiet = Buffer.alloc(2 * rate * SILENCE);
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + 2 * quiet.length + pcm.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(2 * rate, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(2 * quiet.length + pcm.length, 40);
  return Buffer.concat([head, quiet, pcm, quiet]);
}

/** The example, and the packages as an installation of it has them. */
function fileOf(url: string): string {
  if (url.startsWith(PACKAGE)) return join(ROOT, 'packages/presenter-web/dist', url.slice(PACKAGE.length));
  return join(ROOT, url.startsWith('/node_modules/') ? '' : 'examples/any-voice', url);
}

/** Correlation of mouth and level when the mouth is `lagMs` later. */
function correlation(seen: readonly Seen[], lagMs: number): number {
  const pairs: [number, number][] = [];
  for (let at = 0, from = 0; at < seen.length; at++) {
    const { ms, dark } = seen[at]!;
    while (from < seen.length - 1 && seen[from + 1]!.ms <= ms - lagMs) from++;
    pairs.push([dark, seen[from]!.level]);
  }
  const mean = (of: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[of], 0) / pairs.length;
  const [a, b] = [mean(0), mean(1)];
  let [ab, aa, bb] = [0, 0, 0];
  for (const [x, y] of pairs) {
    ab += (x - a) * (y - b);
    aa += (x - a) ** 2;
    bb += (y - b) ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

/** How much later than the sound that is made the mouth moves, ms. */
function lagOf(seen: readonly Seen[]): number {
  const lags = Array.from({ length: 71 }, (_, at) => 20 * (at - 25));
  // Over syllables: single vowels are loud with the mouth half closed.
  const smooth = seen.map((one, at) => {
    const near = seen.slice(Math.max(0, at - 4), at + 5);
    const mean = (of: 'dark' | 'level'): number => near.reduce((sum, other) => sum + other[of], 0) / near.length;
    return { ...one, dark: mean('dark'), level: mean('level') };
  });
  const found = lags.map((lag) => correlation(smooth, lag));
  return lags[found.indexOf(Math.max(...found))]!;
}

describe.each([
  ['Chromium', hasChromium(), openInChromium],
  ['Firefox', hasFirefox() && hasLoudspeaker(), openInFirefox],
] as const)('a presenter in %s, with no server', (_, isThere, open) => {
  let site: Site;
  let page: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    const speech = wav(await spokenPcm(24_000), 24_000);
    site = await openSite(async ({ url = '/' }, response) => {
      if (url === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      if (url === '/speech.wav') return void response.end(speech);
      const bytes = await readFile(fileOf(url));
      response.writeHead(200, { 'content-type': TYPES[extname(url)] ?? 'application/octet-stream' }).end(bytes);
    });
    if (isThere) page = await open(site.origin);
  });
  afterAll(async () => {
    await page?.close();
    await site.close();
  });

  it.skipIf(!isThere).each(['stream', 'file', 'text'] as const)(
    'moves its lips with the sound of a %s, and closes them in silence',
    async (way) => {
      const { seen, outcome } = await page.speak(way);
      expect(outcome).toBe(way === 'stream' ? 'interrupted' : 'spoken');
      const loud = seen.filter(({ level }) => level > 0.01);
      const between = (from: number, to: number) =>
        seen.filter(({ ms }) => ms >= from && ms <= to).map(({ dark }) => dark);
      const [first, last] = [loud[0]!.ms, loud.at(-1)!.ms];
      const before = between(first - 700, first - 300);
      const after = between(last + 500, last + 1500);
      const during = between(first, last);
      expect(Math.max(...during)).toBeGreaterThan(Math.max(...before, ...after) + 25);
      // A live stream comes through another context, whose own delays on a busy machine are part of what would be found.
      if (way === 'stream') return;
      const latencyMs = loud.reduce((sum, one) => sum + one.latencyMs, 0) / loud.length;
      const lag = lagOf(seen) - latencyMs;
      expect(lag).toBeGreaterThanOrEqual(-150);
      expect(lag).toBeLessThanOrEqual(250);
    },
  );
});

describe.skipIf(!hasChromium())('the example', () => {
  it('speaks a text with a voice that is made in the page, and stops', async () => {
    const site = await openSite(async ({ url = '' }, response) => {
      const bytes = await readFile(fileOf(url)).catch(() => undefined);
      if (bytes === undefined) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': TYPES[extname(url)] ?? 'application/octet-stream' }).end(bytes);
    });
    const browser = await launchChromium();
    const page = await browser.newPage();
    await page.goto(`${site.origin}/index.html`);
    const status = () => page.textContent('[role=status]');
    await expect.poll(status).toBe('Ready');
    await page.click('text=Say it');
    await expect.poll(status).toBe('spoken');
    await page.fill('textarea', 'This is a long text. '.repeat(50));
    await page.click('text=Say it');
    await expect.poll(status).toBe('Speaking');
    await page.click('text=Stop');
    await expect.poll(status).toBe('interrupted');
    await browser.close();
    await site.close();
  });
});

async function openInChromium(origin: string) {
  const browser = await launchChromium();
  const page = await browser.newPage();
  await page.goto(origin);
  return {
    speak: (way: Parameters<typeof speakInPage>[0]) => page.evaluate(speakInPage, way),
    close: () => browser.close(),
  };
}

async function openInFirefox(origin: string) {
  const loudspeaker = await openLoudspeaker();
  const page = await launchFirefox(loudspeaker.env);
  await page.goto(origin);
  return {
    speak: (way: Parameters<typeof speakInPage>[0]) => page.evaluate(speakInPage, way),
    close: async () => {
      await page.close();
      await loudspeaker.close();
    },
  };
}
