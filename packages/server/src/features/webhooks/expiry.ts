import { sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';
import { pruneRows } from '../../kernel/database/prune.js';

/** Deletes some ended deliveries from the log. Waiting and running ones stay, however old. @returns their number. */
export function pruneDeliveries({ db }: Kernel, before: Date): Promise<number> {
  const only = sql`status not in ('pending', 'sending')`;
  return pruneRows(db, { table: 'deliveries', column: 'created_at', only }, before);
}
