// `node bench/scale.js [--write] [--videosADay 100000] [--streams 10000] …`
//
// Resources for 10⁵ videos per day and 10⁴ live streams: machines, database load and cost, from the measured figures in bench/figures.json. Two
// quantities are simulated because means mislead: the waiting time of videos on a day with a peak, and how often more presenters of a machine speak at
// once than it can draw. The result is deterministic. `--write` updates the tables in docs/scaling.md; any assumption can be set by its name.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../scripts/paths.js';

const { measured, assumed } = JSON.parse(readFileSync(join(root, 'bench', 'figures.json'), 'utf8'));
const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    ...Object.fromEntries(Object.keys(assumed).map((name) => [name, { type: 'string' }])),
  },
});
const m = Object.fromEntries(Object.entries(measured).map(([name, { value }]) => [name, value]));
const a = Object.fromEntries(Object.entries(assumed).map(([name, { value }]) => [name, Number(values[name] ?? value)]));

const DAY = 86_400;
const MONTH = 30.4 * DAY;

/** Reproducible random numbers from 0 to 1 (mulberry32). */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

// ── Rendering ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const coreSecondsAVideo = (a.videoSeconds * 2) / m.realTime1080;
/** A worker uses all its cores for one video at a time. */
const workerSecondsAVideo = coreSecondsAVideo / a.coresAMachine;
const meanVideosASecond = a.videosADay / DAY;
const peakVideosASecond = meanVideosASecond * a.peakFactor;

/** Simulates a day of sinusoidally varying arrivals with this number of workers. @returns waiting times of the videos, seconds. */
function simulateDay(workers) {
  const random = randomFrom(17);
  const free = new Float64Array(workers);
  const waits = [];
  // Thinning: candidates arrive at the peak rate and are accepted with the probability of the hour. The variation has mean 1 over the day.
  const depth = a.peakFactor - 1;
  const share = (at) => {
    const wave = Math.max(0, Math.cos(((at / DAY) * 2 - 1) * Math.PI)) ** 2;
    return (1 - depth / 3 + depth * wave * (4 / 3)) / (1 + depth);
  };
  for (let at = 0; at < DAY; ) {
    at += -Math.log(1 - random()) / peakVideosASecond;
    if (random() > share(at)) continue;
    let next = 0;
    for (let index = 1; index < workers; index++) if (free[index] < free[next]) next = index;
    const start = Math.max(at, free[next]);
    waits.push(start - at);
    // Lengths vary from 0.5 to 1.5 of the mean.
    free[next] = start + workerSecondsAVideo * (0.5 + random());
  }
  waits.sort((x, y) => x - y);
  return {
    videos: waits.length,
    half: waits[Math.floor(waits.length * 0.5)],
    most: waits[Math.floor(waits.length * 0.95)],
  };
}

const workers = Math.ceil((peakVideosASecond * workerSecondsAVideo) / a.busyShare);
const fewest = Math.ceil((meanVideosASecond * workerSecondsAVideo) / a.busyShare);
const days = [fewest, Math.ceil((fewest + workers) / 2), workers].map((count) => ({ count, ...simulateDay(count) }));

// ── Streams ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Probability that more cores are needed than available when `open` streams of a machine speak independently. */
function chanceOfStutter(open) {
  let chance = (1 - a.speakingShare) ** open;
  let sum = 0;
  for (let speaking = 0; speaking <= open; speaking++) {
    const cores = speaking / m.speakingStreamsACore + (open - speaking) / m.idleStreamsACore;
    if (cores > a.coresAMachine) sum += chance;
    chance *= ((open - speaking) / (speaking + 1)) * (a.speakingShare / (1 - a.speakingShare));
  }
  return sum;
}

const allSpeaking = Math.floor(m.speakingStreamsACore * a.coresAMachine * a.busyShare);
let capacity = allSpeaking;
while (chanceOfStutter(capacity + 1) < 0.001) capacity += 1;
const hosts = Math.ceil(a.streams / capacity);
const opensASecond = a.streams / (a.streamMinutes * 60);
const streamGbit = (a.streams * (a.speakingShare * a.speakingMbit + (1 - a.speakingShare) * a.idleMbit)) / 1000;

// ── API and database ───────────────────────────────────────────────────────────────────────────────────────────────────

const readsASecond = peakVideosASecond * a.readsAVideo;
// A read with its socket costs about twice as much as without; a video with its writes as much as ten reads.
const apiCores = ((readsASecond + 10 * peakVideosASecond + 4 * opensASecond * a.peakFactor) * m.apiMsARead * 2) / 1000;
const apis = Math.max(2, Math.ceil(apiCores / a.busyShare / 1));
const reportsASecond = a.streams / a.reportSeconds;
const database = [
  ['videos', (peakVideosASecond * m.databaseMsAVideo) / 1000, peakVideosASecond * m.walBytesAVideo],
  ['reads of the API', (readsASecond * m.databaseMsARead) / 1000, 0],
  ['reports of streams', (reportsASecond * m.databaseMsAReport) / 1000, reportsASecond * m.walBytesAReport],
  [
    'opening streams',
    (opensASecond * a.peakFactor * m.databaseMsAnOpening) / 1000,
    opensASecond * a.peakFactor * m.walBytesAnOpening,
  ],
  ['idle polling of workers', (workers * m.databaseMsAnIdleWorkerSecond) / 1000, 0],
  ['idle polling of APIs', (apis * m.databaseMsAnIdleApiSecond) / 1000, 0],
];
const databaseCores = database.reduce((sum, [, cores]) => sum + cores, 0);
const walMb = database.reduce((sum, [, , wal]) => sum + wal, 0) / 1e6;

/** Resources that exist only once, and how many times this load they can handle. */
const limits = [
  {
    name: 'opening streams (one row locked a host)',
    times: m.opensASecond / (opensASecond * a.peakFactor),
    note: `${round(m.opensASecond)} a second measured with clients and server on two busy cores; ${round(opensASecond * a.peakFactor)} wanted at the peak`,
  },
  {
    name: `processors of one PostgreSQL (${a.databaseCores} cores)`,
    times: (a.databaseCores * a.busyShare) / databaseCores,
    note: `${round(databaseCores)} cores at the peak`,
  },
  {
    name: `write-ahead log of one PostgreSQL (${a.databaseWalMb} MB/s)`,
    times: a.databaseWalMb / walMb,
    note: `${round(walMb)} MB/s, ${round((walMb * DAY) / 1000)} GB a day to archive`,
  },
  {
    name: 'connections of one PostgreSQL (500)',
    times: 500 / ((workers + hosts + apis) * m.connectionsAProcess),
    note: `${workers + hosts + apis} processes with ${m.connectionsAProcess} connections each; a pooler (transaction mode does not do: LISTEN and advisory locks) or fewer, larger machines`,
  },
].sort((x, y) => x.times - y.times);

// ── Cost ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const videoGb = (m.videoMbAMinute * a.videoSeconds) / 60 / 1000;
const storedGb = videoGb * a.videosADay * a.keptDays;
const videoEgressGb = (videoGb * a.videosADay * a.viewsAVideo * MONTH) / DAY;
const streamEgressGb = (streamGbit / 8) * MONTH;
const costs = [
  ['workers', workers * a.coresAMachine * a.coreMonthPrice],
  ['stream hosts', hosts * a.coresAMachine * a.coreMonthPrice],
  ['APIs', apis * 2 * a.coreMonthPrice],
  ['PostgreSQL, with a stand-by', 2 * a.databaseCores * a.coreMonthPrice],
  ['bucket', storedGb * a.storedGbMonthPrice],
  ['traffic of videos', videoEgressGb * a.egressGbPrice],
  ['traffic of streams', streamEgressGb * a.egressGbPrice],
];
const total = costs.reduce((sum, [, euros]) => sum + euros, 0);

// ── The page ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function round(value) {
  if (!Number.isFinite(value)) return String(value);
  const shown = Number(value.toPrecision(value >= 100 ? 3 : 2));
  return shown >= 10_000 ? shown.toLocaleString('en-US').replaceAll(',', ' ') : String(shown);
}
const seconds = (value) => (value < 0.5 ? 'at once' : value < 120 ? `${round(value)} s` : `${round(value / 60)} min`);
const table = (head, rows) =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

const page = [
  '### Machines',
  '',
  table(
    ['role', `machines of ${a.coresAMachine} cores`, 'why'],
    [
      [
        'worker',
        workers,
        `${round(a.videosADay)} videos a day of ${a.videoSeconds} s at ${round(coreSecondsAVideo)} core seconds each: ${round(peakVideosASecond)} a second in the busiest hour`,
      ],
      [
        'stream host',
        hosts,
        `${capacity} streams each (FIGUREHEAD_STREAM_CAPACITY=${capacity}); ${allSpeaking} when all speak at once without end`,
      ],
      ['API', `${apis} of 2 cores`, `${round(apiCores)} cores at the peak`],
      [
        'PostgreSQL',
        `1 of ${a.databaseCores} cores, and a stand-by`,
        `${round(databaseCores)} cores at the peak, ${round(walMb)} MB/s of log`,
      ],
      [
        'network of stream hosts',
        `${round(streamGbit)} Gbit/s`,
        `${round((streamGbit / hosts) * 1000)} Mbit/s a machine`,
      ],
    ],
  ),
  '',
  '### How long videos wait (simulated day)',
  '',
  table(
    ['workers', 'half wait', '19 of 20 wait at most'],
    days.map(({ count, half, most }) => [count, seconds(half), seconds(most)]),
  ),
  '',
  '### Load of the database at the peak',
  '',
  table(
    ['from', 'cores', 'log, MB/s'],
    [
      ...database.map(([name, cores, wal]) => [name, round(cores), round(wal / 1e6)]),
      ['**all**', `**${round(databaseCores)}**`, `**${round(walMb)}**`],
    ],
  ),
  '',
  '### The first bottleneck',
  '',
  `**${limits[0].name}**: it carries ${round(limits[0].times)} times this load. Workers, stream hosts, APIs and the bucket grow by adding more of them; these do not:`,
  '',
  table(
    ['exists only once', 'carries × this load', ''],
    limits.map(({ name, times, note }) => [name, round(times), note]),
  ),
  '',
  '### Cost a month',
  '',
  table(['for', '€'], [...costs.map(([name, euros]) => [name, round(euros)]), ['**all**', `**${round(total)}**`]]),
  '',
  `A video of ${a.videoSeconds} s costs ${round((costs[0][1] / (meanVideosASecond * MONTH)) * 100)} cents of worker; an hour of a live stream ${round(((costs[1][1] + costs[6][1]) / (a.streams * (MONTH / 3600))) * 100)} cents of host and traffic.`,
  '',
  '### Figures',
  '',
  table(
    ['measured', 'value', 'from'],
    Object.entries(measured).map(([name, { value, unit, from }]) => [`\`${name}\``, `${value} ${unit}`, from]),
  ),
  '',
  table(
    ['assumed', 'value'],
    Object.entries(assumed).map(([name, { unit }]) => [`\`${name}\``, `${a[name]} ${unit}`]),
  ),
].join('\n');

if (values.write) {
  const path = join(root, 'docs', 'scaling.md');
  const [before, rest] = readFileSync(path, 'utf8').split('<!-- made by bench/scale.js -->\n');
  const after = rest.slice(rest.indexOf('<!-- end -->'));
  writeFileSync(path, `${before}<!-- made by bench/scale.js -->\n${page}\n${after}`);
} else {
  console.log(page);
}
