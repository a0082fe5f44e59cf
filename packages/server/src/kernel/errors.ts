import type { FieldError } from '@figurehead/contract';
import { type ErrorCode, errors, formatMessage } from '@figurehead/contract/errors';

/**
 * An expected failure of a call, from the contract's catalogue. Thrown by any code that serves a route; the error
 * handler converts it into the answer.
 */
export class ApiError extends Error {
  readonly status: number;

  /**
   * @param code key of the catalogue.
   * @param values for the placeholders of its message.
   * @param details offending fields, and `retryAfterSeconds` where waiting helps.
   */
  constructor(
    readonly code: ErrorCode,
    values: Readonly<Record<string, string | number>> = {},
    readonly details: { readonly errors?: readonly FieldError[]; readonly retryAfterSeconds?: number } = {},
  ) {
    super(formatMessage(errors[code].message, values));
    this.name = 'ApiError';
    this.status = errors[code].status;
  }
}

/** A 400 that names its fields: the message is the first field's, the rest is in `errors`. */
export function invalidFields(fields: readonly [FieldError, ...FieldError[]]): ApiError {
  const [first] = fields;
  const reason = first.field === '' ? first.message : `${first.field} ${first.message}`;
  return new ApiError(
    'badRequest',
    { reason: fields.length > 1 ? `${reason} (and ${fields.length - 1} more)` : reason },
    { errors: fields },
  );
}

/** The server is overloaded. */
export function overloaded(retryAfterSeconds = 1): ApiError {
  return new ApiError('overloaded', { seconds: retryAfterSeconds }, { retryAfterSeconds });
}

/** Returns the resource if there is one. Throws `notFound`. */
export function requireFound<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new ApiError('notFound', { what });
  return found;
}

/** Returns the resource if the workspace owns it. Throws `notFound`, and `foreign` for a resource of another workspace. */
export function requireOwn<T extends { readonly workspaceId: string }>(
  found: T | undefined,
  workspaceId: string,
  what: string,
): T {
  const resource = requireFound(found, what);
  if (resource.workspaceId !== workspaceId) throw new ApiError('foreign', { what });
  return resource;
}
