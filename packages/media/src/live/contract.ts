import type { Expression } from '../face/contract.js';
import type { PresenterPack } from '../presenter/contract.js';
import type { SpeechChunk } from '../speech/contract.js';
import type { FrameRate } from '../time.js';

/** An ICE candidate as browsers spell it (RTCIceCandidateInit). */
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

/** How a stream is to look. Sides are even, 64 to 1280 px. */
export interface LivePicture {
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
  /** CSS colour behind the presenter. */
  readonly background: string;
}

/** What a session is opened with. */
export interface LiveSessionOptions {
  /** Names the session in logs; its hash seeds the presenter's life. */
  readonly id: string;
  readonly pack: PresenterPack;
  readonly picture: LivePicture;
  readonly expression?: Expression;
  /** STUN and TURN servers that the host itself gathers candidates from. */
  readonly iceServers: readonly IceServer[];
}

/**
 * Where a session stands: `offered` → `connected` → `closed`. `peer_gone` means that the peer was not heard of for 30 s.
 */
export type LiveState = 'offered' | 'connected' | 'closed';

/** Why a session ended. */
export type CloseReason = 'requested' | 'peer_gone' | 'failed';

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
  | { readonly type: 'speech.ended'; readonly id: string; readonly at: number }
  | {
      readonly type: 'speech.interrupted';
      readonly id: string;
      readonly at: number;
      /** `interrupted` somebody cut it, `failed` it could not be spoken to its end. */
      readonly reason: 'interrupted' | 'failed';
      /** Why it failed, in a sentence for whoever asked for it. */
      readonly error?: string;
    }
  /** Utterances that wait or play, in order. */
  | { readonly type: 'queue'; readonly id: string; readonly at: number; readonly ids: readonly string[] }
  | { readonly type: 'stream.closing'; readonly id: string; readonly at: number; readonly reason: string };

/** One text on its way through a session. Its promises never reject. */
export interface UtteranceHandle {
  readonly id: string;
  /** Utterances before it when it was accepted, the playing one included. */
  readonly position: number;
  /** The first speech sample has been sent; `undefined` when it was dropped before. Value: ms since it was accepted. */
  readonly started: Promise<number | undefined>;
  readonly ended: Promise<'spoken' | 'interrupted' | 'failed'>;
}

/**
 * Speaks a text: sentence by sentence, the first one as soon as it is there. Aborting stops within 100 ms. When it throws, the peer is told
 * the message of a `SpeechError`, and of anything else only that it failed.
 */
export type Speak = (signal: AbortSignal) => AsyncIterable<SpeechChunk>;

/** What a session measures about itself. */
export interface LiveStats {
  readonly state: LiveState;
  readonly codec: 'H264' | 'VP8' | null;
  /** Means of the last second. */
  readonly framesPerSecond: number;
  readonly encodeMs: number;
  readonly drawMs: number;
  /** Bits a second, sound included; `videoBitrate` of the pictures alone. */
  readonly bitrate: number;
  readonly videoBitrate: number;
  /** Share of packets that the peer reported lost, 0…1. */
  readonly loss: number;
  readonly roundTripMs: number | null;
  /** ms from accepting the latest utterance to its first sample on the wire. */
  readonly firstSoundMs: number | null;
  /** Of that time: from asking for its speech to the first of it, and waiting behind other speech or for the connection. */
  readonly synthesisMs: number | null;
  readonly queueMs: number | null;
  /** Sides of the picture as it is sent, px: smaller than asked for while the machine is too busy. */
  readonly width: number;
  readonly height: number;
  /** Speech is on the wire or has its time. */
  readonly speaking: boolean;
  /** By how many ms pictures leave later after their instant than sound does; negative when sound is the later one. */
  readonly avOffsetMs: number;
  readonly queued: number;
  /** Connected time in ms so far: what is billed. */
  readonly connectedMs: number;
}

/** One viewer with one presenter. Everything may be called in any state; after `close` calls do nothing. */
export interface LiveSession {
  readonly id: string;
  /** SDP with all of the host's candidates. */
  readonly offer: string;
  readonly state: LiveState;
  /** Idempotent for the same SDP. Throws `LiveError('bad_answer')` for SDP that does not answer the offer. */
  answer(sdp: string): Promise<void>;
  /** Candidates that come before the answer are kept. `null` means no more will come. Nonsense throws `LiveError('bad_candidate')`. */
  addCandidate(candidate: IceCandidate | null): void;
  /** Queues speech behind what plays and waits. Before the connection is up it waits. */
  speak(id: string, speak: Speak): UtteranceHandle;
  /** Cuts what plays; `all` also drops what waits. Silence is on the wire within 100 ms. */
  interrupt(scope: 'all' | 'current'): { interrupted: boolean; dropped: number };
  /** Shows a listening or thinking presenter while nothing is said. */
  setAttention(state: 'idle' | 'listening' | 'thinking'): void;
  stats(): LiveStats;
  /** Resolves once, however the session ends. */
  readonly closed: Promise<CloseReason>;
  /** Sends `stream.closing`, finishes nothing, frees everything. Idempotent. */
  close(reason?: string): Promise<void>;
}

/** Opens sessions on this machine; all share one UDP port and the presenters' pictures. Who creates it closes it. */
export interface LiveHost {
  open(options: LiveSessionOptions): Promise<LiveSession>;
  /** Sessions that are open. */
  readonly sessions: ReadonlyMap<string, LiveSession>;
  /** Closes all sessions and frees sockets and threads. Idempotent. */
  close(): Promise<void>;
}

/** Why a session refused what it was given. */
export class LiveError extends Error {
  constructor(
    readonly code: 'bad_answer' | 'bad_candidate' | 'closed' | 'no_ports',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'LiveError';
  }
}
