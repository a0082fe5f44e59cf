#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setFlagsFromString } from 'node:v8';

// glibc reads its settings when a process starts. A render opens and closes encoders of 90 MB on threads of its own: large blocks from the system
// and two heaps instead of sixteen keep 590 MB of memory instead of 820, for a twentieth of the processor time (bench/RESULTS.md, Whole).
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1000000', MALLOC_TRIM_THRESHOLD_: '8000000' };
const isRender = process.argv[2] === 'render' && process.platform === 'linux';
if (isRender && process.env.MALLOC_ARENA_MAX === undefined) {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    env: { ...ALLOCATOR, ...process.env },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
} else {
  // A render is over before most optimised code has paid for its compilation: later, a twentieth of the processor time less.
  if (isRender) setFlagsFromString('--interrupt-budget=1000000');
  await import('../dist/main.js');
}
