import { hkdfSync } from 'node:crypto';
import {
  CLIENT_TOKEN_LIMITS,
  type ClientToken,
  type ClientTokenInput,
  type NewClientToken,
  type StreamInput,
} from '@figurehead/contract';
import type { Static } from '@sinclair/typebox';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Kernel, Tx } from '../../../kernel/contract.js';
import type { PageQuery } from '../../../kernel/database/page.js';
import { ApiError, invalidFields, requireOwn } from '../../../kernel/errors.js';
import type { Caller } from '../../../kernel/http/contract.js';
import { readWorkspace } from '../../workspaces/index.js';
import * as store from './store.js';

// A client token is a JWT (HS256) with its id and its expiry; what it allows is in the database, where it can be revoked.

const MINUTE_MS = 60_000;
const UNUSED: store.Usage = { openStreams: 0, usedMs: 0 };

/** The signed fields. */
interface Signed {
  readonly id: string;
  readonly expiresAt: Date;
  readonly isExpired: boolean;
}

/** Client tokens of an installation. */
export interface ClientTokens {
  /** Creates a token; only this response contains its text. Throws a 400 for unknown avatars and voices and for malformed origins. */
  create(caller: Caller, input: ClientTokenInput): Promise<NewClientToken>;
  list(workspaceId: string, page: PageQuery): Promise<{ clientTokens: ClientToken[]; total: number }>;
  /** Finds a token by its id, also when it is revoked or expired. Throws `notFound` or `foreign`. */
  load(caller: Caller, id: string): Promise<store.ClientTokenRow>;
  /** Refuses calls with the token from now on; hosts end its streams with their next report. */
  revoke(id: string): Promise<void>;
  /** True for an unexpired token of this installation; does not read the database. */
  isSigned(token: string): Promise<boolean>;
  /** What a token allows; `undefined` when it is not from this installation. Throws a 401 with the reason when it has expired or was revoked. */
  read(token: string): Promise<store.ClientTokenRow | undefined>;
  /** The caller with this token; `undefined` for an unknown token and for workspaces on the Unlimited plan, which have no API. Throws as `read`. */
  callerOf(token: string): Promise<Caller | undefined>;
}

/** The key is derived from the secret that all processes of the installation share: a new secret ends all client tokens. */
export function createClientTokens(kernel: Kernel): ClientTokens {
  const { db, clock } = kernel;
  const key = new Uint8Array(hkdfSync('sha256', kernel.internalSecret, '', 'client tokens', 32));

  async function verify(token: string): Promise<Signed | undefined> {
    if (!isCanonical(token)) return undefined;
    const verified = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      requiredClaims: ['jti', 'exp'],
      currentDate: new Date(clock.now()),
    }).catch((error: unknown) => {
      if (error instanceof errors.JOSEError) return error;
      throw error;
    });
    const isExpired = verified instanceof errors.JWTExpired;
    if (verified instanceof errors.JOSEError && !isExpired) return undefined;
    const { jti = '', exp = 0 } = verified.payload;
    return { id: jti, expiresAt: new Date(exp * 1000), isExpired };
  }

  async function read(token: string): Promise<store.ClientTokenRow | undefined> {
    const signed = await verify(token);
    if (signed === undefined) return undefined;
    if (signed.isExpired) throw new ApiError('clientTokenExpired', { time: signed.expiresAt.toISOString() });
    const row = await store.clientTokens.find(db, signed.id);
    if (row !== undefined && row.revokedAt !== null) throw new ApiError('clientTokenRevoked');
    return row;
  }

  return {
    read,
    isSigned: async (token) => (await verify(token))?.isExpired === false,
    async create(caller, input) {
      const wrong = input.origins.findIndex((origin) => !isOrigin(origin));
      if (wrong >= 0) {
        const message = 'must be an origin (scheme, host and port), such as "https://www.example.org"';
        throw invalidFields([{ field: `origins[${wrong}]`, message }]);
      }
      const row = rowOf(kernel, caller, input);
      await store.clientTokens.insert(db, row);
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'HS256' })
        .setJti(row.id)
        .setExpirationTime(row.expiresAt)
        .sign(key);
      return { ...present(row, UNUSED), token };
    },
    async list(workspaceId, query) {
      const which = { workspaceId, at: new Date(clock.now()) };
      const { rows, total } = await store.listClientTokens(db, which, query);
      const usage = await store.readUsage(
        db,
        rows.map(({ id }) => id),
      );
      return { clientTokens: rows.map((row) => present(row, usage.get(row.id) ?? UNUSED)), total };
    },
    async load(caller, id) {
      return requireOwn(await store.clientTokens.find(db, id), caller.workspace.id, 'client token');
    },
    revoke: (id) => store.revokeClientToken(db, id, new Date(clock.now())),
    async callerOf(token) {
      const row = await read(token);
      const found = row && (await readWorkspace(kernel, row.workspaceId));
      if (row === undefined || found === undefined || found.plan === 'Unlimited') return undefined;
      const { _id: id, name, plan, status, allowOverlimit } = found;
      return {
        kind: 'client',
        workspace: { id, name, plan, status, allowOverlimit },
        userId: row.userId,
        role: 'member',
        client: { id: row.id, origins: row.origins },
      };
    },
  };
}

/**
 * Checks the token's limits before `tx` inserts a stream; concurrent openings with one token wait for each other. Throws `clientMinutesUsed`
 * and `clientStreamsOpen`.
 */
export async function claimStream(tx: Tx, tokenId: string): Promise<void> {
  const token = await store.clientTokens.lock(tx, tokenId);
  if (token === undefined || token.revokedAt !== null) throw new ApiError('clientTokenRevoked');
  const { openStreams, usedMs } = (await store.readUsage(tx, [tokenId])).get(tokenId) ?? UNUSED;
  if (usedMs >= Number(token.maxMs)) throw new ApiError('clientMinutesUsed');
  if (openStreams >= token.maxStreams) throw new ApiError('clientStreamsOpen', { limit: token.maxStreams });
}

/** Fills a page's request from its token. Throws `notGranted` when they differ. */
export async function narrow(
  kernel: Kernel,
  tokenId: string,
  input: Static<typeof StreamInput>,
): Promise<Static<typeof StreamInput>> {
  const token = await store.clientTokens.find(kernel.db, tokenId);
  if (token === undefined) throw new ApiError('clientTokenRevoked');
  const { width, height, background, drawing } = input;
  // A visitor of a page must not start a recording.
  if (input.record === true) throw new ApiError('notGranted', { field: 'record', value: 'true' });
  const granted: Record<string, unknown> = {};
  for (const field of ['avatarCode', 'voiceId', 'voiceProvider', 'language', 'agentId'] as const) {
    const allowed = token[field];
    const asked = input[field];
    if (asked !== undefined && asked !== allowed) throw new ApiError('notGranted', { field, value: asked });
    if (allowed !== null) granted[field] = allowed;
  }
  const picture = Object.entries({ width, height, background, drawing }).filter(([, value]) => value !== undefined);
  return { ...granted, ...Object.fromEntries(picture) };
}

function rowOf(
  { ids, clock }: Kernel,
  caller: Caller,
  input: ClientTokenInput,
): Omit<store.ClientTokenRow, 'revokedAt'> {
  const { seconds, minutes, streams } = CLIENT_TOKEN_LIMITS;
  const { origins, avatarCode, voiceId = null, voiceProvider = null, language = null, agentId = null } = input;
  const { maxMinutes = minutes.usual, maxStreams = streams.usual, expiresInSeconds = seconds.usual } = input;
  // Whole seconds, as in the token.
  const now = Math.floor(clock.now() / 1000) * 1000;
  return {
    id: ids.next(),
    workspaceId: caller.workspace.id,
    userId: caller.userId,
    origins: [...new Set(origins)],
    avatarCode,
    voiceId,
    voiceProvider,
    language,
    agentId,
    maxMs: String(Math.round(maxMinutes * MINUTE_MS)),
    maxStreams,
    createdAt: new Date(now),
    expiresAt: new Date(now + expiresInSeconds * 1000),
  };
}

function present(row: Omit<store.ClientTokenRow, 'revokedAt'>, { openStreams, usedMs }: store.Usage): ClientToken {
  const { id, origins, avatarCode, voiceId, voiceProvider, language, agentId, maxMs, maxStreams } = row;
  const { createdAt, expiresAt } = row;
  return {
    _id: id,
    origins,
    avatarCode,
    voiceId,
    voiceProvider,
    language,
    agentId,
    maxMinutes: Number(maxMs) / MINUTE_MS,
    maxStreams,
    usedMinutes: usedMs / MINUTE_MS,
    openStreams,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}

/** Decoders ignore padding and spare bits; one token must not have several spellings, because what is known about it is kept by its text. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/** True for the form in which browsers send the header `Origin`. */
function isOrigin(text: string): boolean {
  // A host with a wildcard is a URL, but no browser sends it.
  return /^https?:[^*]*$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
