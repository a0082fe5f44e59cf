import { rm } from 'node:fs/promises';
import type { LiveSession, UtteranceHandle } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import type { AgentConversation } from '../../agents/index.js';
import { failRecording, publishRecording } from '../../library/index.js';
import type { EndReason, StreamReport } from '../store.js';
import { HostRefusal, type SessionStats } from './host-protocol.js';
import { SpeechQueue } from './speech-queue.js';
import type { HostUtterance } from './utterance.js';

// States of a stream on its host
//
//   open ──last minute used up──▶ leaving ──its speech has ended────▶ ending ──peer connection closed──▶ ended ──▶ recorded
//     └──── DELETE, idle, host stops, row closed elsewhere ────────────▲                                (row closed, charged)
//     └──── the peer is gone, the connection failed ─────────────────────────────────────────────────────▲

/** Message to the viewer when a stream closes. */
const END_MESSAGES: Readonly<Record<EndReason, string>> = {
  requested: 'the stream was closed',
  idle: 'the stream was idle for too long',
  peer_gone: 'the viewer has disconnected',
  failed: 'the connection failed',
  out_of_minutes: 'the workspace has no minutes left',
  host_stopped: 'the stream host is stopping',
  host_lost: 'the stream host was out of reach',
  token_revoked: 'the client token was revoked',
  token_expired: 'the client token has expired',
  token_minutes: 'the minutes of the client token are used up',
  conversation_limit: 'the conversation has reached its limit',
};

interface HostedStreamOptions {
  readonly workspaceId: string;
  /** A stream without a render call for this long ends. */
  readonly idleMs: number;
  /** The media file and the folder of its recording, and what marks it as made by a machine. */
  readonly recording:
    | {
        readonly mediaId: string;
        readonly folder: string;
        readonly sign: (path: string, title: string, hasForeignSound: boolean) => Promise<void>;
      }
    | undefined;
  readonly onUtterance: (utterance: UtteranceHandle) => void;
}

/** A stream on its host: its session, what is said on it, and how it ends. */
export class HostedStream {
  readonly speech: SpeechQueue;
  conversation: AgentConversation | undefined;
  /** Speaks what an agent in a LiveKit room sends; the agent's presence there keeps the stream open. */
  worker: { isAlone(): boolean } | undefined;
  /** Readers of its events besides the viewer. */
  readers = 0;
  /** Reason for which it ends after its current speech. */
  leaving: EndReason | undefined;
  ending: EndReason | undefined;
  /** Resolves when the end is recorded, or left to a later report, and the recording is published. */
  ended: Promise<void> = Promise.resolve();
  /** Times at which it ends, by the monotonic clock: unless more speech is queued, and although it still speaks. */
  #expiresAtMs: number;
  #leavesByMs = Number.POSITIVE_INFINITY;
  /** Its speech lasted longer than the idle time, which restarts when the speech ends. */
  #outlastedIdleTime = false;

  constructor(
    readonly session: LiveSession,
    private readonly kernel: Kernel,
    private readonly options: HostedStreamOptions,
  ) {
    this.speech = new SpeechQueue(session);
    this.#expiresAtMs = this.#idleEnd();
  }

  get id(): string {
    return this.session.id;
  }

  get workspaceId(): string {
    return this.options.workspaceId;
  }

  /** Queues an utterance, which keeps the stream open. Throws `HostRefusal('queue_full')`. */
  say(utterance: HostUtterance): UtteranceHandle {
    const handle = this.speech.add(this.kernel.ids.next(), utterance);
    this.keepAlive();
    this.options.onUtterance(handle);
    void handle.ended.then(() => {
      if (this.#outlastedIdleTime && this.speech.length === 0) this.#expiresAtMs = this.#idleEnd();
    });
    return handle;
  }

  keepAlive(): void {
    this.#expiresAtMs = this.#idleEnd();
    this.#outlastedIdleTime = false;
  }

  /** Throws `HostRefusal` when no more may be said, because the minutes are used up. */
  requireMinutes(): this {
    if (this.leaving === 'out_of_minutes' || this.leaving === 'token_minutes')
      throw new HostRefusal(this.leaving, END_MESSAGES[this.leaving]);
    return this;
  }

  /** Ends it when it has reached the idle time, or the end of its last words. Cheap; call it often. */
  expire(): void {
    const now = this.kernel.clock.monotonic();
    this.speech.expire();
    this.conversation?.expire();
    if (this.worker?.isAlone() === false) this.keepAlive();
    else if (this.worker !== undefined) this.endInBackground('peer_gone');
    if (this.leaving !== undefined && this.ending === undefined && now >= this.#leavesByMs)
      this.endInBackground(this.leaving);
    if (now < this.#expiresAtMs || this.ending !== undefined) return;
    const isSpeaking = this.session.state === 'connected' && this.speech.length > 0;
    if (!isSpeaking) this.endInBackground('idle');
    this.#outlastedIdleTime = isSpeaking;
    this.#expiresAtMs = this.#idleEnd();
  }

  report(): StreamReport {
    const { clock } = this.kernel;
    const { state, connectedMs } = this.session.stats();
    return {
      id: this.id,
      state: this.leaving === undefined ? (state === 'connected' ? state : undefined) : 'closing',
      connectedMs: Math.round(connectedMs),
      expiresAt: new Date(clock.now() + this.#expiresAtMs - clock.monotonic()),
      stats: statsOf(this.session),
    };
  }

  /** Resolves with {@link ended}. */
  async end(reason: EndReason): Promise<void> {
    this.ending ??= reason;
    await this.session.close(END_MESSAGES[this.ending]);
    await this.ended;
  }

  /** Ends it without waiting for it. */
  endInBackground(reason: EndReason): void {
    this.end(reason).catch((error: unknown) =>
      this.kernel.log.error({ err: error, streamId: this.id }, 'a stream did not close'),
    );
  }

  /** Ends it after its current speech, or after `withinMs`. */
  endAfterSpeech(reason: EndReason, withinMs = Number.POSITIVE_INFINITY): void {
    if (this.leaving !== undefined) return;
    this.leaving = reason;
    this.#leavesByMs = this.kernel.clock.monotonic() + withinMs;
    this.speech.endOpen(END_MESSAGES[reason]);
    const speaking = this.session.state === 'connected' ? this.speech.current : undefined;
    if (speaking === undefined) this.endInBackground(reason);
    else void speaking.ended.then(() => this.endInBackground(reason));
  }

  /** Adds the recording of the closed session to the library. Never rejects: the library shows a failure. */
  async publish(): Promise<void> {
    if (this.options.recording === undefined) return;
    const { kernel } = this;
    const { mediaId, folder, sign } = this.options.recording;
    try {
      const recorded = await this.session.recorded;
      if (recorded === undefined) await failRecording(kernel, kernel.db, mediaId, 'No viewer connected to the stream.');
      else
        await publishRecording(kernel, mediaId, {
          ...recorded,
          mark: (title) => sign(recorded.path, title, this.speech.hasForeignSound),
        });
    } catch (error) {
      kernel.log.error({ err: error, streamId: this.id, mediaId }, 'a recording could not be stored');
      await failRecording(kernel, kernel.db, mediaId, 'The recording could not be written.').catch((cause: unknown) =>
        kernel.log.error({ err: cause, mediaId }, 'the failure of a recording could not be stored'),
      );
    } finally {
      await rm(folder, { recursive: true, force: true }).catch((error: unknown) =>
        kernel.log.warn({ err: error, mediaId }, 'the files of a recording could not be removed'),
      );
    }
  }

  #idleEnd(): number {
    return this.kernel.clock.monotonic() + this.options.idleMs;
  }
}

/** The latest measurements of a session. */
export function statsOf(session: LiveSession): SessionStats {
  const { state: _state, connectedMs: _connectedMs, ...stats } = session.stats();
  return stats;
}
