import type { ModerationMode, Plan, Role, WorkspaceStatus } from '@figurehead/contract';
import { type Generated, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';
import { type Page, type PageQuery, readPage } from '../../kernel/database/page.js';
import { contains } from '../../kernel/database/search.js';

interface WorkspacesTable {
  id: string;
  name: string;
  plan: Plan;
  status: WorkspaceStatus;
  /** Text, because `pg` returns bigint as text. */
  balanceMs: Generated<string>;
  allowOverlimit: Generated<boolean>;
  moderation: Generated<ModerationMode>;
  createdAt: Generated<Date>;
}

interface UsersTable {
  id: string;
  email: string;
  name: string;
  passwordHash: string;
  operator: Generated<boolean>;
  createdAt: Generated<Date>;
}

interface MembersTable {
  workspaceId: string;
  userId: string;
  role: Role;
  createdAt: Generated<Date>;
}

type Tables = {
  workspaces: WorkspacesTable;
  users: UsersTable;
  members: MembersTable;
};

export type WorkspaceRow = Selectable<WorkspacesTable>;
export type UserRow = Selectable<UsersTable>;
/** A member with the person's name. */
export interface MemberRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: Date;
}

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Writes a new workspace. */
export async function insertWorkspace(
  db: Database | Tx,
  row: Omit<WorkspaceRow, 'balanceMs' | 'createdAt'> & { balanceMs: number },
): Promise<WorkspaceRow> {
  return open(db)
    .insertInto('workspaces')
    .values({ ...row, balanceMs: String(row.balanceMs) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Changes the given columns; `undefined` when the workspace does not exist. */
export async function updateWorkspace(
  db: Database | Tx,
  id: string,
  changes: Partial<Omit<WorkspaceRow, 'id' | 'balanceMs' | 'createdAt'>>,
): Promise<WorkspaceRow | undefined> {
  // An update needs at least one column; `id = id` changes nothing.
  return open(db)
    .updateTable('workspaces')
    .set({ id, ...changes })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function findWorkspace(db: Database | Tx, id: string): Promise<WorkspaceRow | undefined> {
  return open(db).selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirst();
}

/** One workspace; others that lock it wait until the transaction ends. */
export async function lockWorkspace(tx: Tx, id: string): Promise<WorkspaceRow | undefined> {
  return open(tx).selectFrom('workspaces').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** Locks workspaces in the order of their ids. */
export async function lockWorkspaces(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`select 1 from workspaces where id = any(${ids}::text[]) order by id for no key update`.execute(tx);
}

/** An SQL statement that adds to balances. @param changes SQL of a table with the columns `workspace_id` and `ms`. */
export function addingToBalances(changes: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`update workspaces w set balance_ms = w.balance_ms + c.ms from ${changes} c where w.id = c.workspace_id`;
}

/** Number of things in a workspace, as SQL. @param workspaceId SQL of its id. */
export type CountIn = (workspaceId: RawBuilder<unknown>) => RawBuilder<number>;

/** Workspaces with an id, or with a part of the name (ignoring case), newest first, with the numbers of their things. */
export async function listCounted(
  db: Database,
  { search, id }: { readonly search?: string | undefined; readonly id?: string },
  page: PageQuery,
  { videosIn, openStreamsIn }: { readonly videosIn: CountIn; readonly openStreamsIn: CountIn },
): Promise<Page<WorkspaceRow & { members: number; videos: number; openStreams: number }>> {
  const own = sql.ref('workspaces.id');
  let all = open(db)
    .selectFrom('workspaces')
    .selectAll()
    .select([
      sql<number>`(select count(*)::integer from members where workspace_id = ${own})`.as('members'),
      videosIn(own).as('videos'),
      openStreamsIn(own).as('openStreams'),
    ])
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc');
  if (id !== undefined) all = all.where('id', '=', id);
  if (search !== undefined) {
    all = all.where(sql<boolean>`(id = ${search} or ${contains('name', search)})`);
  }
  return readPage(all, page);
}

/** SQL fragments that join users (`u`), members (`m`) and workspaces (`w`), with the columns that identify a caller. */
export const MEMBER = {
  columns: sql`u.operator, m.role, w.id as "workspaceId", w.name, w.plan, w.status, w.allow_overlimit as "allowOverlimit"`,
  tables: sql`(members m join workspaces w on w.id = m.workspace_id join users u on u.id = m.user_id)`,
};

/** All workspaces, oldest first. */
export async function listWorkspaces(db: Database): Promise<WorkspaceRow[]> {
  return open(db).selectFrom('workspaces').selectAll().orderBy('id').execute();
}

/** Inserts a user; `undefined` when the address already has an account. */
export async function insertUser(
  db: Database | Tx,
  row: Omit<UserRow, 'createdAt' | 'operator'>,
): Promise<UserRow | undefined> {
  return open(db)
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** A user by address (ignoring case) or id. */
export async function findUser(
  db: Database | Tx,
  by: { email: string } | { id: string },
): Promise<UserRow | undefined> {
  const query = open(db).selectFrom('users').selectAll();
  return (
    'id' in by ? query.where('id', '=', by.id) : query.where('email', '=', by.email.toLowerCase())
  ).executeTakeFirst();
}

/** Stores another password hash. */
export async function updatePassword(db: Database | Tx, userId: string, passwordHash: string): Promise<void> {
  await open(db).updateTable('users').set({ passwordHash }).where('id', '=', userId).execute();
}

/** Grants or revokes administration of the server; false when the user does not exist. */
export async function setOperator(db: Database | Tx, userId: string, operator: boolean): Promise<boolean> {
  const result = await open(db).updateTable('users').set({ operator }).where('id', '=', userId).executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Makes a user a member, or changes the role. */
export async function upsertMember(
  db: Database | Tx,
  row: { workspaceId: string; userId: string; role: Role },
): Promise<void> {
  await open(db)
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['workspaceId', 'userId']).doUpdateSet({ role: row.role }))
    .execute();
}

/** Members of a workspace, oldest first. */
export async function listMembers(db: Database | Tx, workspaceId: string): Promise<MemberRow[]> {
  return open(db)
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .select(['users.id', 'users.email', 'users.name', 'members.role', 'members.createdAt'])
    .where('members.workspaceId', '=', workspaceId)
    .orderBy('members.createdAt')
    .orderBy('users.id')
    .execute();
}

/** Workspaces of a user, with roles. */
export async function listMemberships(
  db: Database | Tx,
  userId: string,
): Promise<{ id: string; name: string; role: Role }[]> {
  return open(db)
    .selectFrom('members')
    .innerJoin('workspaces', 'workspaces.id', 'members.workspaceId')
    .select(['workspaces.id', 'workspaces.name', 'members.role'])
    .where('members.userId', '=', userId)
    .orderBy('members.createdAt')
    .orderBy('workspaces.id')
    .execute();
}

/** Removes a member; false when it was not a member. */
export async function deleteMember(db: Database | Tx, workspaceId: string, userId: string): Promise<boolean> {
  const result = await open(db)
    .deleteFrom('members')
    .where('workspaceId', '=', workspaceId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}
