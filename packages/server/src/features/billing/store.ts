import { type Generated, type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';

interface LedgerTable {
  id: string;
  workspaceId: string;
  kind: 'video' | 'stream' | 'grant';
  subjectId: string;
  resourceId: string | null;
  lengthMs: string;
  amountMs: string;
  createdAt: Generated<Date>;
}

type Tables = { ledger: LedgerTable; workspaces: { id: string; balanceMs: string; allowOverlimit: boolean } };

/** A movement of minutes as stored. */
export type LedgerRow = Selectable<LedgerTable>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes a movement; false when this subject was charged already. */
export async function insertMovement(
  tx: Tx,
  row: Omit<LedgerRow, 'lengthMs' | 'amountMs'> & { lengthMs: number; amountMs: number },
): Promise<boolean> {
  const inserted = await open(tx)
    .insertInto('ledger')
    .values({ ...row, lengthMs: String(row.lengthMs), amountMs: String(row.amountMs) })
    .onConflict((conflict) => conflict.columns(['kind', 'subjectId']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Adds to what remains; `amountMs` is negative for a cost. */
export async function addBalance(tx: Tx, workspaceId: string, amountMs: number): Promise<void> {
  await open(tx)
    .updateTable('workspaces')
    .set({ balanceMs: sql<string>`balance_ms + ${amountMs}` })
    .where('id', '=', workspaceId)
    .execute();
}

/** What remains, and whether going below nothing is allowed. */
export async function findBalance(
  db: Database | Tx,
  workspaceId: string,
): Promise<{ balanceMs: number; allowOverlimit: boolean } | undefined> {
  const row = await open(db)
    .selectFrom('workspaces')
    .select(['balanceMs', 'allowOverlimit'])
    .where('id', '=', workspaceId)
    .executeTakeFirst();
  return row && { balanceMs: Number(row.balanceMs), allowOverlimit: row.allowOverlimit };
}

/** Movements of a workspace, newest first, and how many there are. */
export async function listMovements(
  db: Database,
  workspaceId: string,
  page: { offset: number; limit: number },
): Promise<{ rows: LedgerRow[]; total: number }> {
  const all = open(db).selectFrom('ledger').where('workspaceId', '=', workspaceId);
  const rows = await all
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .execute();
  const count = await all.select((eb) => eb.fn.countAll<string>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: Number(count.total) };
}
