// Live streams under load: N receivers in other processes connect to one host in this process.
//
//   npm run bench:live -- [--streams 10] [--seconds 10] [--size 512] [--codec H264|VP8] [--per-process 5] [--soak MINUTES] [--sound] [--json]
//   npm run bench:live -- --cycles 200
//
// Prints the delays of first picture and first sound, interruptions, frames per second, freezes (gaps over 200 ms), the audio/video
// offset at the receiver, processor time of the host per idle and per speaking stream, memory per session, and every target as a ratio
// to its limit: above 1 it is missed. `--cycles` opens and closes sessions one after another instead (every other viewer disconnects
// without closing) and prints memory, descriptors and threads. `--sound`: the speaking streams speak sound that arrives in real time, so that
// their processor time has that of the lips from sound; without it they speak a text whose synthesis is measured separately.
// At the end the same number of streams is drawn by their viewers: processor time and bytes of both ways, side by side.
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ArrivingSound, createSpeech, loadPack } from '@figurehead/media';
import { openLiveHost } from '@figurehead/media/live';
import { quantile } from './statistics.js';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '10' },
    size: { type: 'string', default: '512' },
    codec: { type: 'string', default: 'H264' },
    'per-process': { type: 'string', default: '5' },
    pack: { type: 'string', default: 'helen' },
    soak: { type: 'string' },
    sound: { type: 'boolean', default: false },
    cycles: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const streams = Number(values.streams);
const seconds = Number(values.seconds);
const size = Number(values.size);
/** Seconds of speech before the measurement, in which the JavaScript engine compiles code; a host does this only once. */
const SPOKEN_IN = 8;
const SENTENCES =
  'Every morning the harbour wakes before the town does. Boats come in with the tide, and the gulls know it. ' +
  'A presenter who speaks to you should sound as if the words had never been written down. ';

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

// Warms up presenter, codecs and code, like a stream host, which measures its capacity before its first viewer.
await Promise.all(children.map((child) => next(child, 'ready')));
for (const [index, child] of children.entries()) {
  const { session } = await connect(`warm-${index}`, child);
  await say(session, 'Hello, here I am.', `warm-${index}`).ended;
  await session.close();
  child.send({ type: 'close', id: session.id });
}

if (values.cycles) {
  const isLevel = await cycle(Number(values.cycles));
  await finish(isLevel);
}

const memoryBefore = process.memoryUsage().rss;
const sessions = [];
const firstFrames = [];
for (let index = 0; index < streams; index++) {
  const { session, firstFrameMs } = await connect(`bench-${index}`, childOf(index));
  firstFrames.push(firstFrameMs);
  sessions.push(session);
}

// Until every session plays its idle loop and sends silence discontinuously.
await wait(14_000);
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

const silences = [];
for (const [index, session] of sessions.entries()) {
  const handle = say(session, SENTENCES, `cut-${index}`);
  await handle.started;
  await wait(600);
  const wasSpeaking = session.stats().speaking;
  const cutMs = now();
  session.interrupt('all');
  await wait(400);
  const { loudMs } = (await counts()).find(({ id }) => id === session.id);
  silences.push(Math.max(0, loudMs - cutMs));
  if (!wasSpeaking) warnings.push(`session ${session.id} was not speaking when it was interrupted`);
}
await wait(1500);

// All speak the same text, synthesised beforehand, so that the voice's cost is measured separately. Each starts with a different sentence at
// a different time, because a mouth equal to the one drawn before costs nothing, which does not happen in practice.
const synthesis = await synthesise();
const speaking = await measureSpeaking();
const drawnByViewer = await measureDrawnByViewer();

const targets = {
  'first frame p95 ≤ 800 ms': percentiles(firstFrames).p95 / 800,
  'text to first sample sent p95 ≤ 150 ms': percentiles(firstOnWire).p95 / 150,
  'interrupt to silence p95 ≤ 100 ms': percentiles(silences).p95 / 100,
  'at least 20 speaking streams per core': 20 / speaking.streamsPerCore,
  'at least 200 idle streams per core': 200 / idle.streamsPerCore,
  'video minus audio p95 within −45…15 ms': Math.max(
    speaking.pictureAfterSoundMs.p95 / 15,
    speaking.pictureAfterSoundMs.p50 / -45,
  ),
  'memory per session ≤ 40 MB': memory / 40e6,
};
const report = {
  streams,
  size,
  codec: values.codec,
  firstFrameMs: percentiles(firstFrames),
  firstSoundOnWireMs: percentiles(firstOnWire),
  firstSoundHeardMs: percentiles(firstHeard),
  interruptToSilenceMs: percentiles(silences),
  synthesisCoresPerStream: synthesis.coresPerStream,
  idle,
  speaking,
  drawnByViewer,
  memoryMbPerSession: round(memory / 1e6),
  ratioToLimit: Object.fromEntries(Object.entries(targets).map(([name, ratio]) => [name, round(ratio, 2)])),
  warnings: warnings.length,
};
console.log(values.json ? JSON.stringify(report) : report);
if (values.soak) await soak(Number(values.soak));

await Promise.all(sessions.map((session) => session.close()));
await finish(warnings.length === 0);

/** Ends everything. Native threads of closed connections may hold the process for a while, so it does not wait for them. */
async function finish(isGood) {
  for (const warning of warnings.slice(0, 5)) console.error(warning);
  for (const child of children) child.send({ type: 'end' });
  await host.close();
  await speech.close();
  process.exit(isGood ? 0 : 1);
}

async function measureSpeaking() {
  for (const [index, session] of sessions.entries()) {
    if (values.sound) {
      session.speak(`sound-${index}`, (signal) => synthesis.arrive(index, signal));
      continue;
    }
    const times = Math.ceil((seconds + SPOKEN_IN + 2) / synthesis.seconds);
    for (let n = 0; n < times; n++)
      session.speak(`long-${index}-${n}`, () => synthesis.replay(index, n === 0 ? index * 173 : 0));
  }
  await wait(SPOKEN_IN * 1000);
  const measured = await measure(seconds);
  for (const session of sessions) session.interrupt('all');
  return measured;
}

/** Replaces all sessions by ones whose viewers draw the presenter. */
async function measureDrawnByViewer() {
  for (const [index, session] of sessions.splice(0).entries()) {
    await session.close();
    childOf(index).send({ type: 'close', id: session.id });
  }
  for (let index = 0; index < streams; index++)
    sessions.push((await connect(`drawn-${index}`, childOf(index), { drawing: 'viewer' })).session);
  await wait(14_000);
  const [still, talking] = [await measure(seconds), await measureSpeaking()];
  const part = (of, { coresPerStream, kbitsPerSecond }) => ({
    ...{ coresPerStream: of.coresPerStream, kbitsPerSecond: of.kbitsPerSecond },
    coresToVideo: round(of.coresPerStream / coresPerStream, 3),
    kbitsToVideo: round(of.kbitsPerSecond / kbitsPerSecond, 3),
  });
  return { idle: part(still, idle), speaking: part(talking, speaking) };
}

/** Opens a session with a receiver in `child`; resolves after its first picture, or what the viewer draws one from. */
async function connect(id, child, options = {}) {
  const startMs = now();
  const session = await host.open({
    id,
    pack,
    picture: { width: size, height: size, fps: 25, background: '#e8edf3' },
    iceServers: [],
    ...options,
  });
  const answered = next(child, 'answer', id);
  const framed = next(child, 'frame', id);
  child.send({ type: 'open', id, offer: session.offer, codec: values.codec });
  await session.answer((await answered).sdp);
  return { session, firstFrameMs: (await framed).atMs - startMs };
}

/** Opens and closes sessions; true when memory, descriptors and threads return to their initial level. */
async function cycle(times) {
  const level = () => {
    globalThis.gc?.();
    return {
      rssMb: round(process.memoryUsage().rss / 1e6),
      descriptors: readdirSync('/proc/self/fd').length,
      threads: readdirSync('/proc/self/task').length,
      sessions: host.sessions.size,
    };
  };
  const frames = [];
  let before;
  // The first tenth fills pools and caches.
  const warm = Math.max(10, Math.round(times / 10));
  for (let round_ = 0; round_ < times + warm; round_++) {
    if (round_ === warm) {
      await wait(1000);
      before = level();
      console.log(JSON.stringify({ cycles: 0, ...before }));
    }
    const id = `cycle-${round_}`;
    const child = childOf(round_);
    const { session, firstFrameMs } = await connect(id, child);
    if (round_ >= warm) frames.push(firstFrameMs);
    say(session, 'Hello, here I am.', `hello-${round_}`);
    if (round_ % 2 === 0) await session.close();
    child.send({ type: 'close', id });
    await session.closed;
    const done = round_ + 1 - warm;
    if (done > 0 && done % 50 === 0) console.log(JSON.stringify({ cycles: done, ...level() }));
  }
  await wait(2000);
  const after = level();
  console.log(
    JSON.stringify({ cycles: times, ...after, firstFrameMs: percentiles(frames), warnings: warnings.length }),
  );
  return (
    warnings.length === 0 &&
    after.sessions === 0 &&
    after.descriptors <= before.descriptors + 4 &&
    after.threads <= before.threads + 4 &&
    after.rssMb - before.rssMb < 0.25 * times
  );
}

function say(session, text, id) {
  return session.speak(id, (signal) => speech.synthesize('flite', text, { voice: 'slt', signal }));
}

/** Synthesises the sentences once and measures the processor time per second of speech. */
async function synthesise() {
  const chunks = [];
  const cpu = process.cpuUsage();
  for await (const chunk of speech.synthesize('flite', SENTENCES, { voice: 'slt' })) chunks.push(chunk);
  const { user, system } = process.cpuUsage(cpu);
  const length = chunks.reduce((sum, { samples }) => sum + samples.length, 0) / 48_000;
  return {
    seconds: length,
    coresPerStream: round((user + system) / 1e6 / length, 4),
    async *replay(first, delayMs) {
      await wait(delayMs % 1500);
      for (let n = 0; n < chunks.length; n++) yield chunks[(first + n) % chunks.length];
    },
    /** The same speech as packets of 20 ms, each session from another place of it, until it is interrupted. */
    async *arrive(index, signal) {
      const pcm = Int16Array.from(
        chunks.flatMap(({ samples }) => [...samples]),
        (sample) => 32_767 * sample,
      );
      const sound = new ArrivingSound(48_000);
      let at = (index * 173 * 48) % pcm.length;
      const timer = setInterval(() => {
        sound.append(Buffer.from(pcm.slice(at, at + 960).buffer));
        at = at + 960 < pcm.length ? at + 960 : 0;
      }, 20);
      try {
        yield* sound.chunks(signal);
      } finally {
        clearInterval(timer);
      }
    },
  };
}

/** Processor time of the host and received packets within `forSeconds`. */
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

/** Alternates speech and silence and prints a line per minute. Memory and the audio/video offset must stay constant. */
async function soak(minutes) {
  for (let minute = 1; minute <= minutes; minute++) {
    for (const [index, session] of sessions.entries()) {
      if ((index + minute) % 2 === 0) say(session, SENTENCES.repeat(3), `soak-${minute}-${index}`);
    }
    const { framesPerSecond, freezes, coresPerStream, pictureAfterSoundMs, soundJitterMs } = await measure(60);
    const line = { minute, framesPerSecond, freezes, coresPerStream, pictureAfterSoundMs, soundJitterMs };
    console.log(JSON.stringify({ ...line, rssMb: round(process.memoryUsage().rss / 1e6), warnings: warnings.length }));
  }
}

function percentiles(list) {
  const at = (share) => round(quantile(list, share));
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function round(value, digits = 1) {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
