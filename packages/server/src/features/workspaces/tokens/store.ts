import type { Generated, Kysely, Selectable } from 'kysely';
import type { Database, KeyedRead, Tx } from '../../../kernel/contract.js';
import { type Page, type PageQuery, readPage } from '../../../kernel/database/page.js';
import type { CallerWorkspace } from '../../../kernel/http/contract.js';

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

type Tables = { tokens: TokensTable };

export type TokenRow = Selectable<TokensTable>;

/** Properties of a token and its workspace that a request needs. */
export interface TokenUse extends Omit<CallerWorkspace, 'id'> {
  /** The hash, hexadecimal. */
  readonly key: string;
  readonly tokenId: string;
  readonly userId: string;
  readonly lastUsedAt: Date | null;
  readonly workspaceId: string;
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

/** Runs with every call of the API. */
const FIND_TOKEN_USES = {
  name: 'find-token-uses',
  text: `
    select encode(t.hash, 'hex') as key, t.id as "tokenId", t.user_id as "userId", t.last_used_at as "lastUsedAt",
      w.id as "workspaceId", w.name, w.plan, w.status, w.allow_overlimit as "allowOverlimit"
    from tokens t join workspaces w on w.id = t.workspace_id
    where t.hash = any(array(select decode(key, 'hex') from unnest($1::text[]) key)) and t.revoked_at is null`,
};

/** The active token with this hash (hexadecimal), with the columns of its workspace from the same statement. */
export async function findTokenUse(read: KeyedRead, hash: string): Promise<TokenUse | undefined> {
  return read<TokenUse>(FIND_TOKEN_USES, hash);
}

/** Records a use. */
export async function touchToken(db: Database, id: string, at: Date): Promise<void> {
  await open(db).updateTable('tokens').set({ lastUsedAt: at }).where('id', '=', id).execute();
}

/** A token by id, including revoked ones. */
export async function findToken(db: Database, id: string): Promise<TokenRow | undefined> {
  return open(db).selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Active tokens of a workspace, newest first, and the total number. */
export async function listTokens(db: Database, workspaceId: string, page: PageQuery): Promise<Page<TokenRow>> {
  const all = open(db).selectFrom('tokens').selectAll().where('workspaceId', '=', workspaceId);
  return readPage(all.where('revokedAt', 'is', null).orderBy('id', 'desc'), page);
}

/** Revokes one token, or all that a user created in a workspace. Returns the number of tokens that were active. */
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
