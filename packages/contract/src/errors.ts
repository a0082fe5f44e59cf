/** HTTP status and message template of an error; {@link formatMessage} fills in `{name}`. */
export interface ErrorDefinition {
  readonly status: 400 | 401 | 403 | 404 | 409 | 412 | 422 | 429 | 500 | 503;
  readonly message: string;
}

/**
 * Every expected error of the API (§7). A 401 has no body; its message, if any, is in `WWW-Authenticate` (RFC 6750).
 */
export const errors = {
  unauthorized: { status: 401, message: '' },
  clientTokenExpired: { status: 401, message: 'This client token expired at {time}.' },
  clientTokenRevoked: { status: 401, message: 'This client token was revoked.' },
  bodyNotJson: { status: 400, message: 'The body is not valid JSON: {reason}' },
  bodyTooLarge: { status: 400, message: 'The body is larger than the limit of {limit}.' },
  invalid: { status: 400, message: '{reason}' },
  badRequest: { status: 400, message: 'The request is not valid: {reason}' },
  crossSite: {
    status: 403,
    message: 'Signing in and changes made with a console session must come from the console itself (same origin).',
  },
  foreignOrigin: { status: 403, message: 'This client token cannot be used on pages of {origin}.' },
  streamReplaced: { status: 409, message: 'Another request is replacing this stream. Use the stream that it opened.' },
  noIceRestart: { status: 422, message: 'This server does not restart ICE. Open the stream again.' },
  clientOnly: { status: 403, message: 'A client token can only open, drive, read and close its own streams.' },
  otherToken: { status: 403, message: 'This stream was not opened with this client token.' },
  notGranted: { status: 403, message: 'This client token does not allow {field} "{value}".' },
  webOnly: { status: 403, message: 'An API token cannot do this. Sign in to the console.' },
  operatorOnly: { status: 403, message: 'Only an administrator of this server can do this.' },
  notRendered: { status: 400, message: 'Render the video first. Its status is "{status}".' },
  roleRequired: { status: 403, message: 'Your role in this workspace does not allow this. Required: {role}.' },
  foreign: { status: 403, message: 'This {what} belongs to another workspace.' },
  notFound: { status: 404, message: 'There is no {what} with this id.' },
  unknownPath: { status: 404, message: 'There is no {method} {path} in this API.' },
  rateLimited: {
    status: 429,
    message: 'Too many requests per {window}: the limit is {limit}. Try again in {seconds} s.',
  },
  signInBlocked: {
    status: 429,
    message: 'Too many wrong passwords. Try again in {seconds} s.',
  },
  overloaded: { status: 429, message: 'The server is overloaded. Try again in {seconds} s.' },
  quotaReached: {
    status: 429,
    message:
      '{count} {entities} created in the last 8 hours, the limit of the {plan} plan. Try again later or upgrade the plan.',
  },
  uploadFolderCap: {
    status: 400,
    message:
      'The {plan} plan allows {cap} upload folders, and this workspace has reached this cap. Upgrade the plan or delete folders.',
  },
  outOfMinutes: {
    status: 429,
    message: 'The workspace has no minutes left. Add minutes, upgrade the plan or allow overage.',
  },
  workspaceBusy: {
    status: 429,
    message: 'This workspace has too many files, previews or voices waiting. Try again in {seconds} s.',
  },
  tooManyListeners: {
    status: 429,
    message: 'This workspace already has {limit} open event streams, which is the limit.',
  },
  tooManyReaders: {
    status: 429,
    message: 'The events of this stream already have {limit} readers, which is the limit.',
  },
  clientMinutesUsed: { status: 429, message: 'The minutes of this client token are used up.' },
  clientStreamsOpen: {
    status: 429,
    message: 'All {limit} streams of this client token are in use. Try again when one has ended.',
  },
  streamHostsFull: { status: 429, message: 'All stream hosts are full. Try again in {seconds} s.' },
  streamHostsAway: {
    status: 429,
    message: 'No stream host is running or can be reached; one may be restarting. Try again in {seconds} s.',
  },
  speechQueueFull: {
    status: 429,
    message: 'The speech queue of this stream is full. Try again in {seconds} s, or interrupt it first.',
  },
  utteranceEnded: { status: 404, message: 'This utterance takes no more pieces: {reason}. Open another one.' },
  noConversations: {
    status: 400,
    message:
      'This server cannot hold conversations yet: it has no {lacking}. Its administrator sets {settings} to the address of a server with OpenAI’s API, then restarts it.{instead}',
  },
  notConversing: { status: 400, message: 'This stream holds no conversation. Open it with an agentId.' },
  unknownAgent: { status: 400, message: 'There is no agent "{agent}".' },
  agentLimit: { status: 400, message: 'This workspace has {limit} agents, which is the limit. Delete one first.' },
  toolCallEnded: { status: 404, message: 'No tool call with this id waits for a result.' },
  idempotencyKeyInvalid: {
    status: 400,
    message: 'The header Idempotency-Key must have 1 to {most} visible ASCII characters; it has {length}.',
  },
  idempotencyKeyReused: {
    status: 422,
    message: 'This Idempotency-Key was used for another request in the last 24 hours. Use a new key for each request.',
  },
  idempotencyKeyBusy: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running. Try again in {seconds} s.',
  },
  idempotencyAnswerLost: {
    status: 409,
    message:
      'The request with this Idempotency-Key was probably carried out, but the server stopped before it could keep the answer. Look for the result in the lists; with this key nothing is made twice.',
  },
  changedSince: {
    status: 412,
    message:
      'This video was changed by another request: If-Match must name its version, which is now {etag}. Read the video again, then repeat the change.',
  },
  premiumVoice: { status: 400, message: 'The voice "{voice}" is a premium voice and needs a paid plan.' },
  unknownVoice: { status: 400, message: 'There is no voice "{voice}"{place}.' },
  unknownAvatar: { status: 400, message: 'There is no avatar "{avatar}".' },
  diskFull: {
    status: 503,
    message:
      'The server is nearly out of disk space: the last {reserve} are reserved, and no files are accepted. Try again later or contact the administrator.',
  },
  storageFull: {
    status: 503,
    message: 'The disk of the server is full, and nothing can be stored. Try again later or contact the administrator.',
  },
  storageAway: { status: 503, message: 'The storage of this server does not answer. Try again in {seconds} s.' },
  databaseFull: {
    status: 503,
    message:
      'The disk of the database is full, and nothing can be changed. Try again later or contact the administrator.',
  },
  databaseAway: { status: 503, message: 'The database of this server does not answer. Try again in {seconds} s.' },
  modelFailed: { status: 503, message: 'The language model of this server failed: {reason}. Try again later.' },
  internal: { status: 500, message: 'Internal server error. If you report it, include the request id {requestId}.' },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errors;

/** Inserts `values` into a message template of {@link errors}; a name without a value is kept. */
export function formatMessage(template: string, values: Readonly<Record<string, string | number>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
