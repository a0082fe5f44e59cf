import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type Pack, pack } from 'tar-stream';
import type { Config } from '../kernel/config/config.js';
import { createLifecycle } from '../kernel/lifecycle.js';
import { OperatorError } from '../kernel/operator-error.js';
import { missingAsUndefined } from '../kernel/storage/files.js';
import { createTemporaryFolders } from '../kernel/storage/temporary-folders.js';
import { type BackupManifest, type BackupSummary, type BackupTable, CACHES, quoted, tableEntry } from './format.js';
import { listTables } from './tables.js';

interface BackupSource {
  /** Database URL; the database is not changed, even when it is older than this program. */
  readonly url: string;
  readonly config: Config;
  /** False: only tables. Media in a bucket are never part of a backup. */
  readonly media?: boolean;
}

/** Contents of a new backup, and what was left out. */
interface CreatedBackup extends BackupSummary {
  readonly mediaInBucket: boolean;
  /** Cached media, which are recreated on demand. */
  readonly leftOut: LeftOut;
}

interface LeftOut {
  readonly objects: number;
  readonly bytes: number;
}

/**
 * Writes a backup while the server runs: all tables in one snapshot, then the media. The file gets its name when it is
 * complete.
 * @throws OperatorError when the file cannot be written.
 */
export async function createBackup(options: BackupSource & { file: string }): Promise<CreatedBackup> {
  const { config } = options;
  const file = resolve(options.file);
  const unfinished = `${file}.${randomUUID().slice(0, 8)}.part`;
  const unwritable = (cause: NodeJS.ErrnoException): OperatorError =>
    new OperatorError(`The backup cannot be written to ${file} (${cause.code}).`, { cause });
  const output = await open(unfinished, 'w', 0o600).catch((error) => Promise.reject(unwritable(error)));
  const mediaInBucket = config.s3Bucket !== undefined;
  const target: Target = { tar: pack(), failed: new AbortController() };
  // Filling and writing abort each other; the first failure is reported.
  let failure: unknown;
  const fail = (error: unknown): undefined => {
    failure ??= error;
    target.failed.abort();
    target.tar.destroy();
  };
  const writing = pipeline(target.tar, output.createWriteStream()).catch((error) => fail(unwritable(error)));
  const filling = fill(target, options).catch(fail);
  try {
    const [summary] = await Promise.all([filling, writing]);
    if (summary === undefined) throw failure;
    await rename(unfinished, file).catch((error) => Promise.reject(unwritable(error)));
    return { ...summary, mediaInBucket };
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Destination of the entries. */
interface Target {
  readonly tar: Pack;
  /** Aborted when the entries are no longer read. */
  readonly failed: AbortController;
}

async function fill(
  target: Target,
  { url, config, media = true }: BackupSource,
): Promise<Omit<CreatedBackup, 'mediaInBucket'>> {
  const isLocal = media && config.s3Bucket === undefined;
  // Media that are not in the backup keep their cached files.
  const tables = await addTables(target, { url, config, without: isLocal ? CACHES.tables : [] });
  const none = { objects: 0, leftOut: { objects: 0, bytes: 0 } };
  const objects = isLocal ? await addObjects(target, join(config.dataDir, 'objects')) : none;
  target.tar.finalize();
  return { ...tables, ...objects };
}

async function addTables(
  target: Target,
  { url, config, without }: { url: string; config: Config; without: readonly string[] },
): Promise<{ tables: number; rows: number }> {
  const client = new pg.Client({ connectionString: url });
  const lifecycle = createLifecycle(() => undefined);
  // Any role removes the folder when this process is killed.
  const scratch = await createTemporaryFolders({ dataDir: config.dataDir, lifecycle }).open('backup-');
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read, read only');
    const tables = (await listTables(client)).filter(
      ({ name, schema }) => schema !== 'public' || !without.includes(name),
    );
    const manifest: BackupManifest = {
      format: 1,
      createdAt: new Date().toISOString(),
      migrations: await listMigrations(client),
      tables,
    };
    await addEntry(target, 'manifest.json', Buffer.from(JSON.stringify(manifest, null, 2)));
    let rows = 0;
    for (const table of tables) rows += await addTable(target, { client, table, scratch: join(scratch, 'table') });
    await client.query('commit');
    return { tables: tables.length, rows };
  } finally {
    await client.end();
    await rm(scratch, { recursive: true, force: true });
    await lifecycle.close();
  }
}

/** In the snapshot of the copy; empty for an empty database. */
async function listMigrations(client: pg.Client): Promise<string[]> {
  const { rowCount } = await client.query("select 1 from pg_class where oid = to_regclass('kysely_migration')");
  if (rowCount === 0) return [];
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

/** A tar entry starts with its size, so the table is first written to a file. @returns the number of rows. */
async function addTable(
  target: Target,
  options: { client: pg.Client; table: BackupTable; scratch: string },
): Promise<number> {
  const { client, table, scratch } = options;
  const { name, columns } = quoted(table);
  // A query, because a partitioned table cannot be copied by name.
  const source = client.query(copyTo(`copy (select ${columns} from ${name}) to stdout`));
  await pipeline(source, createWriteStream(scratch, { mode: 0o600 }));
  await addFile(target, tableEntry(table), scratch);
  return source.rowCount ?? 0;
}

async function addObjects(target: Target, folder: string): Promise<{ objects: number; leftOut: LeftOut }> {
  let count = 0;
  const leftOut = { objects: 0, bytes: 0 };
  for await (const path of walk(folder)) {
    const name = relative(folder, path).replaceAll('\\', '/');
    if (isCached(name)) {
      leftOut.objects += 1;
      leftOut.bytes += (await stat(path).catch(missingAsUndefined))?.size ?? 0;
      continue;
    }
    const type = await readFile(`${path}~type`).catch(missingAsUndefined);
    if (type === undefined) continue;
    await addEntry(target, `objects/${name}~type`, type);
    await addFile(target, `objects/${name}`, path);
    count += 1;
  }
  return { objects: count, leftOut };
}

/** Decided by the second part of the key. */
function isCached(key: string): boolean {
  const [, folder] = key.split('/');
  return CACHES.folders.some((name) => name === folder);
}

/** Files in the folder, without content types and unfinished files; both have a `~` in their names. */
async function* walk(folder: string): AsyncGenerator<string> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(missingAsUndefined)) ?? [];
  for (const entry of entries) {
    if (entry.name.includes('~')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.isFile()) yield path;
  }
}

async function addEntry({ tar, failed }: Target, name: string, content: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // A destroyed tar stream never calls back.
    const refuse = () => reject(new Error('The tar stream was closed before the backup was complete.'));
    failed.signal.addEventListener('abort', refuse, { once: true });
    tar.entry({ name }, content, (error) => {
      failed.signal.removeEventListener('abort', refuse);
      if (error) reject(error);
      else resolve();
    });
  });
}

async function addFile({ tar }: Target, name: string, path: string): Promise<void> {
  const file = await open(path).catch(missingAsUndefined);
  // Deleted since the folder was read. The database of the backup may still refer to it, and handles missing files.
  if (file === undefined) return;
  try {
    // Of the open file: the path may be deleted, or name a new version, at any time.
    const { size } = await file.stat();
    await pipeline(file.createReadStream({ autoClose: false }), tar.entry({ name, size }));
  } finally {
    await file.close();
  }
}
