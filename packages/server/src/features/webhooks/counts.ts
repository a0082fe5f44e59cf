import { sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';

/** Deliveries of the last hour by status. */
export async function countRecentDeliveries({ db }: Kernel): Promise<{ status: string; count: number }[]> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*)::integer as count from deliveries
    where created_at > now() - interval '1 hour' group by status`.execute(db);
  return rows;
}

/** Webhooks that failures have disabled. */
export async function countDisabledWebhooks({ db }: Kernel): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from webhooks where not enabled`.execute(db);
  return rows[0]?.count ?? 0;
}
