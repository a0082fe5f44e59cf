import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { extract } from 'tar-stream';
import type { Config } from '../kernel/config/config.js';
import type { Kernel } from '../kernel/contract.js';
import { createKernel } from '../kernel/create-kernel.js';
import { openDatabase } from '../kernel/database/database.js';
import { migrate, migrationNames } from '../kernel/database/migrations.js';
import { QUEUES } from '../kernel/jobs/definitions.js';
import { installQueue } from '../kernel/jobs/tables.js';
import { createLog } from '../kernel/observability/log.js';
import { OperatorError } from '../kernel/operator-error.js';
import { type BackupManifest, type BackupSummary, type BackupTable, quoted, tableEntry } from './format.js';
import { listTables, resetSequences } from './tables.js';

/**
 * Restores a backup into an empty database: the tables of the older program in one transaction, then the newer
 * migrations, then the media. After a failure the database is empty again.
 * @throws OperatorError when the file is not a backup, is from a newer program, or the database is not empty.
 */
export async function restoreBackup(options: { config: Config; url: string; file: string }): Promise<BackupSummary> {
  const { url, file } = options;
  const config = Object.freeze({ ...options.config, databaseUrl: url, logLevel: 'warn' as const });
  await access(file, constants.R_OK).catch((cause: NodeJS.ErrnoException) => {
    throw new OperatorError(`The backup ${file} cannot be read (${cause.code}).`, { cause });
  });
  await requireWhole(file);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await refuseFull(client);
    try {
      return await readBackup({ config, client, file });
    } catch (error) {
      await client.query('rollback');
      await emptyDatabase(client);
      throw error;
    }
  } finally {
    await client.end();
  }
}

/** Reads the whole file before anything is written: a truncated or damaged backup must not be restored in part. */
async function requireWhole(file: string): Promise<void> {
  const tar = extract();
  const reading = pipeline(createReadStream(file), tar);
  reading.catch(() => undefined);
  const names = new Set<string>();
  let manifest: BackupManifest | undefined;
  try {
    for await (const source of tar) {
      const { name } = source.header;
      if (manifest === undefined) {
        manifest = await readManifest({ name, body: Readable.from(source as unknown as AsyncIterable<Buffer>) });
      } else source.resume();
      names.add(name);
    }
    await reading;
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    if (manifest === undefined) throw notABackup(cause);
    throw new OperatorError(
      `The backup ${file} is truncated or damaged: it ends after ${names.size} files. Nothing was restored.`,
      { cause },
    );
  }
  if (manifest === undefined) throw notABackup();
  const missing = manifest.tables.filter((table) => !names.has(tableEntry(table)));
  if (missing.length > 0) {
    const there = manifest.tables.length - missing.length;
    throw new OperatorError(
      `The backup ${file} is truncated: it has ${there} of its ${manifest.tables.length} tables. Nothing was restored.`,
    );
  }
}

/** A file inside the tar file. */
interface Entry {
  readonly name: string;
  readonly body: Readable;
}

interface Restoration {
  readonly config: Config & { databaseUrl: string };
  readonly client: pg.Client;
  readonly file: string;
}

async function readBackup({ config, client, file }: Restoration): Promise<BackupSummary> {
  const tar = extract();
  // A failure appears in the loop below, because the pipeline destroys the entry that is being read.
  const reading = pipeline(createReadStream(file), tar);
  reading.catch(() => undefined);
  let manifest: BackupManifest | undefined;
  let kernel: Kernel | undefined;
  let contentType = '';
  const counts = { tables: 0, rows: 0, objects: 0 };
  try {
    for await (const source of tar) {
      const { name } = source.header;
      // The types of streamx do not declare that its streams are iterable.
      const entry = { name, body: Readable.from(source as unknown as AsyncIterable<Buffer>) };
      if (manifest === undefined) {
        manifest = await readManifest(entry);
        await makeTables(client, config.databaseUrl, manifest);
      } else if (name.startsWith('tables/')) {
        counts.rows += await fillTable(client, manifest, entry);
        counts.tables += 1;
      } else {
        kernel ??= await finishTables(client, config, manifest);
        if (name.endsWith('~type')) {
          contentType = (await buffer(entry.body)).toString();
        } else {
          await kernel.objects.put(name.replace(/^objects\//, ''), entry.body, contentType);
          counts.objects += 1;
        }
      }
    }
    await reading;
    if (manifest === undefined) throw notABackup();
    kernel ??= await finishTables(client, config, manifest);
    return counts;
  } catch (error) {
    // Any error before the manifest means that this is not a backup.
    throw manifest === undefined && !(error instanceof OperatorError) ? notABackup(error) : error;
  } finally {
    await kernel?.lifecycle.close();
  }
}

function notABackup(cause?: unknown): OperatorError {
  return new OperatorError('expected a backup made by `figurehead backup`, got another file.', { cause });
}

async function readManifest(entry: Entry): Promise<BackupManifest> {
  if (entry.name !== 'manifest.json') throw notABackup();
  const manifest = JSON.parse((await buffer(entry.body)).toString()) as BackupManifest;
  if (manifest.format !== 1) throw notABackup();
  const known = await migrationNames();
  const unknown = manifest.migrations.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new OperatorError(
      `The backup is from a newer Figurehead (${unknown.join(', ')}); install that version to restore it.`,
    );
  }
  return manifest;
}

async function makeTables(client: pg.Client, url: string, manifest: BackupManifest): Promise<void> {
  const connection = openDatabase({ url, maxConnections: 3, onError: () => undefined });
  try {
    await migrate(connection.db, { only: manifest.migrations });
    await installQueue(connection, QUEUES);
  } finally {
    await connection.close();
  }
  await client.query('begin');
  // Rows inserted by migrations are in the backup as well.
  const tables = await listTables(client);
  await client.query(`truncate ${tables.map((table) => quoted(table).name).join(', ')}`.concat(' cascade'));
}

/** @returns the number of rows. */
async function fillTable(client: pg.Client, manifest: BackupManifest, entry: Entry): Promise<number> {
  const table = manifest.tables.find((candidate) => tableEntry(candidate) === entry.name);
  if (table === undefined) throw notABackup();
  const { name, columns } = quoted(table);
  const target = client.query(copyFrom(`copy ${name} (${columns}) from stdin`));
  await pipeline(entry.body, target);
  return target.rowCount ?? 0;
}

async function finishTables(client: pg.Client, config: Config, manifest: BackupManifest): Promise<Kernel> {
  await resetSequences(client, manifest.tables.filter(isOurs));
  await client.query('commit');
  return createKernel(config, 'restore', createLog(config, 'restore', process.stderr));
}

function isOurs(table: BackupTable): boolean {
  return table.schema === 'public';
}

async function refuseFull(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname in ('public', 'boss') limit 1`,
  );
  if (rowCount !== 0) {
    throw new OperatorError(
      'The database is not empty; restore into a new data folder (FIGUREHEAD_DATA) or an empty database (DATABASE_URL).',
    );
  }
}

/** Empties a database before restoring or moving into it. */
export async function emptyDatabase(client: pg.Client): Promise<void> {
  await client.query('drop schema if exists boss cascade');
  await client.query('drop schema public cascade');
  await client.query('create schema public');
}
