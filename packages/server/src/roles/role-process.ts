import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../kernel/config/config.js';
import { Bell } from '../kernel/waiting.js';
import { HEARTBEAT_EVERY_MS, isHeartbeat } from './heartbeat.js';
import type { RoleName } from './roles.js';

/**
 * Environment that configures the C library's allocator for a role; values set by the operator take precedence. By
 * default glibc gives every thread its own heap (eight per core), and the short-lived threads of a render leave them
 * fragmented: a worker that renders small videos used 700 MB and kept growing; with two heaps it stays at 350 MB, for
 * the same processor time (bench/RESULTS.md, Soak). Allocating large blocks from the system as well
 * (`MALLOC_MMAP_THRESHOLD_`) saves another 40 MB and costs up to a tenth more processor time. Other C libraries ignore
 * it. It is read when a process starts, so it is set by the supervisor, and by the image and the systemd unit of a
 * single role.
 */
export const ALLOCATOR_SETTINGS = { MALLOC_ARENA_MAX: '2' } as const;

/** A role as a child process that is restarted when it dies, and killed when it hangs. */
export interface RoleProcess {
  readonly name: RoleName;
  /** Process id while it runs. */
  readonly pid: number | undefined;
  /**
   * Rejects when the role has died {@link ATTEMPTS_TO_START} times and was never ready. One that was ready before is started again
   * without end: the other roles must go on. Resolves when it was stopped.
   */
  readonly ended: Promise<void>;
  /** Lets it finish its work without restarting it. Resolves when it has ended. */
  drain(): Promise<void>;
  kill(): void;
}

const ATTEMPTS_TO_START = 5;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 15_000;
/** After being ready for this long, a crash counts as a new problem, and the role restarts without delay. */
const HEALTHY_AFTER_MS = 30_000;

/**
 * A ready role that has not reported for this long is considered hung. On two cores at load 23, with renders and a full
 * API, the longest silence of a healthy role was 5.3 s, and 7.5 s while it started.
 */
const SILENT_BEATS = 12;
/** Until it is ready: it may load large files from a slow disk at once. */
const SILENT_BEATS_AT_START = 90;

const PROGRAM = fileURLToPath(new URL('../main.js', import.meta.url));

/**
 * Starts a role and keeps it running.
 * @param options.env variables that the role waits for, while it loads what needs no configuration.
 */
export function superviseRole(options: {
  name: RoleName;
  env: Promise<Readonly<Record<string, string>>>;
  notice: (line: string) => void;
}): RoleProcess {
  const { name, env, notice } = options;
  let child: ChildProcess | undefined;
  let stopping = false;
  const stop = new Bell();
  const ended = keep();
  // Callers that do not wait for it must not end with an unhandled rejection.
  ended.catch(() => undefined);

  async function keep(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    let failuresToStart = 0;
    let wasEverReady = false;
    let hasEnded = false;
    while (!stopping) {
      const startedAt = performance.now();
      const started = fork(PROGRAM, ['start', '--role', name, '--supervised'], {
        env: { ...ALLOCATOR_SETTINGS, ...childEnvironment({}) },
        // A separate process group: Ctrl-C in a terminal reaches only the supervisor, which stops the roles in order.
        detached: true,
      });
      child = started;
      // The process may have ended; without an environment the supervisor ends.
      env.then((given) => started.connected && started.send(given, () => undefined)).catch(() => undefined);
      const stopWatching = killWhenSilent(child, { name, notice });
      if (hasEnded) {
        child.on('message', (message) => {
          if (message === 'ready') notice(`The role ${name} is running again.`);
        });
      }
      const outcome = await outcomeOf(child);
      stopWatching();
      child = undefined;
      hasEnded = true;
      if (stopping) return;
      wasEverReady ||= outcome.wasReady;
      failuresToStart += 1;
      if (!wasEverReady && failuresToStart === ATTEMPTS_TO_START)
        throw new Error(`The role ${name} cannot be started (${outcome.reason}).`);
      if (outcome.wasReady && performance.now() - startedAt > HEALTHY_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      notice(`The role ${name} ended (${outcome.reason}); starting it again in ${pauseMs / 1000} s.`);
      await stop.heard(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  return {
    name,
    get pid() {
      return child?.pid;
    },
    ended,
    drain: async () => {
      stopping = true;
      stop.ring();
      child?.kill('SIGTERM');
      await ended.catch(() => undefined);
    },
    kill: () => {
      stopping = true;
      stop.ring();
      child?.kill('SIGKILL');
    },
  };
}

/**
 * Kills a role that does not report, also while it drains, because a hung role would never end.
 * @returns stops the watch.
 */
function killWhenSilent(role: ChildProcess, told: { name: RoleName; notice: (line: string) => void }): () => void {
  let missedHeartbeats = 0;
  let limit = SILENT_BEATS_AT_START;
  let running: readonly string[] = [];
  role.on('message', (message) => {
    if (message === 'ready') limit = SILENT_BEATS;
    if (!isHeartbeat(message)) return;
    missedHeartbeats = 0;
    ({ running } = message);
  });
  // Counted in ticks of this timer instead of by the clock: after the machine was asleep, roles must not appear silent
  // for hours.
  const timer = setInterval(() => {
    missedHeartbeats += 1;
    if (missedHeartbeats !== limit) return;
    const work = running.length === 0 ? 'Its last report named no work.' : `Its last report: ${running.join('; ')}.`;
    told.notice(`The role ${told.name} (process ${role.pid}) has not reported for ${limit} s; killing it. ${work}`);
    role.kill('SIGKILL');
  }, HEARTBEAT_EVERY_MS);
  return () => clearInterval(timer);
}

async function outcomeOf(child: ChildProcess): Promise<{ wasReady: boolean; reason: string }> {
  let wasReady = false;
  child.on('message', (message) => {
    if (message === 'ready') wasReady = true;
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ wasReady, reason: error.message }));
    child.once('exit', (code, signal) => resolve({ wasReady, reason: signal ?? `status ${code}` }));
  });
}
