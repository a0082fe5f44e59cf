import type { Kernel } from '../../kernel/contract.js';
import { pruneRows } from '../../kernel/database/prune.js';

/** Removes some quota entries older than a time. @returns their number; call again until it is 0. */
export function pruneCreations({ db }: Kernel, before: Date): Promise<number> {
  return pruneRows(db, { table: 'creations', column: 'created_at' }, before);
}
