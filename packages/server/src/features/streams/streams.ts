import {
  type ConversationInput,
  MAX_EVENT_READERS,
  MAX_TOOL_RESULT,
  type Reconnection,
  type RoomInput,
  type Stream,
  type StreamEvent,
  type StreamInput,
  type StreamStats,
} from '@figurehead/contract';
import type { Static } from '@sinclair/typebox';
import type { Kernel } from '../../kernel/contract.js';
import type { PageQuery } from '../../kernel/database/page.js';
import { ApiError, invalidFields, requireOwn } from '../../kernel/errors.js';
import type { Caller } from '../../kernel/http/contract.js';
import { aiLabelOf } from '../brands/index.js';
import { endStream } from './ending.js';
import { HostUnreachable, type SessionAddress } from './host/host-client.js';
import {
  HostRefusal,
  type HostRequest,
  type HostResponse,
  type OperationName,
  type Queued,
  type RefusalCode,
  type SessionStats,
} from './host/host-protocol.js';
import { iceServersFor } from './ice-servers.js';
import { StreamOpener, type StreamParts } from './opening.js';
import { requireReadable, speakableText } from './speaking/speech.js';
import * as store from './store.js';
import { endHost } from './sweeper.js';

/** `retryAfter` when the speech queue is full: about the time of one utterance. */
const SPEECH_RETRY_SECONDS = 5;
/** Field of the call that a host refuses. */
const REFUSED_FIELDS: Partial<Record<RefusalCode, string>> = {
  no_button: 'isTalking',
  bad_index: 'index',
  bad_text: 'text',
  bad_offer: 'offer',
  bad_answer: 'answer.sdp',
  bad_candidate: 'candidate.candidate',
};
/** An open stream that the caller may use. */
export type OwnStream = store.LocatedStream;
type Input = Static<typeof StreamInput>;

/** The API's operations on live streams. */
export class Streams {
  readonly #opener: StreamOpener;

  /** The creator of `parts.hosts` ends it. */
  constructor(
    private readonly kernel: Kernel,
    private readonly parts: StreamParts,
  ) {
    this.#opener = new StreamOpener(kernel, parts);
  }

  /** Throws the errors of `create` for avatar and voice. */
  check(caller: Caller, input: Input): Promise<void> {
    return this.#opener.check(caller, input);
  }

  /** Throws a 400 for unknown voices and avatars, a 429 without minutes or when all hosts are full. */
  async create(caller: Caller, input: Input, replaces: string | null = null): Promise<Stream> {
    const aiLabel = await aiLabelOf(this.kernel.db, caller.workspace.id);
    const { row, drawing } = await this.#opener.open(caller, input, replaces);
    return { ...this.present(row), ...(drawing && { drawing }), ...(aiLabel !== null && { aiLabel }) };
  }

  /** Throws `notFound`, `foreign`, or `otherToken` for a client token's caller. */
  async load(caller: Caller, id: string): Promise<OwnStream> {
    const stream = requireOwn(await store.findStream(this.kernel.db, id), caller.workspace.id, 'stream');
    if (caller.client !== undefined && caller.client.id !== stream.clientTokenId) throw new ApiError('otherToken');
    return stream;
  }

  async list(workspaceId: string, page: PageQuery): Promise<{ streams: Stream[]; total: number }> {
    const { rows, total } = await store.listStreams(this.kernel.db, workspaceId, page);
    return { streams: rows.map((row) => this.present(row)), total };
  }

  present(row: store.StreamRow): Stream {
    return presentStream(this.kernel.config, row);
  }

  /** Offers another connection to the stream's session; `received` messages of the data channel are not sent again. */
  async reconnect(stream: OwnStream, wanted: Static<typeof Reconnection>): Promise<Stream> {
    const { offer } = await this.ask(stream, 'reconnect', wanted);
    await store.setOffer(this.kernel.db, stream.id, offer);
    return this.present({ ...stream, offer });
  }

  async answer(stream: OwnStream, sdp: string): Promise<void> {
    await this.ask(stream, 'answer', { sdp });
    await store.markAnswered(this.kernel.db, stream.id);
  }

  /** Opens a stream for a viewer that makes the offer (WHEP). Throws as `create`, and a 400 for an offer that cannot be answered, after closing the stream. */
  async watch(
    caller: Caller,
    { input, offer, replaces = null }: { input: Input; offer: string; replaces?: string | null },
  ): Promise<{ stream: Stream; answer: string }> {
    // Players that make the offer want video.
    const stream = await this.create(caller, { ...input, drawing: 'server' }, replaces);
    const own = await this.load(caller, stream.id);
    try {
      const { sdp: answer } = await this.ask(own, 'acceptOffer', { sdp: offer });
      await store.markAnswered(this.kernel.db, own.id);
      return { stream, answer };
    } catch (error) {
      await this.close(own);
      throw error;
    }
  }

  /**
   * Closes the caller's stream `replaces`, if it is still open, and opens another one as {@link watch} does. Of several
   * calls for the same stream, in any process, one succeeds; the others throw `streamReplaced` until its stream ends.
   */
  async replace(
    caller: Caller,
    request: { input: Input; offer: string; replaces: string },
  ): Promise<{ stream: Stream; answer: string }> {
    const isReplaced = () => store.isReplaced(this.kernel.db, caller.workspace.id, request.replaces);
    // A stream is often replaced because it has ended.
    const earlier = await this.load(caller, request.replaces).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'notFound') return undefined;
      throw error;
    });
    if (await isReplaced()) throw new ApiError('streamReplaced');
    if (earlier !== undefined) await this.close(earlier);
    try {
      return await this.watch(caller, request);
    } catch (error) {
      // A call at the same time may have taken the only place of the client token or of the host.
      throw (await isReplaced()) ? new ApiError('streamReplaced') : error;
    }
  }

  /** Publishes the stream to a room of a LiveKit server. Throws a 400 that says why the room is refused. @returns the agent whose sound it speaks. */
  async joinRoom(stream: OwnStream, { url, token }: RoomInput): Promise<string | null> {
    const { agent } = await this.ask(stream, 'joinRoom', { url, token });
    await store.markAnswered(this.kernel.db, stream.id);
    return agent;
  }

  async speak(stream: OwnStream, text: string): Promise<Queued> {
    const speakable = requireSpeakable(text);
    const voice = await this.parts.voices.resolve(stream.workspaceId, { ...stream.voice, text: speakable });
    return this.ask(stream, 'speak', { text: speakable, voice });
  }

  /** Queues an utterance whose text arrives in pieces; `text` is its beginning. */
  async openUtterance(stream: OwnStream, text: string): Promise<Queued> {
    const voice = await this.parts.voices.resolve(stream.workspaceId, stream.voice);
    return this.ask(stream, 'openUtterance', { text, voice });
  }

  /** Events of the stream from now on, until it ends. Throws a 429 when too many read them. */
  async events(stream: OwnStream, signal: AbortSignal): Promise<AsyncIterable<StreamEvent>> {
    const stop = AbortSignal.any([signal, this.kernel.lifecycle.signal]);
    // Events of a host need no validation, because it is part of this installation.
    return this.#reach(stream, (at) => this.parts.hosts.watch(at, stop) as Promise<AsyncIterable<StreamEvent>>);
  }

  /** Gives the stream's conversation a text of the viewer, or the result of a tool call. Throws `notConversing`, `toolCallEnded`. */
  async converse(stream: OwnStream, input: ConversationInput): Promise<void> {
    if ('result' in input && JSON.stringify(input.result ?? null).length > MAX_TOOL_RESULT) {
      throw invalidFields([{ field: 'result', message: `must have at most ${MAX_TOOL_RESULT} characters as JSON` }]);
    }
    await this.ask(stream, 'converse', { input });
  }

  /** Current measurements from the stream's host. */
  async stats(stream: OwnStream): Promise<StreamStats> {
    return presentStats(stream, await this.ask(stream, 'stats', {}));
  }

  async close({ id, hostUrl }: OwnStream): Promise<{ id: string; deleted: true }> {
    try {
      if (hostUrl !== null) await this.parts.hosts.call('close', { hostUrl, id }, {});
    } catch (error) {
      if (!(error instanceof HostUnreachable) && !(error instanceof HostRefusal)) throw error;
      // The host finds the closed row with its next report and closes the session, if it still exists.
      this.kernel.log.warn({ err: error, streamId: id }, 'a stream was closed without its host');
    }
    await endStream(this.kernel, id, { reason: 'requested' });
    return { id, deleted: true };
  }

  /** An operation of the stream's host. Throws its refusal as an `ApiError`, or `HostRefusal` for refused sound. */
  ask<Name extends OperationName>(
    stream: OwnStream,
    name: Name,
    request: HostRequest<Name>,
  ): Promise<HostResponse<Name>> {
    return this.#reach(stream, (at) => this.parts.hosts.call(name, at, request));
  }

  /** Calls the host of a stream. If the host or the session is gone, the stream is ended. */
  async #reach<T>({ id, hostId, hostUrl }: OwnStream, call: (at: SessionAddress) => Promise<T>): Promise<T> {
    try {
      if (hostUrl === null) throw new HostRefusal('gone', 'the host of the stream is gone');
      return await call({ hostUrl, id });
    } catch (error) {
      const isBroken = hostUrl !== null && error instanceof HostUnreachable && error.how === 'broken';
      // Perhaps its process was killed during the call: another call finds out.
      const later =
        isBroken && (await this.parts.hosts.call('stats', { hostUrl, id }, {}).catch((reason: unknown) => reason));
      const found = later instanceof Error ? later : error;
      // Its process has ended without leaving the list; no need to wait for missed heartbeats.
      const isHostGone = found instanceof HostUnreachable && found.how === 'gone';
      const isGone = found instanceof HostRefusal && found.code === 'gone';
      if (isHostGone) await endHost(this.kernel, hostId);
      if (isGone) await endStream(this.kernel, id, { reason: 'host_lost' });
      if (isHostGone || isGone) throw new ApiError('notFound', { what: 'stream' });
      throw found instanceof HostRefusal ? errorOf(found) : found;
    }
  }
}

/** The text as it is spoken. Throws a 400 for a text in which there is nothing to speak. */
function requireSpeakable(text: string): string {
  requireReadable(text);
  const speakable = speakableText(text);
  if (speakable === undefined) throw invalidFields([{ field: 'text', message: 'contains nothing that can be spoken' }]);
  return speakable;
}

function errorOf(refusal: HostRefusal): Error {
  const field = REFUSED_FIELDS[refusal.code];
  if (field !== undefined) return invalidFields([{ field, message: refusal.message }]);
  const seconds = SPEECH_RETRY_SECONDS;
  switch (refusal.code) {
    case 'out_of_minutes':
      return new ApiError('outOfMinutes');
    case 'token_minutes':
      return new ApiError('clientMinutesUsed');
    case 'queue_full':
      return new ApiError('speechQueueFull', { seconds }, { retryAfterSeconds: seconds });
    case 'too_many_readers':
      return new ApiError('tooManyReaders', { limit: MAX_EVENT_READERS });
    case 'utterance_ended':
      return new ApiError('utteranceEnded', { reason: refusal.message });
    case 'not_conversing':
      return new ApiError('notConversing');
    case 'call_ended':
      return new ApiError('toolCallEnded');
    case 'room_refused':
      return new ApiError('invalid', { reason: refusal.message });
    default:
      return refusal;
  }
}

function presentStream(config: Kernel['config'], row: store.StreamRow): Stream {
  return {
    id: row.id,
    webrtcData: {
      offer: { type: 'offer', sdp: row.offer ?? '' },
      iceServers: iceServersFor(config, row),
    },
    status: statusOf(row.state),
    avatarCode: row.avatarCode,
    voiceId: row.voiceId,
    voiceProvider: row.voiceProvider,
    ...(row.agentId === null ? {} : { agentId: row.agentId }),
    ...(row.recordingId === null ? {} : { recordingId: row.recordingId }),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  };
}

/** Shows `null` instead of zero when nothing was drawn or encoded in the last second because the presenter was idle. */
function presentStats({ id, hostId }: OwnStream, measured: SessionStats): StreamStats {
  const { firstSoundMs, synthesisMs, queueMs, drawMs, encodeMs, roundTripMs, avOffsetMs } = measured;
  const { codec, width, height, framesPerSecond, videoBitrate, loss, queued, speaking } = measured;
  const tenths = (ms: number | null) => (ms === null ? null : Math.round(ms * 10) / 10);
  return {
    id,
    hostId,
    synthesis: tenths(synthesisMs),
    queue: tenths(queueMs),
    firstSound: tenths(firstSoundMs),
    draw: tenths(drawMs || null),
    encode: tenths(encodeMs || null),
    network: tenths(roundTripMs === null ? null : roundTripMs / 2),
    codec,
    width,
    height,
    fps: tenths(framesPerSecond) ?? 0,
    bitrate: Math.round(videoBitrate),
    loss,
    // The contract uses audio minus video, the session the opposite.
    avOffset: codec === null ? null : tenths(-avOffsetMs),
    queued,
    speaking,
  };
}

function statusOf(state: store.StreamState): Stream['status'] {
  if (state === 'opening' || state === 'closed') throw new Error(`a stream in the state ${state} cannot be shown`);
  return state;
}
