import { hash } from 'node:crypto';
import type { NewToken, Token } from '@figurehead/contract';
import type { Static } from '@sinclair/typebox';
import type { Database, Kernel, KernelInTx, Tx } from '../../../kernel/contract.js';
import type { PageQuery } from '../../../kernel/database/page.js';
import type { Caller } from '../../../kernel/http/contract.js';
import * as store from './store.js';

/** A new token, readable only once. */
export type FreshToken = Static<typeof NewToken>;

/** Minimum interval between recorded uses. */
const TOUCH_MS = 60_000;

/** Creates a token for a workspace. Its calls count as actions of `userId`. */
export async function createToken(
  kernel: Kernel,
  options: { workspaceId: string; userId: string; name: string },
  db: Database | Tx = kernel.db,
): Promise<FreshToken> {
  const token = `fh_${kernel.ids.secret(32)}`;
  const row = await store.insertToken(db, {
    ...options,
    id: kernel.ids.next(),
    prefix: token.slice(0, 9),
    hash: hashToken(token),
  });
  return { _id: row.id, name: row.name, token, workspaceId: row.workspaceId, createdAt: row.createdAt.toISOString() };
}

/**
 * Identifies the caller of a token: `undefined` when it is unknown or revoked, and for workspaces on the Unlimited
 * plan, which have no API (§5). Nothing is cached: every process refuses a revoked token immediately.
 */
export function createTokenReader(kernel: Kernel): (token: string) => Promise<Caller | undefined> {
  return async (token) => {
    const use = await store.findTokenUse(kernel.read, hash('sha256', token));
    if (use === undefined || use.plan === 'Unlimited') return undefined;
    const now = kernel.clock.now();
    if (use.lastUsedAt === null || now - use.lastUsedAt.getTime() > TOUCH_MS) {
      await store.touchToken(kernel.db, use.tokenId, new Date(now));
    }
    const { workspaceId, name, plan, status, allowOverlimit, userId } = use;
    return { kind: 'api', workspace: { id: workspaceId, name, plan, status, allowOverlimit }, userId, role: 'owner' };
  };
}

/** A token by id, with its workspace; not for revoked ones. */
export async function findToken(kernel: Kernel, id: string): Promise<Token | undefined> {
  const row = await store.findToken(kernel.db, id);
  return row === undefined || row.revokedAt !== null ? undefined : present(row);
}

/** Active tokens of a workspace, newest first. */
export async function listTokens(kernel: Kernel, workspaceId: string, { page, limit }: PageQuery) {
  const { rows, total } = await store.listTokens(kernel.db, workspaceId, { page, limit });
  return { tokens: rows.map(present), page, limit, total };
}

/** Revokes a token immediately; false when there is no active one with this id. */
export async function revokeToken(kernel: Kernel, id: string): Promise<boolean> {
  return (await store.revokeTokens(kernel.db, { id }, new Date(kernel.clock.now()))) > 0;
}

/** Revokes all tokens that a user created in a workspace. */
export async function revokeTokensOf(
  kernel: KernelInTx,
  tx: Tx,
  which: { workspaceId: string; userId: string },
): Promise<void> {
  await store.revokeTokens(tx, which, new Date(kernel.clock.now()));
}

function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function present(row: store.TokenRow): Token {
  return {
    _id: row.id,
    name: row.name,
    prefix: row.prefix,
    workspaceId: row.workspaceId,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}
