import type { ErrorBody, FieldError, Video } from '@figurehead/contract';

/** What every failure of a call carries. */
export interface FailureDetails {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** `X-Request-Id` of the answer: name it when asking the operator. */
  readonly requestId: string | undefined;
  /** Kind of the failure, such as `notFound` or `unknownPath` (a route that this server does not have): `Error-Code` of the answer. */
  readonly code?: string | undefined;
  /** HTTP method of the call: `POST`. */
  readonly method: string;
  /** With host, without its query: `https://video.example.com/api/v1/videos`. */
  readonly url: string;
}

/** Any failure of a call. `message` is the server's own sentence; `method` and `url` say which call it was. */
export class FigureheadError extends Error implements FailureDetails {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly code: string | undefined;
  readonly method: string;
  readonly url: string;

  constructor(message: string, details: FailureDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.status = details.status;
    this.requestId = details.requestId;
    this.code = details.code;
    this.method = details.method;
    this.url = details.url;
  }
}

/** 401: the token is missing, unknown, expired or revoked, or the workspace is on the Unlimited plan, which has no API (§5). */
export class AuthenticationError extends FigureheadError {}

/** 403: the resource belongs to another workspace, or your role does not allow it. */
export class ForbiddenError extends FigureheadError {}

/** 404. */
export class NotFoundError extends FigureheadError {}

/** 400: `errors` names the offending fields where the server can tell. */
export class ValidationError extends FigureheadError {
  constructor(
    message: string,
    readonly errors: readonly FieldError[],
    details: FailureDetails,
  ) {
    super(message, details);
  }
}

/** 429 that waiting helps against. Thrown when the wait asked for is longer than the client may wait. */
export class RateLimitError extends FigureheadError {
  constructor(
    message: string,
    /** Seconds until the call may be repeated. */
    readonly retryAfter: number,
    details: FailureDetails,
  ) {
    super(message, details);
  }
}

/** 409: another call with this idempotency key still runs after the client's waits, or its answer was lost. 422: the key was used for another call. */
export class IdempotencyError extends FigureheadError {
  constructor(
    message: string,
    /** Seconds until the call may be repeated, while the first one runs. */
    readonly retryAfter: number | undefined,
    details: FailureDetails,
  ) {
    super(message, details);
  }
}

/** 412: the video has another version than the call's `ifMatch`. Nothing was changed: read it again, then decide. */
export class ChangedSinceError extends FigureheadError {}

/** 429 that waiting does not help against soon: a creation quota, or no minutes left (§7.1). */
export class QuotaError extends FigureheadError {}

/** 5xx, or an answer that is not of this API (a proxy's page, for instance). */
export class ServerError extends FigureheadError {}

/** No answer: the server is not reachable, or the call took longer than `timeoutMs`. `message` names method, address and cause. */
export class ConnectionError extends FigureheadError {}

/** A video that will not become ready. */
export class VideoError extends Error {
  constructor(
    message: string,
    /** `error`: rendering failed; `cancelled`: it is a draft, nothing renders it; `deleted`: it was deleted. */
    readonly reason: 'error' | 'cancelled' | 'deleted',
    readonly video: Video,
  ) {
    super(message);
    this.name = 'VideoError';
  }
}

/**
 * The error class for a failed answer.
 * @param body the parsed JSON of the answer, if any.
 * @param headers of the answer: `Retry-After` replaces `retryAfter` when a proxy limits the rate, `WWW-Authenticate`
 * says why a client token is refused.
 */
export function errorOf(details: FailureDetails, body: unknown, headers: Headers): FigureheadError {
  const { status } = details;
  const failure = readFailure(body);
  const challenge = /error_description="([^"]*)"/.exec(headers.get('www-authenticate') ?? '');
  const message =
    failure.message ?? challenge?.[1] ?? `The server answered ${status}${status === 401 ? ': not authorised' : ''}.`;
  if (status === 400) return new ValidationError(message, failure.errors ?? [], details);
  if (status === 401) return new AuthenticationError(message, details);
  if (status === 403) return new ForbiddenError(message, details);
  if (status === 404) return new NotFoundError(message, details);
  if (status === 429) {
    const retryAfterHeader = headers.get('retry-after');
    const retryAfter =
      failure.retryAfter ?? (/^\d+$/.test(retryAfterHeader ?? '') ? Number(retryAfterHeader) : undefined);
    return retryAfter === undefined
      ? new QuotaError(message, details)
      : new RateLimitError(message, retryAfter, details);
  }
  if (status === 409 || status === 422) return new IdempotencyError(message, failure.retryAfter, details);
  if (status === 412) return new ChangedSinceError(message, details);
  if (status >= 500) return new ServerError(message, details);
  return new FigureheadError(message, details);
}

/** Reads the fields of `body` with the contract's types; the body may come from any proxy between client and server. */
function readFailure(body: unknown): Partial<ErrorBody> {
  if (typeof body !== 'object' || body === null) return {};
  const { message, errors, retryAfter } = body as Record<string, unknown>;
  return {
    ...(typeof message === 'string' && message !== '' ? { message } : {}),
    ...(Array.isArray(errors) ? { errors: errors.filter(isFieldError) } : {}),
    ...(typeof retryAfter === 'number' && retryAfter >= 0 ? { retryAfter } : {}),
  };
}

function isFieldError(value: unknown): value is FieldError {
  if (typeof value !== 'object' || value === null) return false;
  const { field, message } = value as Record<string, unknown>;
  return typeof field === 'string' && typeof message === 'string';
}

/** The server's final word. Errors of the network and of an overloaded server are temporary. */
export function isRefusal(error: unknown): boolean {
  const isPassing = [ConnectionError, ServerError, RateLimitError].some((passing) => error instanceof passing);
  return error instanceof FigureheadError && !isPassing;
}
