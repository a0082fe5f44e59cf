import {
  API_PREFIX,
  ErrorBody,
  pathParams,
  type Route,
  type RouteId,
  routes,
  STREAM_EVENTS,
  WebhookBody,
} from '@figurehead/contract';
import type { TSchema } from '@sinclair/typebox';
import { ROUTE_NOTES } from './notes.js';

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document of the contract.
 * @param options.serverUrl public base URL.
 * @param options.version of the program.
 */
export function createOpenApi(options: { serverUrl: string; version: string }): Json {
  const schemas = new Map<string, Json>();
  const shape = (schema: TSchema): Json => extract(schema, schemas) as Json;
  const error = shape(ErrorBody);
  const paths: Record<string, Json> = {};
  const tags = new Set<string>();
  for (const route of Object.values(routes) as Route[]) {
    tags.add(route.tag);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, shape) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Figurehead',
      version: options.version,
      description: 'AI presenters: videos and live WebRTC streams from text.',
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
      contact: { name: 'The operator of this server', url: options.serverUrl },
    },
    servers: [{ url: `${options.serverUrl}${API_PREFIX}` }],
    security: [{ token: [] }, { session: [] }],
    tags: [...tags].map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    webhooks: { video: webhookOperation(shape) },
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token of a workspace.' },
        session: { type: 'apiKey', in: 'cookie', name: 'figurehead_session', description: 'A console session.' },
      },
      responses: {
        Unauthorized: { description: 'The token is missing, unknown or revoked, or the plan has no API. No body.' },
        TooMany: {
          description:
            'A rate limit, a quota, or the server is overloaded; `message` says which. `retryAfter` is set if a retry can succeed.',
          headers: { 'Retry-After': { description: 'As `retryAfter`, seconds.', schema: { type: 'integer' } } },
          content: { 'application/json': { schema: error } },
        },
        KeyBusy: {
          description:
            'The first request with this `Idempotency-Key` is still running (`retryAfter` is set), or its answer was lost in a crash.',
          content: { 'application/json': { schema: error } },
        },
        ChangedSince: {
          description: 'The video has another version than `If-Match` names. Nothing was changed.',
          content: { 'application/json': { schema: error } },
        },
        KeyReused: {
          description: 'This `Idempotency-Key` was used for another request.',
          content: { 'application/json': { schema: error } },
        },
        Failure: {
          description: 'Refused; `message` says why, and the header `Error-Code` names the kind for programs.',
          content: { 'application/json': { schema: error } },
        },
      },
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => a.localeCompare(b))),
    },
  };
}

const TAGS: Readonly<Record<string, string>> = {
  Videos: 'Documents of slides, and their rendering.',
  Voices: 'Voices and their settings.',
  Avatars: 'Presenters.',
  Streams: `Live presenters over WebRTC. The data channel \`events\` carries ${STREAM_EVENTS.join(', ')}.`,
  Webhook: 'Outcomes of rendering, pushed.',
  Outlines: 'Scripts from a title or a text.',
  Folders: 'Folders of videos.',
  'Upload folders': 'Folders of media.',
  Media: 'Uploaded pictures, videos and sounds.',
  Fonts: 'Fonts of the workspace.',
  Account: 'The workspace, its members and tokens.',
  Administration: 'For administrators of the server.',
  Moderation: 'Videos that wait for a reviewer.',
};

function operation(route: Route, shape: (schema: TSchema) => Json): Json {
  const failure = { $ref: '#/components/responses/Failure' };
  const content = (schema: TSchema) => ({ 'application/json': { schema: shape(schema) } });
  const parameters = [
    ...pathParams(route.path).map((name) => ({
      name,
      in: 'path',
      required: true,
      description: 'Id in the path.',
      schema: { type: 'string' },
    })),
    ...queryParameters(route, shape),
    ...(route.idempotencyKey ? [IDEMPOTENCY_KEY] : []),
    ...(takesIfMatch(route) ? [IF_MATCH] : []),
  ];
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(route),
    ...(route.auth === 'public' ? { security: [] } : route.auth === 'web' ? { security: [{ session: [] }] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(route, shape),
    responses: {
      [route.status ?? 200]: {
        description: 'Done.',
        headers: { ...(route.limited ? LIMIT_HEADERS : {}), ...(route.versioned ? ETAG_HEADER : {}) },
        ...(route.status === 204 ? {} : { content: answerContent(route, shape) }),
      },
      ...(route.partial ? { 206: { description: 'The work continues.', content: content(route.partial) } } : {}),
      400: failure,
      401: { $ref: '#/components/responses/Unauthorized' },
      403: failure,
      404: failure,
      ...(route.idempotencyKey ? IDEMPOTENCY_FAILURES : {}),
      ...(takesIfMatch(route) ? { 412: { $ref: '#/components/responses/ChangedSince' } } : {}),
      429: { $ref: '#/components/responses/TooMany' },
    },
  };
}

const CALLERS = {
  any: 'For API tokens and console sessions.',
  client: 'For API tokens, console sessions, and client tokens with their own streams.',
  web: 'For console sessions; API tokens are refused.',
  public: 'Without credentials.',
} as const satisfies Record<'any' | NonNullable<Route['auth']>, string>;

/** What the summary does not say: how it behaves, who may call it, how often, and what it counts as. */
function descriptionOf({ id, auth, limited, quota }: Route): string {
  const rate = limited && `At most ${limited.perMinute} requests a minute and ${limited.perHour} an hour`;
  return [
    ROUTE_NOTES[id as RouteId]?.about,
    CALLERS[auth ?? 'any'],
    rate && `${rate}${limited.counts === 'api' ? ', by API tokens' : ''}.`,
    quota && `Counts in the quota of ${quota} of the last 8 hours.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** JSON, unless the route returns a file or events. */
function answerContent(route: Route, shape: (schema: TSchema) => Json): Json {
  if (route.binary !== undefined) return { [route.binary]: { schema: shape(route.response) } };
  if (route.events !== undefined) return { 'text/event-stream': { schema: shape(route.events) } };
  return { 'application/json': { schema: shape(route.response) } };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A random text of your choice, a new one for each request. If you repeat the request with the same key within 24 hours, nothing is created a second time: you get the first answer again, with the header `Idempotency-Replayed: true`. Only successful answers are kept.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function takesIfMatch({ versioned, method }: Route): boolean {
  return versioned === true && method === 'PATCH';
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the answer that your change is based on, in its quotes. If the video was changed since, the answer is 412 and nothing is changed. Without this header the change is made in any case.',
  schema: { type: 'string' },
};

const ETAG_HEADER = {
  ETag: {
    description:
      'Version of what clients can set, in quotes; rendering does not change it. Send it back as `If-Match`.',
    schema: { type: 'string' },
  },
};

const IDEMPOTENCY_FAILURES = {
  409: { $ref: '#/components/responses/KeyBusy' },
  422: { $ref: '#/components/responses/KeyReused' },
};

const LIMIT_HEADERS = Object.fromEntries(
  ['Limit', 'Remaining', 'Reset'].flatMap((what) =>
    ['Min', 'Hour'].map((window) => [
      `X-RateLimit-${what}-${window}`,
      { description: `${what} of the window.`, schema: { type: 'integer' } },
    ]),
  ),
);

function queryParameters(route: Route, shape: (schema: TSchema) => Json): Json[] {
  if (route.query === undefined) return [];
  const required = new Set(route.query.required ?? []);
  return Object.entries(route.query.properties).map(([name, schema]) => {
    const { description, ...rest } = shape(schema);
    return {
      name,
      in: 'query',
      // A field with a default is always present for the server, but optional for the client.
      required: required.has(name) && !('default' in rest),
      description: description ?? `Filter or page by ${name}.`,
      schema: rest,
    };
  });
}

function requestBody(route: Route, shape: (schema: TSchema) => Json): Json {
  if (route.multipart !== undefined) {
    const fields = shape(route.multipart.fields);
    const file = { type: 'string', format: 'binary', description: route.multipart.file };
    const schema = { ...fields, properties: { ...(fields['properties'] as Json), file }, required: ['file'] };
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
  }
  if (route.body === undefined) return {};
  const required = route.bodyOptional !== true;
  const example = ROUTE_NOTES[route.id as RouteId]?.example;
  const body = { schema: shape(route.body), ...(example === undefined ? {} : { example }) };
  return { requestBody: { required, content: { [route.text ?? 'application/json']: body } } };
}

function webhookOperation(shape: (schema: TSchema) => Json): Json {
  return {
    post: {
      operationId: 'videoOutcome',
      summary: 'The outcome of a rendering',
      description: 'Sent once to the subscribed URL; signed when a secret is set.',
      tags: ['Webhook'],
      requestBody: { content: { 'application/json': { schema: shape(WebhookBody) } } },
      responses: {
        200: { description: 'Any 2xx within 10 s is a success.' },
        400: { description: 'Any other response, or none, is a failure.' },
      },
    },
  };
}

/** Copies a schema without TypeBox's symbols; a schema with an `$id` becomes a named component. */
function extract(value: unknown, schemas: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((entry) => extract(entry, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => (key === '$id' ? [] : [[key, extract(entry, schemas)]])),
  );
  const id = '$id' in value && typeof value.$id === 'string' ? value.$id : undefined;
  if (id === undefined) return copy;
  schemas.set(id, copy);
  return { $ref: `#/components/schemas/${id}` };
}
