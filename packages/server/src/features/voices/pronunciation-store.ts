import type { Kysely } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';

interface PronunciationsTable {
  workspaceId: string;
  position: number;
  word: string;
  spoken: string;
  language: string | null;
}

type Tables = { pronunciations: PronunciationsTable };

/** Pronunciation of a word; `language` null: in all languages. */
export type PronunciationRow = Pick<PronunciationsTable, 'word' | 'spoken' | 'language'>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** All of a workspace, in the order in which they were saved. */
export async function listPronunciations(db: Database, workspaceId: string): Promise<PronunciationRow[]> {
  return open(db)
    .selectFrom('pronunciations')
    .select(['word', 'spoken', 'language'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('position')
    .execute();
}

/** Replaces the pronunciations of a workspace. */
export async function replacePronunciations(
  tx: Tx,
  workspaceId: string,
  rows: readonly PronunciationRow[],
): Promise<void> {
  await open(tx).deleteFrom('pronunciations').where('workspaceId', '=', workspaceId).execute();
  if (rows.length === 0) return;
  await open(tx)
    .insertInto('pronunciations')
    .values(rows.map((row, position) => ({ workspaceId, position, ...row })))
    .execute();
}
