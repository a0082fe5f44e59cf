import { sql } from 'kysely';
import type { Kernel } from '../../kernel/contract.js';

/** Number of things with a status. */
export interface StatusCount {
  readonly status: string;
  readonly count: number;
}

/** Videos of the installation by status. */
export async function countVideos({ db }: Pick<Kernel, 'db'>): Promise<StatusCount[]> {
  const { rows } = await sql<StatusCount>`
    select status, count(*)::integer as count from videos where not deleted group by status`.execute(db);
  return rows;
}
