import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR_SETTINGS } from './allocator.js';
import { childEnvironment } from './config.js';
import type { RoleName } from './roles.js';

/** A role as a child process that is started again when it dies. */
export interface RoleProcess {
  readonly name: RoleName;
  /** Process id while it runs. */
  readonly pid: number | undefined;
  /** Rejects when the role has died {@link ATTEMPTS_TO_START} times without ever being ready. Resolves when it was stopped. */
  readonly ended: Promise<void>;
  /** Lets it finish what it does, and does not start it again. Resolves when it is gone. */
  drain(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

const ATTEMPTS_TO_START = 5;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 15_000;
/** A role that was ready for this long died of something new, and is back without delay. */
const HEALTHY_AFTER_MS = 30_000;

const PROGRAM = fileURLToPath(new URL('./main.js', import.meta.url));

/** Starts a role and keeps it running. */
export function keepRole(options: {
  name: RoleName;
  env: Readonly<Record<string, string>>;
  notice: (line: string) => void;
}): RoleProcess {
  const { name, env, notice } = options;
  let child: ChildProcess | undefined;
  let stopping = false;
  let wake = (): void => undefined;
  const ended = keep();
  // Whoever does not wait for it must not be ended by it.
  ended.catch(() => undefined);

  async function keep(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    let failuresToStart = 0;
    while (!stopping) {
      const startedAt = Date.now();
      child = fork(PROGRAM, ['start', '--role', name], {
        env: { ...ALLOCATOR_SETTINGS, ...childEnvironment(env) },
        // A group of its own: Ctrl-C in a terminal reaches the supervisor only, which tells the roles in order.
        detached: true,
      });
      const outcome = await outcomeOf(child);
      child = undefined;
      if (stopping) return;
      failuresToStart = outcome.wasReady ? 0 : failuresToStart + 1;
      if (failuresToStart === ATTEMPTS_TO_START)
        throw new Error(`The role ${name} does not start (${outcome.reason}).`);
      if (outcome.wasReady && Date.now() - startedAt > HEALTHY_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      notice(`The role ${name} ended (${outcome.reason}); starting it again in ${pauseMs / 1000} s.`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
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
      wake();
      child?.kill('SIGTERM');
      await ended.catch(() => undefined);
    },
    kill: () => {
      stopping = true;
      wake();
      child?.kill('SIGKILL');
    },
  };
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
