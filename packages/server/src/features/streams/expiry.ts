import { sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';
import { deleteExpired } from './client-tokens/index.js';

/** Deletes up to `limit` closed streams; their charges stay in the ledger. @returns how many. */
export async function pruneStreams(kernel: Kernel, before: Date, limit = 2000): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from streams where id in (
      select id from streams where state = 'closed' and closed_at < ${before} limit ${limit})`.execute(kernel.db);
  return Number(numAffectedRows ?? 0);
}

/** Deletes up to `limit` expired client tokens. @returns how many. */
export function pruneClientTokens(kernel: Kernel, before: Date, limit = 2000): Promise<number> {
  return deleteExpired(kernel.db, before, limit);
}
