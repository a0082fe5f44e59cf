import { MAX_EVENT_READERS } from '@figurehead/contract';
import type { LiveEvent, Speech, UtteranceHandle } from '@figurehead/media';
import { LiveKitRoom } from '@figurehead/media/live';
import type { Kernel } from '../../../kernel/contract.js';
import { eventsOf } from '../event-feed.js';
import { requireRoomServer } from '../room-server.js';
import { AvatarWorker } from './avatar-worker.js';
import {
  HostRefusal,
  type HostRequest,
  type HostResponse,
  type OperationName,
  type Piece,
  type Queued,
  type SpeechRequest,
} from './host-protocol.js';
import { type HostedStream, statsOf } from './hosted-stream.js';
import { OpenSound, OpenText, spokenText } from './utterance.js';

/** What the streams of a host work with. */
export interface HostParts {
  readonly kernel: Kernel;
  readonly speech: Speech;
}

/** The operations on an open stream. They throw {@link HostRefusal} and `LiveError`. */
export type StreamOperations = {
  readonly [Name in Exclude<OperationName, 'open' | 'close'>]: (
    stream: HostedStream,
    request: HostRequest<Name>,
    parts: HostParts,
  ) => HostResponse<Name> | Promise<HostResponse<Name>>;
};

export const ON_STREAM: StreamOperations = {
  reconnect: ({ session }, { received, drawing }) => ({ offer: session.reconnect(received, drawing) }),
  answer: ({ session }, { sdp }) => session.answer(sdp),
  acceptOffer: async ({ session }, { sdp }) => ({ sdp: await session.acceptOffer(sdp) }),
  addCandidate: ({ session }, { candidate }) => session.addCandidate(candidate),
  joinRoom,
  speak: (stream, request, { speech }) => queued(stream.requireMinutes().say(spokenText(speech, request))),
  openUtterance: (stream, request, parts) => queued(sayArriving(stream.requireMinutes(), request, parts)),
  appendText,
  openSound: (stream, request, { kernel }) =>
    queued(stream.requireMinutes().say(new OpenSound(request, kernel.clock.monotonic))),
  appendSound(stream, { utteranceId, pcm, ...piece }) {
    const open = stream.speech.find(utteranceId, OpenSound);
    open.append({ ...piece, content: Buffer.from(pcm, 'base64') });
    stream.keepAlive();
    return { seconds: open.roomSeconds };
  },
  converse,
  interrupt: ({ session }, { scope }) => session.interrupt(scope),
  stats: ({ session }) => statsOf(session),
};

/** Queues a text that arrives in pieces; the request has its beginning. */
export function sayArriving(
  stream: HostedStream,
  request: SpeechRequest,
  { kernel, speech }: HostParts,
): UtteranceHandle {
  const requireRoom = (characters: number) => stream.speech.requireRoom(characters);
  return stream.say(new OpenText(request, { speech, now: kernel.clock.monotonic, requireRoom }));
}

export function appendText(stream: HostedStream, { utteranceId, text, ...piece }: Piece): void {
  stream.speech.find(utteranceId, OpenText).append({ ...piece, content: text });
  stream.keepAlive();
}

/** Throws `HostRefusal`: `out_of_minutes`, `token_minutes`, `not_conversing`, `no_button`, `call_ended`. */
export function converse(stream: HostedStream, { input }: HostRequest<'converse'>): void {
  const { conversation } = stream.requireMinutes();
  if (conversation === undefined) throw new HostRefusal('not_conversing', 'the stream has no agent');
  stream.keepAlive();
  if ('text' in input) conversation.say(input.text);
  else if ('isTalking' in input) {
    if (!conversation.talk(input.isTalking))
      throw new HostRefusal('no_button', 'needs a stream with turns.isPushToTalk');
  } else if (!conversation.onToolResult(input.callId, input.result))
    throw new HostRefusal('call_ended', 'no such call waits for a result');
}

/** Events of the stream from now on, until it ends. Throws `HostRefusal('too_many_readers')`. */
export function watch(stream: HostedStream, signal: AbortSignal): AsyncIterable<LiveEvent> {
  if (stream.readers >= MAX_EVENT_READERS)
    throw new HostRefusal('too_many_readers', `${stream.readers} read the events`);
  stream.readers += 1;
  signal.addEventListener('abort', () => (stream.readers -= 1), { once: true });
  return eventsOf(stream.session, signal);
}

async function joinRoom(
  stream: HostedStream,
  { url, token }: HostRequest<'joinRoom'>,
  { kernel: { log, config, clock } }: HostParts,
): Promise<HostResponse<'joinRoom'>> {
  const lookup = requireRoomServer(url, config.livekitUrls);
  const onWarning = (doing: string, error: unknown) => log.warn({ err: error, streamId: stream.id }, doing);
  const room = new LiveKitRoom({ url, token, lookup, onWarning });
  const worker = new AvatarWorker({ room, stream, clock, onWarning });
  await stream.session.join(room);
  stream.keepAlive();
  stream.worker = room.agent === undefined ? undefined : worker;
  return { agent: room.agent ?? null };
}

function queued({ id, position }: UtteranceHandle): Queued {
  return { id, position };
}
