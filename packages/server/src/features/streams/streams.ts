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
import type { IceCandidate } from '@figurehead/media';
import type { Static } from '@sinclair/typebox';
import type { Logger } from 'pino';
import type { Kernel } from '../../kernel/contract.js';
import type { PageQuery } from '../../kernel/database/page.js';
import { ApiError, invalidFields, requireOwn } from '../../kernel/errors.js';
import type { Caller } from '../../kernel/http/contract.js';
import { aiLabelOf } from '../brands/index.js';
import { endStream } from './ending.js';
import { HostUnreachable } from './host/host-client.js';
import {
  HostRefusal,
  type HostResponse,
  type Piece,
  type Queued,
  type SessionStats,
  type SoundMessage,
} from './host/host-protocol.js';
import { iceServersFor } from './ice-servers.js';
import { StreamOpener, type StreamParts } from './opening.js';
import { requireReadable, speakableText } from './speaking/speech.js';
import * as store from './store.js';
import { endHost } from './sweeper.js';

/** `retryAfter` when the speech queue is full: about the time of one utterance. */
const SPEECH_RETRY_SECONDS = 5;
/** An open stream that the caller may use. */
export type OwnStream = store.LocatedStream;

/** The API's operations on live streams. */
export interface Streams {
  /** Throws a 400 for unknown voices and avatars, a 429 without minutes or when all hosts are full. */
  create(caller: Caller, input: Static<typeof StreamInput>): Promise<Stream>;
  /** Throws the errors of `create` for avatar and voice. */
  check(caller: Caller, input: Static<typeof StreamInput>): Promise<void>;
  /** Throws `notFound`, `foreign`, or `otherToken` for a client token's caller. */
  load(caller: Caller, id: string): Promise<OwnStream>;
  list(workspaceId: string, page: PageQuery): Promise<{ streams: Stream[]; total: number }>;
  present(row: store.StreamRow): Stream;
  /** Offers another connection to the stream's session; `received` messages of the data channel are not sent again. */
  reconnect(stream: OwnStream, wanted: Static<typeof Reconnection>): Promise<Stream>;
  answer(stream: OwnStream, sdp: string): Promise<void>;
  /** Opens a stream for a viewer that makes the offer (WHEP). Throws as `create`, and a 400 for an offer that cannot be answered, after closing the stream. */
  watch(caller: Caller, input: Static<typeof StreamInput>, offer: string): Promise<{ stream: Stream; answer: string }>;
  /**
   * Closes the caller's stream `earlier`, if it is still open, and opens another one as {@link watch} does. Of several
   * calls for the same stream, in any process, one succeeds; the others throw `streamReplaced` until its stream ends.
   */
  replace(
    caller: Caller,
    earlier: string,
    request: { input: Static<typeof StreamInput>; offer: string },
  ): Promise<{ stream: Stream; answer: string }>;
  addCandidate(stream: OwnStream, candidate: IceCandidate | null): Promise<void>;
  /** Publishes the stream to a room of a LiveKit server. Throws a 400 that says why the room is refused. @returns the agent whose sound it speaks. */
  joinRoom(stream: OwnStream, room: RoomInput): Promise<string | null>;
  speak(stream: OwnStream, text: string): Promise<{ id: string; position: number }>;
  /** Queues an utterance whose text arrives in pieces; `text` is its beginning. */
  openUtterance(stream: OwnStream, text: string): Promise<{ id: string; position: number }>;
  /** Throws a 400 for a text that is too long and for a missing piece, a 404 for an utterance that has ended. */
  appendText(stream: OwnStream, piece: Piece): Promise<void>;
  /** Queues an utterance whose sound arrives in pieces. */
  openSound(stream: OwnStream, sampleRate: number): Promise<{ id: string; position: number }>;
  /** Throws `HostRefusal` for sound that is refused. @returns seconds of sound that may be sent now. */
  appendSound(stream: OwnStream, piece: SoundMessage): Promise<number>;
  /** Events of the stream from now on, until it ends. Throws a 429 when too many read them. */
  events(stream: OwnStream, signal: AbortSignal): Promise<AsyncIterable<StreamEvent>>;
  /** Gives the stream's conversation a text of the viewer, or the result of a tool call. Throws `notConversing`, `toolCallEnded`. */
  converse(stream: OwnStream, input: ConversationInput): Promise<void>;
  interrupt(stream: OwnStream, scope: 'all' | 'current'): Promise<HostResponse<'interrupt'>>;
  /** Current measurements from the stream's host. */
  stats(stream: OwnStream): Promise<StreamStats>;
  close(stream: OwnStream): Promise<{ id: string; deleted: true }>;
}

/** The creator of `parts.hosts` ends it. */
export function createStreams(kernel: Kernel, parts: StreamParts): Streams {
  const { voices, hosts } = parts;
  const { db, log } = kernel;
  const opener = new StreamOpener(kernel, parts);
  const present = (row: store.StreamRow): Stream => presentStream(kernel.config, row);
  const ask = <T>(stream: OwnStream, question: (hostUrl: string) => Promise<T>): Promise<T> =>
    askHost({ kernel, hosts }, stream, question);
  const create = async (caller: Caller, input: Static<typeof StreamInput>, replaces: string | null = null) => {
    const aiLabel = await aiLabelOf(db, caller.workspace.id);
    const { row, drawing } = await opener.open(caller, input, replaces);
    return { ...present(row), ...(drawing && { drawing }), ...(aiLabel !== null && { aiLabel }) };
  };

  async function load(caller: Caller, id: string): Promise<OwnStream> {
    const stream = requireOwn(await store.findStream(db, id), caller.workspace.id, 'stream');
    if (caller.client !== undefined && caller.client.id !== stream.clientTokenId) throw new ApiError('otherToken');
    return stream;
  }

  async function close(stream: OwnStream): Promise<{ id: string; deleted: true }> {
    await closeOnHost(hosts, stream, log);
    await endStream(kernel, stream.id, { reason: 'requested' });
    return { id: stream.id, deleted: true };
  }

  async function queued(stream: OwnStream, question: (hostUrl: string) => Promise<Queued>) {
    const { id, position, expiresAt } = await ask(stream, question);
    // Queued already: an error would make the caller repeat it, and it would be spoken twice. The host's next report writes the same.
    await store
      .setExpiry(db, stream.id, new Date(expiresAt))
      .catch((error: unknown) =>
        log.warn({ err: error, streamId: stream.id }, "a stream's new end could not be written"),
      );
    return { id, position };
  }

  return {
    present,
    check: (caller, input) => opener.check(caller, input),
    create: (caller, input) => create(caller, input),
    load,
    list: async (workspaceId, page) => {
      const { rows, total } = await store.listStreams(db, workspaceId, page);
      return { streams: rows.map(present), total };
    },
    async reconnect(stream, wanted) {
      const { offer } = await ask(stream, (url) => hosts.reconnect(url, stream.id, wanted));
      await store.setOffer(db, stream.id, offer);
      return present({ ...stream, offer });
    },
    async answer(stream, sdp) {
      await ask(stream, (hostUrl) => hosts.answer(hostUrl, stream.id, { sdp }));
      await store.markAnswered(db, stream.id);
    },
    ...openForOffers({ kernel, hosts }, { create, load, close }),
    async joinRoom(stream, { url, token }) {
      const { agent } = await ask(stream, (hostUrl) => hosts.joinRoom(hostUrl, stream.id, { url, token }));
      await store.markAnswered(db, stream.id);
      return agent;
    },
    addCandidate: (stream, candidate) => ask(stream, (url) => hosts.addCandidate(url, stream.id, { candidate })),
    async speak(stream, text) {
      const speakable = requireSpeakable(text);
      const voice = await voices.resolve(stream.workspaceId, { ...stream.voice, text: speakable });
      return queued(stream, (hostUrl) => hosts.speak(hostUrl, stream.id, { text: speakable, voice }));
    },
    async openUtterance(stream, text) {
      const voice = await voices.resolve(stream.workspaceId, stream.voice);
      return queued(stream, (hostUrl) => hosts.openUtterance(hostUrl, stream.id, { text, voice }));
    },
    // Events of a host need no validation, because it is part of this installation.
    async events(stream, signal) {
      const stop = AbortSignal.any([signal, kernel.lifecycle.signal]);
      return (await ask(stream, (url) => hosts.watch(url, stream.id, stop))) as AsyncIterable<StreamEvent>;
    },
    openSound: (stream, sampleRate) => queued(stream, (hostUrl) => hosts.openSound(hostUrl, stream.id, { sampleRate })),
    appendSound: async (stream, piece) =>
      (await ask(stream, (hostUrl) => hosts.appendSound(hostUrl, stream.id, piece))).seconds,
    appendText: (stream, piece) => ask(stream, (hostUrl) => hosts.appendText(hostUrl, stream.id, piece)),
    converse: async (stream, input) =>
      ask(stream, (url) => hosts.converse(url, stream.id, { input: requireShort(input) })),
    interrupt: (stream, scope) => ask(stream, (hostUrl) => hosts.interrupt(hostUrl, stream.id, { scope })),
    stats: async (stream) => presentStats(stream, await ask(stream, (hostUrl) => hosts.stats(hostUrl, stream.id, {}))),
    close,
  };
}

/** How viewers that make the offer get a stream. */
function openForOffers(
  { kernel, hosts }: { kernel: Kernel; hosts: StreamParts['hosts'] },
  {
    create,
    load,
    close,
  }: Pick<Streams, 'load' | 'close'> & {
    create(caller: Caller, input: Static<typeof StreamInput>, replaces: string | null): Promise<Stream>;
  },
): Pick<Streams, 'watch' | 'replace'> {
  const { db } = kernel;

  async function watch(
    caller: Caller,
    { input, offer, replaces = null }: { input: Static<typeof StreamInput>; offer: string; replaces?: string | null },
  ): Promise<{ stream: Stream; answer: string }> {
    // Players that make the offer want video.
    const stream = await create(caller, { ...input, drawing: 'server' }, replaces);
    const own = await load(caller, stream.id);
    try {
      const { sdp: answer } = await askHost({ kernel, hosts }, own, (url) =>
        hosts.acceptOffer(url, own.id, { sdp: offer }),
      );
      await store.markAnswered(db, own.id);
      return { stream, answer };
    } catch (error) {
      await close(own);
      throw error;
    }
  }

  async function replace(
    caller: Caller,
    replaces: string,
    request: { input: Static<typeof StreamInput>; offer: string },
  ): Promise<{ stream: Stream; answer: string }> {
    const isReplaced = () => store.isReplaced(db, caller.workspace.id, replaces);
    const earlier = await load(caller, replaces).catch(gone);
    if (await isReplaced()) throw new ApiError('streamReplaced');
    if (earlier !== undefined) await close(earlier);
    try {
      return await watch(caller, { ...request, replaces });
    } catch (error) {
      // A call at the same time may have taken the only place of the client token or of the host.
      throw (await isReplaced()) ? new ApiError('streamReplaced') : error;
    }
  }

  return { watch: (caller, input, offer) => watch(caller, { input, offer }), replace };
}

/** A stream is often replaced because it has ended. */
function gone(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'notFound') return undefined;
  throw error;
}

async function closeOnHost(hosts: StreamParts['hosts'], { hostUrl, id }: OwnStream, log: Logger): Promise<void> {
  try {
    if (hostUrl !== null) await hosts.close(hostUrl, id, {});
  } catch (error) {
    if (!(error instanceof HostUnreachable) && !(error instanceof HostRefusal)) throw error;
    // The host finds the closed row with its next report and closes the session, if it still exists.
    log.warn({ err: error, streamId: id }, 'a stream was closed without its host');
  }
}

/** The text as it is spoken. Throws a 400 for a text in which there is nothing to speak. */
function requireSpeakable(text: string): string {
  requireReadable(text);
  const speakable = speakableText(text);
  if (speakable === undefined) throw invalidFields([{ field: 'text', message: 'contains nothing that can be spoken' }]);
  return speakable;
}

/** Throws a 400 for a result of a tool that is too long. */
function requireShort(input: ConversationInput): ConversationInput {
  if (!('result' in input) || JSON.stringify(input.result ?? null).length <= MAX_TOOL_RESULT) return input;
  throw invalidFields([{ field: 'result', message: `must have at most ${MAX_TOOL_RESULT} characters as JSON` }]);
}

/** Calls the host of a stream. If the host or the session is gone, the stream is ended. */
async function askHost<T>(
  { kernel, hosts }: Pick<StreamParts, 'hosts'> & { readonly kernel: Kernel },
  stream: OwnStream,
  question: (hostUrl: string) => Promise<T>,
): Promise<T> {
  const { id, hostUrl } = stream;
  try {
    if (hostUrl === null) throw new HostRefusal('gone', 'the host of the stream is gone');
    return await question(hostUrl);
  } catch (error) {
    const isBroken = hostUrl !== null && error instanceof HostUnreachable && error.how === 'broken';
    // Perhaps its process was killed during the call: another call finds out.
    const later = isBroken && (await hosts.stats(hostUrl, id, {}).catch((reason: unknown) => reason));
    throw await judge(kernel, stream, later instanceof Error ? later : error);
  }
}

async function judge(kernel: Kernel, stream: OwnStream, error: unknown): Promise<unknown> {
  if (error instanceof HostUnreachable && error.how === 'gone') {
    // Its process has ended without leaving the list; no need to wait for missed heartbeats.
    await endHost(kernel, stream.hostId);
    return new ApiError('notFound', { what: 'stream' });
  }
  if (!(error instanceof HostRefusal)) return error;
  switch (error.code) {
    case 'gone':
      await endStream(kernel, stream.id, { reason: 'host_lost' });
      return new ApiError('notFound', { what: 'stream' });
    case 'out_of_minutes':
      return new ApiError('outOfMinutes');
    case 'token_minutes':
      return new ApiError('clientMinutesUsed');
    case 'queue_full':
      return new ApiError(
        'speechQueueFull',
        { seconds: SPEECH_RETRY_SECONDS },
        { retryAfterSeconds: SPEECH_RETRY_SECONDS },
      );
    case 'too_many_readers':
      return new ApiError('tooManyReaders', { limit: MAX_EVENT_READERS });
    case 'utterance_ended':
      return new ApiError('utteranceEnded', { reason: error.message });
    case 'not_conversing':
      return new ApiError('notConversing');
    case 'call_ended':
      return new ApiError('toolCallEnded');
    case 'no_button':
      return invalidFields([{ field: 'isTalking', message: error.message }]);
    case 'bad_index':
      return invalidFields([{ field: 'index', message: error.message }]);
    case 'bad_text':
      return invalidFields([{ field: 'text', message: error.message }]);
    case 'bad_offer':
      return invalidFields([{ field: 'offer', message: error.message }]);
    case 'bad_answer':
      return invalidFields([{ field: 'answer.sdp', message: error.message }]);
    case 'room_refused':
      return new ApiError('invalid', { reason: error.message });
    case 'bad_candidate':
      return invalidFields([{ field: 'candidate.candidate', message: error.message }]);
    default:
      return error;
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
