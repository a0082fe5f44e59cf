import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../packages/server/dist/main.js', import.meta.url));

/** A role of the built program in a separate process. */
export interface RunningRole {
  /** Its output so far. */
  log(): string;
  /** Drains it. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Kills it like a crash. Resolves when it has ended. */
  kill(): Promise<void>;
}

/** Starts a role and waits until it is ready. @param env its whole configuration. */
export async function startRole(
  name: 'api' | 'worker' | 'streams',
  env: Readonly<Record<string, string>>,
): Promise<RunningRole> {
  const child = fork(PROGRAM, ['start', '--role', name], {
    env: { ...process.env, ...env },
    // Without the options of the test runner, such as development builds of libraries.
    execArgv: [],
    silent: true,
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (log += text.toString()));
  const gone = once(child, 'exit');
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      if (message === 'ready') resolve();
    });
  });
  const failed = gone.then(() => {
    throw new Error(`the role ${name} ended before it was ready:\n${log}`);
  });
  // Once it was ready, its end does not count as a failed start.
  failed.catch(() => undefined);
  await Promise.race([ready, failed]);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await gone;
  };
  return { log: () => log, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
