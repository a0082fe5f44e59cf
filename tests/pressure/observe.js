import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const WATCHER = fileURLToPath(new URL('./watcher.js', import.meta.url));

/** Number of requests that the server handles at once. */
const ALL_SLOTS = 100;
/** A server that has not recovered after this time is replaced for the next attack. */
const GIVE_UP_MS = 10_000;
/** Counted time of a call without a response. */
const NO_ANSWER_MS = 8000;

/**
 * Watches a server with a probe of `/healthz` and with regular calls of an innocent workspace.
 * @returns `stop()` → `{healthWorst, p50, p99, worst, calls, not200, statuses}`, times in ms; an innocent call that is not answered with 200 counts as
 * 8 s in p50, p99 and worst.
 */
export async function watchServer(stage) {
  const child = fork(WATCHER, [stage.url, stage.innocent.token]);
  await once(child, 'message');
  return {
    async stop() {
      child.send('stop');
      const [{ health, innocent }] = await once(child, 'message');
      const times = innocent.map(({ status, ms }) => (status === 200 ? ms : NO_ANSWER_MS)).sort((a, b) => a - b);
      return {
        healthWorst: Math.max(0, ...health.map(({ status, ms }) => (status === 200 ? ms : NO_ANSWER_MS))),
        p50: quantile(times, 0.5),
        p99: quantile(times, 0.99),
        worst: times.at(-1) ?? 0,
        calls: innocent.length,
        not200: innocent.filter(({ status }) => status !== 200).length,
        statuses: innocent.map(({ status }) => status),
      };
    },
  };
}

/** Milliseconds until 100 concurrent calls of the innocent workspace were all answered with 200; `undefined` when that did not happen in 10 s. */
export async function slotsBack(stage, giveUpMs = GIVE_UP_MS) {
  const from = performance.now();
  while (performance.now() - from < giveUpMs) {
    const left = giveUpMs - (performance.now() - from);
    const answers = await Promise.all(
      Array.from({ length: ALL_SLOTS }, () =>
        stage.call('GET', '/api/v1/videos', { token: stage.innocent.token, patienceMs: left }),
      ),
    );
    if (answers.every(({ status }) => status === 200)) return performance.now() - from;
    await sleep(100);
  }
  return undefined;
}

/** The value below which `share` of sorted values lie; 0 without any. */
export function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
