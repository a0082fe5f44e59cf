import { randomUUID, X509Certificate } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { createTransport } from 'nodemailer';
import { operatorsIdentity } from '../features/renders/credentials/offline.js';
import { withDatabase } from '../installation.js';
import { systemClock } from '../kernel/clock.js';
import type { Config } from '../kernel/config/config.js';
import { openDatabase } from '../kernel/database/database.js';
import { executedMigrations, migrationNames } from '../kernel/database/migrations.js';
import { createLifecycle } from '../kernel/lifecycle.js';
import { createMediaLinks } from '../kernel/storage/media-links.js';
import { createTemporaryFolders } from '../kernel/storage/temporary-folders.js';
import { examine, type Finding, type Found, skipped } from './finding.js';

/** Links and tokens expire by the machine's clock, leases by the database's. */
const MAX_SKEW_MS = 5000;
const MAIL_WITHIN_MS = 10_000;
/** Short, because an operator is waiting for the result. */
const DATABASE_WITHIN_MS = 3000;

/** Checks external services: database, clock, bucket, mail. */
export async function examineStores(config: Config, notice: (line: string) => void): Promise<Finding[]> {
  return [
    ...(await examineDatabase(config, notice)),
    config.s3Bucket === undefined
      ? skipped('bucket', 'media are files in the data folder')
      : await examine(
          'bucket',
          'Check FIGUREHEAD_S3_ENDPOINT, _BUCKET, _REGION and the keys; they must allow put, get, list and delete.',
          () => bucket(config),
        ),
    await examine('content credentials', 'Check FIGUREHEAD_CREDENTIALS_CERTIFICATE and _KEY.', () =>
      credentials(config),
    ),
    config.smtpUrl === undefined
      ? skipped('mail', 'kept in the outbox of the console', 'Set FIGUREHEAD_SMTP_URL to send it.')
      : await examine('mail', 'Check FIGUREHEAD_SMTP_URL: its host, port, user and password.', () =>
          mail(config.smtpUrl ?? ''),
        ),
  ];
}

async function credentials(config: Config): Promise<Found> {
  const own = await operatorsIdentity(config);
  if (own === undefined) return { detail: 'films are signed by a certificate that this installation issued itself' };
  const { subject, validTo } = new X509Certificate(own.certificates);
  return { detail: `films are signed by ${subject.replaceAll('\n', ', ')}, valid until ${validTo}` };
}

async function examineDatabase(config: Config, notice: (line: string) => void): Promise<Finding[]> {
  const advice =
    config.databaseUrl === undefined
      ? 'See the message; `figurehead start` creates the embedded database on its first run.'
      : 'Check DATABASE_URL, that PostgreSQL runs and that this machine may connect.';
  const findings: Finding[] = [];
  const whole = await examine('database', advice, () =>
    withDatabase({ config, notice, waitMs: DATABASE_WITHIN_MS }, async (url) => {
      const { db, close } = openDatabase({ url, maxConnections: 2, onError: () => undefined });
      try {
        findings.push(
          await examine('clock', 'Run a time service (chrony, systemd-timesyncd) on both machines.', () => clock(db)),
        );
        findings.push(
          await examine('connections', 'Raise max_connections of PostgreSQL.', () => connections(db, config)),
        );
        return await version(db, config);
      } finally {
        await close();
      }
    }),
  );
  return [whole, ...findings];
}

type Db = ReturnType<typeof openDatabase>['db'];

async function version(db: Db, config: Config): Promise<Found> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
  const done = new Set(await executedMigrations(db));
  const pending = (await migrationNames()).filter((name) => !done.has(name));
  const where = config.databaseUrl === undefined ? 'embedded' : 'server';
  const name = `PostgreSQL ${rows[0]?.version ?? ''} (${where})`;
  if (pending.length === 0) return { detail: `${name}, up to date` };
  return { detail: `${name}, to be migrated by the next start (${pending.length} migrations)` };
}

async function clock(db: Db): Promise<Found> {
  const before = Date.now();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const skew = Math.round((rows[0]?.now.getTime() ?? 0) - (before + Date.now()) / 2);
  if (Math.abs(skew) > MAX_SKEW_MS) throw new Error(`the database's clock differs by ${(skew / 1000).toFixed(1)} s`);
  return { detail: `the database's differs by ${Math.abs(skew)} ms` };
}

async function connections(db: Db, { databaseConnections }: Config): Promise<Found> {
  const { rows } = await sql<{ most: number; used: number }>`
    select current_setting('max_connections')::int as most, (select count(*)::int from pg_stat_activity) as used`.execute(
    db,
  );
  const { most = 0, used = 0 } = rows[0] ?? {};
  const detail = `${used} of ${most} in use; each process opens up to ${databaseConnections + 2}`;
  if (most - used > 3 * (databaseConnections + 2)) return { detail };
  return {
    status: 'warning',
    detail,
    advice: 'Raise max_connections, or lower FIGUREHEAD_DATABASE_CONNECTIONS, before you add processes.',
  };
}

/** Puts, gets, lists and deletes an object with a unique name. */
async function bucket(config: Config): Promise<Found> {
  const { openS3Objects } = await import('../kernel/storage/objects-s3.js');
  const lifecycle = createLifecycle(() => undefined);
  const links = createMediaLinks({ baseUrl: config.url, secret: 'doctor', clock: systemClock() });
  const temporary = createTemporaryFolders({ dataDir: config.dataDir, lifecycle });
  const objects = openS3Objects({ config, bucket: config.s3Bucket ?? '', temporary, links, lifecycle });
  const key = `doctor/${randomUUID()}`;
  const content = Buffer.from('figurehead doctor');
  try {
    await objects.put(key, content, 'text/plain');
    const found = await objects.get(key);
    if (found === undefined || !content.equals(await buffer(found.body)))
      throw new Error('the stored test object differs when it is read');
    let isListed = false;
    for await (const object of objects.list('doctor/')) isListed ||= object.key === key;
    await objects.delete(key);
    if (!isListed) throw new Error('the stored test object is not listed');
    if ((await objects.info(key)) !== undefined) throw new Error('the deleted test object still exists');
    return { detail: `${config.s3Bucket}: put, get, list and delete work` };
  } finally {
    await lifecycle.close();
  }
}

/** Connects to the server and signs in; sends nothing. */
async function mail(url: string): Promise<Found> {
  const transport = createTransport(url, {
    connectionTimeout: MAIL_WITHIN_MS,
    greetingTimeout: MAIL_WITHIN_MS,
    socketTimeout: MAIL_WITHIN_MS,
  } as object);
  try {
    await transport.verify();
    return { detail: `${new URL(url).host} takes mail` };
  } finally {
    transport.close();
  }
}
