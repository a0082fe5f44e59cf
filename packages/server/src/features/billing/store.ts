import type { LedgerEntry } from '@figurehead/contract';
import { type Generated, type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';
import { type Page, type PageQuery, readPage } from '../../kernel/database/page.js';
import { addingToBalances, lockWorkspaces } from '../workspaces/index.js';

interface LedgerTable {
  id: string;
  workspaceId: string;
  kind: LedgerEntry['kind'];
  subjectId: string;
  resourceId: string | null;
  lengthMs: string;
  amountMs: string;
  createdAt: Generated<Date>;
}

type Tables = { ledger: LedgerTable };

export type LedgerRow = Selectable<LedgerTable>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes a ledger entry; false when this subject was already charged. */
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

/** Cost of a stream so far. */
export interface StreamMovement {
  /** Id of the ledger entry, if it is the first. */
  readonly id: string;
  readonly streamId: string;
  readonly workspaceId: string;
  readonly lengthMs: number;
  readonly amountMs: number;
}

/** Writes or increases the ledger entry of each stream, and subtracts the difference from the balance. Entries never decrease. */
export async function raiseStreamMovements(
  tx: Tx,
  movements: readonly StreamMovement[],
  createdAt: Date,
): Promise<void> {
  const given = sql`jsonb_to_recordset(${JSON.stringify(movements)}::jsonb)
    as g(id text, "streamId" text, "workspaceId" text, "lengthMs" bigint, "amountMs" bigint)`;
  // Sorted, because two hosts that settle streams of the same workspaces could otherwise deadlock.
  await lockWorkspaces(
    tx,
    movements.map(({ workspaceId }) => workspaceId),
  );
  await sql`
    with before as (
      select l.subject_id, l.amount_ms from ledger l join ${given} on l.kind = 'stream' and l.subject_id = g."streamId"
    ), written as (
      insert into ledger as l (id, workspace_id, kind, subject_id, resource_id, length_ms, amount_ms, created_at)
      select g.id, g."workspaceId", 'stream', g."streamId", g."streamId", g."lengthMs", g."amountMs", ${createdAt} from ${given}
      on conflict (kind, subject_id) do update set length_ms = excluded.length_ms, amount_ms = excluded.amount_ms
        where l.length_ms < excluded.length_ms
      returning workspace_id, subject_id, amount_ms
    ), cost as (
      select w.workspace_id, sum(w.amount_ms - coalesce(b.amount_ms, 0))::bigint as ms
      from written w left join before b using (subject_id) group by w.workspace_id
    )
    ${addingToBalances(sql`cost`)}`.execute(tx);
}

/** Adds to the balance; `amountMs` is negative for a cost. */
export async function addBalance(tx: Tx, workspaceId: string, amountMs: number): Promise<void> {
  await addingToBalances(sql`(select ${workspaceId}::text as workspace_id, ${amountMs}::bigint as ms)`).execute(tx);
}

/** Ledger entries of a workspace, newest first, and their total. */
export async function listMovements(db: Database, workspaceId: string, page: PageQuery): Promise<Page<LedgerRow>> {
  const all = open(db).selectFrom('ledger').selectAll().where('workspaceId', '=', workspaceId);
  return readPage(all.orderBy('createdAt', 'desc').orderBy('id', 'desc'), page);
}
