// `npm run soak -- [--minutes 60] [--every 30] [--json FILE]`
//
// Mixed load for a long time, with samples of every process: resident memory, open descriptors, temporary files. Prints a line per sample and, at the
// end, the growth per hour after the warm-up and the audit of the chaos run. Ends with status 1 when memory or descriptors keep growing or anything was
// lost.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { audit } from '../tests/chaos/audit.js';
import { openInstallation } from '../tests/chaos/installation.js';
import { startLoad } from '../tests/chaos/load.js';
import { openReceiver } from '../tests/chaos/receiver.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    every: { type: 'string', default: '30' },
    pace: { type: 'string', default: '3000' },
    json: { type: 'string' },
  },
});
const minutes = Number(values.minutes);

/** Share of the time in which caches fill and code is compiled; growth is measured afterwards. */
const WARM_UP = 1 / 3;

/** Maximum ratio of the mean of the last third to that of the middle third; more counts as a leak. */
const GROWTH = 1.15;
const SLACK = { rss: 25, descriptors: 8 };

const receiver = await openReceiver();
const installation = await openInstallation({ apis: 1, workers: 2, hosts: 1 });
process.once('exit', () => {
  for (const role of installation.roles) role.kill();
});
await installation.ready();
const load = startLoad(installation, { viewers: 1, paceMs: Number(values.pace) });
for (const call of [load.busy, load.other]) await call('POST', '/webhook', { url: receiver.url });

const samples = [];
const startedAt = performance.now();
const elapsed = () => (performance.now() - startedAt) / 60_000;
while (elapsed() < minutes) {
  await sleep(Number(values.every) * 1000);
  const sample = { minute: Math.round(elapsed() * 10) / 10, roles: installation.roles.map(look) };
  samples.push(sample);
  const line = sample.roles.map(
    ({ label, rss, descriptors, files }) => `${label} ${rss} MB ${descriptors} fd ${files} tmp`,
  );
  console.log(`${sample.minute.toFixed(1)} min  ${line.join(' | ')}`);
}
await load.stop();
const report = await audit(installation, {
  acknowledged: load.acknowledged,
  received: receiver.events,
  patienceMs: 300_000,
});
const restarted = installation.roles.filter(({ restarts }) => restarts > 0).map(({ label }) => label);
const growth = installation.roles.flatMap(({ label }, n) => [
  trend(label, 'rss', n, 'MB'),
  trend(label, 'descriptors', n, ''),
]);
const rest = installation.roles.map(look);
console.table(Object.fromEntries(growth.map(({ what, ...row }) => [what, row])));
for (const { label, files } of rest) console.log(`${label}: temporary files left ${files}`);
for (const [name, value] of Object.entries(report.facts)) console.log(`${name}: ${value}`);
const faults = Object.entries(report.faults).filter(([, count]) => count !== 0);
for (const [name, count] of faults) console.log(`! ${name}: ${count}`);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ samples, growth, report }));
const failed = faults.length > 0 || restarted.length > 0 || growth.some(({ grows }) => grows);
console.log(failed ? `FAILED${restarted.length > 0 ? `: restarted ${restarted.join(', ')}` : ''}` : 'flat');
receiver.close();
await installation.close({ keep: failed });
process.exit(failed ? 1 : 0);

/** Current resources of a role's process. */
function look({ label, pid }) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const folder = `${installation.folder}/${label.replace(' ', '-')}/tmp`;
  return {
    label,
    rss: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    files: count(folder),
  };
}

function count(folder) {
  try {
    return readdirSync(folder, { recursive: true }).length;
  } catch {
    // The folder does not exist until something is written.
    return 0;
  }
}

/** Least-squares line after the warm-up, and whether the last third is above the middle one. */
function trend(label, what, role, unit) {
  const points = samples.map(({ minute, roles }) => ({ hours: minute / 60, value: roles[role][what] }));
  const late = points.filter((_, n) => n >= points.length * WARM_UP);
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);
  const [atHours, atValue] = [mean(late.map(({ hours }) => hours)), mean(late.map(({ value }) => value))];
  const above = late.reduce((sum, { hours, value }) => sum + (hours - atHours) * (value - atValue), 0);
  const spread = late.reduce((sum, { hours }) => sum + (hours - atHours) ** 2, 0);
  const middle = mean(late.slice(0, late.length >> 1).map(({ value }) => value));
  const last = mean(late.slice(late.length >> 1).map(({ value }) => value));
  return {
    what: `${label} ${what}`,
    first: points[0]?.value,
    'middle third': Math.round(middle),
    'last third': Math.round(last),
    'slope per hour': `${Math.round(spread === 0 ? 0 : above / spread)} ${unit}`.trim(),
    grows: last > middle * GROWTH && last > middle + SLACK[what],
  };
}
