import type { Member, Role, Session } from '@figurehead/contract';
import type { Kernel, KernelInTx, Tx } from '../../kernel/contract.js';
import { invalidFields } from '../../kernel/errors.js';
import * as store from './store.js';
import { revokeTokensOf } from './tokens/tokens.js';

/** A user of the console. */
export type User = Session['user'];

/** A hash that matches no password, so that an unknown address takes as long as a wrong password. */
const NOBODY = `scrypt$32768$8$3$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Creates a user as a member of a workspace; an existing user becomes a member and keeps the account. */
export async function addMember(
  kernel: Kernel,
  options: { workspaceId: string; email: string; name?: string; role: Role; password?: string },
): Promise<Member & { readonly created: boolean }> {
  // Hashing takes a tenth of a second, so it is done before a transaction takes locks.
  const passwordHash = await kernel.passwords.hash(options.password ?? kernel.ids.secret(24));
  return kernel.transaction((tx) => insertMember(kernel, tx, { ...options, passwordHash }));
}

/** {@link addMember} inside the caller's transaction. */
export async function insertMember(
  kernel: KernelInTx,
  tx: Tx,
  options: { workspaceId: string; email: string; name?: string; role: Role; passwordHash: string },
): Promise<Member & { readonly created: boolean }> {
  const email = options.email.toLowerCase();
  const name = options.name ?? email.slice(0, email.indexOf('@'));
  const inserted = await store.insertUser(tx, {
    id: kernel.ids.next(),
    email,
    name,
    passwordHash: options.passwordHash,
  });
  const user = inserted ?? (await store.findUser(tx, { email }));
  if (user === undefined) throw new Error(`the account of ${email} vanished while it was made a member`);
  await store.upsertMember(tx, { workspaceId: options.workspaceId, userId: user.id, role: options.role });
  const createdAt = new Date(kernel.clock.now()).toISOString();
  return {
    _id: user.id,
    email: user.email,
    name: user.name,
    role: options.role,
    createdAt,
    created: inserted !== undefined,
  };
}

/** The user with this address and password; otherwise `undefined`, after the same time. */
export async function checkPassword(kernel: Kernel, email: string, password: string): Promise<User | undefined> {
  const user = await store.findUser(kernel.db, { email });
  const matches = await kernel.passwords.verify(password, user?.passwordHash ?? NOBODY);
  return user !== undefined && matches ? presentUser(user) : undefined;
}

/** Sets a user's password; false when `current` is given and wrong. */
export async function changePassword(
  kernel: Kernel,
  options: { userId: string; current: string; next: string },
): Promise<boolean> {
  const user = await store.findUser(kernel.db, { id: options.userId });
  if (user === undefined || !(await kernel.passwords.verify(options.current, user.passwordHash))) return false;
  await store.updatePassword(kernel.db, user.id, await kernel.passwords.hash(options.next));
  return true;
}

/** Gives the user with this address a password; `undefined` when there is no such user. */
export async function resetPassword(
  kernel: Kernel,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<User | undefined> {
  const user = await store.findUser(kernel.db, { email: email.toLowerCase() });
  if (user === undefined) return undefined;
  await store.updatePassword(kernel.db, user.id, await kernel.passwords.hash(password));
  return presentUser(user);
}

export async function readUser(kernel: Kernel, id: string): Promise<User | undefined> {
  const user = await store.findUser(kernel.db, { id });
  return user && presentUser(user);
}

/** Members of a workspace, oldest first. */
export async function listMembers(kernel: Kernel, workspaceId: string): Promise<Member[]> {
  const rows = await store.listMembers(kernel.db, workspaceId);
  return rows.map((row) => ({
    _id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    createdAt: row.createdAt.toISOString(),
  }));
}

export async function listOwners(kernel: Kernel, workspaceId: string): Promise<Member[]> {
  return (await listMembers(kernel, workspaceId)).filter((member) => member.role === 'owner');
}

/** True when an account with this address exists. */
export async function hasAccount(kernel: Kernel, email: string): Promise<boolean> {
  return (await store.findUser(kernel.db, { email })) !== undefined;
}

/** Changes a member's role. Throws a 400 for the last owner. */
export async function changeRole(
  kernel: Kernel,
  change: { workspaceId: string; userId: string; role: Role },
): Promise<void> {
  await kernel.transaction(async (tx) => {
    if (change.role !== 'owner') await requireAnotherOwner(tx, change);
    await store.upsertMember(tx, change);
  });
}

/**
 * Removes a member from the workspace, with the tokens that the member created there. Throws a 400 for the last owner.
 */
export async function removeMember(kernel: Kernel, which: { workspaceId: string; userId: string }): Promise<void> {
  await kernel.transaction(async (tx) => {
    await requireAnotherOwner(tx, which);
    await store.deleteMember(tx, which.workspaceId, which.userId);
    await revokeTokensOf(kernel, tx, which);
  });
}

async function requireAnotherOwner(tx: Tx, leaving: { workspaceId: string; userId: string }): Promise<void> {
  // The lock serialises two owners who demote each other at the same time.
  await store.lockWorkspace(tx, leaving.workspaceId);
  const owners = (await store.listMembers(tx, leaving.workspaceId)).filter((member) => member.role === 'owner');
  if (owners.length === 1 && owners[0]?.id === leaving.userId) {
    throw invalidFields([{ field: 'role', message: 'cannot change: a workspace keeps at least one owner' }]);
  }
}

/** Makes an existing user a member. */
export async function joinWorkspace(
  tx: Tx,
  member: { workspaceId: string; userId: string; role: Role },
): Promise<void> {
  await store.upsertMember(tx, member);
}

/** Workspaces of a user, in the order of joining. */
export async function listMemberships(
  kernel: Kernel,
  userId: string,
): Promise<{ id: string; name: string; role: Role }[]> {
  return store.listMemberships(kernel.db, userId);
}

function presentUser(row: store.UserRow): User {
  return { _id: row.id, email: row.email, name: row.name, operator: row.operator };
}
