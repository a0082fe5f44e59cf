import { sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';
import { pruneRows } from '../../kernel/database/prune.js';

/** Deletes some closed streams; their charges stay in the ledger. @returns how many. */
export function pruneStreams({ db }: Kernel, before: Date): Promise<number> {
  return pruneRows(db, { table: 'streams', column: 'closed_at', only: sql`state = 'closed'` }, before);
}

/** Deletes some expired client tokens. @returns how many. */
export function pruneClientTokens({ db }: Kernel, before: Date): Promise<number> {
  return pruneRows(db, { table: 'client_tokens', column: 'expires_at' }, before);
}
