import { sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';

/** Forgets some closed streams; what they cost stays in the ledger. @returns how many. */
export async function pruneStreams(kernel: Kernel, before: Date, limit = 2000): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from streams where id in (
      select id from streams where state = 'closed' and closed_at < ${before} limit ${limit})`.execute(kernel.db);
  return Number(numAffectedRows ?? 0);
}
