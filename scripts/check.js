// `npm run check`: all static checks of the sources. Prints each step and fails if one fails.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './paths.js';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const node = process.execPath;

const steps = [
  ['build', node, ['scripts/build.js']],
  ['types of tests and benches', bin('tsc'), ['--project', 'tsconfig.test.json']],
  ['types of the console', bin('tsc'), ['--project', 'packages/console', '--noEmit']],
  ['format and lint', bin('biome'), ['ci', '--error-on-warnings', '.']],
  ['boundaries', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', 'packages']],
  ['dead code', bin('knip'), []],
  ['regular expressions', node, ['scripts/check-regular-expressions.js']],
  ['size of functions and folders', node, ['scripts/check-functions.js']],
  ['tests without clocks', node, ['scripts/check-tests.js']],
  ['one vocabulary', node, ['scripts/check-vocabulary.js']],
  ['docblocks', node, ['scripts/check-docblocks.js']],
  ['wording', node, ['scripts/check-wording.js']],
  ['generated files', node, ['scripts/check-generated.js']],
  ['compiled kernel', node, ['packages/media/scripts/build-kernel.js', '--check']],
  ['clause coverage', node, ['scripts/check-coverage.js']],
];

const failed = [];
for (const [name, command, args] of steps) {
  const started = Date.now();
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`check failed: ${failed.join(', ')}`);
  process.exit(1);
}
