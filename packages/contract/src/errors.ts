/** A failure's status and its sentence; `{name}` stands for a value given by the caller of {@link formatMessage}. */
export interface ErrorDefinition {
  readonly status: 400 | 401 | 403 | 404 | 429 | 500 | 503;
  readonly message: string;
}

/** Every expected failure of the API (§7). A 401 has no body at all, so its message is never sent. */
export const errors = {
  unauthorized: { status: 401, message: '' },
  bodyNotJson: { status: 400, message: 'The body is not valid JSON: {reason}' },
  bodyTooLarge: { status: 400, message: 'The body is larger than the limit of {limit}.' },
  invalid: { status: 400, message: '{reason}' },
  badRequest: { status: 400, message: 'The request is not valid: {reason}' },
  crossSite: {
    status: 403,
    message: 'A change made with a console session must come from the console itself (same origin).',
  },
  webOnly: { status: 403, message: 'This is done in the console, signed in as a person; an API token cannot do it.' },
  operatorOnly: { status: 403, message: 'Only who operates this installation may do this.' },
  notRendered: { status: 400, message: 'The video has to be rendered first: its status is "{status}".' },
  roleRequired: { status: 403, message: 'Your role in this workspace does not allow this; it takes: {role}.' },
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
  overloaded: { status: 429, message: 'The server has more to do than it can. Try again in {seconds} s.' },
  quotaReached: {
    status: 429,
    message:
      '{count} {entities} created in the last 8 hours, the limit of the {plan} plan. Wait until the window rolls on, or upgrade the plan.',
  },
  uploadFolderCap: {
    status: 400,
    message:
      'The {plan} plan allows {cap} upload folders and you have reached this cap. Upgrade the plan or delete folders.',
  },
  outOfMinutes: {
    status: 429,
    message: 'The workspace has no minutes left. Add minutes, upgrade the plan or allow going over the limit.',
  },
  previewsBusy: { status: 429, message: 'Too many previews are being drawn now. Try again in a moment.' },
  tooManyListeners: { status: 429, message: 'More than {limit} clients of this workspace listen already.' },
  noStreamHost: { status: 429, message: 'No stream host has room now. Try again in {seconds} s.' },
  premiumVoice: { status: 400, message: 'The voice "{voice}" is a premium voice and needs a paid plan.' },
  unknownVoice: { status: 400, message: 'There is no voice "{voice}" of the provider "{provider}".' },
  unknownAvatar: { status: 400, message: 'There is no avatar "{avatar}".' },
  diskFull: {
    status: 503,
    message:
      'The server is nearly out of disk space: it keeps the last {reserve} free and takes no files now. Try again later, or tell who operates it.',
  },
  internal: { status: 500, message: 'Something went wrong on the server. Please name the request id {requestId}.' },
} as const satisfies Record<string, ErrorDefinition>;

/** A key of {@link errors}. */
export type ErrorCode = keyof typeof errors;

/** Puts `values` into a message template of {@link errors}; a name without a value stays as it is. */
export function formatMessage(template: string, values: Readonly<Record<string, string | number>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
