// `node bench/database.js [--json]`
//
// Database load of a video, a read, and a second of a live stream: processor time of PostgreSQL, write-ahead log and transactions, averaged over many
// of them. `bench/scale.js` uses these figures.
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { loadConfig } from '../packages/server/dist/config.js';
import { settleStreams } from '../packages/server/dist/features/billing/index.js';
import { workOnRenders } from '../packages/server/dist/features/renders/job/index.js';
import { allocateHost } from '../packages/server/dist/features/streams/hosts/index.js';
import { insertStream, writeReports } from '../packages/server/dist/features/streams/store.js';
import { createWorkspace } from '../packages/server/dist/features/workspaces/index.js';
import { createToken } from '../packages/server/dist/features/workspaces/tokens/index.js';
import { createKernel } from '../packages/server/dist/kernel/create-kernel.js';
import { openEmbeddedPostgres } from '../packages/server/dist/kernel/database/postgres/embedded.js';
import { createApi } from '../packages/server/dist/roles/api.js';
import { createEngine } from '../packages/server/dist/roles/engine.js';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const VIDEOS = 60;
const READS = 1500;
const STREAMS_PER_HOST = 50;
const REPORTS = 60;
const POLLS = 5;
const HOSTS = 110;
const OPENS = 1000;
/** Requests that open a stream at the same time. */
const OPENING = 32;

const folder = await mkdtemp(join(tmpdir(), 'fh-bench-database-'));
await chmod(folder, 0o711);
const server = await openEmbeddedPostgres({ dataDir: folder, notice: () => undefined });
const config = loadConfig({
  env: {
    ...{
      DATABASE_URL: server.url,
      FIGUREHEAD_DATA: folder,
      FIGUREHEAD_LOG_LEVEL: 'silent',
      FIGUREHEAD_NATURAL_VOICES: 'off',
      PORT: '0',
    },
    FIGUREHEAD_DATABASE_CONNECTIONS: String(OPENING),
  },
  cwd: folder,
});
const kernel = await createKernel(config, 'bench');
const http = createApi(kernel, createEngine(kernel));
const workspace = await createWorkspace(kernel, { name: 'B', plan: 'Corporate', status: 'active', minutes: 1e6 });
const { token } = await createToken(kernel, { workspaceId: workspace._id, userId: workspace._id, name: 'B' });

const call = async (method, path, body) => {
  const answer = await http.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { payload: JSON.stringify(body) }),
  });
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.body}`);
  return answer.json();
};

/** User and system time of PostgreSQL with all its processes, ms. */
async function processorMs() {
  const ticks = async (pid, ...fields) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    const parts = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      parent: Number(parts?.[1]),
      sum: fields.reduce((total, field) => total + Number(parts?.[field - 3] ?? 0), 0),
    };
  };
  // Includes children that have ended.
  let total = (await ticks(server.pid, 14, 15, 16, 17)).sum;
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const { parent, sum } = await ticks(entry, 14, 15);
    if (parent === server.pid) total += sum;
  }
  return total * 10;
}

async function snapshot() {
  const { rows } = await sql`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal, xact_commit as commits
    from pg_stat_database where datname = current_database()`.execute(kernel.db);
  return {
    wal: Number(rows[0].wal),
    commits: Number(rows[0].commits),
    processor: await processorMs(),
    at: performance.now(),
  };
}

/** Cost per item of `count` items. */
async function cost(count, work) {
  await sql`select pg_stat_force_next_flush()`.execute(kernel.db);
  const before = await snapshot();
  await work();
  // Transaction statistics are updated once per second.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const after = await snapshot();
  return {
    processorMs: round((after.processor - before.processor) / count),
    walBytes: Math.round((after.wal - before.wal) / count),
    transactions: round((after.commits - before.commits) / count),
  };
}

const round = (value) => Number(value.toPrecision(3));

const file = async (path) => {
  await writeFile(path, 'x');
  return path;
};
const pipeline = {
  validate: async () => [],
  plan: async () => ({ spans: [{ from: 0, to: 1, frames: 25 }] }),
  render: async (_video, { folder: place }) => ({
    video: await file(join(place, 'video.mp4')),
    thumbnailJpeg: await file(join(place, 'thumbnail.jpg')),
    thumbnailWebp: await file(join(place, 'thumbnail.webp')),
    vtt: await file(join(place, 'subtitles.vtt')),
    srt: await file(join(place, 'subtitles.srt')),
    lipSync: await file(join(place, 'lip-sync.json.gz')),
    durationSeconds: 60,
    report: { slides: [], segments: 1, reusedSegments: 0 },
  }),
};

const slides = Array.from({ length: 6 }, (_, index) => ({
  id: index + 1,
  speech: 'The harbour opens at six, and the first boat leaves an hour later whatever the weather says.',
  avatar: { code: 'ava' },
  voice: 'slt',
  voiceProvider: 'flite',
  canvas: {
    objects: [{ type: 'textbox', text: 'The harbour', left: 40, top: 40, width: 300, height: 60, fontSize: 32 }],
    background: '#ffffff',
  },
}));
await call('POST', '/webhook', { url: 'https://example.com/hook' });

const idle = await cost(1, () => new Promise((resolve) => setTimeout(resolve, 10_000)));
await workOnRenders(kernel, { pipeline, review: () => ({ held: false, words: [] }) });
const idleWorker = await cost(1, () => new Promise((resolve) => setTimeout(resolve, 10_000)));
const read = await call('POST', '/videos', { name: 'read', slides });
const video = await cost(VIDEOS, async () => {
  for (let n = 0; n < VIDEOS; n++) {
    const { _id } = await call('POST', '/videos', { name: `v${n}`, slides });
    await call('POST', `/videos/render/${_id}`);
    for (let poll = 0; poll < POLLS; poll++) await call('GET', `/videos/${_id}`);
    while ((await call('GET', `/videos/${_id}`)).status !== 'ready')
      await new Promise((resolve) => setTimeout(resolve, 200));
  }
});
const ours = process.cpuUsage();
const apiRead = await cost(READS, async () => {
  for (let n = 0; n < READS; n++) await call('GET', `/videos/${read._id}`);
});
// Without the cost of sockets in the API.
const { user, system } = process.cpuUsage(ours);
apiRead.apiProcessorMs = round((user + system) / 1000 / READS);
const ids = Array.from({ length: STREAMS_PER_HOST }, () => kernel.ids.next());
for (const id of ids) {
  await sql`insert into streams (id, workspace_id, user_id, host_id, state, avatar_code, voice_id, voice_provider, voice, offer, expires_at)
    values (${id}, ${workspace._id}, 'u', 'h', 'connected', 'ava', 'slt', 'flite', '{}', ${'o'.repeat(3000)}, now() + interval '1 hour')`.execute(
    kernel.db,
  );
}
const stats = {
  ...{
    codec: 'H264',
    framesPerSecond: 25,
    encodeMs: 4.2,
    drawMs: 1.1,
    bitrate: 812_345,
    videoBitrate: 780_123,
    loss: 0.001,
  },
  ...{
    roundTripMs: 43.2,
    firstSoundMs: 61.5,
    synthesisMs: 51.2,
    queueMs: 1.4,
    avOffsetMs: 3.1,
    width: 512,
    height: 512,
    queued: 0,
  },
};
const report = await cost(REPORTS * STREAMS_PER_HOST, async () => {
  for (let n = 0; n < REPORTS; n++) {
    const reports = ids.map((id) => ({
      ...{ id, state: 'connected', connectedMs: n * 2000, expiresAt: new Date(Date.now() + 120_000) },
      stats: { ...stats, bitrate: 800_000 + n },
    }));
    await kernel.db
      .transaction()
      .execute(async (tx) => settleStreams(kernel, tx, await writeReports(tx, 'h', reports)));
  }
});

// Opening streams concurrently: each chooses a host and writes its row in one transaction. Hosts are as full as with 10⁴ streams.
await sql`insert into stream_hosts (id, url, capacity, engines, version)
  select 'host-' || n, 'http://10.0.0.1', 200, '{cpu}', 'x' from generate_series(1, ${HOSTS}::int) n`.execute(
  kernel.db,
);
await sql`insert into streams (id, workspace_id, user_id, host_id, state, avatar_code, voice_id, voice_provider, voice, offer, expires_at)
  select 's' || n, ${workspace._id}, 'u', 'host-' || (1 + n % ${HOSTS}::int), 'connected', 'ava', 'slt', 'flite', '{}', repeat('o', 3000), now() + interval '1 hour'
  from generate_series(1, 10000) n`.execute(kernel.db);
await sql`update stream_hosts set heartbeat_at = now() + interval '1 hour'`.execute(kernel.db);
await sql`vacuum analyze streams`.execute(kernel.db);
await sql`vacuum analyze stream_hosts`.execute(kernel.db);
const voice = { provider: 'flite', voice: 'slt', language: 'en-US' };
async function openStream() {
  await kernel.db.transaction().execute(async (tx) => {
    const host = await allocateHost(tx, new Set());
    const id = kernel.ids.next();
    const named = { avatarCode: 'ava', voiceId: 'slt', voiceProvider: 'flite', voice };
    const times = { createdAt: new Date(), expiresAt: new Date() };
    await insertStream(tx, { id, workspaceId: workspace._id, userId: 'u', hostId: host.id, ...named, ...times });
  });
}
let openSeconds = 0;
const opening = await cost(OPENS, async () => {
  const since = performance.now();
  let left = OPENS;
  const open = async () => {
    while (left-- > 0) await openStream();
  };
  await Promise.all(Array.from({ length: OPENING }, open));
  openSeconds = (performance.now() - since) / 1000;
});
opening.aSecond = Math.round(OPENS / openSeconds);
const { rows: miscounted } = await sql`select 1 from stream_hosts h
  where open <> (select count(*) from streams s where s.host_id = h.id and s.state <> 'closed') or open > capacity`.execute(
  kernel.db,
);
if (miscounted.length > 0) throw new Error(`${miscounted.length} hosts are miscounted or too full`);

const figures = {
  opening,
  idleTenSeconds: idle,
  idleWorkerTenSeconds: idleWorker,
  video,
  apiRead,
  streamReport: report,
};
if (values.json) console.log(JSON.stringify(figures, null, 2));
else console.table(figures);
await kernel.lifecycle.close();
await server.stop();
await rm(folder, { recursive: true, force: true });
process.exit(0);
