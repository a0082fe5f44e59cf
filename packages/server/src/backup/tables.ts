import type pg from 'pg';
import type { BackupTable } from './format.js';

/** Migration bookkeeping, which the restore recreates. */
const NOT_COPIED = new Set(['kysely_migration', 'kysely_migration_lock']);

/** The schema `boss` of an older database also has tables that nothing reads. */
const QUEUE_TABLES = ['queue', 'job'];

/**
 * Tables that belong in a backup, parents before the tables that refer to them. Unlogged tables (rate limit counters)
 * are excluded.
 */
export async function listTables(client: pg.ClientBase): Promise<BackupTable[]> {
  const { rows } = await client.query<{
    oid: number;
    schema: string;
    name: string;
    columns: string[];
    parents: number[];
  }>(
    `select c.oid::int as oid, n.nspname as schema, c.relname as name,
       array(select a.attname::text from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
             order by a.attnum) as columns,
       array(select f.confrelid::int from pg_constraint f
             where f.contype = 'f' and f.confrelid <> c.oid
               and (f.conrelid = c.oid or f.conrelid in (select inhrelid from pg_inherits where inhparent = c.oid))) as parents
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
       and (n.nspname = 'public' or (n.nspname = 'boss' and c.relname = any($1)))
     order by n.nspname, c.relname`,
    [QUEUE_TABLES],
  );
  const left = rows.filter((row) => !NOT_COPIED.has(row.name));
  const sorted: BackupTable[] = [];
  while (left.length > 0) {
    const index = left.findIndex((row) => !row.parents.some((parent) => left.some((other) => other.oid === parent)));
    const [next] = left.splice(index, 1);
    if (index === -1 || next === undefined)
      throw new Error(`Tables refer to each other in a circle: ${left.map((row) => row.name).join(', ')}`);
    sorted.push({ schema: next.schema, name: next.name, columns: next.columns });
  }
  return sorted;
}

/** Sets the sequences of serial and identity columns past the copied rows. */
export async function resetSequences(client: pg.ClientBase, tables: readonly BackupTable[]): Promise<void> {
  for (const table of tables) {
    for (const column of table.columns) {
      const { rows } = await client.query<{ sequence: string | null }>(
        'select pg_get_serial_sequence($1, $2) as sequence',
        [`"${table.schema}"."${table.name}"`, column],
      );
      const sequence = rows[0]?.sequence;
      if (sequence == null) continue;
      await client.query(
        `select setval($1, coalesce((select max("${column}") from "${table.schema}"."${table.name}"), 0) + 1, false)`,
        [sequence],
      );
    }
  }
}
