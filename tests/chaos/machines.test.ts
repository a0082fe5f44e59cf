import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const RUN = fileURLToPath(new URL('./run.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A short version of `npm run chaos` with one fault of each kind instead of a hundred. */
test('two APIs, three workers and two stream hosts on one database and one bucket lose nothing while they are killed, frozen and cut off', async () => {
  const faults = ['--kills', '5', '--freezes', '1', '--cuts', '2', '--away', '2000,5000', '--pause', '1200'];
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, ...faults, '--idle', '6', '--json'], {
    cwd: ROOT,
    maxBuffer: 10_000_000,
  });
  const { facts, faults: found } = JSON.parse(stdout);
  expect(Object.fromEntries(Object.entries(found).filter(([, count]) => count !== 0))).toEqual({});
  expect(facts['kills, freezes, cuts']).toBe('5, 1, 2');
  expect(facts['renders acknowledged']).toBeGreaterThan(0);
  expect(facts['events received']).toBeGreaterThan(0);
});
