// `npm run pressure [-- --only NAME[,NAME]] [--quick] [--json FILE] [--list]`
//
// Behaviour of a server when one caller, or a client without a login, misbehaves. Starts `figurehead start` in a temporary folder on the loopback
// interface and runs one attack after the other, each limited in size and time, while a probe calls `/healthz` and an innocent workspace calls
// `GET /videos`. Prints a table with the targets; ends with status 1 when one is missed. `--quick` runs only the attacks with connections, in less
// than a minute; `--json` writes the rows to a file. The full-disk attack needs root.
import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CONNECTION_ATTACKS } from './attacks/connections.js';
import { FLOOD_ATTACKS } from './attacks/floods.js';
import { LIVE_ATTACKS } from './attacks/live.js';
import { MUTATION_ATTACKS } from './attacks/mutations.js';
import { mountSmallDisk, OUTAGE_ATTACKS } from './attacks/outages.js';
import { SIGN_IN_ATTACKS } from './attacks/sign-in.js';
import { TEXT_ATTACKS } from './attacks/texts.js';
import { slotsBack, watchServer } from './observe.js';
import { judge, print } from './report.js';
import { openFolder, openStage } from './stage.js';

// Attacks that leave work in the queue (`soils`) run last on a shared server.
const ATTACKS = [
  ...CONNECTION_ATTACKS,
  ...FLOOD_ATTACKS,
  ...LIVE_ATTACKS,
  ...SIGN_IN_ATTACKS,
  ...TEXT_ATTACKS,
  ...MUTATION_ATTACKS,
  ...OUTAGE_ATTACKS,
];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const say = (line) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

if (values.list) {
  for (const { name, what } of ATTACKS) console.log(`${name.padEnd(18)} ${what}`);
  process.exit(0);
}

const wanted = values.only?.split(',');
const unknown = wanted?.find((name) => !ATTACKS.some((attack) => attack.name === name));
if (unknown !== undefined) throw new Error(`--only: there is no attack ${unknown}; --list shows all`);
const attacks = ATTACKS.filter(({ name, quick }) => wanted?.includes(name) ?? (!values.quick || quick));

// Ends through `exit`, whose handler kills the servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
/** The server that attacks share until one of them leaves it busy or broken. */
let shared;
const rows = [];
const skipped = [];
const startedAt = performance.now();
for (const attack of attacks) {
  say(`${attack.name}: ${attack.what}`);
  const row = attack.ownDiskMb === undefined ? await runShared(attack) : await runOnSmallDisk(attack);
  if (row === undefined) continue;
  rows.push(row);
  say(row.missed.length === 0 ? '  met' : `  MISSED: ${row.missed.join('; ')}`);
}
await shared?.close();

const seconds = Math.round((performance.now() - startedAt) / 1000);
print(rows);
for (const line of skipped) console.log(`SKIPPED: ${line}`);
const failed = rows.filter(({ missed }) => missed.length > 0);
console.log(
  failed.length === 0 ? `all targets met, ${seconds} s` : `${failed.length} of ${rows.length} missed, ${seconds} s`,
);
const facts = `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores, load ${loadavg()[1].toFixed(0)}, ${seconds} s`;
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ facts, rows }, null, 2)}\n`);
process.exit(failed.length === 0 ? 0 : 1);

async function runShared(attack) {
  shared ??= await openStage();
  const row = await runAttack(shared, attack);
  // A server that has not recovered would distort the next attack.
  if (attack.soils || row.backMs === null) {
    await shared.close();
    shared = undefined;
  }
  return row;
}

async function runOnSmallDisk(attack) {
  if (process.getuid?.() !== 0) {
    skipped.push(`${attack.name}: only root can mount a small disk`);
    return undefined;
  }
  const folder = openFolder();
  const disk = mountSmallDisk(join(folder, 'disk'), attack.ownDiskMb);
  const unmount = () => disk.close();
  process.once('exit', unmount);
  try {
    const stage = await openStage(disk.folder);
    const row = await runAttack(stage, attack);
    await stage.close();
    return row;
  } finally {
    process.off('exit', unmount);
    unmount();
    rmSync(folder, { recursive: true });
  }
}

async function runAttack(stage, attack) {
  const given = await attack.prepare?.(stage);
  // The preparation warms the server up.
  if (given !== undefined) await stage.restart();
  const watcher = await watchServer(stage);
  const result = await attack
    .run(stage, given)
    .catch((error) => ({ answers: [], missed: [`failed: ${error.message}`] }));
  // Slots are counted from the end of the attack, while the probe still waits for its last answers.
  const stopped = watcher.stop();
  const backMs = await slotsBack(stage);
  return judge(attack, { watched: await stopped, result, backMs });
}
