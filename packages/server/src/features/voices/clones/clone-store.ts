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

type Tables = { voiceClones: VoiceCloneRow };

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

/** Those of all workspaces, newest first. */
export async function listClones(db: Database): Promise<VoiceCloneRow[]> {
  return open(db).selectFrom('voiceClones').selectAll().orderBy('id', 'desc').execute();
}
