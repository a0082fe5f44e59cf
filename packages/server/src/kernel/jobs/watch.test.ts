import { expect, test } from 'vitest';
import { systemClock } from '../clock.js';
import { loadConfig } from '../config/config.js';
import { createLog } from '../observability/log.js';
import { watchClaim } from './watch.js';

const kernel = {
  clock: systemClock(),
  log: createLog(loadConfig({ env: { FIGUREHEAD_LOG_LEVEL: 'silent' } }), 'test'),
};

test('heartbeats of a claim do not pile up while the database is unavailable, and the latest progress is written when it is back', async () => {
  const outer = new AbortController();
  const seen: number[] = [];
  let calls = 0;
  let comeBack: () => void = () => undefined;
  const away = new Promise<void>((resolve) => {
    comeBack = resolve;
  });
  const everyMs = 5;
  const watch = watchClaim(kernel, {
    outer: outer.signal,
    everyMs,
    heartbeat: async ({ progress }) => {
      if (++calls === 1) await away;
      seen.push(progress);
      return true;
    },
  });
  await expect.poll(() => calls).toBe(1);
  let others = 0;
  const other = watchClaim(kernel, { outer: outer.signal, everyMs, heartbeat: async () => ++others > 0 });
  await expect.poll(() => others).toBeGreaterThan(20);
  await other.stop();
  expect(calls).toBe(1);
  watch.report({ progress: 0.5, stage: 'encoding' });
  comeBack();
  await expect.poll(() => seen.slice(0, 2)).toEqual([0, 0.5]);
  await watch.stop();
  expect(watch.signal.aborted).toBe(false);
});

test('a heartbeat that finds the claim lost aborts the signal; a failed heartbeat does not', async () => {
  let calls = 0;
  let hasOutlived = false;
  const watch = watchClaim(kernel, {
    outer: new AbortController().signal,
    everyMs: 5,
    heartbeat: async () => {
      if (++calls === 1) throw new Error('away');
      if (calls === 2) hasOutlived = !watch.signal.aborted;
      return false;
    },
  });
  await expect.poll(() => watch.signal.aborted).toBe(true);
  expect(hasOutlived).toBe(true);
  await watch.stop();
});
