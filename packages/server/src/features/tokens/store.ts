import type { Plan, WorkspaceStatus } from '@figurehead/contract';
import type { Generated, Kysely, Selectable } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';

interface TokensTable {
  id: string;
  workspaceId: string;
  userId: string;
  name: string;
  prefix: string;
  hash: Buffer;
  createdAt: Generated<Date>;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** Columns of other features that authentication reads in the same statement. */
type Tables = {
  tokens: TokensTable;
  workspaces: { id: string; name: string; plan: Plan; status: WorkspaceStatus; allowOverlimit: boolean };
};

/** A token as stored. */
export type TokenRow = Selectable<TokensTable>;

/** What a request needs to know of a token and its workspace. */
export interface TokenUse {
  readonly tokenId: string;
  readonly userId: string;
  readonly lastUsedAt: Date | null;
  readonly workspaceId: string;
  readonly name: string;
  readonly plan: Plan;
  readonly status: WorkspaceStatus;
  readonly allowOverlimit: boolean;
}

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes a new token. */
export async function insertToken(
  db: Database | Tx,
  row: Pick<TokenRow, 'id' | 'workspaceId' | 'userId' | 'name' | 'prefix' | 'hash'>,
): Promise<TokenRow> {
  return open(db)
    .insertInto('tokens')
    .values({ ...row, lastUsedAt: null, revokedAt: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The live token with this hash, with its workspace. */
export async function findTokenUse(db: Database, hash: Buffer): Promise<TokenUse | undefined> {
  return open(db)
    .selectFrom('tokens as t')
    .innerJoin('workspaces as w', 'w.id', 't.workspaceId')
    .select(['t.id as tokenId', 't.userId', 't.lastUsedAt', 'w.id as workspaceId'])
    .select(['w.name', 'w.plan', 'w.status', 'w.allowOverlimit'])
    .where('t.hash', '=', hash)
    .where('t.revokedAt', 'is', null)
    .executeTakeFirst();
}

/** Notes a use. */
export async function touchToken(db: Database, id: string, at: Date): Promise<void> {
  await open(db).updateTable('tokens').set({ lastUsedAt: at }).where('id', '=', id).execute();
}

/** A token by id, revoked ones too. */
export async function findToken(db: Database, id: string): Promise<TokenRow | undefined> {
  return open(db).selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Live tokens of a workspace, newest first, and how many there are. */
export async function listTokens(
  db: Database,
  workspaceId: string,
  page: { offset: number; limit: number },
): Promise<{ rows: TokenRow[]; total: number }> {
  const live = open(db).selectFrom('tokens').where('workspaceId', '=', workspaceId).where('revokedAt', 'is', null);
  const rows = await live.selectAll().orderBy('id', 'desc').offset(page.offset).limit(page.limit).execute();
  const count = await live.select((eb) => eb.fn.countAll<string>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: Number(count.total) };
}

/** Revokes one token, or all that a person made in a workspace. Returns how many were live. */
export async function revokeTokens(
  db: Database | Tx,
  which: { id: string } | { workspaceId: string; userId: string },
  at: Date,
): Promise<number> {
  const update = open(db).updateTable('tokens').set({ revokedAt: at }).where('revokedAt', 'is', null);
  const narrowed =
    'id' in which
      ? update.where('id', '=', which.id)
      : update.where('workspaceId', '=', which.workspaceId).where('userId', '=', which.userId);
  return Number((await narrowed.executeTakeFirst()).numUpdatedRows);
}
