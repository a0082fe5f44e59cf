import type { QuotaEntity } from '@figurehead/contract';
import { type Generated, type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';
import { countRows } from '../../../kernel/database/page.js';

type Tables = { creations: { id: Generated<string>; workspaceId: string; entity: QuotaEntity; createdAt: Date } };

interface Which {
  readonly workspaceId: string;
  readonly entity: QuotaEntity;
  readonly since: Date;
}

/** All creations, for their removal. */
export const CREATIONS = { table: 'creations', column: 'created_at' } as const;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Creations after `since`. */
export async function countCreations(db: Database | Tx, which: Which): Promise<number> {
  return countRows(inWindow(db, which));
}

/** Time of the `n`th newest creation after `since`: when it leaves the window, another creation is possible. */
export async function nthNewestCreation(db: Database | Tx, which: Which & { n: number }): Promise<Date | undefined> {
  const row = await inWindow(db, which)
    .select('createdAt')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .offset(which.n - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.createdAt;
}

/** Writes `count` creations at one instant. */
export async function insertCreations(
  tx: Tx,
  creation: { workspaceId: string; entity: QuotaEntity; count: number; at: Date },
): Promise<void> {
  const { workspaceId, entity, count, at } = creation;
  await sql`
    insert into creations (workspace_id, entity, created_at)
    select ${workspaceId}, ${entity}, ${at} from generate_series(1, ${count})`.execute(tx);
}

function inWindow(db: Database | Tx, which: Which) {
  return open(db)
    .selectFrom('creations')
    .where('workspaceId', '=', which.workspaceId)
    .where('entity', '=', which.entity)
    .where('createdAt', '>', which.since);
}
