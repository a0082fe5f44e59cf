import { createHash, timingSafeEqual } from 'node:crypto';
import {
  ConversationInput,
  IceServers,
  Interrupted,
  PROVIDERS,
  type ProviderName,
  Reconnection,
  StreamCandidate,
  TextPiece,
  TurnTaking,
} from '@figurehead/contract';
import type { LiveStats } from '@figurehead/media';
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';

/** Header that carries the shared secret. */
export const SECRET_HEADER = 'x-figurehead-internal';

const Empty = Type.Object({});
const providers = Object.fromEntries(Object.keys(PROVIDERS).map((name) => [name, name])) as {
  [Name in ProviderName]: Name;
};

const SpeechVoice = Type.Object({
  provider: Type.Enum(providers),
  voice: Type.String(),
  locale: Type.String(),
  speed: Type.Optional(Type.Number()),
  stability: Type.Optional(Type.Number()),
  pronunciations: Type.Optional(Type.Record(Type.String(), Type.String())),
});

/** Request to open a session; sides in px, `background` a CSS colour. */
const OpenRequest = Type.Object({
  id: Type.String(),
  workspaceId: Type.String(),
  avatarCode: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  background: Type.String(),
  /** The viewer draws the presenter, or may. */
  drawing: Type.Optional(Type.Union([Type.Literal('viewer'), Type.Literal('auto')])),
  /** Id of the media file for the recording. */
  recordingId: Type.Optional(Type.String()),
  /** The agent that holds a conversation, and its voice. */
  conversation: Type.Optional(
    Type.Object({
      agentId: Type.String(),
      voice: SpeechVoice,
      inWriting: Type.Optional(Type.Boolean()),
      turns: TurnTaking,
    }),
  ),
  iceServers: IceServers,
});

/** The offer of a session, SDP. */
const Opened = Type.Object({ offer: Type.String() });

const Sdp = Type.Object({ sdp: Type.String() });

const RoomRequest = Type.Object({ url: Type.String(), token: Type.String() });

/** The agent for which the token publishes. */
const RoomJoined = Type.Object({ agent: Type.Union([Type.String(), Type.Null()]) });

const SpeechRequest = Type.Object({
  text: Type.String(),
  voice: SpeechVoice,
});
/** An utterance: its text and voice. */
export type SpeechRequest = Static<typeof SpeechRequest>;

const Queued = Type.Object({
  id: Type.String(),
  position: Type.Integer(),
});
/** A queued utterance. */
export type Queued = Static<typeof Queued>;

const Piece = Type.Composite([TextPiece, Type.Object({ utteranceId: Type.String() })]);
/** A piece of the text of an open utterance. */
export type Piece = Static<typeof Piece>;

const SoundRequest = Type.Object({ sampleRate: Type.Integer({ minimum: 8000, maximum: 48_000 }) });
/** An utterance whose sound arrives in pieces: its rate in Hz. */
export type SoundRequest = Static<typeof SoundRequest>;

const SoundMessage = Type.Object({
  utteranceId: Type.String(),
  index: Type.Integer({ minimum: 0 }),
  /** Signed 16 bit, little-endian, mono, in base64. */
  pcm: Type.String(),
  isLast: Type.Optional(Type.Boolean()),
});
/** A piece of the sound of an open utterance. */
export type SoundMessage = Static<typeof SoundMessage>;

const Words = Type.Object({ input: ConversationInput });

/** Seconds of sound that may be sent now. */
const Room = Type.Object({ seconds: Type.Number() });

/** Latest measurements of a session: the engine's `LiveStats` without state and connected time, with the same units. */
export type SessionStats = Omit<LiveStats, 'state' | 'connectedMs'>;
const SessionStats = Type.Unsafe<SessionStats>(Type.Object({ speaking: Type.Boolean() }));

interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Body of POST and PUT, query of GET and DELETE. */
  readonly request: TObject;
  /** Body of a 200. A refusal is a 4xx with `{code, message}`. */
  readonly response: TSchema;
}

/** A session's events: `GET` answers with one JSON object a line until the session ends; a blank line every {@link HEARTBEAT_MS}. */
export const EVENTS_PATH = /^\/streams\/([^/]+)\/events$/;
/** Time between two blank lines. */
export const HEARTBEAT_MS = 10_000;

/** The operations of a stream host for the API: JSON over HTTP on the loopback interface or a private network. */
export const OPERATIONS = {
  open: { method: 'POST', path: '/streams', request: OpenRequest, response: Opened },
  /** Offers another connection; events that were `received` are not sent again. */
  reconnect: { method: 'POST', path: '/streams/{id}/connection', request: Reconnection, response: Opened },
  answer: { method: 'PUT', path: '/streams/{id}', request: Sdp, response: Empty },
  /** Answers a viewer's own offer. */
  acceptOffer: { method: 'PUT', path: '/streams/{id}/offer', request: Sdp, response: Sdp },
  /** Publishes to a room of a LiveKit server. */
  joinRoom: { method: 'POST', path: '/streams/{id}/room', request: RoomRequest, response: RoomJoined },
  addCandidate: { method: 'POST', path: '/streams/{id}/candidates', request: StreamCandidate, response: Empty },
  speak: { method: 'POST', path: '/streams/{id}/speech', request: SpeechRequest, response: Queued },
  /** Queues an utterance whose text arrives in pieces; the request's text is its beginning. */
  openUtterance: { method: 'POST', path: '/streams/{id}/utterances', request: SpeechRequest, response: Queued },
  appendText: { method: 'PUT', path: '/streams/{id}/utterances', request: Piece, response: Empty },
  /** Queues an utterance whose sound arrives in pieces. */
  openSound: { method: 'POST', path: '/streams/{id}/sound', request: SoundRequest, response: Queued },
  appendSound: { method: 'PUT', path: '/streams/{id}/sound', request: SoundMessage, response: Room },
  /** Gives the conversation a text of the viewer, or the result of a tool call. */
  converse: { method: 'POST', path: '/streams/{id}/conversation', request: Words, response: Empty },
  interrupt: {
    method: 'DELETE',
    path: '/streams/{id}/speech',
    request: Type.Object({ scope: Type.Union([Type.Literal('all'), Type.Literal('current')]) }),
    response: Interrupted,
  },
  stats: { method: 'GET', path: '/streams/{id}/stats', request: Empty, response: SessionStats },
  /** Closes a session, and answers when its stream is recorded as ended. */
  close: { method: 'DELETE', path: '/streams/{id}', request: Empty, response: Empty },
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof OPERATIONS;
/** The validated request of an operation. */
export type HostRequest<Name extends OperationName> = Static<(typeof OPERATIONS)[Name]['request']>;
/** The validated response of an operation; nothing when it has no properties. */
export type HostResponse<Name extends OperationName> = keyof Static<(typeof OPERATIONS)[Name]['response']> extends never
  ? // biome-ignore lint/suspicious/noConfusingVoidType: only used as a type of results
    void
  : Static<(typeof OPERATIONS)[Name]['response']>;

/**
 * Why a host refuses. `gone`: unknown session. `full`: no free slot. `queue_full`: too much queued speech. `utterance_ended`: it takes no more
 * pieces. `bad_…`: invalid input. `sound_too_…`: longer, or sent faster, than the limits allow.
 */
export type RefusalCode = keyof typeof REFUSAL_STATUS;

/** A host's refusal: thrown by the host, sent as a 4xx and thrown again by the client. */
export class HostRefusal extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
    this.name = 'HostRefusal';
  }
}

/** HTTP status of each refusal. */
export const REFUSAL_STATUS = {
  gone: 404,
  full: 409,
  out_of_minutes: 409,
  token_minutes: 409,
  queue_full: 429,
  too_many_readers: 429,
  utterance_ended: 404,
  not_conversing: 409,
  call_ended: 404,
  bad_index: 400,
  no_button: 400,
  bad_text: 400,
  bad_sound: 400,
  sound_too_long: 400,
  sound_too_fast: 429,
  bad_offer: 400,
  bad_answer: 400,
  bad_candidate: 400,
  room_refused: 400,
  bad_request: 400,
  wrong_secret: 401,
} as const;

/** Compares in constant time, independent of length and position of a difference. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
