import type { ConversationState } from '@figurehead/contract';
import type { PresenterPack } from '@figurehead/presenter';
import type { Expression, PresenterState, Viseme } from '@figurehead/presenter/face';
import type { FrameRate } from '@figurehead/presenter/time';
import type { Cue } from '../encode/contract.js';
import type { SpeechChunk } from '../speech/contract.js';

/** An ICE candidate in the browser's form (RTCIceCandidateInit). */
export interface IceCandidate {
  readonly candidate: string;
  readonly sdpMid?: string | null;
  readonly sdpMLineIndex?: number | null;
  readonly usernameFragment?: string | null;
}

/** A TURN or STUN server with credentials that are valid for this stream only (RTCIceServer). */
export interface IceServer {
  readonly urls: string | readonly string[];
  readonly username?: string;
  readonly credential?: string;
}

/** Size, frame rate and background of a stream's picture. Sides are even, 64 to 1280 px. */
export interface LivePicture {
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
  /**
   * CSS colour behind the presenter. `transparent` doubles the height of the picture: the upper half is the presenter over black (premultiplied), the
   * lower half its opacity as luma.
   */
  readonly background: string;
}

/** How utterances are found in a viewer's sound. */
export interface MicrophoneSettings {
  /** An utterance ends after so many seconds without speech: 0.2 or more, 0.35 when absent. */
  readonly pauseSeconds?: number;
  /** Utterances begin and end with `setTalking` instead. */
  readonly isPushToTalk?: boolean;
  /** Reports every second what was heard so far. */
  readonly partials?: boolean;
}

export interface LiveSessionOptions {
  /** Appears in logs; its hash seeds the presenter's idle movements. */
  readonly id: string;
  readonly pack: PresenterPack;
  readonly picture: LivePicture;
  readonly expression?: Expression;
  /** STUN and TURN servers that the host itself gathers candidates from. */
  readonly iceServers: readonly IceServer[];
  /** Offers to receive the viewer's microphone; what it hears goes to the listeners of `onViewerSpeech`. */
  readonly microphone?: MicrophoneSettings;
  /**
   * The viewer draws the presenter from messages of the data channel, and the session draws nothing. `auto`: video is offered as well, and a viewer
   * that refuses it draws. Absent: the session draws.
   */
  readonly drawing?: 'viewer' | 'auto';
  /** Records what is sent into a file in this folder; the caller removes the folder. */
  readonly record?: { readonly folder: string };
}

/** The recording of a session. */
export interface Recording {
  readonly path: string;
  readonly contentType: 'video/mp4' | 'video/webm';
  readonly seconds: number;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  /** Captions of the speech, with its interruptions. */
  readonly cues: readonly Cue[];
}

/**
 * State of a session: `offered` → `connected` → `closed`.
 */
export type LiveState = 'offered' | 'connected' | 'closed';

/** Why a session ended. `peer_gone`: no packet from the peer for 30 s, or the peer closed the connection. */
export type CloseReason = 'requested' | 'peer_gone' | 'failed';

/** What the viewer's microphone hears. A new utterance begins after 0.14 s of speech and ends after a pause, or after 30 s. */
export type ViewerSpeech =
  /** 60 ms of what may become an utterance; `began` or, when it was no speech, `dismissed` follows within 0.1 s. */
  | { readonly type: 'suspected' }
  | { readonly type: 'dismissed' }
  | { readonly type: 'began' }
  /** An utterance so far, with `partials`: as in `ended`. */
  | { readonly type: 'partial'; readonly samples: Int16Array; readonly sampleRate: number }
  /** The whole utterance: mono, signed 16 bit. */
  | { readonly type: 'ended'; readonly samples: Int16Array; readonly sampleRate: number };

/** Messages about a conversation, which its owner gives to `LiveSession.tell`. */
export type ConversationEvent = { readonly id: string; readonly at: number } & (
  | { readonly type: 'conversation.state'; readonly state: ConversationState }
  | { readonly type: 'conversation.partial'; readonly text: string }
  | { readonly type: 'conversation.heard'; readonly text: string }
  | { readonly type: 'conversation.said'; readonly text: string }
  | { readonly type: 'conversation.tool'; readonly name: string; readonly arguments: unknown }
  | { readonly type: 'conversation.failed'; readonly error: string }
);
/** A {@link ConversationEvent} before the session adds its time. */
export type UntimedEvent = ConversationEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, 'at'>
    : never
  : never;

/** Messages of the data channel `events`; `at` is in ms of the session's media clock, which starts at 0 with the connection. */
export type LiveEvent =
  | { readonly type: 'speech.started'; readonly id: string; readonly at: number }
  | {
      readonly type: 'speech.word';
      readonly id: string;
      readonly at: number;
      readonly text: string;
      /** ms of the session's clock. */
      readonly start: number;
      readonly end: number;
    }
  /** A `<mark>` of the SSML is reached. */
  | { readonly type: 'speech.mark'; readonly id: string; readonly at: number; readonly name: string }
  /** A mouth shape of the OpenXR set begins. */
  | {
      readonly type: 'speech.viseme';
      readonly id: string;
      readonly at: number;
      readonly viseme: Viseme;
      /** ms of the session's clock. */
      readonly start: number;
      readonly end: number;
    }
  /** After every second of speech: ms of the utterance that were played. */
  | { readonly type: 'speech.position'; readonly id: string; readonly at: number; readonly position: number }
  | { readonly type: 'speech.ended'; readonly id: string; readonly at: number; readonly position: number }
  | {
      readonly type: 'speech.interrupted';
      readonly id: string;
      readonly at: number;
      readonly position: number;
      /** `interrupted`: a caller interrupted it. `failed`: synthesis failed before its end. */
      readonly reason: 'interrupted' | 'failed';
      /** Why it failed, as a sentence for the caller. */
      readonly error?: string;
    }
  /** Utterances that wait or play, in order. */
  | { readonly type: 'queue'; readonly id: string; readonly at: number; readonly ids: readonly string[] }
  | ConversationEvent
  | { readonly type: 'stream.closing'; readonly id: string; readonly at: number; readonly reason: string };

/** A queued or playing utterance. Its promises never reject. */
export interface UtteranceHandle {
  readonly id: string;
  /** Utterances before it when it was accepted, the playing one included. */
  readonly position: number;
  /** Resolves when the first speech sample is sent, with the ms since it was accepted; with `undefined` when it was dropped before. */
  readonly started: Promise<number | undefined>;
  readonly ended: Promise<'spoken' | 'interrupted' | 'failed'>;
}

/**
 * Synthesises a text sentence by sentence and yields the first one as soon as it is ready. Aborting stops within 100 ms. When it throws, the
 * peer gets the message of a `SpeechError`; for any other error it only learns that the speech failed.
 */
export type Speak = (signal: AbortSignal) => AsyncIterable<SpeechChunk>;

/** Measurements of a session. */
export interface LiveStats {
  readonly state: LiveState;
  readonly codec: 'H264' | 'VP8' | null;
  /** Means of the last second. */
  readonly framesPerSecond: number;
  readonly encodeMs: number;
  readonly drawMs: number;
  /** Bits per second, sound included; `videoBitrate` is the video alone. */
  readonly bitrate: number;
  readonly videoBitrate: number;
  /** Share of packets that the peer reported lost, 0…1. */
  readonly loss: number;
  readonly roundTripMs: number | null;
  /** ms from accepting the latest utterance to its first sample on the wire. */
  readonly firstSoundMs: number | null;
  /** Its parts: from the start of synthesis to the first chunk, and in the queue or waiting for the connection. */
  readonly synthesisMs: number | null;
  readonly queueMs: number | null;
  /** Sides of the sent picture, px: smaller than requested while the machine is too busy. */
  readonly width: number;
  readonly height: number;
  /** Speech is being sent or is scheduled on the media clock. */
  readonly speaking: boolean;
  /** Sending delay of video minus that of audio, ms; positive when video is late. */
  readonly avOffsetMs: number;
  readonly queued: number;
  /** Connected time in ms so far; this is billed. */
  readonly connectedMs: number;
}

/** The connection of a session to a room. */
export interface RoomPeer {
  readonly offer: string;
  readonly trackIds: { readonly audio: string; readonly video: string };
  readonly picture: { readonly codec: 'H264' | 'VP8'; readonly width: number; readonly height: number };
  /** Throws `LiveError('bad_answer')`. */
  acceptAnswer(sdp: string): void;
  /** Throws `LiveError('bad_candidate')`. */
  addCandidate(candidate: IceCandidate): void;
  sendData(message: Uint8Array): void;
}

/** A room that a session publishes to instead of a viewer, such as `LiveKitRoom`. */
export interface LiveRoom {
  /** Resolves once, when the room is over for the session. */
  readonly left: Promise<void>;
  /**
   * Signs in and publishes; resolves when the connection is made.
   * @param open opens a connection, with the STUN and TURN servers of the room. It is called again when the server wants another connection, which replaces
   * the one before.
   * @throws LiveError `room_refused` with a reason, after leaving.
   */
  join(open: (iceServers: IceServer[], link: RoomLink) => RoomPeer): Promise<void>;
}

/** What a room is told by one connection. */
export interface RoomLink {
  /** The session has closed the connection. Idempotent. */
  leave(): void;
  /** The connection is made, for media and data. */
  onConnected(): void;
  /** The server closed the connection, or it failed. */
  onGone(): void;
  /** A candidate line of the host; none comes before the answer. */
  onCandidate(candidate: string): void;
  /** A message of a data channel. */
  onData(message: Uint8Array): void;
}

/** One viewer with one presenter. Every method may be called in any state; after `close` calls do nothing. */
export interface LiveSession {
  readonly id: string;
  /** SDP with all of the host's candidates. */
  readonly offer: string;
  readonly state: LiveState;
  /** Idempotent for the same SDP. Throws `LiveError('bad_answer')` for SDP that does not answer the offer. */
  answer(sdp: string): Promise<void>;
  /**
   * Accepts a viewer's own offer instead of an answer to `offer`, and returns the answer. Idempotent for the same SDP. Throws
   * `LiveError('bad_offer')` when neither sound nor picture of the offer can be answered.
   */
  acceptOffer(sdp: string): Promise<string>;
  /**
   * Offers another connection, for a viewer whose network has changed; `answer`, `acceptOffer` and `addCandidate` are about it from now on. It replaces the
   * earlier one when it is connected. Speech, queue and clock go on, and the codec of the pictures stays. Throws `LiveError('closed')`.
   * @param receivedEvents how many events the viewer has got; the connection sends the others. None are sent again when absent.
   * @param drawing `server`: from now on the session draws, for a viewer that turned out too slow for it.
   * @returns the offer.
   */
  reconnect(receivedEvents?: number, drawing?: 'server'): string;
  /**
   * Publishes to a room of a LiveKit server, in place of a viewer; resolves when it is connected. The session ends with the room, and leaves it at its own
   * end. Throws `LiveError('room_refused')`, and then goes on as before; `LiveError('closed')`.
   */
  join(room: LiveRoom): Promise<void>;
  /** Candidates that arrive before the answer are stored until then. `null` ends them. Throws `LiveError('bad_candidate')` for a malformed one. */
  addCandidate(candidate: IceCandidate | null): void;
  /** Queues an utterance. Playback starts with the connection. */
  speak(id: string, speak: Speak): UtteranceHandle;
  /** Stops the playing utterance; `all` also drops the queued ones. Silence is sent within 100 ms. */
  interrupt(scope: 'all' | 'current'): { interrupted: boolean; dropped: number };
  /** Pauses all speech within 40 ms, until `resume`; later utterances wait too. Idempotent. */
  pause(): void;
  /** Continues paused speech where it stopped. Idempotent. */
  resume(): void;
  /** Makes the silent presenter look idle, listening or thinking. */
  setAttention(state: Exclude<PresenterState, 'speaking'>): void;
  /** The viewer presses or releases the button of push to talk. Without it, or without a microphone, it does nothing. */
  setTalking(isTalking: boolean): void;
  /** Adds a listener to the viewer's speech; needs `microphone`. @returns a function that removes it. */
  onViewerSpeech(listener: (event: ViewerSpeech) => void): () => void;
  /** Adds a listener to the texts that the peer sends on a data channel of its own (the first one that it opens). @returns a function that removes it. */
  onMessage(listener: (text: string) => void): () => void;
  /** Sends a text on that channel; lost where there is none. */
  sendMessage(text: string): void;
  /** Sends an event of a conversation to the peer and the listeners. */
  tell(event: UntimedEvent): void;
  /** Adds a listener to the events, whether a peer is connected or not. @returns a function that removes it. */
  onEvent(listener: (event: LiveEvent) => void): () => void;
  stats(): LiveStats;
  /**
   * The recording, complete on disk after `closed`; `undefined` when none was requested or nothing was sent. Rejects with the error that ended it.
   */
  readonly recorded: Promise<Recording | undefined>;
  /** Resolves once, however the session ends. */
  readonly closed: Promise<CloseReason>;
  /** Sends `stream.closing`, stops the speech and frees everything. Idempotent. */
  close(reason?: string): Promise<void>;
}

/** Opens sessions on this machine; all share one UDP port and the drawing surfaces of presenters. The caller closes it. */
export interface LiveHost {
  open(options: LiveSessionOptions): Promise<LiveSession>;
  /** Sessions that are open. */
  readonly sessions: ReadonlyMap<string, LiveSession>;
  /** Closes all sessions and frees sockets and threads. Idempotent. */
  close(): Promise<void>;
}

/** Thrown when a session refuses its input. */
export class LiveError extends Error {
  constructor(
    readonly code: 'bad_offer' | 'bad_answer' | 'bad_candidate' | 'closed' | 'no_ports' | 'room_refused',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'LiveError';
  }
}
