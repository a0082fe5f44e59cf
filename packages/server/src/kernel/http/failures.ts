import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorBody } from '@figurehead/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isDatabaseAway, isDiskFull } from '../database/away.js';
import { PoolBusyError } from '../database/pool.js';
import { ApiError, overloaded } from '../errors.js';
import { BucketAway } from '../storage/bucket-away.js';
import { isOutOfSpace } from '../storage/files.js';

/** An error and the request it belongs to. */
export interface Failure {
  readonly error: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The client closed its connection before it received the answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client went away');
    this.name = 'ClientGone';
  }
}

/** Node's error codes for a connection that the other side has closed. */
const GONE = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'FST_PREMATURE_CLOSE', 'ABORT_ERR']);

/** Names the kind of a failure for programs, by a key of the contract's catalogue. */
export const ERROR_CODE_HEADER = 'Error-Code';

/** Seconds after which to retry a call that failed because the database was unavailable, or a disk full. */
const AWAY_SECONDS = 5;
const FULL_SECONDS = 60;

/**
 * Answers with an error of the catalogue; any other error is logged and answered with a 500 that only contains the
 * request id.
 */
export function answerError(log: Logger, { error, request, reply }: Failure): void {
  const known = knownError(error, request);
  if (known === undefined) {
    const about = { err: error, requestId: request.id, method: request.method, url: request.url.split('?')[0] };
    if (isAbandoned(request, reply) && isGone(error)) log.debug(about, 'the client went away before its answer');
    else log.error(about, 'request failed');
    const internal = new ApiError('internal', { requestId: request.id });
    reply.code(500).header(ERROR_CODE_HEADER, internal.code);
    void reply.send({ message: internal.message } satisfies ErrorBody);
    return;
  }
  if (known.status === 401) {
    // Without a body by §5, so that it reveals nothing. A caller with one of our tokens gets the reason (RFC 6750 §3).
    const why = known.message === '' ? '' : ` error="invalid_token", error_description="${known.message}"`;
    void reply.code(401).header('WWW-Authenticate', `Bearer${why}`).removeHeader('Content-Type').send();
    return;
  }
  const { errors, retryAfterSeconds } = known.details;
  if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds);
  const body: ErrorBody = {
    message: known.message,
    ...(errors === undefined ? {} : { errors: [...errors] }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfter: retryAfterSeconds }),
  };
  void reply.code(known.status).header(ERROR_CODE_HEADER, known.code).send(body);
}

/** What Node could not read as a request: status and reason by the code of its error. */
const UNREADABLE: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, `its address and headers are longer than ${maxHeaderSize / 1024} kB`],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'it stopped coming or is too slow'],
};

/** Answers on a connection without a readable request, and closes it. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, reason] = UNREADABLE[error.code ?? ''] ?? [400, `it is not HTTP/1.1 (${error.message})`];
  const { message } = new ApiError('badRequest', { reason });
  const body = JSON.stringify({ message } satisfies ErrorBody);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  if (socket.writable) socket.write([...head, '', body].join('\r\n'));
  socket.destroy(error);
}

function isAbandoned(request: FastifyRequest, reply: FastifyReply): boolean {
  return request.raw.socket.destroyed || (reply.raw.destroyed && !reply.raw.writableFinished);
}

/** True when the error, or its cause, is that the client disconnected. */
function isGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ClientGone || ('code' in error && GONE.has(String(error.code)))) return true;
  return isGone(error.cause);
}

function knownError(error: unknown, request: FastifyRequest): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof PoolBusyError) return overloaded();
  if (isDatabaseAway(error)) {
    return new ApiError('databaseAway', { seconds: AWAY_SECONDS }, { retryAfterSeconds: AWAY_SECONDS });
  }
  if (isDiskFull(error)) return new ApiError('databaseFull', {}, { retryAfterSeconds: FULL_SECONDS });
  if (error instanceof BucketAway)
    return new ApiError('storageAway', { seconds: AWAY_SECONDS }, { retryAfterSeconds: AWAY_SECONDS });
  if (isOutOfSpace(error)) return new ApiError('storageFull', {}, { retryAfterSeconds: FULL_SECONDS });
  return fromFramework(error, request);
}

/**
 * Refusals of Fastify and of its plugins are client errors: a 400 in our format. Those of `@fastify/send` have no code,
 * but say that clients may read them (`expose` of http-errors).
 */
function fromFramework(error: unknown, { routeOptions }: FastifyRequest): ApiError | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  const status = Number(error.statusCode);
  const code = 'code' in error ? String(error.code) : '';
  const isExposed = 'expose' in error && error.expose === true;
  if (!(code.startsWith('FST_') || isExposed) || status < 400 || status >= 500) return undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limitKb = routeOptions.bodyLimit / 1024;
    return new ApiError('bodyTooLarge', { limit: limitKb < 1024 ? `${limitKb} kB` : `${limitKb / 1024} MB` });
  }
  return new ApiError('badRequest', { reason: error.message });
}
