import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';
import { ownedTable } from '../../../kernel/database/owned-table.js';
import { type Page, type PageQuery, readPage } from '../../../kernel/database/page.js';

export interface ClientTokenRow {
  id: string;
  workspaceId: string;
  userId: string;
  origins: string[];
  avatarCode: string;
  voiceId: string | null;
  voiceProvider: string | null;
  language: string | null;
  agentId: string | null;
  /** Text, as `pg` gives a bigint. */
  maxMs: string;
  maxStreams: number;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

type Tables = { clientTokens: ClientTokenRow };

/** Client tokens by the time at which they expire, for their removal. */
export const CLIENT_TOKENS = { table: 'client_tokens', column: 'expires_at' } as const;

/** Usage of a token by its streams. */
export interface Usage {
  readonly openStreams: number;
  readonly usedMs: number;
}

/** A stream that must end because of its token, and why. */
export interface TokenEnd {
  readonly id: string;
  readonly reason: 'token_revoked' | 'token_expired' | 'token_minutes';
}

export const clientTokens = ownedTable<ClientTokenRow>('clientTokens');

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Usage by token id; tokens without streams are missing. */
export async function readUsage(db: Database | Tx, ids: readonly string[]): Promise<Map<string, Usage>> {
  const { rows } = await sql<{ id: string; openStreams: string; usedMs: string }>`
    select client_token_id as id, count(*) filter (where state <> 'closed') as open_streams, sum(connected_ms) as used_ms
    from streams where client_token_id = any(${[...ids]}) group by client_token_id`.execute(db);
  return new Map(
    rows.map(({ id, openStreams, usedMs }) => [id, { openStreams: Number(openStreams), usedMs: Number(usedMs) }]),
  );
}

/** Usable tokens of a workspace, newest first, and their total. */
export async function listClientTokens(
  db: Database,
  which: { workspaceId: string; at: Date },
  page: PageQuery,
): Promise<Page<ClientTokenRow>> {
  const usable = open(db)
    .selectFrom('clientTokens')
    .selectAll()
    .where('workspaceId', '=', which.workspaceId)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', which.at);
  return readPage(usable.orderBy('id', 'desc'), page);
}

/** Revokes a token. Idempotent. */
export async function revokeClientToken(db: Database, id: string, at: Date): Promise<void> {
  await open(db)
    .updateTable('clientTokens')
    .set({ revokedAt: at })
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .execute();
}

/** Open streams of a host whose tokens no longer allow them. */
export async function listTokenEnds(db: Database, hostId: string, at: Date): Promise<TokenEnd[]> {
  const { rows } = await sql<TokenEnd>`
    select s.id, case when c.revoked_at is not null then 'token_revoked'
                      when c.expires_at <= ${at} then 'token_expired' else 'token_minutes' end as reason
    from streams s join client_tokens c on c.id = s.client_token_id
    where s.host_id = ${hostId} and s.state <> 'closed'
      and (c.revoked_at is not null or c.expires_at <= ${at}
        or (select sum(connected_ms) from streams where client_token_id = c.id) >= c.max_ms)`.execute(db);
  return rows;
}
