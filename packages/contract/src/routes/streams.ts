import { Type } from '@sinclair/typebox';
import { withIds } from '../route.js';
import { ClientToken, ClientTokenInput, NewClientToken } from '../schemas/client-token.js';
import { Deleted, ListOf, OneOf, Paging } from '../schemas/common.js';
import {
  Interrupted,
  SpeakInput,
  Speaking,
  StatusOk,
  Stream,
  StreamAnswer,
  StreamCandidate,
  StreamInput,
  StreamStats,
} from '../schemas/stream.js';

const tag = 'Streams';

/** Routes of live streams (§3.3, §4.2 to §4.4). */
export const streamRoutes = withIds({
  createStream: {
    method: 'POST',
    path: '/streams',
    tag,
    summary: 'Start a live stream: returns the WebRTC offer to answer',
    auth: 'client',
    idempotencyKey: true,
    body: StreamInput,
    bodyOptional: true,
    response: Stream,
  },
  listStreams: {
    method: 'GET',
    path: '/streams',
    tag,
    summary: "List the workspace's open streams",
    auth: 'any',
    query: Type.Object({ ...Paging }),
    response: ListOf('streams', Stream),
  },
  readStream: {
    method: 'GET',
    path: '/streams/{streamId}',
    tag,
    summary: 'Read one open stream',
    auth: 'client',
    response: Stream,
  },
  readStreamStats: {
    method: 'GET',
    path: '/streams/stats/{streamId}',
    tag,
    summary: 'Latency breakdown of a stream: synthesis, queue, drawing, encoding, network',
    auth: 'any',
    response: StreamStats,
  },
  answerStream: {
    method: 'PUT',
    path: '/streams/{streamId}',
    tag,
    summary: 'Send the SDP answer to the offer',
    auth: 'client',
    body: StreamAnswer,
    response: StatusOk,
  },
  addCandidate: {
    method: 'POST',
    path: '/streams/candidate/{streamId}',
    tag,
    summary: 'Add one of the client’s ICE candidates; null ends them',
    auth: 'client',
    body: StreamCandidate,
    response: StatusOk,
  },
  speak: {
    method: 'POST',
    path: '/streams/render/{streamId}',
    tag,
    summary: 'Speak a text after the texts already queued',
    auth: 'client',
    body: SpeakInput,
    response: Speaking,
  },
  interrupt: {
    method: 'DELETE',
    path: '/streams/render/{streamId}',
    tag,
    summary: 'Interrupt the current speech and clear the queue',
    auth: 'client',
    query: Type.Object({ scope: Type.Optional(OneOf(['all', 'current'])) }),
    response: Interrupted,
  },
  closeStream: {
    method: 'DELETE',
    path: '/streams/{streamId}',
    tag,
    summary: 'Close a stream',
    auth: 'client',
    response: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }),
  },

  createClientToken: {
    method: 'POST',
    path: '/client-tokens',
    tag,
    summary: 'Make a token for a web page: it opens and drives its own streams and nothing else; it is shown this once',
    auth: 'any',
    body: ClientTokenInput,
    response: NewClientToken,
  },
  listClientTokens: {
    method: 'GET',
    path: '/client-tokens',
    tag,
    summary: 'Client tokens that have neither expired nor been revoked, newest first',
    auth: 'any',
    query: Type.Object({ ...Paging }),
    response: ListOf('clientTokens', ClientToken),
  },
  revokeClientToken: {
    method: 'DELETE',
    path: '/client-tokens/{tokenId}',
    tag,
    summary: 'Revoke a client token and end its streams',
    auth: 'any',
    response: Deleted,
  },
});
