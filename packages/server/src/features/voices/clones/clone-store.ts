import type { VoiceCloneInput } from '@figurehead/contract';
import type { ProviderName } from '@figurehead/media';
import type { Kysely } from 'kysely';
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

/** Those of all workspaces, newest first. */
export async function listClones(db: Database): Promise<VoiceCloneRow[]> {
  return open(db).selectFrom('voiceClones').selectAll().orderBy('id', 'desc').execute();
}
