// Tests must pass on any machine: they do not measure time, and do not set their own limits for waiting. Measurements
// belong in `bench/`, complexity in `expectLinear`, limits in vitest.config.ts. The refused patterns made tests fail on
// loaded machines.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesBelow, root } from './paths.js';

const RULES = [
  [
    /performance\.now\(\)|cpuUsage\(|hrtime/,
    'measures time; expect a ratio (tests/support/growth.ts), an event or a lasting state',
  ],
  [/vi\.waitFor\(|vi\.waitUntil\(/, 'times out after a second; use expect.poll'],
  [/\bretry: ?\d/, 'repeats a test that fails at random; remove the cause'],
  [
    /\btimeout: ?\d|^\s*\}, ?[\d_]{4,}\);$|AbortSignal\.timeout\(\d+_\d/,
    'limits a wait; vitest.config.ts has one limit for all',
  ],
];

/** Files that may use a clock, and why. */
const CLOCKS = new Map([
  ['packages/media/src/live/playout/playout-queue.test.ts', 'the clock is faked'],
  ['packages/media/src/live/playout/timer-wheel.test.ts', 'the clock is faked'],
  ['packages/media/src/live/session.test.ts', 'compares clocks of session and test, with room for any delay'],
  ['packages/media/src/live/video/video-source.test.ts', 'passes the time to a clock of the product'],
  ['packages/sdk/src/client.test.ts', 'a pause has a minimum length'],
  ['packages/sdk/src/live-stream.test.ts', 'colours of a test picture'],
  ['packages/server/src/kernel/database/away.test.ts', 'compares two waits of one run'],
  ['packages/server/src/kernel/http/pressure.test.ts', 'keeps the event loop busy'],
  ['packages/server/src/kernel/workers/map-yielding.test.ts', 'keeps the event loop busy'],
  ['tests/e2e/sdk.test.ts', 'a pause has a minimum length'],
  ['tests/e2e/streams/live.ts', 'compares the time charged with the time passed'],
  ['tests/security/sign-in.test.ts', 'compares two costs of one run'],
]);

const files = [join(root, 'packages'), join(root, 'tests')].flatMap((folder) => filesBelow(folder, ['.ts']));
const problems = [];
const used = new Set();
for (const file of files) {
  const name = relative(root, file);
  if (!name.endsWith('.test.ts') && !name.startsWith('tests/e2e/')) continue;
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    for (const [pattern, problem] of RULES) {
      if (!pattern.test(line)) continue;
      if (problem.startsWith('measures') && CLOCKS.has(name)) used.add(name);
      else problems.push(`${name}:${index + 1}: ${problem}`);
    }
  }
}
for (const name of CLOCKS.keys())
  if (!used.has(name)) problems.push(`scripts/check-tests.js: ${name} needs no exception`);

for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
