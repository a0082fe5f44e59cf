import type { Plan, Role, WorkspaceStatus } from '@figurehead/contract';
import type { Generated, Kysely } from 'kysely';
import type { Database, Kernel } from '../../kernel/contract.js';
import { pruneRows } from '../../kernel/database/prune.js';

interface SessionsTable {
  id: Buffer;
  userId: string;
  workspaceId: string;
  createdAt: Generated<Date>;
  expiresAt: Date;
}

/** Columns of other features that authentication reads in the same statement. */
type Tables = {
  sessions: SessionsTable;
  workspaces: { id: string; name: string; plan: Plan; status: WorkspaceStatus; allowOverlimit: boolean };
  members: { workspaceId: string; userId: string; role: Role };
  users: { id: string; operator: boolean };
};

/** Properties of a session that a request needs. */
export interface SessionUse {
  readonly userId: string;
  readonly role: Role;
  readonly workspaceId: string;
  readonly name: string;
  readonly plan: Plan;
  readonly status: WorkspaceStatus;
  readonly allowOverlimit: boolean;
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
  return open(db)
    .selectFrom('sessions as s')
    .innerJoin('workspaces as w', 'w.id', 's.workspaceId')
    .innerJoin('members as m', (join) =>
      join.onRef('m.workspaceId', '=', 's.workspaceId').onRef('m.userId', '=', 's.userId'),
    )
    .innerJoin('users as u', 'u.id', 's.userId')
    .select([
      'u.operator',
      's.userId',
      'm.role',
      'w.id as workspaceId',
      'w.name',
      'w.plan',
      'w.status',
      'w.allowOverlimit',
    ])
    .where('s.id', '=', id)
    .where('s.expiresAt', '>', now)
    .executeTakeFirst();
}

/** Removes some expired sessions. @returns their number; call again until it is 0. */
export function pruneSessions({ db, clock }: Kernel): Promise<number> {
  return pruneRows(db, { table: 'sessions', column: 'expires_at' }, new Date(clock.now()));
}

/** Moves a session to another workspace. */
export async function moveSession(db: Database, id: Buffer, workspaceId: string): Promise<void> {
  await open(db).updateTable('sessions').set({ workspaceId }).where('id', '=', id).execute();
}

/** Ends one session. */
export async function deleteSession(db: Database, id: Buffer): Promise<void> {
  await open(db).deleteFrom('sessions').where('id', '=', id).execute();
}

/** Ends a user's other sessions. */
export async function deleteOtherSessions(db: Database, userId: string, except: Buffer): Promise<void> {
  await open(db).deleteFrom('sessions').where('userId', '=', userId).where('id', '!=', except).execute();
}
