import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../contract.js';

/** Maximum number of rows per statement, because it locks them until it ends. */
const AT_ONCE = 2000;

/** Rows of a table that expire: their time is in `column`. Those that do not fulfil `only` stay. */
export interface ExpiringRows {
  readonly table: string;
  readonly column: string;
  readonly only?: RawBuilder<unknown>;
}

/** Removes some rows whose time is before `before`. @returns their number; call again until it is 0. */
export async function pruneRows(
  db: Database,
  { table, column, only = sql`true` }: ExpiringRows,
  before: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} < ${before} and ${only} limit ${AT_ONCE}))`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
