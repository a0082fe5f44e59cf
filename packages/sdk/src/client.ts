import type { BodyOf, ParamsOf, QueryOf, ResponseOf, RouteDefinition, RouteId, Routes } from '@figurehead/contract';
import { endpoints } from '@figurehead/contract/endpoints';
import { EVENT_CALLS, KEYED_CALLS, PAGED_CALLS } from './call-kinds.js';
import { type Listing, listingOf } from './pages.js';
import {
  type AnyInput,
  type CallOptions,
  type ClientOptions,
  createTransport,
  type FileInput,
  openSocket,
  type SoundRate,
  type SoundSocket,
  type Transport,
} from './transport.js';

type QueryPart<R extends RouteDefinition> = 'query' extends keyof R
  ? { readonly query?: Partial<QueryOf<R>> }
  : unknown;
type BodyPart<R extends RouteDefinition> = 'multipart' extends keyof R
  ? FileInput & { readonly body?: BodyOf<R> }
  : 'bodyOptional' extends keyof R
    ? { readonly body?: BodyOf<R> }
    : 'body' extends keyof R
      ? { readonly body: BodyOf<R> }
      : unknown;

/** Input of a call: the path's parameters by name, and `query`, `body`, `file` if the route has them. */
export type CallInput<K extends RouteId> = ParamsOf<Routes[K]> & QueryPart<Routes[K]> & BodyPart<Routes[K]>;
/** Result of a call: the response's JSON; the bytes of a file; or an iterable of server-sent events that ends when the server ends it. */
export type CallOutput<K extends RouteId> = ResponseOf<Routes[K]>;

/** Return type of the client's functions: a promise, which for a list can also be iterated through all pages. */
export type CallResult<K extends RouteId> = K extends keyof typeof PAGED_CALLS
  ? Listing<CallOutput<K>>
  : Promise<CallOutput<K>>;

/** A client of one server and one workspace: a function per route of the contract. Those that need nothing may be called with nothing. */
export type Figurehead = {
  readonly [K in RouteId]: Record<never, never> extends CallInput<K>
    ? (input?: CallInput<K>, options?: CallOptions) => CallResult<K>
    : (input: CallInput<K>, options?: CallOptions) => CallResult<K>;
} & {
  /** Opens the WebSocket that `speakSoundPieces` and `LiveStream.speakSound` use. */
  openSoundSocket(input: { readonly streamId: string; readonly sampleRate: SoundRate }): SoundSocket;
};

/**
 * Makes a client. Nothing is sent before the first call, nothing has to be closed.
 *
 * ```ts
 * const figurehead = createClient({ baseUrl: 'http://localhost:8080', token: 'fh_…' });
 * const video = await figurehead.createVideo({ body: { name: 'Hello', slides: [{ id: 1, speech: 'Hello.' }] } });
 * await figurehead.renderVideo({ videoId: video._id });
 * ```
 */
export function createClient(options: ClientOptions): Figurehead {
  if (typeof options?.baseUrl !== 'string') {
    throw new TypeError(
      `createClient needs baseUrl: the address of the server was expected, such as 'http://localhost:8080', or '' on a page of the server itself; ${String(options?.baseUrl)} was given.`,
    );
  }
  const transport = createTransport(options);
  const calls = Object.entries(endpoints).map(([id, endpoint]) => {
    const call = callOf(transport, id, endpoint);
    return [id, id in PAGED_CALLS ? listingOf(call) : call] as const;
  });
  const openSoundSocket: Figurehead['openSoundSocket'] = ({ streamId, sampleRate }) =>
    openSocket(options, `/streams/sound/${pathSegment('streamId', streamId)}`, { sampleRate });
  // `Figurehead` gives each function the types of its route.
  return Object.freeze({ ...Object.fromEntries(calls), openSoundSocket }) as unknown as Figurehead;
}

function callOf(transport: Transport, id: string, endpoint: string) {
  const [method = '', template = ''] = endpoint.split(' ');
  return (input: AnyInput = {}, options: CallOptions = {}): Promise<unknown> => {
    const path = template.replace(/\{(\w+)\}/g, (_whole, name: string) => pathSegment(name, input[name]));
    const body = input.file === undefined ? input.body : formOf(input.file, input.fileName, input.body);
    return transport({
      method,
      path,
      ...(input.query === undefined ? {} : { query: input.query }),
      ...(body === undefined ? {} : { body }),
      ...(id in EVENT_CALLS ? { isEvents: true } : {}),
      ...(id in KEYED_CALLS ? { idempotencyKey: randomKey() } : {}),
      ...options,
    });
  };
}

/** 128 random bits. `randomUUID` is missing on pages that came over plain HTTP. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An empty parameter would silently call another route. */
function pathSegment(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return encodeURIComponent(value);
  if (typeof value === 'number') return String(value);
  throw new TypeError(
    `The call needs ${name}: a string that is not empty was expected, ${String(value) || '""'} was given.`,
  );
}

function formOf(file: Blob, fileName: string | undefined, fields: AnyInput['body']): FormData {
  const form = new FormData();
  // Text first: a server that reads the upload as it comes knows the fields before the file.
  for (const [key, value] of Object.entries(fields ?? {})) {
    if (value !== undefined && value !== null) form.append(key, String(value));
  }
  const name = fileName ?? (file instanceof File ? file.name : undefined);
  if (name === undefined) form.append('file', file);
  else form.append('file', file, name);
  return form;
}
