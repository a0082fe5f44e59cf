import type { VoiceCloneInput } from '@figurehead/contract';
import type { ProviderName } from '@figurehead/media';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../../kernel/contract.js';

interface VoiceClonesTable {
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

type Tables = { voiceClones: VoiceClonesTable };

/** A cloned voice as stored. */
export type VoiceCloneRow = Selectable<VoiceClonesTable>;

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes a new voice. */
export async function insertClone(tx: Tx, row: VoiceCloneRow): Promise<void> {
  await open(tx).insertInto('voiceClones').values(row).execute();
}

/** The voice with this id, in any workspace. */
export async function findClone(db: Database, id: string): Promise<VoiceCloneRow | undefined> {
  return open(db).selectFrom('voiceClones').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Those of all workspaces, newest first. */
export async function listClones(db: Database): Promise<VoiceCloneRow[]> {
  return open(db).selectFrom('voiceClones').selectAll().orderBy('id', 'desc').execute();
}

/** How many a workspace has. Locks the count until the transaction ends, so that two cannot both be the last. */
export async function countClones(tx: Tx, workspaceId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`voice clones ${workspaceId}`}, 0))`.execute(tx);
  const { count } = await open(tx)
    .selectFrom('voiceClones')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Removes a voice. */
export async function deleteClone(db: Database, id: string): Promise<void> {
  await open(db).deleteFrom('voiceClones').where('id', '=', id).execute();
}
