#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setFlagsFromString } from 'node:v8';

// glibc reads its settings when a process starts. A render opens and closes encoders of 90 MB on separate threads.
// Allocating large blocks from the system, and two heaps instead of sixteen, reduce memory from 820 MB to 590 MB and
// cost 5 % more processor time (bench/RESULTS.md, Rendering).
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
  // A render ends before most optimised code has saved the time of its compilation. Optimising later saves 5 % of the
  // processor time. Later versions of Node have no such flag, and would print an error; they do not need it.
  if (isRender && process.version.startsWith('v20.')) setFlagsFromString('--interrupt-budget=1000000');
  await import('../dist/main.js');
}
