import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Migration, Migrator, sql } from 'kysely';
import type { Database } from '../contract.js';
import { OperatorError } from '../operator-error.js';

/** The database has migrations of a newer program. */
export class DatabaseTooNewError extends OperatorError {
  constructor(readonly unknownMigrations: readonly string[]) {
    super(
      `The database is newer than this program (it has ${unknownMigrations.join(', ')}); install the newer Figurehead, or restore a backup.`,
    );
    this.name = 'DatabaseTooNewError';
  }
}

/**
 * The last migration that may have been applied out of numerical order; later ones are applied in order.
 */
const LAST_UNORDERED = '0062_host_counts';

/** Folder with the program's SQL files. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../migrations', import.meta.url));

/** Names of all migrations of the program, in order: `NNNN_name`. */
export async function migrationNames(folder: string = MIGRATIONS_FOLDER): Promise<string[]> {
  const files = await readdir(folder);
  return files
    .filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file))
    .map((file) => file.slice(0, -4))
    .sort();
}

/**
 * Migrates the database to the newest version. Safe with several processes at once: kysely's Migrator holds an advisory
 * lock, and all migrations of one run commit together.
 * @param options.only migrates to the state of an older program, which had these migrations.
 * @returns names of the migrations that ran.
 * @throws DatabaseTooNewError when the database has migrations that this program does not know.
 */
export async function migrate(
  db: Database,
  options: { folder?: string; only?: readonly string[] } = {},
): Promise<string[]> {
  const folder = options.folder ?? MIGRATIONS_FOLDER;
  const known = await migrationNames(folder);
  await refuseNewer(db, known);
  const { only } = options;
  const names = only === undefined ? known : known.filter((name) => only.includes(name));
  const caughtUp = await catchUp(db, { folder, names });
  return [...caughtUp, ...(await run(db, { folder, names, isOrdered: true }))];
}

/**
 * Before {@link LAST_UNORDERED} a lower number could be applied after a higher one. In such a database, the missing
 * migrations run in any order first; then the records are sorted by number, as kysely requires.
 */
async function catchUp(db: Database, { folder, names }: Pick<Run, 'folder' | 'names'>): Promise<string[]> {
  if ((await executedMigrations(db)).length === 0) return [];
  const unordered = names.filter((name) => name <= LAST_UNORDERED);
  const executed = new Set(await executedMigrations(db));
  const isLacking = unordered.some((name) => !executed.has(name));
  const done = isLacking ? await run(db, { folder, names: unordered, isOrdered: false }) : [];
  await sql`
    with numbered as (select name, row_number() over (order by name) as n from kysely_migration),
    timed as (select timestamp, row_number() over (order by timestamp, name) as n from kysely_migration)
    update kysely_migration m set timestamp = timed.timestamp from numbered join timed using (n)
    where m.name = numbered.name and m.timestamp <> timed.timestamp`.execute(db);
  return done;
}

interface Run {
  readonly folder: string;
  readonly names: readonly string[];
  readonly isOrdered: boolean;
}

async function run(db: Database, { folder, names, isOrdered }: Run): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => readMigrations(folder, names) },
    allowUnorderedMigrations: !isOrdered,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === 'Error');
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      `The database could not be migrated${failed ? ` (${failed.migrationName})` : ''}: ${reason}`,
      {
        cause: error,
      },
    );
  }
  return (results ?? []).map((result) => result.migrationName);
}

/** True when the database has every migration of the program. */
export async function isMigrated(db: Database, folder: string = MIGRATIONS_FOLDER): Promise<boolean> {
  const done = new Set(await executedMigrations(db));
  return (await migrationNames(folder)).every((name) => done.has(name));
}

/** Names of the executed migrations, in order; empty for an empty database. */
export async function executedMigrations(db: Database): Promise<string[]> {
  const table = await sql<{ found: boolean }>`select to_regclass('kysely_migration') is not null as found`.execute(db);
  if (table.rows[0]?.found !== true) return [];
  const result = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return result.rows.map((row) => row.name);
}

async function refuseNewer(db: Database, names: readonly string[]): Promise<void> {
  const unknown = (await executedMigrations(db)).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new DatabaseTooNewError(unknown);
}

async function readMigrations(folder: string, names: readonly string[]): Promise<Record<string, Migration>> {
  const entries = await Promise.all(
    names.map(async (name): Promise<[string, Migration]> => {
      const text = await readFile(join(folder, `${name}.sql`), 'utf8');
      return [name, { up: async (db) => void (await sql.raw(text).execute(db)) }];
    }),
  );
  return Object.fromEntries(entries);
}
