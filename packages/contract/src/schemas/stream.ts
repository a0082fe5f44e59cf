import { type Static, Type } from '@sinclair/typebox';
import { EXPRESSIONS } from '../document/expression.js';
import { namesOf } from '../document/table.js';
import { MAX_STREAM_SIDE, MAX_STREAM_TEXT, MAX_TEXT_PIECES } from '../limits.js';
import { Nullable, Nullish, OneOf, Time } from './common.js';
import { TurnTakingInput } from './turns.js';

/** Status of a stream; a closed one is 404. */
export const STREAM_STATUSES = ['new', 'connecting', 'connected', 'closing'] as const;

/** Who draws the presenter of a stream: the viewer's browser, the server, or the browser where the client can do it. */
export const DRAWING = ['viewer', 'server', 'auto'] as const;

const Description = (kind: 'offer' | 'answer') =>
  Type.Object({ type: Type.Literal(kind), sdp: Type.String({ minLength: 1, maxLength: 200_000 }) });

/** STUN and TURN servers in the form of the browser's `RTCConfiguration`. */
export const IceServers = Type.Array(
  Type.Object({
    urls: Type.Union([Type.String(), Type.Array(Type.String())]),
    username: Type.Optional(Type.String()),
    credential: Type.Optional(Type.String()),
  }),
);

/** A live session ◆. The offer carries all of the server's candidates. */
export const Stream = Type.Object(
  {
    id: Type.String(),
    webrtcData: Type.Object({
      offer: Description('offer'),
      iceServers: IceServers,
    }),
    status: OneOf(STREAM_STATUSES),
    avatarCode: Type.String(),
    voiceId: Type.String(),
    voiceProvider: Type.String(),
    agentId: Type.Optional(Type.String({ description: 'The agent that holds a conversation on this stream.' })),
    recordingId: Type.Optional(
      Type.String({ description: 'The medium of the library that the recording becomes when the stream ends.' }),
    ),
    drawing: Type.Optional(
      Type.Object(
        { module: Type.String(), kernel: Type.String(), pack: Type.String() },
        {
          description:
            'Only in the answer of POST /streams, where the viewer draws the presenter: addresses of the JavaScript module that does it, of its WebAssembly, and of the presenter.',
        },
      ),
    ),
    aiLabel: Type.Optional(
      Type.String({
        description:
          'Only in the answer of POST /streams, where the workspace’s brand has a label: text to show over the presenter, such as `Made with AI`.',
      }),
    ),
    createdAt: Time,
    expiresAt: Time,
  },
  { $id: 'Stream' },
);
export type Stream = Static<typeof Stream>;

/** Body of POST /streams; missing fields take defaults. */
export const StreamInput = Type.Object({
  avatarCode: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  voiceId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  voiceProvider: Type.Optional(Type.String({ minLength: 1, maxLength: 50 })),
  language: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  width: Type.Optional(Type.Integer({ minimum: 128, maximum: MAX_STREAM_SIDE, multipleOf: 2 })),
  height: Type.Optional(Type.Integer({ minimum: 128, maximum: MAX_STREAM_SIDE, multipleOf: 2 })),
  background: Type.Optional(
    Type.String({
      pattern: '^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})|transparent)$',
      description:
        'Colour behind the presenter, such as #1f2937. `transparent` sends pictures of twice the height: colours over black above, their opacity below.',
    }),
  ),
  agentId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'Holds a conversation: the viewer speaks to this agent, whose presenter, voice and language are taken unless the call names others.',
    }),
  ),
  inWriting: Type.Optional(
    Type.Boolean({
      description:
        'With `agentId`: the viewer only writes. Such a conversation needs no speech recogniser, and none listens.',
    }),
  ),
  turns: Type.Optional(
    Type.Object(TurnTakingInput.properties, {
      description: 'With `agentId`: turn taking that differs from that of the agent.',
    }),
  ),
  drawing: Type.Optional(
    OneOf(
      DRAWING,
      "Who draws the presenter: `server` (the default) sends video; `viewer` sends the sound and the movements, from which the viewer's browser draws; `auto` offers video too, and the presenter is drawn by a viewer that refuses it. Built-in presenters, and those whose manifest allows it.",
    ),
  ),
  record: Type.Optional(
    Type.Boolean({
      description: 'Keeps picture, sound and captions as a medium of the library. Client tokens cannot.',
    }),
  ),
});

/** Body of the WHEP routes: an SDP offer, or a fragment with candidates (RFC 8840). */
export const Sdp = Type.String({ minLength: 1, maxLength: 200_000 });

/** Body of PUT /streams/{streamId}. */
export const StreamAnswer = Type.Object({ answer: Description('answer') });

/** Body of POST /streams/connection/{streamId}. `received`: how many messages of the data channel `events` the viewer has got; the others follow. */
export const Reconnection = Type.Object({
  received: Type.Optional(Type.Integer({ minimum: 0 })),
  drawing: Type.Optional(
    Type.Literal('server', { description: 'Video from now on, for a viewer that draws the presenter too slowly.' }),
  ),
});

/** Body of POST /streams/candidate/{streamId}; null ends the candidates. */
export const StreamCandidate = Type.Object({
  candidate: Nullable(
    Type.Object({
      candidate: Type.String({ maxLength: 4000 }),
      sdpMid: Nullish(Type.String({ maxLength: 200 })),
      sdpMLineIndex: Nullish(Type.Integer({ minimum: 0, maximum: 100 })),
      usernameFragment: Nullish(Type.String({ maxLength: 300 })),
    }),
  ),
});

/** Body of POST /streams/room/{streamId}. */
export const RoomInput = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2000, description: 'Of the LiveKit server: ws, wss, http or https.' }),
  token: Type.String({
    minLength: 1,
    maxLength: 20_000,
    description: 'An access token of the LiveKit server for one room, which may publish.',
  }),
});
export type RoomInput = Static<typeof RoomInput>;

/** Response of POST /streams/room/{streamId}. */
export const RoomJoined = Type.Object({
  status: Type.Literal('ok'),
  agent: Nullable(
    Type.String({
      description:
        'The participant whose sound the stream speaks: the attribute `lk.publish_on_behalf` of the token. The stream stays open while it is in the room.',
    }),
  ),
});

/** Response of POST /pipecat/start: what Pipecat's small WebRTC transport connects with. */
export const PipecatStart = Type.Object({ iceConfig: Type.Object({ iceServers: IceServers }) });

/** Body of POST /pipecat/offer, as Pipecat's small WebRTC transport sends it. */
export const PipecatOffer = Type.Object({
  ...Description('offer').properties,
  pc_id: Type.Optional(
    Nullable(Type.String({ maxLength: 100, description: 'Of the connection that this one replaces.' })),
  ),
  restart_pc: Type.Optional(Type.Boolean({ description: 'Opens another stream in place of `pc_id`.' })),
  requestData: Type.Optional(StreamInput),
});

/** Response of POST /pipecat/offer; `pc_id` is the stream's id. */
export const PipecatAnswer = Type.Object({ ...Description('answer').properties, pc_id: Type.String() });

/** Body of PATCH /pipecat/offer. */
export const PipecatCandidates = Type.Object({
  pc_id: Type.String({ maxLength: 100 }),
  candidates: Type.Array(
    Type.Object({
      candidate: Type.String({ maxLength: 4000 }),
      sdp_mid: Nullish(Type.String({ maxLength: 200 })),
      sdp_mline_index: Nullish(Type.Integer({ minimum: 0, maximum: 100 })),
    }),
    { maxItems: 32 },
  ),
});

/** Body of POST /streams/render/{streamId}. */
export const SpeakInput = Type.Object({
  text: Type.String({
    minLength: 1,
    maxLength: MAX_STREAM_TEXT,
    description: 'Plain text, or SSML if it begins with `<speak>`.',
  }),
});

/** Answer of POST /streams/render/{streamId}; `position` is the number of utterances before it. */
export const Speaking = Type.Object({
  accepted: Type.Literal(true),
  id: Type.String(),
  position: Type.Integer({ minimum: 0 }),
});

/** Body of POST /streams/utterance/{streamId}: how the text begins, if that is known. */
export const UtteranceInput = Type.Object({
  text: Type.Optional(Type.String({ maxLength: MAX_STREAM_TEXT })),
});

/** Body of PUT /streams/utterance/{streamId}/{utteranceId}. */
export const TextPiece = Type.Object({
  index: Type.Integer({
    minimum: 0,
    maximum: MAX_TEXT_PIECES,
    description: 'Number of the piece, from 0. A piece that was received before is accepted and does nothing.',
  }),
  text: Type.String({
    maxLength: MAX_STREAM_TEXT,
    description: 'May be empty, and may end inside a word or a surrogate pair.',
  }),
  isLast: Type.Optional(Type.Boolean({ description: 'Ends the text.' })),
});
export type TextPiece = Static<typeof TextPiece>;

/** Answer of PUT /streams/utterance/{streamId}/{utteranceId}. */
export const PieceAccepted = Type.Object({ accepted: Type.Literal(true), id: Type.String() });

/** Answer of DELETE /streams/render/{streamId}. */
export const Interrupted = Type.Object({ interrupted: Type.Boolean(), dropped: Type.Integer({ minimum: 0 }) });

/** Types of the messages on the data channel `events`. */
export const STREAM_EVENTS = [
  'speech.started',
  'speech.word',
  'speech.viseme',
  'speech.position',
  'speech.mark',
  'speech.ended',
  'speech.interrupted',
  'queue',
  'conversation.state',
  'conversation.partial',
  'conversation.heard',
  'conversation.said',
  'conversation.tool',
  'conversation.failed',
  'stream.closing',
] as const;

/** Messages on the data channel `events` from which a viewer draws the presenter. Times are samples (48 kHz) of the stream's clock. */
export const FaceMessage = Type.Union([
  Type.Object({
    type: Type.Literal('face.begin'),
    seed: Type.Integer({ description: 'Of the movements without speech.' }),
    expression: OneOf(namesOf(EXPRESSIONS)),
    motion: Type.Optional(Type.Unknown({ description: 'How the filmed person moves, from its pack.' })),
    timestamp: Type.Integer({ description: 'RTP timestamp of sample 0 in the sound of this connection.' }),
    sample: Type.Integer({ description: 'The present.' }),
  }),
  Type.Object({
    type: Type.Literal('face.stretch'),
    start: Type.Integer(),
    samples: Type.Integer(),
    phonemes: Type.Array(Type.Tuple([Type.String(), Type.Integer(), Type.Integer(), Type.Integer()]), {
      description: 'IPA, stress, start and end from `start` on.',
    }),
    words: Type.Array(Type.Tuple([Type.String(), Type.Integer(), Type.Integer()])),
    energy: Type.String({ description: 'Loudness every 10 ms, a byte each, in base64.' }),
  }),
  Type.Object({ type: Type.Literal('face.cut'), sample: Type.Integer() }),
  Type.Object({
    type: Type.Literal('face.state'),
    state: OneOf(['idle', 'listening', 'thinking']),
    sample: Type.Integer(),
  }),
]);
export type FaceMessage = Static<typeof FaceMessage>;

/** What the agent of a stream does. */
export const CONVERSATION_STATES = ['listening', 'thinking', 'speaking'] as const;
export type ConversationState = (typeof CONVERSATION_STATES)[number];

/** A message on the data channel `events`: `at` in ms of the stream's clock, `id` of the utterance. */
export const StreamEvent = Type.Object({
  type: OneOf(STREAM_EVENTS),
  id: Type.Optional(Type.String()),
  at: Type.Number(),
  text: Type.Optional(
    Type.String({
      description:
        'The word; for conversation.partial, conversation.heard and conversation.said, what the viewer or the agent said.',
    }),
  ),
  name: Type.Optional(
    Type.String({ description: 'For speech.mark: name of the `<mark>` in the SSML. For conversation.tool: the tool.' }),
  ),
  state: Type.Optional(OneOf(CONVERSATION_STATES, 'For conversation.state.')),
  arguments: Type.Optional(Type.Unknown({ description: 'For conversation.tool: arguments of the call, JSON.' })),
  start: Type.Optional(Type.Number()),
  end: Type.Optional(Type.Number()),
  viseme: Type.Optional(
    Type.String({ description: 'For speech.viseme: a mouth shape of the OpenXR set, from `start` to `end`.' }),
  ),
  position: Type.Optional(
    Type.Number({
      description:
        'For speech.position (every second), speech.ended and speech.interrupted: ms of the utterance that were played.',
    }),
  ),
  ids: Type.Optional(Type.Array(Type.String(), { description: 'For queue: utterances that play or wait, in order.' })),
  reason: Type.Optional(
    Type.String({
      description:
        'For speech.interrupted: `interrupted` (by a call or the viewer) or `failed`. For stream.closing: a sentence.',
    }),
  ),
  error: Type.Optional(
    Type.String({ description: 'For failed speech and conversation.failed: the reason, as a sentence.' }),
  ),
});
export type StreamEvent = Static<typeof StreamEvent>;

/**
 * Latency breakdown of a stream in ms. Latest utterance: `synthesis` from the text to its first sample, `queue` waiting for other
 * speech. Last second: `draw` and `encode` per frame. `network` is half the round trip. A value is null until it was measured.
 */
export const StreamStats = Type.Object(
  {
    id: Type.String(),
    hostId: Type.String(),
    synthesis: Nullable(Type.Number()),
    queue: Nullable(Type.Number()),
    firstSound: Nullable(Type.Number({ description: 'From the text to its first sample on the wire, ms.' })),
    draw: Nullable(Type.Number()),
    encode: Nullable(Type.Number()),
    network: Nullable(Type.Number()),
    codec: Nullable(Type.String({ examples: ['H264'] })),
    width: Type.Integer(),
    height: Type.Integer(),
    fps: Type.Number(),
    bitrate: Type.Number({ description: 'Video, bits per second.' }),
    loss: Type.Number({ minimum: 0, maximum: 1 }),
    avOffset: Nullable(
      Type.Number({ description: 'Audio/video offset on the sending side, ms; positive when sound is late.' }),
    ),
    queued: Type.Integer({ minimum: 0 }),
    speaking: Type.Boolean(),
  },
  { $id: 'StreamStats' },
);
export type StreamStats = Static<typeof StreamStats>;

/** Answer of the two handshake calls. */
export const StatusOk = Type.Object({ status: Type.Literal('ok') });
