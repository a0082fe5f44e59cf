// Builds every workspace: `npm ci` runs it through `prepare`. Each step does nothing when its sources have not changed.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.js';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const run = (command, args) => execFileSync(command, args, { cwd: root, stdio: 'inherit' });

if (!existsSync(bin('tsc'))) {
  console.error('build: development dependencies are missing; run `npm ci` without --omit=dev');
  process.exit(1);
}

run(process.execPath, [join(root, 'packages/media/scripts/build-kernel.js')]);
run(bin('tsc'), ['--build', join(root, 'tsconfig.json')]);
