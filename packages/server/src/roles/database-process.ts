import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../kernel/database/postgres/embedded.js';
import { aborted } from '../kernel/waiting.js';

/** An embedded PostgreSQL that is restarted when it dies. */
export interface DatabaseProcess {
  /** Stays the same after restarts. */
  readonly url: string;
  stop(): Promise<void>;
}

const LONGEST_PAUSE_MS = 10_000;
/** Backends of a killed server hold its shared memory for a moment, during which a new one cannot start. */
const ORPHANS_LEAVE_WITHIN_MS = 5000;
/** After this run time a crash counts as a new problem. */
const HEALTHY_AFTER_MS = 60_000;

/** Keeps the embedded PostgreSQL of a data folder running. After a restart the pools of the roles reconnect. */
export async function superviseDatabase(dataDir: string, notice: (line: string) => void): Promise<DatabaseProcess> {
  const stopping = new AbortController();
  let current = await openEmbeddedPostgres({ dataDir, notice });
  if (current.adopted) notice(`Adopted the PostgreSQL that was left running (process ${current.pid}).`);
  const { url } = current;
  const watching = watch();

  async function watch(): Promise<void> {
    let pauseMs = 100;
    let startedAt = performance.now();
    for (;;) {
      await Promise.race([current.exited, aborted(stopping.signal)]);
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > HEALTHY_AFTER_MS) pauseMs = 100;
      notice('PostgreSQL stopped unexpectedly; starting it again.');
      const restarted = await restart(pauseMs);
      if (restarted === undefined) return;
      current = restarted;
      startedAt = performance.now();
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  async function restart(firstPauseMs: number): Promise<EmbeddedPostgres | undefined> {
    const since = performance.now();
    for (let pauseMs = firstPauseMs; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await delay(pauseMs);
      try {
        return await openEmbeddedPostgres({ dataDir, notice });
      } catch (error) {
        if (performance.now() - since > ORPHANS_LEAVE_WITHIN_MS) notice((error as Error).message);
      }
    }
    return undefined;
  }

  return {
    url,
    stop: async () => {
      stopping.abort();
      await watching;
      await current.stop();
    },
  };
}
