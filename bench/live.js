// Live streams under load: N receivers in processes of their own ramp up against one host in this process.
//
//   npm run bench:live -- [--streams 10] [--seconds 10] [--size 512] [--codec H264|VP8] [--per-process 5] [--soak MINUTES] [--json]
//
// Prints first picture and first sound, pictures a second, freezes (gaps over 200 ms), how much later a picture arrives
// than the sound of its instant, processor time of the host for an idle and for a speaking stream, memory a session.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSpeech, loadPack } from '@figurehead/media';
import { openLiveHost } from '@figurehead/media/live';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '10' },
    size: { type: 'string', default: '512' },
    codec: { type: 'string', default: 'H264' },
    'per-process': { type: 'string', default: '5' },
    pack: { type: 'string', default: 'helen' },
    soak: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const streams = Number(values.streams);
const seconds = Number(values.seconds);
const size = Number(values.size);
const SENTENCES =
  'Every morning the harbour wakes before the town does. Boats come in with the tide, and the gulls know it. ' +
  'A presenter who speaks to you should sound as if nobody had written the words down. ';

const now = () => performance.timeOrigin + performance.now();
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const pack = await loadPack(fileURLToPath(new URL(`../presenters/packs/${values.pack}`, import.meta.url)));
const speech = createSpeech();
await speech.warm();
const warnings = [];
const host = await openLiveHost({
  ports: { from: 43_000, to: 43_099 },
  onWarning: (doing, error) => warnings.push(`${doing}: ${String(error)}`),
});

const children = Array.from({ length: Math.ceil(streams / Number(values['per-process'])) }, () =>
  fork(fileURLToPath(new URL('./live-receivers.js', import.meta.url))),
);
const childOf = (index) => children[index % children.length];
const waiting = new Map();
for (const child of children) {
  child.on('message', (message) => waiting.get(`${message.type} ${message.id ?? child.pid}`)?.(message));
}
const next = (child, type, id) =>
  new Promise((resolve) => {
    waiting.set(`${type} ${id ?? child.pid}`, resolve);
  });

const memoryBefore = process.memoryUsage().rss;
const sessions = [];
const firstFrames = [];
for (let index = 0; index < streams; index++) {
  const id = `bench-${index}`;
  const child = childOf(index);
  const startMs = now();
  const session = await host.open({
    id,
    pack,
    picture: { width: size, height: size, fps: 25, background: '#e8edf3' },
    iceServers: [],
  });
  const answered = next(child, 'answer', id);
  const framed = next(child, 'frame', id);
  child.send({ type: 'open', id, offer: session.offer, codec: values.codec });
  await session.answer((await answered).sdp);
  firstFrames.push((await framed).atMs - startMs);
  sessions.push(session);
}

// Until every session rests in its loop.
await wait(8000);
const idle = await measure(seconds);
const memory = (process.memoryUsage().rss - memoryBefore) / streams;

const firstOnWire = [];
const firstHeard = [];
for (const [index, session] of sessions.entries()) {
  const heard = next(childOf(index), 'sound', session.id);
  const startMs = now();
  const handle = say(session, 'Hello, here I am.', `first-${index}`);
  firstOnWire.push(await handle.started);
  firstHeard.push((await heard).atMs - startMs);
}
await wait(2500);

// All say the same at once, synthesised beforehand: in life they take turns, and the voice's cost is told by itself.
const synthesis = await synthesise();
for (const [index, session] of sessions.entries()) {
  const times = Math.ceil((seconds + 4) / synthesis.seconds);
  for (let n = 0; n < times; n++) session.speak(`long-${index}-${n}`, () => synthesis.replay());
}
await wait(2000);
const speaking = await measure(seconds);
for (const session of sessions) session.interrupt('all');

const report = {
  streams,
  size,
  codec: values.codec,
  firstFrameMs: percentiles(firstFrames),
  firstSoundOnWireMs: percentiles(firstOnWire),
  firstSoundHeardMs: percentiles(firstHeard),
  synthesisCoresPerStream: synthesis.coresPerStream,
  idle,
  speaking,
  memoryMbPerSession: round(memory / 1e6),
  warnings: warnings.length,
};
console.log(values.json ? JSON.stringify(report) : report);
if (values.soak) await soak(Number(values.soak));

await Promise.all(sessions.map((session) => session.close()));
for (const child of children) child.send({ type: 'end' });
await host.close();
await speech.close();
// Native threads of closed connections may hold the process for a while.
process.exit(warnings.length === 0 ? 0 : 1);

function say(session, text, id) {
  return session.speak(id, (signal) => speech.synthesize('flite', text, { voice: 'slt', signal }));
}

/** The sentences once, and the processor time for each second of them. */
async function synthesise() {
  const chunks = [];
  const cpu = process.cpuUsage();
  for await (const chunk of speech.synthesize('flite', SENTENCES, { voice: 'slt' })) chunks.push(chunk);
  const { user, system } = process.cpuUsage(cpu);
  const length = chunks.reduce((sum, { samples }) => sum + samples.length, 0) / 48_000;
  return {
    seconds: length,
    coresPerStream: round((user + system) / 1e6 / length, 4),
    async *replay() {
      yield* chunks;
    },
  };
}

/** What the host used and the receivers got within `forSeconds`. */
async function measure(forSeconds) {
  const before = await counts();
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await wait(forSeconds * 1000);
  const used = process.cpuUsage(cpu);
  const elapsed = (performance.now() - startMs) / 1000;
  const after = await counts();
  const cores = (used.user + used.system) / 1e6 / elapsed;
  const sum = (of, key) => of.reduce((total, each) => total + each[key], 0);
  const stats = sessions.map((session) => session.stats());
  return {
    coresPerStream: round(cores / streams, 4),
    streamsPerCore: Math.floor(streams / cores),
    framesPerSecond: round((sum(after, 'frames') - sum(before, 'frames')) / streams / elapsed),
    freezes: sum(after, 'freezes') - sum(before, 'freezes'),
    kbitsPerSecond: round(((sum(after, 'bytes') - sum(before, 'bytes')) * 8) / 1000 / streams / elapsed),
    pictureAfterSoundMs: percentiles(after.map(({ lateMs }) => lateMs ?? 0)),
    soundJitterMs: percentiles(after.map(({ soundLateMs }) => soundLateMs ?? 0)),
    encodeMs: round(stats.reduce((total, { encodeMs }) => total + encodeMs, 0) / streams),
    drawMs: round(stats.reduce((total, { drawMs }) => total + drawMs, 0) / streams),
  };
}

async function counts() {
  const all = await Promise.all(
    children.map((child) => {
      const told = next(child, 'counts');
      child.send({ type: 'counts' });
      return told;
    }),
  );
  return all.flatMap((message) => message.counts);
}

/** Speech and rest in turn; a line a minute. */
async function soak(minutes) {
  for (let minute = 1; minute <= minutes; minute++) {
    for (const [index, session] of sessions.entries()) {
      if ((index + minute) % 2 === 0) say(session, SENTENCES.repeat(3), `soak-${minute}-${index}`);
    }
    const { framesPerSecond, freezes, coresPerStream, pictureAfterSoundMs } = await measure(60);
    const line = { minute, framesPerSecond, freezes, coresPerStream, pictureAfterSoundMs };
    console.log(JSON.stringify({ ...line, rssMb: round(process.memoryUsage().rss / 1e6), warnings: warnings.length }));
  }
}

function percentiles(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (share) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function round(value, digits = 1) {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
