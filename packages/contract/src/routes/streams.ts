import { Type } from '@sinclair/typebox';
import { MAX_SOUND_SECONDS, PIECE_SECONDS } from '../limits.js';
import { routesOf } from '../route.js';
import { ClientToken, ClientTokenInput, NewClientToken } from '../schemas/client-token.js';
import { Bytes, Deleted, EventsOf, ListOf, OneOf, Paged } from '../schemas/common.js';
import {
  Interrupted,
  PieceAccepted,
  PipecatAnswer,
  PipecatCandidates,
  PipecatOffer,
  PipecatStart,
  Reconnection,
  RoomInput,
  RoomJoined,
  Sdp,
  SpeakInput,
  Speaking,
  StatusOk,
  Stream,
  StreamAnswer,
  StreamCandidate,
  StreamEvent,
  StreamInput,
  StreamStats,
  TextPiece,
  UtteranceInput,
} from '../schemas/stream.js';

/** Routes of live streams (§3.3, §4.2 to §4.4). */
export const streamRoutes = routesOf('Streams', {
  createStream: {
    summary: 'Start a live stream: returns the WebRTC offer to answer',
    auth: 'client',
    idempotencyKey: true,
    body: StreamInput,
    bodyOptional: true,
    response: Stream,
  },
  listStreams: {
    summary: "List the workspace's open streams",
    query: Paged,
    response: ListOf('streams', Stream),
  },
  readStream: { summary: 'Read one open stream', auth: 'client', response: Stream },
  readStreamStats: {
    summary: 'Latency breakdown of a stream: synthesis, queue, drawing, encoding, network',
    response: StreamStats,
  },
  answerStream: {
    summary: 'Send the SDP answer to the offer',
    auth: 'client',
    body: StreamAnswer,
    response: StatusOk,
  },
  reconnectStream: {
    summary: 'Offer another connection to an open stream: returns the offer to answer; speech and queue go on',
    auth: 'client',
    body: Reconnection,
    bodyOptional: true,
    response: Stream,
  },
  addCandidate: {
    summary: 'Add one of the client’s ICE candidates; null ends them',
    auth: 'client',
    body: StreamCandidate,
    response: StatusOk,
  },
  joinRoom: {
    summary:
      'Publish a stream to a LiveKit room in place of a viewer; with a token for an agent it speaks the sound that the agent sends',
    body: RoomInput,
    response: RoomJoined,
  },
  speak: {
    summary: 'Speak a text after the texts already queued',
    auth: 'client',
    body: SpeakInput,
    response: Speaking,
  },
  openUtterance: {
    summary:
      'Speak a text that is sent in pieces, such as the answer of a language model; speech starts after the first clause',
    auth: 'client',
    body: UtteranceInput,
    bodyOptional: true,
    cutsCharacters: true,
    response: Speaking,
  },
  appendText: {
    summary: `Send the next piece of a text; without a piece for ${PIECE_SECONDS} s the text ends`,
    auth: 'client',
    body: TextPiece,
    cutsCharacters: true,
    response: PieceAccepted,
  },
  speakSound: {
    summary: `Speak a recording: WAV, MP3 or any other file with sound, of ${MAX_SOUND_SECONDS / 60} minutes at most`,
    auth: 'client',
    multipart: { fields: Type.Object({}), file: 'A file with speech.' },
    response: Speaking,
  },
  watchStream: {
    summary: 'Watch a stream as server-sent events, the same as on its data channel, until it ends',
    auth: 'client',
    events: StreamEvent,
    response: EventsOf(StreamEvent),
  },
  interrupt: {
    summary: 'Interrupt the current speech and clear the queue',
    auth: 'client',
    query: Type.Object({ scope: Type.Optional(OneOf(['all', 'current'])) }),
    response: Interrupted,
  },
  closeStream: {
    summary: 'Close a stream',
    auth: 'client',
    response: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }),
  },
  openWhep: {
    summary: 'Watch a new live stream with a WHEP player (draft-ietf-wish-whep): send its SDP offer, get the answer',
    auth: 'client',
    query: StreamInput,
    text: 'application/sdp',
    body: Sdp,
    status: 201,
    binary: 'application/sdp',
    response: Bytes,
  },
  trickleWhep: {
    summary: 'Add ICE candidates of a WHEP player',
    auth: 'client',
    text: 'application/trickle-ice-sdpfrag',
    body: Sdp,
    status: 204,
    response: Type.Null(),
  },
  closeWhep: {
    summary: 'Close a stream that a WHEP player watches',
    auth: 'client',
    response: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }),
  },
  startPipecat: {
    summary: "STUN and TURN servers for a client with Pipecat's small WebRTC transport",
    auth: 'client',
    response: PipecatStart,
  },
  openPipecat: {
    summary:
      "Open a live stream for a client with Pipecat's small WebRTC transport: send its SDP offer, get the answer",
    auth: 'client',
    body: PipecatOffer,
    response: PipecatAnswer,
  },
  tricklePipecat: {
    summary: 'Add ICE candidates of a Pipecat client',
    auth: 'client',
    body: PipecatCandidates,
    response: StatusOk,
  },
  createClientToken: {
    summary: 'Make a token for a web page: it can only open and drive its own streams, and is shown only once',
    body: ClientTokenInput,
    response: NewClientToken,
  },
  listClientTokens: {
    summary: 'Client tokens that have neither expired nor been revoked, newest first',
    query: Paged,
    response: ListOf('clientTokens', ClientToken),
  },
  revokeClientToken: { summary: 'Revoke a client token and end its streams', response: Deleted },
});
