import { copyBeforeUpgrade } from './backup/before-upgrade.js';
import type { Config } from './kernel/config/config.js';
import type { Kernel } from './kernel/contract.js';
import { createKernel } from './kernel/create-kernel.js';
import { findEmbeddedPostgres, openEmbeddedPostgres } from './kernel/database/postgres/embedded.js';
import { waitForDatabase } from './kernel/database/wait.js';
import { createLog } from './kernel/observability/log.js';
import { OperatorError } from './kernel/operator-error.js';
import { ensureDataFolder } from './kernel/storage/data-folder.js';
import { lockDataFolder } from './kernel/storage/data-lock.js';

/**
 * Runs a command on the installation's database: DATABASE_URL; the embedded PostgreSQL of a running server; or one that
 * is started for the command and stopped afterwards.
 * @param options.notice receives messages for the operator; not standard output, which is the command's.
 * @param options.waitMs for an external server; default 30 s.
 */
export async function withDatabase<T>(
  options: { config: Config; notice: (line: string) => void; waitMs?: number },
  use: (url: string) => Promise<T>,
): Promise<T> {
  const { config, notice, waitMs } = options;
  if (config.databaseUrl !== undefined) {
    await waitForDatabase(config.databaseUrl, notice, waitMs);
    return use(config.databaseUrl);
  }
  await ensureDataFolder(config.dataDir);
  const lock = await lockDataFolder(config.dataDir, 'command');
  if (!lock.locked) {
    const url = await findEmbeddedPostgres(config.dataDir);
    if (url === undefined)
      throw new OperatorError(`The server on ${config.dataDir} is starting or stopping; try again in a moment.`);
    await waitForDatabase(url, notice);
    return use(url);
  }
  try {
    const database = await openEmbeddedPostgres({ dataDir: config.dataDir, notice });
    try {
      return await use(database.url);
    } finally {
      await database.stop();
    }
  } finally {
    await lock.release();
  }
}

/**
 * {@link withDatabase} with a whole kernel, which is closed afterwards. Its log goes to standard error, from level
 * warning up.
 */
export async function withKernel<T>(
  config: Config,
  notice: (line: string) => void,
  use: (kernel: Kernel) => Promise<T>,
): Promise<T> {
  return withDatabase({ config, notice }, async (databaseUrl) => {
    const quiet = Object.freeze({
      ...config,
      databaseUrl,
      logLevel: config.logLevel === 'silent' ? ('silent' as const) : ('warn' as const),
    });
    await copyBeforeUpgrade({ config, url: databaseUrl, notice });
    const kernel = await createKernel(quiet, 'command', createLog(quiet, 'command', process.stderr));
    try {
      return await use(kernel);
    } finally {
      await kernel.lifecycle.close();
    }
  });
}
