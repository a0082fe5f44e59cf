import { createHash } from 'node:crypto';
import type { Session } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { Caller } from '../../kernel/http/contract.js';
import { listMemberships, readUser, readWorkspace, type User } from '../workspaces/index.js';
import * as store from './store.js';

/** Duration of a sign-in, seconds (30 days). */
export const SESSION_SECONDS = 30 * 24 * 3600;

/** Starts a session in the user's first workspace; `undefined` without one. Returns the cookie's value. */
export async function startSession(kernel: Kernel, user: User): Promise<string | undefined> {
  const [first] = await listMemberships(kernel, user._id);
  if (first === undefined) return undefined;
  const secret = kernel.ids.secret(32);
  const now = kernel.clock.now();
  const row = {
    id: idOf(secret),
    userId: user._id,
    workspaceId: first.id,
    expiresAt: new Date(now + SESSION_SECONDS * 1000),
  };
  await store.insertSession(kernel.db, row, new Date(now));
  return secret;
}

/** The user signed in with this cookie. */
export async function callerBySession(kernel: Kernel, secret: string): Promise<Caller | undefined> {
  const use = await store.findSession(kernel.db, idOf(secret), new Date(kernel.clock.now()));
  if (use === undefined) return undefined;
  const { workspaceId, name, plan, status, allowOverlimit, userId, role, operator } = use;
  return {
    kind: 'web',
    workspace: { id: workspaceId, name, plan, status, allowOverlimit },
    userId,
    role,
    operator,
    sessionId: secret,
  };
}

/** Data about the signed-in user for the console. */
export async function describeSession(kernel: Kernel, caller: Caller): Promise<Session | undefined> {
  const [user, workspace, memberships] = await Promise.all([
    readUser(kernel, caller.userId),
    readWorkspace(kernel, caller.workspace.id),
    listMemberships(kernel, caller.userId),
  ]);
  if (user === undefined || workspace === undefined) return undefined;
  const workspaces = memberships.map(({ id, name, role }) => ({ _id: id, name, role }));
  return { user, role: caller.role, workspace, workspaces };
}

/** Switches the session to another workspace of the user; false when the user is not a member. */
export async function switchWorkspace(kernel: Kernel, caller: Caller, workspaceId: string): Promise<boolean> {
  const memberships = await listMemberships(kernel, caller.userId);
  if (caller.sessionId === undefined || !memberships.some(({ id }) => id === workspaceId)) return false;
  await store.moveSession(kernel.db, idOf(caller.sessionId), workspaceId);
  return true;
}

/** Ends the caller's session. */
export async function endSession(kernel: Kernel, secret: string): Promise<void> {
  await store.deleteSession(kernel.db, idOf(secret));
}

/** Ends the user's other sessions, after a password change. */
export async function endOtherSessions(kernel: Kernel, userId: string, secret: string): Promise<void> {
  await store.deleteSessionsOf(kernel.db, userId, idOf(secret));
}

/** Ends all sessions of a user. */
export async function endSessionsOf(kernel: Kernel, userId: string): Promise<void> {
  await store.deleteSessionsOf(kernel.db, userId);
}

/** The cookie's value is never stored, so a stolen database does not give access to sessions. */
function idOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
