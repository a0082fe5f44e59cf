import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Route } from '@figurehead/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database, Tx } from '../contract.js';
import { beforeEachCommit } from '../database/transaction.js';
import { ApiError } from '../errors.js';
import type { Upload } from './upload.js';
import type { Check } from './validation.js';

/*
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header) for the routes of the contract that have
 * `idempotencyKey`. One row per key:
 *
 *   claimed ──a transaction of the handler commits──▶ committed ──handler returns──▶ answered: replayed for 24 hours
 *      │                                                  └──the process dies──▶ 409: nothing is created again
 *      ├──handler throws, nothing committed──▶ no row: the next request with the key starts from the beginning
 *      └──the process dies──▶ taken over by the next request with the key, LOCK_SECONDS later
 *
 * `committed` is written by each transaction of the handler itself, together with the answer if the transaction's
 * result already has the shape of the route's response. So no crash can make a key create twice. Only the answer can be
 * lost: by a crash between the commit of a handler that creates its answer later and the statement that stores it.
 */

/** A claim that was not renewed for this long belongs to a dead process. */
const LOCK_SECONDS = 10;
const RENEW_MS = 3000;

/** `retryAfter` while the first request is still running, seconds. */
const RETRY_SECONDS = 1;

const MAX_KEY_LENGTH = 255;

/** One request with a key. */
export interface KeyedCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly route: Route;
  readonly upload: Upload | undefined;
  /** Schema of the route's response. */
  readonly checkAnswer: Check;
}

/** A stored response, or the state of its request. */
interface StoredRow {
  readonly fingerprint: string;
  readonly status: number | null;
  readonly answer: string | null;
  readonly committed: boolean;
  readonly isLocked: boolean;
}

interface Claim {
  readonly db: Database;
  readonly id: string;
  readonly workspaceId: string;
  readonly keyHash: string;
}

/**
 * Runs `work` once per key and replays its answer. Throws `idempotencyKeyInvalid`, `idempotencyKeyReused` for another request under the same key,
 * `idempotencyKeyBusy` while the first one runs, `idempotencyAnswerLost`.
 */
export async function answerOnce(
  { db, log }: { db: Database; log: Logger },
  call: KeyedCall,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const { request, reply } = call;
  const workspaceId = request.caller?.workspace.id ?? '';
  const keyHash = hash(`${request.caller?.client?.id ?? ''}\n${readKey(request.headers['idempotency-key'])}`);
  const claim: Claim = { db, id: randomUUID(), workspaceId, keyHash };
  const fingerprint = await fingerprintOf(call);
  while (!(await take(claim, fingerprint))) {
    const stored = await read(claim);
    // The first request failed between the two statements, so the key is free again.
    if (stored === undefined) continue;
    if (stored.fingerprint !== fingerprint) throw new ApiError('idempotencyKeyReused');
    if (stored.answer !== null && stored.status !== null) return replay(reply, stored.status, stored.answer);
    if (stored.isLocked)
      throw new ApiError('idempotencyKeyBusy', { seconds: RETRY_SECONDS }, { retryAfterSeconds: RETRY_SECONDS });
    if (stored.committed) throw new ApiError('idempotencyAnswerLost');
  }
  const onError = (err: unknown) => log.warn({ err, requestId: request.id }, 'an idempotency key was not updated');
  const renewal = setInterval(() => void renew(claim).catch(onError), RENEW_MS);
  try {
    const given = await beforeEachCommit((tx, result) => mark(tx, claim, answerIn(call, result)), work);
    await finish(claim, { status: reply.statusCode, answer: JSON.stringify(given) }).catch(onError);
    return given;
  } catch (error) {
    await abandon(claim, error instanceof ApiError && error.status < 500).catch(onError);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

/** Visible ASCII, bare or as the string of a structured header (RFC 8941, in quotes): `"a"` and `a` are the same key. */
function readKey(header: string | string[] | undefined): string {
  const given = [header ?? ''].flat().join(',');
  const key = given.startsWith('"') && given.endsWith('"') && given.length > 1 ? given.slice(1, -1) : given;
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > MAX_KEY_LENGTH)
    throw new ApiError('idempotencyKeyInvalid', { most: MAX_KEY_LENGTH, length: key.length });
  return key;
}

async function fingerprintOf({ request, route, upload }: KeyedCall): Promise<string> {
  const digest = createHash('sha256');
  digest.update(JSON.stringify([route.id, request.url, upload ? upload.fields : request.body]));
  if (upload !== undefined) await pipeline(createReadStream(upload.file.path), digest, { end: false });
  return digest.digest('hex');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The result of a transaction as an answer, if it has the shape of one. */
function answerIn({ checkAnswer }: KeyedCall, result: unknown): string | null {
  if (typeof result !== 'object' || result === null) return null;
  const text = JSON.stringify(result);
  try {
    checkAnswer(JSON.parse(text));
    return text;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function replay(reply: FastifyReply, status: number, answer: string): string {
  void reply.code(status).type('application/json; charset=utf-8').header('Idempotency-Replayed', 'true');
  return answer;
}

/** @returns false when the key belongs to a request that runs, has ended, or whose process died after its commit. */
async function take({ db, id, workspaceId, keyHash }: Claim, fingerprint: string): Promise<boolean> {
  const { rows } = await sql`
    insert into idempotency_keys as k (workspace_id, key_hash, fingerprint, claim, locked_until)
    values (${workspaceId}, ${keyHash}, ${fingerprint}, ${id}, now() + ${LOCK_SECONDS} * interval '1 s')
    on conflict (workspace_id, key_hash) do update set fingerprint = excluded.fingerprint, claim = excluded.claim,
      locked_until = excluded.locked_until, committed = false, status = null, answer = null, created_at = now()
    where k.created_at < now() - interval '24 hours'
      or (k.fingerprint = excluded.fingerprint and k.answer is null and not k.committed and k.locked_until < now())
    returning claim`.execute(db);
  return rows.length === 1;
}

async function read({ db, workspaceId, keyHash }: Claim): Promise<StoredRow | undefined> {
  const { rows } = await sql<StoredRow>`
    select fingerprint, status, answer, committed, locked_until >= now() as is_locked from idempotency_keys
    where workspace_id = ${workspaceId} and key_hash = ${keyHash}`.execute(db);
  return rows[0];
}

/** Call it as the last statement of the handler's transaction. Throws when another process has taken over the key, so that nothing is committed. */
async function mark(tx: Tx, { id, workspaceId, keyHash }: Claim, answer: string | null): Promise<void> {
  const { numAffectedRows } = await sql`
    update idempotency_keys set committed = true, status = 200, answer = ${answer}
    where workspace_id = ${workspaceId} and key_hash = ${keyHash} and claim = ${id}`.execute(tx);
  if (numAffectedRows !== 1n) throw new Error('another process took the idempotency key over');
}

async function renew({ db, id, workspaceId, keyHash }: Claim): Promise<void> {
  await sql`
    update idempotency_keys set locked_until = now() + ${LOCK_SECONDS} * interval '1 s'
    where workspace_id = ${workspaceId} and key_hash = ${keyHash} and claim = ${id}`.execute(db);
}

async function finish(
  { db, id, workspaceId, keyHash }: Claim,
  { status, answer }: { status: number; answer: string },
): Promise<void> {
  await sql`
    update idempotency_keys set committed = true, status = ${status}, answer = ${answer}
    where workspace_id = ${workspaceId} and key_hash = ${keyHash} and claim = ${id}`.execute(db);
}

/** Releases the key after a refusal, and after any other failure unless a transaction was committed. */
async function abandon({ db, id, workspaceId, keyHash }: Claim, isRefused: boolean): Promise<void> {
  await sql`
    with freed as (
      delete from idempotency_keys
      where workspace_id = ${workspaceId} and key_hash = ${keyHash} and claim = ${id} and (${isRefused} or not committed)
      returning claim)
    update idempotency_keys set locked_until = now()
    where workspace_id = ${workspaceId} and key_hash = ${keyHash} and claim = ${id} and not exists (select from freed)`.execute(
    db,
  );
}
