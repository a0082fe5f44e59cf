import { rm } from 'node:fs/promises';
import { MAX_EVENT_READERS, type TurnTaking } from '@figurehead/contract';
import type {
  CloseReason,
  LiveEvent,
  LiveHost,
  LiveSession,
  MicrophoneSettings,
  PresenterPack,
  Speech,
  UtteranceHandle,
} from '@figurehead/media';
import { LiveKitRoom } from '@figurehead/media/live';
import type { Kernel } from '../../../kernel/contract.js';
import type { AgentConversation, OpenConversation } from '../../agents/index.js';
import { remainingMs, settleStreams } from '../../billing/index.js';
import { failRecording, publishRecording } from '../../library/index.js';
import { listTokenEnds } from '../client-tokens/index.js';
import { abandonOpening, endStream } from '../ending.js';
import { eventsOf } from '../event-feed.js';
import { refuseLiveErrors } from '../refusals.js';
import { reportOf, statsOf } from '../reports.js';
import { requireRoomServer } from '../room-server.js';
import { type EndReason, listOpenOfHost, writeReports } from '../store.js';
import { AvatarWorker } from './avatar-worker.js';
import { measureHost } from './host-metrics.js';
import {
  type HostOperations,
  HostRefusal,
  type HostRequest,
  type HostResponse,
  type Piece,
  type Queued,
  type SessionStats,
  type SoundMessage,
  type SoundRequest,
  type SpeechRequest,
} from './host-protocol.js';
import { serveRtvi } from './rtvi.js';
import { SessionSpeech } from './session-speech.js';

// States of a session
//
//   open ──last minute used up──▶ leaving ──its speech has ended────▶ ending ──peer connection closed──▶ ended ──▶ recorded
//     └──── DELETE, idle, host stops, row closed elsewhere ────────────▲                                (row closed, charged)
//     └──── the peer is gone, the connection failed ─────────────────────────────────────────────────────▲
//
// `ended` sessions whose record could not be written (no database) are written with the next report.

/** A row that is in `opening` for longer than this, without a session, was left by an API process that died. */
const OPENING_WITHIN_MS = 60_000;

/** Without minutes a stream finishes what it is speaking, for this long at most: an utterance may last an hour. */
const LAST_WORDS_MS = 30_000;

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

/** Settings of a session registry. */
export interface SessionRegistryOptions {
  readonly hostId: string;
  readonly live: LiveHost;
  readonly speech: Speech;
  readonly openConversation: OpenConversation;
  /** Loads the presenter of an avatar code. */
  readonly findPack: (workspaceId: string, code: string) => Promise<PresenterPack>;
  /** A stream without a render call for this long ends. */
  readonly idleMs: number;
}

interface SessionEntry {
  readonly session: LiveSession;
  readonly workspaceId: string;
  readonly speech: SessionSpeech;
  conversation: AgentConversation | undefined;
  /** Speaks what an agent in a LiveKit room sends; the agent's presence there keeps the stream open. */
  worker: AvatarWorker | undefined;
  /** Readers of its events besides the viewer. */
  readers: number;
  /** Time at which it ends unless more speech is queued, by the monotonic clock. */
  expiresAtMs: number;
  /** Its speech lasted longer than the idle time, which restarts when the speech ends. */
  outlastedIdleTime: boolean;
  /** Reason for which it ends after its current speech. */
  leaving: EndReason | undefined;
  /** When it ends although it still speaks, by the monotonic clock. */
  leavesByMs: number;
  ending: EndReason | undefined;
  /** The media file and the folder of its recording. */
  readonly recording: { readonly mediaId: string; readonly folder: string } | undefined;
  /** Resolves when the end is recorded, or left to a later report, and the recording is published. */
  readonly ended: Promise<void>;
}

interface Unrecorded {
  readonly id: string;
  readonly reason: EndReason;
  readonly connectedMs: number;
}

/**
 * The sessions of a stream host. Calls on unknown sessions throw `HostRefusal('gone')`. The creator drains it before the {@link LiveHost}
 * closes.
 */
export class SessionRegistry implements HostOperations {
  readonly #entries = new Map<string, SessionEntry>();
  readonly #unrecorded = new Map<string, Unrecorded>();
  readonly #measures: ReturnType<typeof measureHost>;
  /** Rows in `opening` without a session, and when the first report found them: the clock of their API process may differ. */
  #opening = new Map<string, number>();
  #draining = false;

  constructor(
    private readonly kernel: Kernel,
    private readonly options: SessionRegistryOptions,
  ) {
    this.#measures = measureHost(kernel.metrics, () => [...this.#entries.values()].map(({ session }) => session));
  }

  async open(_id: string, request: HostRequest<'open'>): Promise<HostResponse<'open'>> {
    if (this.#draining) throw new HostRefusal('full', 'this stream host is stopping');
    const { id, workspaceId, width, height, background, iceServers, drawing } = request;
    const pack = await this.options.findPack(workspaceId, request.avatarCode);
    const picture = { width, height, fps: 25, background } as const;
    const recording =
      request.recordingId === undefined
        ? undefined
        : { mediaId: request.recordingId, folder: await this.kernel.temporary.open('recording-') };
    const record = recording && { record: { folder: recording.folder } };
    const microphone = request.conversation && microphoneFor(request.conversation.turns);
    const session = await refuseLiveErrors(() =>
      this.options.live.open({
        id,
        pack,
        picture,
        iceServers,
        ...(microphone && { microphone }),
        ...record,
        ...(drawing && { drawing }),
      }),
    ).catch(async (error: unknown) => {
      if (recording) await rm(recording.folder, { recursive: true, force: true });
      throw error;
    });
    const entry: SessionEntry = {
      session,
      workspaceId,
      recording,
      conversation: undefined,
      worker: undefined,
      readers: 0,
      speech: new SessionSpeech({ session, kernel: this.kernel, speech: this.options.speech }),
      expiresAtMs: this.#idleEnd(),
      outlastedIdleTime: false,
      leaving: undefined,
      leavesByMs: Number.POSITIVE_INFINITY,
      ending: undefined,
      ended: session.closed.then((why) => this.#onSessionClosed(entry, why)),
    };
    this.#entries.set(id, entry);
    serveRtvi(session, {
      converse: (input) => this.converse(id, { input }),
      close: () => this.#endInBackground(entry, 'requested'),
    });
    if (request.conversation !== undefined) await this.#converse(entry, request.conversation);
    if (this.#draining) this.#endInBackground(entry, 'host_stopped');
    return { offer: session.offer };
  }

  reconnect(id: string, { received, drawing }: HostRequest<'reconnect'>): Promise<HostResponse<'reconnect'>> {
    return refuseLiveErrors(() => ({ offer: this.#entryOf(id).session.reconnect(received, drawing) }));
  }

  answer(id: string, { sdp }: HostRequest<'answer'>): Promise<void> {
    return refuseLiveErrors(() => this.#entryOf(id).session.answer(sdp));
  }

  acceptOffer(id: string, { sdp }: HostRequest<'acceptOffer'>): Promise<HostResponse<'acceptOffer'>> {
    return refuseLiveErrors(async () => ({ sdp: await this.#entryOf(id).session.acceptOffer(sdp) }));
  }

  addCandidate(id: string, { candidate }: HostRequest<'addCandidate'>): Promise<void> {
    return refuseLiveErrors(() => this.#entryOf(id).session.addCandidate(candidate));
  }

  async joinRoom(id: string, { url, token }: HostRequest<'joinRoom'>): Promise<HostResponse<'joinRoom'>> {
    const entry = this.#entryOf(id);
    const { log, config, clock } = this.kernel;
    const { session, speech } = entry;
    const lookup = requireRoomServer(url, config.livekitUrls);
    const onWarning = (doing: string, error: unknown) => log.warn({ err: error, streamId: id }, doing);
    const room = new LiveKitRoom({ url, token, lookup, onWarning });
    const onUtterance = (utterance: UtteranceHandle) => void this.#accepted(entry, utterance);
    const worker = new AvatarWorker({ room, session, speech, clock, onUtterance, onWarning });
    await refuseLiveErrors(() => session.join(room));
    this.#keepAlive(entry);
    entry.worker = room.agent === undefined ? undefined : worker;
    return { agent: room.agent ?? null };
  }

  speak(id: string, request: SpeechRequest): Queued {
    const entry = this.#speakingEntryOf(id);
    return this.#accepted(entry, entry.speech.speak(request));
  }

  openUtterance(id: string, request: SpeechRequest): Queued {
    const entry = this.#speakingEntryOf(id);
    return this.#accepted(entry, entry.speech.openText(request));
  }

  appendText(id: string, piece: Piece): void {
    const entry = this.#entryOf(id);
    entry.speech.appendText(piece);
    this.#keepAlive(entry);
  }

  openSound(id: string, request: SoundRequest): Queued {
    const entry = this.#speakingEntryOf(id);
    return this.#accepted(entry, entry.speech.openSound(request));
  }

  appendSound(id: string, piece: SoundMessage): HostResponse<'appendSound'> {
    const entry = this.#entryOf(id);
    const seconds = entry.speech.appendSound(piece);
    this.#keepAlive(entry);
    return { seconds };
  }

  /** Events of the session from now on, until it ends. Throws `HostRefusal('too_many_readers')`. */
  watch(id: string, signal: AbortSignal): AsyncIterable<LiveEvent> {
    const entry = this.#entryOf(id);
    if (entry.readers >= MAX_EVENT_READERS)
      throw new HostRefusal('too_many_readers', `${entry.readers} read the events`);
    entry.readers += 1;
    signal.addEventListener(
      'abort',
      () => {
        entry.readers -= 1;
      },
      { once: true },
    );
    return eventsOf(entry.session, signal);
  }

  converse(id: string, { input }: HostRequest<'converse'>): void {
    const entry = this.#speakingEntryOf(id);
    const { conversation } = entry;
    if (conversation === undefined) throw new HostRefusal('not_conversing', 'the stream has no agent');
    this.#keepAlive(entry);
    if ('text' in input) conversation.say(input.text);
    else if ('isTalking' in input) {
      if (!conversation.talk(input.isTalking))
        throw new HostRefusal('no_button', 'needs a stream with turns.isPushToTalk');
    } else if (!conversation.onToolResult(input.callId, input.result))
      throw new HostRefusal('call_ended', 'no such call waits for a result');
  }

  interrupt(id: string, { scope }: HostRequest<'interrupt'>): HostResponse<'interrupt'> {
    return this.#entryOf(id).session.interrupt(scope);
  }

  stats(id: string): SessionStats {
    return statsOf(this.#entryOf(id).session);
  }

  async close(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new HostRefusal('gone', 'unknown session');
    await this.#endSession(entry, 'requested');
  }

  /** Ends sessions that reached the idle time, or the end of their last words. Cheap; call it often. */
  expire(): void {
    const now = this.kernel.clock.monotonic();
    for (const entry of this.#entries.values()) {
      entry.speech.expire();
      entry.conversation?.expire();
      if (entry.worker?.isAlone() === false) this.#keepAlive(entry);
      else if (entry.worker !== undefined) this.#endInBackground(entry, 'peer_gone');
      if (entry.leaving !== undefined && entry.ending === undefined && now >= entry.leavesByMs) {
        this.#endInBackground(entry, entry.leaving);
      }
      if (now < entry.expiresAtMs || entry.ending !== undefined) continue;
      const isSpeaking = entry.session.state === 'connected' && entry.speech.length > 0;
      if (!isSpeaking) this.#endInBackground(entry, 'idle');
      entry.outlastedIdleTime = isSpeaking;
      entry.expiresAtMs = now + this.options.idleMs;
    }
  }

  /** Writes the state of the sessions, settles their minutes and reconciles the registry with the database. Rejects with database errors. */
  async report(): Promise<void> {
    const before = new Set(this.#entries.keys());
    const reports = [...this.#entries.values()].map((entry) =>
      reportOf(entry.session, { leaving: entry.leaving !== undefined, expiresAt: this.#expiryOf(entry) }),
    );
    await this.kernel.transaction(async (tx) => {
      const connections = await writeReports(tx, this.options.hostId, reports);
      await settleStreams(this.kernel, tx, connections);
    });
    for (const end of [...this.#unrecorded.values()]) await this.#record(end);
    await this.#reconcile(before);
    await this.#endExhausted();
    await this.#endByTokens();
  }

  /** Refuses new sessions; open ones end after their current speech, or after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    const all = [...this.#entries.values()];
    for (const entry of all) this.#endAfterSpeech(entry, 'host_stopped');
    const timer = setTimeout(() => {
      for (const entry of all) this.#endInBackground(entry, 'host_stopped');
    }, graceMs);
    await Promise.all(all.map(({ ended }) => ended));
    clearTimeout(timer);
  }

  #entryOf(id: string): SessionEntry {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.ending !== undefined) throw new HostRefusal('gone', 'unknown session');
    return entry;
  }

  /** The entry of a session that may say more. */
  #speakingEntryOf(id: string): SessionEntry {
    const entry = this.#entryOf(id);
    if (entry.leaving === 'out_of_minutes') throw new HostRefusal('out_of_minutes', END_MESSAGES.out_of_minutes);
    if (entry.leaving === 'token_minutes') throw new HostRefusal('token_minutes', END_MESSAGES.token_minutes);
    return entry;
  }

  /** Begins the conversation of a session; when that fails, the session ends. */
  async #converse(
    entry: SessionEntry,
    { agentId, voice, inWriting = false, turns }: NonNullable<HostRequest<'open'>['conversation']>,
  ): Promise<void> {
    const { session, speech } = entry;
    try {
      const conversation = await this.options.openConversation({
        agentId,
        inWriting,
        turns,
        streamId: session.id,
        language: new Intl.Locale(voice.locale).language,
        session,
        voice: {
          open: (text) => {
            const utterance = speech.openText({ text, voice });
            this.#accepted(entry, utterance);
            return utterance;
          },
          append: (piece) => speech.appendText(piece),
        },
        onActivity: () => this.#keepAlive(entry),
        onLimit: () => this.#endAfterSpeech(entry, 'conversation_limit'),
      });
      entry.conversation = conversation;
    } catch (error) {
      await this.#endSession(entry, 'failed');
      throw error;
    }
  }

  #idleEnd(): number {
    return this.kernel.clock.monotonic() + this.options.idleMs;
  }

  /** The time at which a session ends, as it is shown. */
  #expiryOf({ expiresAtMs }: SessionEntry): Date {
    const { clock } = this.kernel;
    return new Date(clock.now() + expiresAtMs - clock.monotonic());
  }

  #keepAlive(entry: SessionEntry): void {
    entry.expiresAtMs = this.#idleEnd();
    entry.outlastedIdleTime = false;
  }

  #accepted(entry: SessionEntry, utterance: UtteranceHandle): Queued {
    this.#keepAlive(entry);
    this.#measures.onUtterance(utterance);
    void utterance.ended.then(() => {
      if (entry.outlastedIdleTime && entry.speech.length === 0) entry.expiresAtMs = this.#idleEnd();
    });
    return { id: utterance.id, position: utterance.position, expiresAt: this.#expiryOf(entry).toISOString() };
  }

  async #record(end: Unrecorded): Promise<void> {
    await endStream(this.kernel, end.id, end);
    this.#unrecorded.delete(end.id);
  }

  /** Removes a closed session and records its end. */
  async #onSessionClosed(entry: SessionEntry, why: CloseReason): Promise<void> {
    const { id } = entry.session;
    const end = { id, reason: entry.ending ?? why, connectedMs: entry.session.stats().connectedMs };
    this.#entries.delete(id);
    this.#unrecorded.set(id, end);
    this.#measures.onStreamEnded(end.reason);
    this.kernel.log.info(
      { streamId: id, reason: end.reason, connectedSeconds: Math.round(end.connectedMs / 1000) },
      'stream ended',
    );
    const recorded = this.#record(end).catch((error: unknown) =>
      this.kernel.log.warn({ err: error, streamId: id }, 'the end of a stream is not recorded yet'),
    );
    await Promise.all([recorded, this.#publish(entry), entry.conversation?.close()]);
  }

  /** Adds the recording of a closed session to the library. Never rejects: the library shows a failure. */
  async #publish({ session, recording }: SessionEntry): Promise<void> {
    if (recording === undefined) return;
    const { kernel } = this;
    const { mediaId, folder } = recording;
    try {
      const recorded = await session.recorded;
      if (recorded === undefined) await failRecording(kernel, kernel.db, mediaId, 'No viewer connected to the stream.');
      else await publishRecording(kernel, mediaId, recorded);
    } catch (error) {
      kernel.log.error({ err: error, streamId: session.id, mediaId }, 'a recording could not be stored');
      await failRecording(kernel, kernel.db, mediaId, 'The recording could not be written.').catch((cause: unknown) =>
        kernel.log.error({ err: cause, mediaId }, 'the failure of a recording could not be stored'),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #endSession(entry: SessionEntry, reason: EndReason): Promise<void> {
    entry.ending ??= reason;
    await entry.session.close(END_MESSAGES[entry.ending]);
    await entry.ended;
  }

  /** Ends a session without waiting for it. */
  #endInBackground(entry: SessionEntry, reason: EndReason): void {
    this.#endSession(entry, reason).catch((error: unknown) =>
      this.kernel.log.error({ err: error, streamId: entry.session.id }, 'a stream did not close'),
    );
  }

  /** Ends a session after its current speech, or after `withinMs`. */
  #endAfterSpeech(entry: SessionEntry, reason: EndReason, withinMs = Number.POSITIVE_INFINITY): void {
    if (entry.leaving !== undefined) return;
    entry.leaving = reason;
    entry.leavesByMs = this.kernel.clock.monotonic() + withinMs;
    entry.speech.endOpen(END_MESSAGES[reason]);
    const speaking = entry.session.state === 'connected' ? entry.speech.current : undefined;
    if (speaking === undefined) this.#endInBackground(entry, reason);
    else void speaking.ended.then(() => this.#endInBackground(entry, reason));
  }

  /** Ends sessions whose rows are closed, and closes rows whose sessions are gone. */
  async #reconcile(before: ReadonlySet<string>): Promise<void> {
    const rows = await listOpenOfHost(this.kernel.db, this.options.hostId);
    const open = new Set(rows.map(({ id }) => id));
    for (const id of before) {
      const entry = this.#entries.get(id);
      if (entry !== undefined && !open.has(id)) this.#endInBackground(entry, 'host_lost');
    }
    const now = this.kernel.clock.monotonic();
    const opening = new Map<string, number>();
    for (const { id, state } of rows) {
      if (this.#entries.has(id) || this.#unrecorded.has(id)) continue;
      const since = this.#opening.get(id) ?? now;
      if (state !== 'opening') await endStream(this.kernel, id, { reason: 'failed' });
      else if (now - since > OPENING_WITHIN_MS) await abandonOpening(this.kernel, id);
      else opening.set(id, since);
    }
    this.#opening = opening;
  }

  /** Ends streams whose client token was revoked, has expired or has used its minutes. */
  async #endByTokens(): Promise<void> {
    for (const { id, reason } of await listTokenEnds(
      this.kernel.db,
      this.options.hostId,
      new Date(this.kernel.clock.now()),
    )) {
      const entry = this.#entries.get(id);
      if (entry === undefined || entry.ending !== undefined) continue;
      if (reason === 'token_minutes') this.#endAfterSpeech(entry, reason, LAST_WORDS_MS);
      else this.#endInBackground(entry, reason);
    }
  }

  async #endExhausted(): Promise<void> {
    const connected = [...this.#entries.values()].filter(
      ({ session, leaving }) => session.state === 'connected' && leaving === undefined,
    );
    for (const workspaceId of new Set(connected.map((entry) => entry.workspaceId))) {
      if ((await remainingMs(this.kernel, workspaceId)) > 0) continue;
      for (const entry of connected)
        if (entry.workspaceId === workspaceId) this.#endAfterSpeech(entry, 'out_of_minutes', LAST_WORDS_MS);
    }
  }
}

function microphoneFor({ shortestPause, isPushToTalk, partialTranscripts }: TurnTaking): MicrophoneSettings {
  return { pauseSeconds: shortestPause, isPushToTalk, partials: partialTranscripts };
}
