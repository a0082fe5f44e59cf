// Load time of the console (npm run bench:console): bytes of the first load, and per screen, in a real Chromium with a cold cache,
// Lighthouse's metrics: first and largest paint, blocking time, layout shift, time to interactive. Once as a computer on the local
// network, once as a phone: processor four times slower, 1.6 Mbit/s with 150 ms round trip (Lighthouse's mobile settings).
// Before that, what editing feels like (`--editing` for this alone, `--loading` for the load time): frames while dragging, interaction to next paint, the first-time path.
// With `--pictures FOLDER` it takes the screenshots for docs/console.md instead, with `--widget FOLDER` the one for docs/embed.md, with `--all-pictures FOLDER [NAME…]` one of every
// screen at 1440 and 390 px, light and dark.
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { measureDragging, measureFirstPath, measureInteractions } from './console/editing.js';
import { takeAll, takePictures, takeWidget } from './console/pictures.js';
import { launch, openServer, seed, signedIn } from './console/stage.js';

const ASSETS = fileURLToPath(new URL('../packages/console/dist/assets', import.meta.url));
const RUNS = Number(process.env.BENCH_RUNS ?? 3);
const PHONE = { cpu: 4, latencyMs: 150, bitsPerSecond: 1.6e6 };

/** Collects paints, shifts and long tasks from the first moment of a page. */
function observe() {
  window.benchmark = { fcp: 0, lcp: 0, cls: 0, tasks: [] };
  const watch = (type, read) =>
    new PerformanceObserver((list) => list.getEntries().forEach(read)).observe({ type, buffered: true });
  watch('paint', (entry) => {
    if (entry.name === 'first-contentful-paint') window.benchmark.fcp = entry.startTime;
  });
  watch('largest-contentful-paint', (entry) => {
    window.benchmark.lcp = entry.startTime;
  });
  watch('layout-shift', (entry) => {
    if (!entry.hadRecentInput) window.benchmark.cls += entry.value;
  });
  watch('longtask', (entry) => window.benchmark.tasks.push([entry.startTime, entry.duration]));
}

/** One visit with an empty cache. */
async function visit(browser, session, path, slow) {
  const context = await browser.newContext({
    viewport: slow ? { width: 412, height: 823 } : { width: 1350, height: 940 },
  });
  await context.addCookies(session);
  const page = await context.newPage();
  await page.addInitScript(observe);
  const wire = await context.newCDPSession(page);
  if (slow) {
    await wire.send('Emulation.setCPUThrottlingRate', { rate: slow.cpu });
    await wire.send('Network.enable');
    const throughput = slow.bitsPerSecond / 8;
    await wire.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: slow.latencyMs,
      downloadThroughput: throughput,
      uploadThroughput: throughput / 2,
    });
  }
  const loaded = [];
  page.on('response', (answer) => {
    const name = /\/assets\/([^?]+\.(?:js|css))$/.exec(answer.url())?.[1];
    if (name) loaded.push(name);
  });
  await page.goto(session[0].url + path);
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy=true], .mantine-Loader-root') === null);
  // The network is never idle on screens with event streams, so this waits for a second without a long task.
  await page.waitForFunction(() => {
    const [at = 0, ms = 0] = window.benchmark.tasks.at(-1) ?? [];
    return performance.now() - Math.max(at + ms, window.benchmark.lcp) > 1000;
  });
  const { fcp, lcp, cls, tasks } = await page.evaluate(() => window.benchmark);
  await context.close();
  const later = tasks.filter(([at, ms]) => at + ms > fcp);
  return {
    loaded,
    fcp,
    lcp,
    cls,
    tbt: later.reduce((sum, [, ms]) => sum + Math.max(0, ms - 50), 0),
    tti: Math.max(fcp, ...later.map(([at, ms]) => at + ms)),
  };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const sizeOf = (name, ending) => statSync(`${ASSETS}/${name}${ending}`).size;
const kilobytes = (bytes) => `${(bytes / 1024).toFixed(0)} KB`;

async function measure(server) {
  const browser = await launch();
  const { session, ids } = await signedIn(browser, server).then(async (who) => ({ ...who, ids: await seed(server) }));
  const screens = ['/videos', `/videos/${ids.ready}`, `/videos/${ids.ready}/edit`, '/presenters', '/live', '/admin'];
  const rows = [];
  let first = [];
  for (const slow of [undefined, PHONE]) {
    for (const path of screens) {
      const runs = [];
      for (let run = 0; run < RUNS; run += 1) runs.push(await visit(browser, session, path, slow));
      if (path === '/videos') first = runs[0].loaded;
      const of = (key) => median(runs.map((run) => run[key]));
      const bytes = runs[0].loaded.reduce((sum, name) => sum + sizeOf(name, '.gz'), 0);
      const times = ['fcp', 'lcp', 'tbt', 'tti'].map((key) => `${Math.round(of(key))} ms`);
      rows.push([
        slow ? 'phone' : 'computer',
        path.replace(/[0-9a-f]{24}/, '{id}'),
        kilobytes(bytes),
        ...times,
        of('cls').toFixed(3),
      ]);
    }
  }
  await browser.close();
  const whole = (ending) => first.reduce((sum, name) => sum + sizeOf(name, ending), 0);
  const chunks = readdirSync(ASSETS).filter((name) => /\.js$/.test(name));
  console.log(
    `First load (scripts and styles of /videos): ${kilobytes(whole('.gz'))} gzip, ${kilobytes(whole('.br'))} brotli, of 350 KB allowed.`,
  );
  console.log(
    `All ${chunks.length} scripts together: ${kilobytes(chunks.reduce((sum, name) => sum + sizeOf(name, '.gz'), 0))} gzip.\n`,
  );
  console.log('| as | screen | gzip | first paint | largest paint | blocked | interactive | shift |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}

/** What editing feels like, against its targets. */
async function measureEditing(server) {
  const browser = await launch();
  const { session } = await signedIn(browser, server);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addCookies(session);
  // First, because it needs an empty workspace.
  const path = await measureFirstPath(context, server);
  const dragging = await measureDragging(context, server);
  const paint = await measureInteractions(context, server);
  await browser.close();
  const ms = (value) => `${Math.round(value)} ms`;
  console.log('| what | target | measured |');
  console.log('| --- | --- | --- |');
  console.log(`| clicks from an empty workspace to a shared link | 8 | ${path.clicks} |`);
  console.log(
    `| seconds to the playable video, to the link | 30 | ${path.playableSeconds.toFixed(1)}, ${path.sharedSeconds.toFixed(1)} |`,
  );
  console.log(
    `| frames per second, dragging one of 40 objects (gap p50, p95) | 60 | ${dragging.perSecond.toFixed(0)} (${ms(dragging.p50)}, ${ms(dragging.p95)}) |`,
  );
  console.log(
    `| interaction to next paint, p95 of ${paint.count} (p50) | 200 ms | ${ms(paint.p95)} (${ms(paint.p50)}) |`,
  );
  console.log('\nSlowest interactions:');
  for (const { name, duration } of paint.slowest) console.log(`- ${name}: ${ms(duration)}`);
}

/** A scripted language model and recogniser, for outlines and the conversation with an agent. */
async function openModels() {
  const path = fileURLToPath(new URL('../tests/support/language-model.ts', import.meta.url));
  const opened = await (await runnerImport(path)).module.openLanguageModel();
  const chapters = [
    { title: 'Ebb', summary: 'Water goes out. It leaves sand and shells.' },
    { title: 'Flood', summary: 'Water comes in. It lifts every boat in the harbour.' },
  ];
  const outline = { chapters, script: 'Twice a day the sea comes and goes. Today we look at what it leaves behind.' };
  opened.script(({ stream }) =>
    stream ? 'A ticket costs nine euros, and children are free.' : JSON.stringify(outline),
  );
  return opened;
}

const [what, folder, ...only] = process.argv.slice(2);
const models = await openModels();
const server = await openServer({ env: { FIGUREHEAD_LLM_URL: models.url, FIGUREHEAD_STT_URL: models.url } });
try {
  if (what === '--pictures') await takePictures(server, folder ?? 'docs/images/console', only);
  else if (what === '--widget') await takeWidget(server, folder ?? 'docs/images');
  else if (what === '--all-pictures') await takeAll(server, folder ?? 'pictures', only);
  else if (what === '--editing') await measureEditing(server);
  else if (what === '--loading') await measure(server);
  else {
    await measureEditing(server);
    await measure(server);
  }
} finally {
  await server.close();
  await models.close();
}
