// `npm run check`: all static checks of the sources, as many at once as there are processors. Prints each step and fails if one fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from './paths.js';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const node = process.execPath;

/** The others read what it makes. */
const build = ['build', node, ['scripts/build.js']];
/** The longest ones first. */
const steps = [
  ['regular expressions', node, ['scripts/check-regular-expressions.js']],
  ['types of tests and benches', bin('tsc'), ['--project', 'tsconfig.test.json']],
  ['types of the console', bin('tsc'), ['--project', 'packages/console', '--noEmit']],
  ['format and lint', bin('biome'), ['ci', '--error-on-warnings', '.']],
  ['boundaries', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', 'packages']],
  ['dead code', bin('knip'), []],
  ['one vocabulary', node, ['scripts/check-vocabulary.js']],
  ['wording', node, ['scripts/check-wording.js']],
  ['generated files', node, ['scripts/check-generated.js']],
  ['compiled kernel', node, ['packages/media/scripts/build-kernel.js', '--check']],
  ['clause coverage', node, ['scripts/check-coverage.js']],
];

const failed = [];
await run(build);
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) await run(step);
  }),
);
if (failed.length > 0) {
  console.error(`check failed: ${failed.join(', ')}`);
  process.exit(1);
}

async function run([name, command, args]) {
  const started = Date.now();
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${out}${errors}${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (status !== 0) failed.push(name);
}
