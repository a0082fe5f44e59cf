import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

const MODULE = new URL('../../dist/roles/stop-signals.js', import.meta.url).href;

const PROGRAM = `
  import { listenForStop } from ${JSON.stringify(MODULE)};
  const stop = listenForStop(console.log);
  stop.draining.addEventListener('abort', () => setTimeout(() => process.exit(), 1000));
  stop.killing.addEventListener('abort', () => process.exit());
  setTimeout(() => {}, 100_000);
  console.log('runs');`;

it('a server that npm started stops when npm’s shell is ended, once', async () => {
  // Followed by another command, which no shell replaces itself with.
  const command = `"$NODE" --input-type=module -e "$PROGRAM"; true`;
  const env = { ...process.env, npm_lifecycle_event: 'start', NODE: process.execPath, PROGRAM };
  const shell = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const output = text(shell.stdout.on('data', () => shell.kill('SIGTERM')));
  expect(await once(shell, 'exit')).toEqual([null, 'SIGTERM']);
  // The pipe ends with the program, which has outlived its shell.
  expect(await output).toBe('runs\nStopping after the current work; a second signal stops at once.\n');
});
