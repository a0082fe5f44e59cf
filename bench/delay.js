// Delays that a viewer notices (npm run bench:delay): click to first frame, text to audible speech, interruption to audible silence, and from the first
// packet of sound to moving lips (by pixels) and audible speech. Measured in a real
// browser, direct and through a TURN relay (coturn), with a whole installation on the loopback interface.
//
//   npm run bench:delay -- [--runs 10] [--turns 3] [--rest 2000] [--browser chromium|firefox] [--ways direct,udp,tcp] [--against FOLDER] [--watch MINUTES] [--json]
//
// Firefox is measured on one machine with `--ways direct` and `--ways udp,tcp`, each alone. Its analyser needs a sound device: pulseaudio with
// `module-null-sink norewinds=1` and PULSE_SERVER will do (without that option the sink sleeps for up to 2 s, and one of ten first
// pictures came 1.8 s late); without a device, energy in the connection's statistics is measured, which falls some 300 ms late.
//
// `--watch 10` measures nothing else: it watches one stream for ten minutes, and prints how often its picture froze.
//
// `--against` is another built checkout, measured alternately with this one, because on a loaded machine only such pairs are comparable.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSpeech } from '@figurehead/media';
import { runnerImport } from 'vite';
import { measureStream, watchStream } from './delay/page.js';
import { openServer } from './installation.js';
import { keepPriority } from './priority.js';
import { mean, median } from './statistics.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    turns: { type: 'string', default: '3' },
    rest: { type: 'string', default: '2000' },
    browser: { type: 'string', default: 'chromium' },
    ways: { type: 'string', default: 'direct,udp,tcp' },
    against: { type: 'string' },
    watch: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
  },
});
/** Modules of the contract that the SDK imports. */
const IMPORTS = { imports: { '@figurehead/contract/endpoints': '/contract/endpoints.js' } };
const HERE = fileURLToPath(new URL('..', import.meta.url));
const WAYS = values.ways.split(',');
/** ms, p95; direct and relayed. */
const LIMITS = { firstFrame: [500, 700], speech: [150, 250], silence: [200, 200], lips: [200, 300], sound: [250, 350] };

const support = async (name) => (await runnerImport(join(HERE, `tests/support/${name}.ts`))).module;
/** Speech without silence before it, at 48 kHz, 16 bit. */
const sound = await speechAsSound();
const { openTurnServer } = await support('turn-server');
const turn = await openTurnServer('a secret of coturn and the server');
const programs = [{ name: 'now', folder: HERE }];
if (values.against) programs.unshift({ name: 'before', folder: resolve(values.against) });
for (const [index, program] of programs.entries())
  Object.assign(program, await openProgram(program.folder, 44_000 + 10 * index));
const priority = keepPriority();
const browser = await openBrowser();
const seen = [];
const minutes = Number(values.watch);
try {
  if (minutes > 0) console.table(await watch(programs.at(-1)));
  // The first viewer of a host waits until presenter and voice are loaded; this measures later viewers.
  else for (const program of programs) await measure(program, WAYS[0]);
  for (let run = 0; run < Number(values.runs) && minutes === 0; run++) {
    for (const way of WAYS) {
      for (const program of programs) seen.push({ way, program: program.name, ...(await measure(program, way)) });
    }
  }
} finally {
  priority.stop();
  await browser.close();
  for (const { server, site } of programs) {
    site.close();
    await server.close();
  }
  await turn.close();
}
if (minutes === 0) report();
process.exit(0);

/** A whole installation of a checkout, and a page with its SDK. */
async function openProgram(folder, firstPort) {
  const server = await openServer({
    program: join(folder, 'packages/server/dist/main.js'),
    env: {
      FIGUREHEAD_TURN_URLS: `${turn.urls.udp},${turn.urls.tcp}`,
      FIGUREHEAD_TURN_SECRET: turn.secret,
      // For coturn, which relays from the loopback interface. Firefox does not connect to this address directly.
      ...(WAYS.some((way) => way !== 'direct') && { FIGUREHEAD_RTC_ADDRESS: '127.0.0.1' }),
      FIGUREHEAD_RTC_PORTS: `${firstPort}-${firstPort + 9}`,
      FIGUREHEAD_STREAM_CAPACITY: '4',
      FIGUREHEAD_METRICS_PORT: '0',
      FIGUREHEAD_INTERNAL_PORT: '0',
    },
  });
  const site = createServer(async (request, response) => {
    if (request.url === '/sound') return response.end(sound);
    await answerPage(request, response, folder);
  });
  await new Promise((resolve_) => site.listen(0, '127.0.0.1', resolve_));
  return { server, site, page: `http://127.0.0.1:${site.address().port}/` };
}

/** Answers with a module of `/sdk/` or `/contract/` of the checkout `root`; every other path is the page with a video element. */
async function answerPage(request, response, root) {
  const path = normalize(new URL(request.url, 'http://page').pathname);
  const [, folder, file] = /^\/(sdk|contract)\/(.*\.js)$/.exec(path) ?? [];
  response.writeHead(200, { 'content-type': file ? 'text/javascript' : 'text/html' });
  response.end(
    file
      ? await readFile(join(root, 'packages', folder, 'dist', file))
      : `<!doctype html><title>Figurehead</title><script type="importmap">${JSON.stringify(IMPORTS)}</script><video autoplay playsinline></video>`,
  );
}

async function speechAsSound() {
  const speech = createSpeech({ threads: 1 });
  const { samples } = await speech.utter('flite', 'Apples and oranges are on all our tables every morning.', {
    voice: 'slt',
  });
  await speech.close();
  const from = samples.findIndex((sample) => Math.abs(sample) > 0.05);
  return Buffer.from(Int16Array.from(samples.subarray(from), (sample) => 32_767 * sample).buffer);
}

async function openBrowser() {
  if (values.browser === 'firefox') return (await support('firefox')).launchFirefox();
  const chromium = await (await support('chromium')).launchChromium();
  const page = await chromium.newPage();
  return {
    goto: (url) => page.goto(url),
    evaluate: (act, argument) => page.evaluate(act, argument),
    close: () => chromium.close(),
  };
}

async function measure({ server, page }, way) {
  await browser.goto(page);
  return browser.evaluate(measureStream, {
    base: server.url,
    token: server.token,
    relay: way === 'direct' ? undefined : way,
    turns: Number(values.turns),
    restMs: Number(values.rest),
  });
}

async function watch({ server, page }) {
  await browser.goto(page);
  return browser.evaluate(watchStream, { base: server.url, token: server.token, minutes });
}

function report() {
  if (values.json) return console.log(JSON.stringify(seen));
  const rows = {};
  for (const way of WAYS) {
    for (const { name } of programs) {
      const of = seen.filter((one) => one.way === way && one.program === name);
      const row = {};
      for (const [what, limits] of Object.entries(LIMITS)) {
        const list = of.flatMap((one) => one[what]).sort((a, b) => a - b);
        const at = (share) => Math.round(list[Math.min(list.length - 1, Math.floor(list.length * share))]);
        const limit = limits[way === 'direct' ? 0 : 1];
        row[what] = `${at(0.5)} / ${at(0.95)} of ${limit}${at(0.95) > limit ? ' MISSED' : ''} (${list.length})`;
      }
      const buffered = (index) => Math.round(mean(of.flatMap((one) => one.buffer).map((pair) => pair[index])));
      row['jitter buffers, sound and picture'] = `${buffered(0)}, ${buffered(1)}`;
      const lips = of.flatMap((one) => (one.pictureAfterSound === undefined ? [] : [one.pictureAfterSound]));
      row['video minus audio'] = Math.round(mean(lips));
      row.connected = Math.round(median(of.map((one) => one.connected)));
      rows[`${way} ${name}`] = row;
    }
  }
  console.log(`${values.browser}, ms, p50 / p95; sound measured by ${seen[0]?.how}`);
  console.table(rows);
}
