import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALLOCATOR_SETTINGS } from '../../packages/server/dist/roles/role-process.js';
import { openProxy } from './cuttable-proxy.js';

/** Pause between the death of a role and its next start, like in a service manager. */
const RESTART_MS = 500;

/**
 * A role on a simulated machine: a process with its own data folder, whose database connection can be cut. It is
 * restarted whenever it ends.
 * @param options `name` (`api`, `worker`, `streams`), `program`, `env` with FIGUREHEAD_DATA and without DATABASE_URL, `database` ({port,
 * url(port)}), `log` (a file).
 */
export async function startRole({ name, label, program, env, database, log }) {
  const proxy = await openProxy({ host: '127.0.0.1', port: database.port });
  const output = createWriteStream(log, { flags: 'a' });
  let child;
  let stopping = false;
  let isReady = false;
  let restarts = 0;

  function run() {
    isReady = false;
    child = fork(program, ['start', '--role', name], {
      env: { ...ALLOCATOR_SETTINGS, ...process.env, ...env, DATABASE_URL: database.url(proxy.port) },
      silent: true,
    });
    child.stdout.pipe(output, { end: false });
    child.stderr.pipe(output, { end: false });
    child.on('message', (message) => {
      if (message === 'ready') isReady = true;
    });
    child.once('exit', async () => {
      isReady = false;
      if (stopping) return;
      restarts += 1;
      await sleep(RESTART_MS);
      if (!stopping) run();
    });
  }

  run();
  return {
    name,
    label,
    dataDir: env.FIGUREHEAD_DATA,
    get pid() {
      return child.pid;
    },
    get ready() {
      return isReady;
    },
    get restarts() {
      return restarts;
    },
    proxy,
    log,
    kill: (signal = 'SIGKILL') => child.kill(signal),
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    async stop() {
      stopping = true;
      const { exitCode, signalCode } = child;
      if (exitCode === null && signalCode === null) {
        const gone = once(child, 'exit');
        child.kill('SIGCONT');
        child.kill('SIGTERM');
        await Promise.race([gone, sleep(20_000).then(() => child.kill('SIGKILL'))]);
      }
      await proxy.close();
      output.end();
    },
  };
}
