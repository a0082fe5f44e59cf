import type { Kysely } from 'kysely';
import type { Database } from '../../kernel/contract.js';

/** Saved settings of a voice. */
export interface CustomizationRow {
  workspaceId: string;
  provider: string;
  voice: string;
  language: string;
  stability: number | null;
  speed: number | null;
  updatedAt: Date;
}

type Tables = { voiceCustomizations: CustomizationRow };

const open = (db: Database): Kysely<Tables> => db.withTables<Tables>();

/** Saves the settings of a voice, replacing earlier ones. */
export async function saveCustomization(db: Database, row: CustomizationRow): Promise<void> {
  const { language, stability, speed, updatedAt } = row;
  await open(db)
    .insertInto('voiceCustomizations')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['workspaceId', 'provider', 'voice']).doUpdateSet({ language, stability, speed, updatedAt }),
    )
    .execute();
}

/** Settings that a workspace has saved. */
export async function listCustomizations(db: Database, workspaceId: string): Promise<CustomizationRow[]> {
  return open(db).selectFrom('voiceCustomizations').selectAll().where('workspaceId', '=', workspaceId).execute();
}

/** Saved settings of one voice. */
export async function findCustomization(
  db: Database,
  which: { workspaceId: string; provider: string; voice: string },
): Promise<CustomizationRow | undefined> {
  return open(db)
    .selectFrom('voiceCustomizations')
    .selectAll()
    .where('workspaceId', '=', which.workspaceId)
    .where('provider', '=', which.provider)
    .where('voice', '=', which.voice)
    .executeTakeFirst();
}
