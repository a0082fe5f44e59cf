import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../contract.js';

/** Maximum number of rows per statement, because it locks them until it ends. */
const AT_ONCE = 2000;

/**
 * Removes some rows of a table whose time, in `column`, is before `before`, of those that fulfil `only`.
 * @returns their number; call again until it is 0.
 */
export async function pruneRows(
  db: Database,
  { table, column, only = sql`true` }: { table: string; column: string; only?: RawBuilder<unknown> },
  before: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} < ${before} and ${only} limit ${AT_ONCE}))`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
