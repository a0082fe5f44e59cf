// `npm run load [-- --seconds 8] [--json]`
//
// Behaviour of an installation under overload: API calls, renders and streams at 1×, 2× and 4× of the capacity that is measured first, on one API, one
// worker and one stream host. Expected: all accepted requests are answered; excess requests are refused (429 with retryAfter) or queued; nothing fails
// (500), times out or is lost. Otherwise it ends with status 1.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { settle } from '../tests/chaos/audit.js';
import { createCaller } from '../tests/chaos/caller.js';
import { openInstallation } from '../tests/chaos/installation.js';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '8' }, json: { type: 'boolean', default: false } },
});
const seconds = Number(values.seconds);

/** Enough callers to keep one API busy. */
const CLOSED_CALLERS = 32;

/** Timeout of a caller. */
const PATIENCE_MS = 10_000;

const STREAMS = 3;
const SLIDE = { id: 1, speech: 'Hello there.', avatar: { code: 'nora' }, voice: 'slt', voiceProvider: 'flite' };

const installation = await openInstallation({
  apis: 1,
  workers: 1,
  hosts: 1,
  env: {
    FIGUREHEAD_STREAM_CAPACITY: String(STREAMS),
    FIGUREHEAD_STREAM_IDLE_SECONDS: '60',
    // All callers have the same address here.
    FIGUREHEAD_CONNECTIONS_PER_ADDRESS: '0',
  },
});
process.once('exit', () => {
  for (const role of installation.roles) role.kill();
});
await installation.ready();
const { workspaces, urls } = installation;
const busy = createCaller(urls, workspaces.busy.token);
const other = createCaller(urls, workspaces.other.token);
const agent = new Agent({ keepAlive: true, maxSockets: 4000 });

const rows = [...(await loadApi()), ...(await loadRenders()), ...(await loadStreams())];
const stuck = await settle(installation, 120_000);
const failures =
  rows.reduce((sum, row) => sum + row.failed + row.late, 0) + Object.values(stuck).reduce((sum, n) => sum + n, 0);
if (values.json) console.log(JSON.stringify({ rows, stuck }));
else console.table(Object.fromEntries(rows.map(({ what, ...rest }) => [what, rest])));
console.log(failures === 0 ? 'refused, queued, never failed' : `FAILED: ${failures} failed, late or stuck`);
agent.destroy();
await installation.close();
process.exit(failures === 0 ? 0 : 1);

/** Reads one video: one query for the token and one for the document. */
async function loadApi() {
  const { body } = await busy('POST', '/videos', { name: 'read', slides: [SLIDE] });
  const read = () => get(`${urls[0]}/api/v1/videos/${body._id}`, workspaces.busy.token);
  await closed(read, 2000);
  const capacity = await closed(read, 5000);
  const out = [];
  for (const times of [1, 2, 4]) {
    const answers = await offered(read, { perSecond: capacity * times, forMs: seconds * 1000 });
    out.push(summary(`API ${times}× of ${Math.round(capacity)}/s`, answers));
    await sleep(2000);
  }
  return out;
}

/** Renders short videos; another workspace requests one in the middle. */
async function loadRenders() {
  let spoken = 0;
  const render = async (call) => {
    spoken += 1;
    // Each has a different text, so that nothing is reused.
    const slides = [{ ...SLIDE, speech: `Hello, number ${spoken}.` }];
    const created = await call('POST', '/videos', { name: 'load', slides, data: { resolution: '720p' } });
    const accepted = await call('POST', `/videos/render/${created.body?._id}`);
    return { id: created.body?._id, status: accepted.status };
  };
  const finished = async (ids) => {
    const rows = await installation.query(
      `select r.video_id as id, r.state, extract(epoch from r.finished_at - r.created_at) as seconds from renders r where video_id = any($1)`,
      [ids],
    );
    return rows.every(({ state }) => state !== 'queued' && state !== 'rendering') ? rows : undefined;
  };
  const waitFor = async (ids) => {
    for (;;) {
      const rows = await finished(ids);
      if (rows !== undefined) return rows;
      await sleep(200);
    }
  };
  await waitFor([(await render(busy)).id]);
  const from = performance.now();
  await waitFor(await Promise.all([1, 2, 3, 4].map(async () => (await render(busy)).id)));
  const capacity = 4000 / (performance.now() - from);
  const out = [];
  for (const times of [1, 2, 4]) {
    const count = Math.round(capacity * times * seconds * 2);
    const taken = [];
    let guest;
    for (let n = 0; n < count; n++) {
      taken.push(await render(busy));
      if (n === count >> 1) guest = await render(other);
      await sleep(1000 / (capacity * times));
    }
    const ids = taken.filter(({ status }) => status === 200).map(({ id }) => id);
    const ended = await waitFor(ids);
    const [stranger] = await waitFor([guest.id]);
    const waits = ended.map((row) => Number(row.seconds)).sort((a, b) => a - b);
    out.push({
      what: `renders ${times}× of ${capacity.toFixed(2)}/s`,
      offered: count,
      answered: ended.filter(({ state }) => state === 'done').length,
      refused: taken.filter(({ status }) => status === 429).length,
      failed: taken.length - ids.length + ended.filter(({ state }) => state !== 'done').length,
      late: 0,
      p50: `${waits[waits.length >> 1].toFixed(1)} s`,
      p99: `${waits.at(-1).toFixed(1)} s`,
      note: `another workspace's video: ${Number(stranger.seconds).toFixed(1)} s`,
    });
  }
  return out;
}

/** Opens streams concurrently; accepted ones speak and are closed. */
async function loadStreams() {
  const out = [];
  for (const times of [1, 2, 4]) {
    const answers = await Promise.all(
      Array.from({ length: STREAMS * times }, async () => {
        const at = performance.now();
        const answer = await other('POST', '/streams', { avatarCode: 'nora', voiceId: 'slt', voiceProvider: 'flite' });
        return { ...answer, ms: performance.now() - at };
      }),
    );
    const taken = answers.filter(({ status }) => status === 200);
    const spoken = await Promise.all(
      taken.map(({ body }) => other('POST', `/streams/render/${body.id}`, { text: 'Hello.' })),
    );
    await Promise.all(taken.map(({ body }) => other('DELETE', `/streams/${body.id}`)));
    const unspoken = spoken.filter(({ status }) => status !== 200).length;
    const { failed, ...row } = summary(`streams ${times}× of ${STREAMS}`, answers);
    const unnamed = answers.filter(({ status, body }) => status === 429 && !(body?.retryAfter > 0)).length;
    out.push({ ...row, failed: failed + unspoken + unnamed, note: `spoke ${spoken.length - unspoken}` });
    await sleep(1500);
  }
  return out;
}

/** Calls without a pause in between; @returns responses per second. */
async function closed(call, forMs) {
  const until = performance.now() + forMs;
  let answers = 0;
  const caller = async () => {
    while (performance.now() < until) {
      await call();
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: CLOSED_CALLERS }, caller));
  return (answers * 1000) / forMs;
}

/** Calls at a fixed rate, independent of responses. */
async function offered(call, { perSecond, forMs }) {
  const calls = [];
  const from = performance.now();
  for (;;) {
    const due = ((performance.now() - from) / 1000) * perSecond;
    if (performance.now() - from > forMs) break;
    while (calls.length < due) calls.push(call());
    await sleep(5);
  }
  return Promise.all(calls);
}

function get(url, token) {
  const at = performance.now();
  return new Promise((resolve) => {
    const done = (status, body) => resolve({ status, body, ms: performance.now() - at });
    const out = request(
      url,
      { agent, headers: { authorization: `Bearer ${token}` }, timeout: PATIENCE_MS },
      (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', () => done(0));
        answer.on('end', () => {
          const isRefused = answer.statusCode === 429;
          done(answer.statusCode, isRefused ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : undefined);
        });
      },
    );
    out.on('timeout', () => out.destroy());
    out.on('error', () => done(0));
    out.end();
  });
}

function summary(what, answers) {
  const good = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  const times = good.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share) => `${Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0)} ms`;
  return {
    what,
    offered: answers.length,
    answered: good.length,
    refused: refused.length,
    failed: answers.filter(({ status }) => status >= 500 || (status >= 400 && status !== 429)).length,
    late: answers.filter(({ status }) => status === 0).length,
    p50: at(0.5),
    p99: at(0.99),
    note: '',
  };
}
