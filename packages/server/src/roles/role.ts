import { once } from 'node:events';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from '../kernel/clock.js';
import { type Config, loadConfig } from '../kernel/config/config.js';
import type { Kernel } from '../kernel/contract.js';
import { createKernel } from '../kernel/create-kernel.js';
import { findEmbeddedPostgres } from '../kernel/database/postgres/embedded.js';
import { waitForDatabase } from '../kernel/database/wait.js';
import { createLog } from '../kernel/observability/log.js';
import { openLogFile } from '../kernel/observability/log-file.js';
import { OperatorError } from '../kernel/operator-error.js';
import { sweepPeriodically } from '../kernel/storage/temporary-folders.js';
import { startHeartbeat } from './heartbeat.js';
import { ROLES, type RoleModule, type RoleName } from './roles.js';
import { listenForStop } from './stop-signals.js';

/** A role whose supervisor died must free its port for the successor. */
const ORPHAN_CLOSES_WITHIN_MS = 5000;

/**
 * Runs one role until it is stopped by SIGTERM or SIGINT (the first drains, the second ends at once), or by the loss of
 * its supervisor.
 * @param options.supervised the supervisor sends the environment when the database runs.
 * @returns the exit status.
 */
export async function runRole(name: RoleName, { supervised = false }: { supervised?: boolean } = {}): Promise<number> {
  // Files of a role are readable by this user only.
  process.umask(0o077);
  // Until there is a kernel to close, a role whose supervisor has ended just exits.
  const exit = (): never => process.exit(1);
  process.once('disconnect', exit);
  let kernel: Kernel | undefined;
  startHeartbeat(() => kernel?.queue.running() ?? []);
  const role: RoleModule = await ROLES[name]();
  // The fonts of drawings, which fontconfig reads once: `prepareDrawingFonts` writes them.
  process.env['FONTCONFIG_FILE'] = join(loadConfig().dataDir, 'cache', 'drawing-fonts', 'fonts.conf');
  process.env['PANGOCAIRO_BACKEND'] = 'fontconfig';
  const log = openRoleLog(loadConfig(), name);
  const [start] = await Promise.all([
    'prepare' in role ? role.prepare(loadConfig(), log) : role.start,
    supervised ? receiveEnvironment() : undefined,
  ]);
  const config = loadConfig();
  const databaseUrl = config.databaseUrl ?? (await findEmbeddedPostgres(config.dataDir));
  if (databaseUrl === undefined) {
    throw new OperatorError(
      `The role ${name} needs DATABASE_URL; without --role, \`figurehead start\` starts its own database.`,
    );
  }
  await waitForDatabase(databaseUrl, (line) => log.warn(line));
  kernel = await createKernel(Object.freeze({ ...config, databaseUrl }), name, log);
  process.off('disconnect', exit);
  const ending = awaitEnd(kernel);
  await sweepPeriodically(kernel);
  try {
    await start(kernel);
  } catch (error) {
    await kernel.lifecycle.close();
    throw error;
  }
  // A supervisor is more patient with roles that were never ready.
  process.send?.('ready');
  return ending;
}

/** Adds the variables from the supervisor to the environment. */
async function receiveEnvironment(): Promise<void> {
  const [env] = (await once(process, 'message')) as [Record<string, string>];
  Object.assign(process.env, env);
}

/** The role's log on standard output and, unless disabled, in files of the data folder. */
function openRoleLog(config: Config, name: RoleName): Logger {
  if (config.logDays === 0 || config.logLevel === 'silent') return createLog(config, name);
  let complained = false;
  const file = openLogFile({
    dataDir: config.dataDir,
    role: name,
    clock: systemClock(),
    onError: (error) => {
      if (!complained) process.stderr.write(`figurehead: the log file cannot be written: ${error.message}\n`);
      complained = true;
    },
  });
  return createLog(config, name, process.stdout, file);
}

/** Resolves with the exit status after the lifecycle has closed. */
function awaitEnd(kernel: Kernel): Promise<number> {
  const { lifecycle, log } = kernel;
  return new Promise((resolve) => {
    const stop = listenForStop(() => undefined);
    stop.draining.addEventListener('abort', () => void lifecycle.close().then(() => resolve(0)));
    stop.killing.addEventListener('abort', () => resolve(1));
    process.once('disconnect', () => {
      log.warn('the supervisor has ended; closing');
      setTimeout(() => resolve(1), ORPHAN_CLOSES_WITHIN_MS).unref();
      void lifecycle.close().then(() => resolve(1));
    });
    process.once('uncaughtException', (error) => {
      log.fatal({ err: error }, 'unhandled error; the role ends');
      resolve(1);
    });
  });
}
