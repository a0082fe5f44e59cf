import { join } from 'node:path';
import type { Logger } from 'pino';
import { systemClock } from './clock.js';
import type { Config } from './config/config.js';
import type { Database, Ids, Kernel, Lifecycle, Objects, TemporaryFolders, Tracing } from './contract.js';
import { openDatabase } from './database/database.js';
import { createKeyedRead } from './database/keyed-read.js';
import { createIds } from './ids.js';
import { openQueue } from './jobs/queue.js';
import { createLifecycle } from './lifecycle.js';
import { createSafeFetch } from './network/fetch.js';
import { createMailer } from './network/mail.js';
import { createLog } from './observability/log.js';
import { openMetrics } from './observability/measures.js';
import { NO_TRACING, openTracing } from './observability/tracing.js';
import { OperatorError } from './operator-error.js';
import { createPasswords } from './passwords.js';
import { prepareDatabase } from './preparation.js';
import { sharedSecret } from './settings.js';
import { ensureDataFolder } from './storage/data-folder.js';
import { watchDisk } from './storage/disk.js';
import { createMediaLinks } from './storage/media-links.js';
import { openLocalObjects } from './storage/objects-local.js';
import { createTemporaryFolders } from './storage/temporary-folders.js';
import { programVersion } from './version.js';

/**
 * Opens the services of a role, after migrating the database. The caller closes `kernel.lifecycle`.
 * @param config `databaseUrl` must be set; for the embedded PostgreSQL, its URL.
 * @param role appears on log lines and as the name of the database connections.
 * @throws OperatorError with one sentence for the operator; everything opened so far is closed.
 */
export async function createKernel(
  config: Config,
  role: string,
  log: Logger = createLog(config, role),
): Promise<Kernel> {
  const url = config.databaseUrl;
  if (url === undefined) throw new OperatorError('DATABASE_URL is not set.');
  await ensureDataFolder(config.dataDir);
  await prepareDatabase(url);
  const lifecycle = createLifecycle((name, error) => log.error({ err: error }, `closing ${name} failed`));
  try {
    const temporary = createTemporaryFolders({ dataDir: config.dataDir, lifecycle });
    const clock = systemClock();
    const ids = createIds(clock);
    const connection = openDatabase({
      url,
      maxConnections: config.databaseConnections,
      applicationName: `figurehead ${role}`,
      silenceMs: true,
      onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    });
    lifecycle.onClose('database', connection.close);
    const { db, transaction } = connection;
    const read = createKeyedRead(connection.pool);
    const internalSecret = config.internalSecret ?? (await sharedSecret(db, ids, 'internal'));
    const objects = await openObjects({ config, db, ids, temporary, lifecycle });
    const mailer = createMailer({ config, db, ids, log, lifecycle });
    const metrics = openMetrics(role, connection.pool);
    const disk = watchDisk({
      folder: config.dataDir,
      reserveBytes: config.diskReserveMb * 1024 * 1024,
      clock,
      metrics,
    });
    const tracing = startTracing({ config, role, log, lifecycle });
    const queue = await openQueue({ connection, url: config.databaseUrl, log, lifecycle, metrics, tracing });
    return {
      config,
      internalSecret,
      log,
      clock,
      ids,
      passwords: createPasswords(),
      db,
      transaction,
      read,
      queue,
      objects,
      fetch: createSafeFetch(),
      mailer,
      lifecycle,
      metrics,
      tracing,
      disk,
      temporary,
    };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

function startTracing(options: { config: Config; role: string; log: Logger; lifecycle: Lifecycle }): Tracing {
  const { config, role, log, lifecycle } = options;
  if (config.otlpEndpoint === undefined) return NO_TRACING;
  const service = { role, version: programVersion() };
  return openTracing({ endpoint: config.otlpEndpoint, headers: config.otlpHeaders, service, log, lifecycle });
}

async function openObjects(options: {
  config: Config;
  db: Database;
  ids: Ids;
  temporary: TemporaryFolders;
  lifecycle: Lifecycle;
}): Promise<Objects> {
  const { config, db, ids, temporary, lifecycle } = options;
  const secret = await sharedSecret(db, ids, 'media-links');
  const links = createMediaLinks({ baseUrl: config.url, secret, clock: systemClock() });
  if (config.s3Bucket === undefined) return openLocalObjects({ folder: join(config.dataDir, 'objects'), links });
  // Loaded on demand, because the SDK is large.
  const { openS3Objects } = await import('./storage/objects-s3.js');
  return openS3Objects({ config, bucket: config.s3Bucket, temporary, links, lifecycle });
}
