import type { VoiceCloneInput } from '@figurehead/contract';
import type { CatalogueVoice, ProviderName } from '@figurehead/media';
import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';
import { ownedTable } from '../../../kernel/database/owned-table.js';

/** A cloned voice as stored. */
export interface VoiceCloneRow {
  id: string;
  workspaceId: string;
  name: string;
  gender: VoiceCloneInput['gender'];
  language: string;
  locale: string;
  provider: ProviderName;
  voice: string;
  seconds: number;
  consentStatement: string;
  consentGivenBy: string;
  createdAt: Date;
}

/** A voice that may exist at its provider without a row of {@link voiceClones}. */
export interface UnownedVoice {
  /** Of the cloned voice. */
  id: string;
  provider: ProviderName;
  /** Id at the provider; null when it is found by `id`. */
  voice: string | null;
  createdAt: Date;
}

type Tables = { voiceClones: VoiceCloneRow; unownedVoices: UnownedVoice };

/** Cloned voices of workspaces. */
export const voiceClones = ownedTable<VoiceCloneRow>('voiceClones');

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Those among the given voices that are cloned ones of any workspace. */
export async function findCloned(
  db: Database,
  voices: readonly CatalogueVoice[],
): Promise<Pick<VoiceCloneRow, 'provider' | 'voice'>[]> {
  const { rows } = await sql<Pick<VoiceCloneRow, 'provider' | 'voice'>>`
    select provider, voice from voice_clones where (provider, voice) in (
      select * from unnest(${voices.map(({ provider }) => provider)}::text[], ${voices.map(({ voice }) => voice)}::text[]))`.execute(
    db,
  );
  return rows;
}

export async function insertUnowned(db: Database | Tx, row: UnownedVoice): Promise<void> {
  await open(db).insertInto('unownedVoices').values(row).execute();
}

export async function deleteUnowned(db: Database | Tx, id: string): Promise<void> {
  await open(db).deleteFrom('unownedVoices').where('id', '=', id).execute();
}

/** Those that were written before a time, oldest first. */
export async function listUnowned(db: Database, before: Date): Promise<UnownedVoice[]> {
  return open(db)
    .selectFrom('unownedVoices')
    .selectAll()
    .where('createdAt', '<', before)
    .orderBy('createdAt')
    .execute();
}

/** Those of all workspaces, newest first. */
export async function listClones(db: Database): Promise<VoiceCloneRow[]> {
  return open(db).selectFrom('voiceClones').selectAll().orderBy('id', 'desc').execute();
}
