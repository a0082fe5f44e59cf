// Conversations (npm run bench:conversation): from the end of a question to the answer's sound, from a viewer's first sound to silence, and the processor
// time of a stream that converses beside one that speaks. A whole installation on the loopback interface, a real browser, and a recogniser and a
// language model that answer at once, so that only Figurehead's share is measured.
//
//   npm run bench:conversation -- [--runs 3] [--turns 8] [--seconds 20] [--json]
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSpeech } from '@figurehead/media';
import { runnerImport } from 'vite';
import { openServer } from './console/stage.js';
import { holdConversation, speakFor } from './conversation/page.js';
import { keepPriority } from './priority.js';
import { answerPage } from './sdk-page.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    turns: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  },
});
const HERE = fileURLToPath(new URL('..', import.meta.url));
/** ms, p95, and the ratio of processor time. */
const LIMITS = { answer: 700, silence: 300, cpu: 1.3 };
const QUESTION = 'What does a ticket for the museum cost on Sunday?';
const LONG = 'The museum has many rooms, and each of them is worth a visit on a rainy day. '.repeat(15);
/** Clock ticks per second of /proc. */
const TICKS = 100;

const support = async (name) => (await runnerImport(join(HERE, `tests/support/${name}.ts`))).module;
const { openLanguageModel } = await support('language-model');
const models = await openLanguageModel();
models.hear(() => QUESTION);
models.script(() => LONG);
const { encodeWav } = (await runnerImport(join(HERE, 'packages/server/src/features/voices/wav.ts'))).module;
const wav = encodeWav(await synthesise(QUESTION));
const server = await openServer({
  env: {
    FIGUREHEAD_LLM_URL: models.url,
    FIGUREHEAD_STT_URL: models.url,
    FIGUREHEAD_RTC_ADDRESS: '127.0.0.1',
    FIGUREHEAD_RTC_PORTS: '44100-44109',
    FIGUREHEAD_STREAM_CAPACITY: '4',
    FIGUREHEAD_METRICS_PORT: '0',
    FIGUREHEAD_INTERNAL_PORT: '0',
  },
});
const site = await openPage();
const priority = keepPriority();
const chromium = await (await support('chromium')).launchChromium();
try {
  report(await measure());
} finally {
  priority.stop();
  await chromium.close();
  site.close();
  await server.close();
  await models.close();
}
process.exit(0);

async function measure() {
  const page = await chromium.newPage();
  const url = `http://127.0.0.1:${site.address().port}/`;
  const prompt = 'You are the guide of a museum.';
  const { _id: agentId } = await server.call('POST', '/agents', {
    name: 'Guide',
    prompt,
    avatarCode: 'nora',
    maxTurns: 500,
  });
  const options = { base: server.url, token: server.token };
  const runs = [];
  const cpu = { speaking: [], conversing: [] };
  for (let run = 0; run < Number(values.runs); run++) {
    await page.goto(url);
    runs.push(await page.evaluate(holdConversation, { ...options, agentId, turns: Number(values.turns) }));
    for (const kind of ['speaking', 'conversing']) {
      await page.goto(url);
      await page.evaluate(speakFor, { ...options, text: LONG, seconds: 1, ...(kind === 'conversing' && { agentId }) });
      const before = await hostTicks();
      await page.waitForTimeout(1000 * Number(values.seconds));
      cpu[kind].push((await hostTicks()) - before);
      await page.evaluate(() => globalThis.closeStream());
    }
  }
  const perSecond = (ticks) => ticks.reduce((sum, one) => sum + one, 0) / TICKS / ticks.length / Number(values.seconds);
  const all = Object.keys(runs[0]).map((what) => [what, runs.flatMap((one) => one[what])]);
  return {
    ...Object.fromEntries(all),
    cpu: { speaking: perSecond(cpu.speaking), conversing: perSecond(cpu.conversing) },
  };
}

function report(seen) {
  if (values.json) return console.log(JSON.stringify(seen));
  const rows = {};
  for (const what of ['answer', 'silence', 'began', 'ended', 'heard', 'sounded', 'buffer']) {
    const list = seen[what].sort((a, b) => a - b);
    const at = (share) => Math.round(list[Math.min(list.length - 1, Math.floor(list.length * share))]);
    const missed = at(0.95) > LIMITS[what] ? ' MISSED' : '';
    const limit = LIMITS[what] === undefined ? '' : ` of ${LIMITS[what]}${missed}`;
    rows[what] = `${at(0.5)} / ${at(0.95)} ms${limit} (${list.length})`;
  }
  const { speaking, conversing } = seen.cpu;
  const ratio = conversing / speaking;
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  rows.cpu = `${percent(conversing)} / ${percent(speaking)} of a core = ${ratio.toFixed(2)} of ${LIMITS.cpu}${ratio > LIMITS.cpu ? ' MISSED' : ''}`;
  console.log('p50 / p95; end of the question to sound, first sound of the viewer to silence, conversing / speaking');
  console.table(rows);
}

/** Processor time of the stream host so far, in clock ticks. */
async function hostTicks() {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const [command, environment, stat] = await Promise.all(
      ['cmdline', 'environ', 'stat'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    );
    if (
      !/main\.js\0start\0--role\0streams/.test(command) ||
      !environment.includes(`FIGUREHEAD_LLM_URL=${models.url}\0`)
    )
      continue;
    // The name in parentheses may contain spaces; user and system time are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  }
  throw new Error('the stream host is not running');
}

async function synthesise(text) {
  const speech = createSpeech({ threads: 1 });
  const parts = [];
  for await (const { samples } of speech.synthesize('flite', text, { voice: 'awb', locale: 'en-GB' }))
    parts.push(...samples);
  await speech.close();
  return Float32Array.from(parts);
}

/** A page with the SDK and the question. */
async function openPage() {
  const server = createServer(async (request, response) => {
    if (request.url === '/question.wav') return response.end(wav);
    await answerPage(request, response, HERE);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
