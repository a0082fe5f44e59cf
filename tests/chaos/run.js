// `npm run chaos [-- --kills 100] [--freezes 12] [--cuts 12] [--pause MS] [--away MS,MS] [--viewers 1] [--single] [--keep] [--json]`
//
// Two APIs, three workers and two stream hosts with separate data folders, one PostgreSQL server, one bucket: roles and
// the database are killed with SIGKILL or SIGSEGV, frozen with SIGSTOP and cut off from the database in turn, and
// return, while videos, long videos, batches, webhooks and streams are in progress. Then everything that was
// acknowledged is audited. Ends with status 1 when anything was lost or doubled. `--single`: one `figurehead start` with its embedded
// database instead, from which no role is cut off.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { audit } from './audit.js';
import { openInstallation } from './installation.js';
import { startLoad } from './load.js';
import { openOneMachine } from './one-machine.js';
import { openReceiver } from './receiver.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    freezes: { type: 'string', default: '12' },
    cuts: { type: 'string', default: '12' },
    viewers: { type: 'string', default: '1' },
    pause: { type: 'string', default: '4000' },
    away: { type: 'string', default: '3000,22000' },
    idle: { type: 'string', default: '20' },
    single: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const say = (line) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

/** A frozen or cut-off worker is declared dead after 16 s: some return earlier, some later. */
const AWAY_MS = values.away.split(',').map(Number);

const receiver = await openReceiver();
const env = { FIGUREHEAD_STREAM_IDLE_SECONDS: values.idle };
const installation = values.single
  ? await openOneMachine({ env })
  : await openInstallation({ apis: 2, workers: 3, hosts: 2, env });
// The processes must not outlive this one.
process.once('exit', () => {
  for (const role of installation.roles) role.kill();
  void installation.database.kill();
});
say(`machines in ${installation.folder}`);
await installation.ready();

const load = startLoad(installation, { viewers: Number(values.viewers) });
for (const call of [load.busy, load.other]) {
  let answer;
  // A busy machine refuses calls while its processes start.
  for (let attempt = 0; attempt < 60 && answer?.status !== 200; attempt++) {
    if (attempt > 0) await sleep(1000);
    answer = await call('POST', '/webhook', { url: receiver.url });
  }
  if (answer.status !== 200) throw new Error(`the webhook could not be subscribed: ${answer.status}`);
}
const startedAt = Date.now();
const done = { kill: new Map(), freeze: 0, cut: 0 };
const away = new Set();
const atFault = new Set();
const acts = shuffled([
  ...Array.from({ length: Number(values.kills) }, (_, n) => ({ kind: 'kill', victim: n })),
  ...Array.from({ length: Number(values.freezes) }, (_, n) => ({ kind: 'freeze', victim: n })),
  ...Array.from({ length: values.single ? 0 : Number(values.cuts) }, (_, n) => ({ kind: 'cut', victim: n })),
]);
for (const act of acts) {
  await sleep(Number(values.pause) * (0.3 + Math.random()));
  await perform(act);
}
say('the last fault; everything recovers, and running work ends');
await Promise.all(away);
await installation.ready();
await load.stop();

const report = await audit(installation, {
  acknowledged: load.acknowledged,
  received: receiver.events,
  patienceMs: 300_000,
});
const failed = Object.values(report.faults).some((count) => count !== 0);
const kills = [...done.kill.values()].reduce((sum, n) => sum + n, 0);
const facts = {
  'kills by victim': [...done.kill].map(([victim, n]) => `${victim} ${n}`).join(', '),
  'kills, freezes, cuts': `${kills}, ${done.freeze}, ${done.cut}`,
  'minutes under load': Math.round((Date.now() - startedAt) / 6000) / 10,
  ...report.facts,
};
if (values.json) console.log(JSON.stringify({ failed, faults: report.faults, facts }));
else {
  for (const [name, value] of Object.entries(facts)) console.log(`${name}: ${value}`);
  for (const [name, count] of Object.entries(report.faults))
    console.log(`${count === 0 ? '  ' : '! '}${name}: ${count}`);
}
if (failed) {
  const found = Object.fromEntries(Object.entries(report.faults).filter(([, count]) => count !== 0));
  console.error(JSON.stringify({ found, ...report.examples }, null, 2));
}
receiver.close();
await installation.close({ keep: values.keep || failed });
say(failed ? `FAILED; logs and data are in ${installation.folder}` : 'nothing lost, nothing doubled, nothing stuck');
process.exit(failed ? 1 : 0);

async function perform({ kind, victim }) {
  if (kind === 'kill') return kill(victim);
  // Databases are not frozen: all roles would wait for it, and nothing could fail.
  const { roles } = installation;
  const from = (victim * 3) % roles.length;
  const role = [...roles.slice(from), ...roles.slice(0, from)].find((one) => one.ready && !atFault.has(one));
  if (role === undefined) return;
  atFault.add(role);
  const awayMs = AWAY_MS[victim % AWAY_MS.length];
  if (kind === 'freeze') {
    const { pid } = role;
    done.freeze += 1;
    role.freeze();
    say(`freeze ${role.label} for ${awayMs / 1000} s`);
    return leave(role, awayMs, () => role.pid === pid && role.thaw());
  }
  const how = victim % 2 === 0 ? 'refused' : 'silent';
  done.cut += 1;
  role.proxy.cut(how);
  say(`cut off ${role.label} (${how}) for ${awayMs / 1000} s`);
  return leave(role, awayMs, () => role.proxy.mend());
}

/** Ends a fault later, while others continue. */
function leave(role, awayMs, comeBack) {
  const over = sleep(awayMs).then(() => {
    comeBack();
    atFault.delete(role);
    away.delete(over);
  });
  away.add(over);
}

/** Every role in turn, kind by kind, and the database as often as the APIs. */
async function kill(n) {
  const [api, worker, host] = ['api', 'worker', 'streams'].map(installation.of);
  const last = (list) => list.at(-1);
  const victims = [
    ...[api[0], worker[0], 'database', host[0]],
    ...[worker[1] ?? worker[0], last(api), 'database', last(host), last(worker)],
  ];
  const victim = victims[n % victims.length];
  const count = (name) => done.kill.set(name, (done.kill.get(name) ?? 0) + 1);
  if (victim === 'database') {
    say(`kill the database`);
    count('database');
    await installation.database.kill();
    await sleep(Math.random() * 3000);
    return installation.database.start();
  }
  // Only a recovered role can be killed again; the moment within its work is random.
  const until = Date.now() + 60_000;
  while (!victim.ready && Date.now() < until) await sleep(100);
  // Simulates the operating system killing a worker, and a codec crashing its process.
  const signal = victim.name === 'worker' && n % 2 === 1 ? 'SIGSEGV' : 'SIGKILL';
  say(
    `kill ${victim.label} with ${signal}; ${load.acknowledged.renders.size} renders acknowledged, ${receiver.events.length} events received`,
  );
  count(`${victim.name} ${signal}`);
  victim.kill(signal);
}

function shuffled(list) {
  const out = [...list];
  for (let n = out.length - 1; n > 0; n--) {
    const other = Math.floor(Math.random() * (n + 1));
    [out[n], out[other]] = [out[other], out[n]];
  }
  return out;
}
