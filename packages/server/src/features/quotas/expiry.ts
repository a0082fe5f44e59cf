import type { Kernel } from '../../kernel/contract.js';
import { pruneRows } from '../../kernel/database/prune.js';

/** Removes some lines of quotas from before a time. @returns how many; call again while it is not 0. */
export function pruneCreations({ db }: Kernel, before: Date): Promise<number> {
  return pruneRows(db, { table: 'creations', column: 'created_at' }, before);
}
