import { sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';

/** Deletes some ended deliveries from the log. Waiting and running ones stay, however old. @returns their number. */
export async function pruneDeliveries(kernel: Kernel, before: Date, limit = 2000): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from deliveries where id in (
      select id from deliveries where created_at < ${before} and status not in ('pending', 'sending') limit ${limit})`.execute(
    kernel.db,
  );
  return Number(numAffectedRows ?? 0);
}
