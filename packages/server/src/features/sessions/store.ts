import type { Role } from '@figurehead/contract';
import { type Generated, type Kysely, sql } from 'kysely';
import type { Database, Kernel } from '../../kernel/contract.js';
import { pruneRows } from '../../kernel/database/prune.js';
import type { CallerWorkspace } from '../../kernel/http/contract.js';
import { MEMBER } from '../workspaces/index.js';

interface SessionsTable {
  id: Buffer;
  userId: string;
  workspaceId: string;
  createdAt: Generated<Date>;
  expiresAt: Date;
}

type Tables = { sessions: SessionsTable };

/** Properties of a session that a request needs. */
export interface SessionUse extends Omit<CallerWorkspace, 'id'> {
  readonly userId: string;
  readonly role: Role;
  readonly workspaceId: string;
  readonly operator: boolean;
}

const open = (db: Database): Kysely<Tables> => db.withTables<Tables>();

/** Inserts a session and deletes expired ones. */
export async function insertSession(
  db: Database,
  row: { id: Buffer; userId: string; workspaceId: string; expiresAt: Date },
  now: Date,
): Promise<void> {
  await open(db).deleteFrom('sessions').where('expiresAt', '<', now).execute();
  await open(db).insertInto('sessions').values(row).execute();
}

/** The active session with this id; `undefined` also when the user is no longer a member. */
export async function findSession(db: Database, id: Buffer, now: Date): Promise<SessionUse | undefined> {
  const { rows } = await sql<SessionUse>`
    select s.user_id as "userId", ${MEMBER.columns}
    from sessions s join ${MEMBER.tables} on m.workspace_id = s.workspace_id and m.user_id = s.user_id
    where s.id = ${id} and s.expires_at > ${now}`.execute(db);
  return rows[0];
}

/** Removes some expired sessions. @returns their number; call again until it is 0. */
export function pruneSessions({ db, clock }: Kernel): Promise<number> {
  return pruneRows(db, { table: 'sessions', column: 'expires_at' }, new Date(clock.now()));
}

/** Moves a session to another workspace. */
export async function moveSession(db: Database, id: Buffer, workspaceId: string): Promise<void> {
  await open(db).updateTable('sessions').set({ workspaceId }).where('id', '=', id).execute();
}

export async function deleteSession(db: Database, id: Buffer): Promise<void> {
  await open(db).deleteFrom('sessions').where('id', '=', id).execute();
}

/** Ends a user's sessions, without one that stays. */
export async function deleteSessionsOf(db: Database, userId: string, except?: Buffer): Promise<void> {
  const all = open(db).deleteFrom('sessions').where('userId', '=', userId);
  await (except === undefined ? all : all.where('id', '!=', except)).execute();
}
