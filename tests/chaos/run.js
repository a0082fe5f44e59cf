// `npm run chaos [-- --kills 20]`: kills roles and the database with SIGKILL, in turn, while videos render and webhooks are
// delivered; then audits what was acknowledged: every video ends, none twice, no event is delivered more than once.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '@figurehead/sdk';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, port: { type: 'string', default: '18099' } },
});
const kills = Number(values.kills);
const port = Number(values.port);

/** Videos are short so that many of them end between two kills, some of them in their last step. */
const SPEECH = [
  'Hello.',
  'Maybe people believe me by now.',
  'One, two, three, and so on and so on, until the day is done.',
];

const folder = mkdtempSync(join(tmpdir(), 'figurehead-chaos-'));
// Started by root, PostgreSQL runs as another user and has to get in.
chmodSync(folder, 0o711);
const received = new Map();
const receiver = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { event, video } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    received.set(video._id, [...(received.get(video._id) ?? []), { event, delivery: request.headers['delivery-id'] }]);
    response.end();
  });
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));

const environment = {
  ...process.env,
  PORT: String(port),
  HOST: '127.0.0.1',
  FIGUREHEAD_DATA: join(folder, 'data'),
  FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
  FIGUREHEAD_LOG_LEVEL: 'warn',
};
const server = spawn(process.execPath, ['packages/server/bin/figurehead.js', 'start'], {
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let printed = '';
server.stdout.on('data', (chunk) => {
  printed += chunk;
});
const ended = new Promise((resolve) => server.once('exit', resolve));
// Whatever happens here, the server must not outlive us.
process.once('exit', () => server.kill('SIGKILL'));
await waitFor('the server to be ready', () => /fh_\S+/.test(printed), 60_000);
const token = /fh_\S+/.exec(printed)[0];
const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token });

await client.subscribe({ body: { url: `http://127.0.0.1:${receiver.address().port}/hook` } });
const acknowledged = [];
let feeding = true;
const feeder = feed();

const victims = ['worker', 'api', 'database'];
for (let kill = 0; kill < kills; kill++) {
  // Only what has come back can be killed again; the moment within a render is left to chance.
  await waitFor('the server to be ready again', isReady, 120_000);
  await sleep(500 + Math.random() * 5000);
  const victim = victims[kill % victims.length];
  const pid = pidOf(victim);
  if (pid === undefined) console.log(`kill ${kill + 1}: the ${victim} is just being restarted`);
  else {
    process.kill(pid, 'SIGKILL');
    console.log(`kill ${kill + 1}: ${victim} (process ${pid}), ${acknowledged.length} renders acknowledged so far`);
  }
}
feeding = false;
await feeder;

const unfinished = new Set(acknowledged);
await waitFor(
  'all acknowledged renders to end',
  async () => {
    for (const id of unfinished) {
      const video = await client.readVideo({ videoId: id }).catch(() => undefined);
      if (video?.status === 'ready' || video?.status === 'error') unfinished.delete(id);
      if (video?.status === 'error') console.log(`video ${id}: ${video.error}`);
    }
    return unfinished.size === 0;
  },
  30_000 + acknowledged.length * 15_000,
).catch((error) => console.log(error.message));
// A delivery whose sender died is only given up after its lease.
await sleep(25_000);

const states = await Promise.all(acknowledged.map(async (id) => (await client.readVideo({ videoId: id })).status));
const count = (list, wanted) => list.filter((value) => value === wanted).length;
const doubled = [...received.values()].filter((events) => events.length > 1).length;
const silent = acknowledged.filter((id) => !received.has(id)).length;
const deliveries = [];
for (let page = 1; ; page++) {
  const answer = await client.listDeliveries({ query: { page, limit: 100 } });
  deliveries.push(...answer.deliveries);
  if (deliveries.length >= answer.total || answer.deliveries.length === 0) break;
}
const unknown = deliveries.filter((delivery) => delivery.status === 'unknown').length;
console.log(
  `renders acknowledged ${acknowledged.length}: ready ${count(states, 'ready')}, error ${count(states, 'error')}`,
);
console.log(`lost (neither ready nor error): ${unfinished.size}`);
console.log(`videos with more than one event received: ${doubled}`);
console.log(
  `deliveries recorded: ${deliveries.length}; unknown because their sender was killed: ${unknown}; videos without an event received: ${silent}`,
);

server.kill('SIGTERM');
await Promise.race([ended, sleep(30_000)]);
if (server.exitCode === null) server.kill('SIGKILL');
receiver.close();
rmSync(folder, { recursive: true, force: true });
const failed =
  unfinished.size > 0 ||
  doubled > 0 ||
  count(states, 'error') > 0 ||
  silent > unknown ||
  deliveries.length !== acknowledged.length;
console.log(failed ? 'FAILED' : 'nothing lost, nothing doubled');
process.exit(failed ? 1 : 0);

/** Creates and renders videos, never more than four in work, until it is told to stop. */
async function feed() {
  for (let n = 0; feeding; n++) {
    try {
      const id = await create(n);
      await client.renderVideo({ videoId: id });
      acknowledged.push(id);
    } catch {
      // The API or the database is down: nothing was acknowledged, so nothing may be expected.
    }
    await sleep(1500);
  }
}

async function create(n) {
  const slide = {
    id: 1,
    speech: SPEECH[n % SPEECH.length],
    avatar: { code: 'nora' },
    voice: 'slt',
    voiceProvider: 'flite',
  };
  const video = await client.createVideo({
    body: { name: `chaos ${n}`, slides: [slide], data: { resolution: '720p' } },
  });
  return video._id;
}

async function isReady() {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  return answer?.status === 200;
}

function pidOf(victim) {
  if (victim === 'database') {
    const file = readdirSync(join(folder, 'data'), { recursive: true }).find((name) => name.endsWith('postmaster.pid'));
    return file === undefined ? undefined : Number(readFileSync(join(folder, 'data', file), 'utf8').split('\n')[0]);
  }
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0');
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${entry}/status`, 'utf8'))?.[1]);
      if (parent === server.pid && words.includes(victim)) return Number(entry);
    } catch {
      // The process ended while we looked.
    }
  }
  return undefined;
}

async function waitFor(what, isTrue, limitMs) {
  const until = Date.now() + limitMs;
  while (!(await isTrue())) {
    if (Date.now() > until) throw new Error(`waited ${limitMs / 1000} s for ${what}`);
    await sleep(500);
  }
}
