import { createHash } from 'node:crypto';
import type { Session } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { Caller } from '../../kernel/http/contract.js';
import { listMemberships, readUser, readWorkspace, type User } from '../workspaces/index.js';
import * as store from './store.js';

/** How long a sign-in lasts, seconds (30 days). */
export const SESSION_SECONDS = 30 * 24 * 3600;

/** Starts a session in the person's first workspace; `undefined` when there is none. Returns the cookie's value. */
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

/** Who is signed in with this cookie. */
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

/** What the console shows of the signed-in person. */
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

/** Moves the session to another workspace of the person; false when it is not one of theirs. */
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

/** Ends the person's sessions elsewhere, after a new password. */
export async function endOtherSessions(kernel: Kernel, userId: string, secret: string): Promise<void> {
  await store.deleteOtherSessions(kernel.db, userId, idOf(secret));
}

/** The cookie's value is never stored, so a stolen database opens no session. */
function idOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
