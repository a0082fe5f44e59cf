import { MAX_STREAM_QUEUE, MAX_STREAM_QUEUE_TEXT } from '@figurehead/contract';
import type {
  CloseReason,
  IceCandidate,
  LiveHost,
  LiveSession,
  PresenterPack,
  Speech,
  UtteranceHandle,
} from '@figurehead/media';
import type { Kernel } from '../../kernel/contract.js';
import { remainingMs, settleStreams } from '../billing/index.js';
import { listTokenEnds } from './client-tokens/index.js';
import { endStream } from './ending.js';
import { measureHost } from './host-metrics.js';
import {
  type Cut,
  HostRefusal,
  type Opened,
  type OpenRequest,
  type Queued,
  type SessionStats,
  type SpeechRequest,
} from './host-protocol.js';
import { refuseLiveErrors } from './refusals.js';
import { reportOf, statsOf } from './reports.js';
import { deleteOpening, type EndReason, listOpenOfHost, writeReports } from './store.js';

// States of a session
//
//   open ──last minute used up──▶ leaving ──its speech has ended────▶ ending ──peer connection closed──▶ ended ──▶ recorded
//     └──── DELETE, idle, host stops, row closed elsewhere ────────────▲                                (row closed, charged)
//     └──── the peer is gone, the connection failed ─────────────────────────────────────────────────────▲
//
// `ended` sessions whose record could not be written (no database) are written with the next report.

/** A row in `opening` older than this, without a session, was left by an API process that died. */
const OPENING_WITHIN_MS = 60_000;

/** Message to the viewer when a stream closes. */
const END_MESSAGES: Readonly<Record<EndReason, string>> = {
  requested: 'the stream was closed',
  idle: 'nothing was said for too long',
  peer_gone: 'the viewer is gone',
  failed: 'the connection failed',
  out_of_minutes: 'the workspace has no minutes left',
  host_stopped: 'the stream host is stopping',
  host_lost: 'the stream host was out of reach',
  token_revoked: 'the client token was revoked',
  token_expired: 'the client token has expired',
  token_minutes: 'the minutes of the client token are used up',
};

const END_OF: Readonly<Record<CloseReason, EndReason>> = {
  requested: 'requested',
  peer_gone: 'peer_gone',
  failed: 'failed',
};

/** What a session registry is made of. */
export interface SessionRegistryOptions {
  readonly hostId: string;
  readonly live: LiveHost;
  readonly speech: Speech;
  /** Loads the presenter of an avatar code. */
  readonly findPack: (workspaceId: string, code: string) => Promise<PresenterPack>;
  /** A stream without a render call for this long ends. */
  readonly idleMs: number;
}

/** The sessions of a stream host. Calls on unknown sessions throw `HostRefusal('gone')`. */
export interface SessionRegistry {
  open(request: OpenRequest): Promise<Opened>;
  answer(id: string, sdp: string): Promise<void>;
  /** @returns the answer to a viewer's own offer, SDP. */
  acceptOffer(id: string, sdp: string): Promise<string>;
  addCandidate(id: string, candidate: IceCandidate | null): Promise<void>;
  speak(id: string, request: SpeechRequest): Queued;
  interrupt(id: string, scope: 'all' | 'current'): Cut;
  /** The session's latest measurements. */
  stats(id: string): SessionStats;
  /** Closes a session, and resolves when its stream is recorded as ended. */
  end(id: string, reason: EndReason): Promise<void>;
  /** Ends sessions that reached the idle time. Cheap; call it often. */
  expire(): void;
  /** Writes the state of the sessions, settles their minutes and reconciles the registry with the database. Rejects with database errors. */
  report(): Promise<void>;
  /** Refuses new sessions; open ones end after their current speech, or after `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

interface SessionEntry {
  readonly session: LiveSession;
  readonly workspaceId: string;
  /** Utterances that play or wait, in order. */
  readonly queue: UtteranceHandle[];
  /** Characters of these utterances. */
  characters: number;
  /** When it ends unless more is said; ms since the epoch. */
  expiresAt: number;
  /** Its speech lasted longer than the idle time, which restarts when the speech ends. */
  outlastedIdleTime: boolean;
  /** Reason for which it ends after its current speech. */
  leaving: EndReason | undefined;
  ending: EndReason | undefined;
  /** Resolves when the end is recorded, or left to a later report. */
  readonly ended: Promise<void>;
}

interface Unrecorded {
  readonly id: string;
  readonly reason: EndReason;
  readonly connectedMs: number;
}

/** Creates an empty registry. The creator drains it before the {@link LiveHost} closes. */
export function createSessionRegistry(kernel: Kernel, options: SessionRegistryOptions): SessionRegistry {
  const { hostId, live, speech, findPack, idleMs } = options;
  const { log, clock } = kernel;
  const entries = new Map<string, SessionEntry>();
  const unrecorded = new Map<string, Unrecorded>();
  let draining = false;
  const measures = measureHost(kernel.metrics, () => [...entries.values()].map(({ session }) => session));

  function entryOf(id: string): SessionEntry {
    const entry = entries.get(id);
    if (entry === undefined || entry.ending !== undefined) throw new HostRefusal('gone', 'unknown session');
    return entry;
  }

  async function record(end: Unrecorded): Promise<void> {
    await endStream(kernel, end.id, end);
    unrecorded.delete(end.id);
  }

  /** Removes a closed session and records its end. */
  async function onSessionClosed(entry: SessionEntry, why: CloseReason): Promise<void> {
    const { id } = entry.session;
    const end = { id, reason: entry.ending ?? END_OF[why], connectedMs: entry.session.stats().connectedMs };
    entries.delete(id);
    unrecorded.set(id, end);
    measures.onStreamEnded(end.reason);
    log.info(
      { streamId: id, reason: end.reason, connectedSeconds: Math.round(end.connectedMs / 1000) },
      'stream ended',
    );
    await record(end).catch((error: unknown) =>
      log.warn({ err: error, streamId: id }, 'the end of a stream is not recorded yet'),
    );
  }

  async function endSession(entry: SessionEntry, reason: EndReason): Promise<void> {
    entry.ending ??= reason;
    await entry.session.close(END_MESSAGES[entry.ending]);
    await entry.ended;
  }

  /** Ends a session without waiting for it. */
  function endInBackground(entry: SessionEntry, reason: EndReason): void {
    endSession(entry, reason).catch((error: unknown) =>
      log.error({ err: error, streamId: entry.session.id }, 'a stream did not close'),
    );
  }

  /** Ends a session after its current speech. */
  function endAfterSpeech(entry: SessionEntry, reason: EndReason): void {
    if (entry.leaving !== undefined) return;
    entry.leaving = reason;
    const speaking = entry.session.state === 'connected' ? entry.queue[0] : undefined;
    if (speaking === undefined) endInBackground(entry, reason);
    else void speaking.ended.then(() => endInBackground(entry, reason));
  }

  async function* synthesize(id: string, { text, voice }: SpeechRequest, signal: AbortSignal) {
    const { provider, ...options } = voice;
    try {
      yield* speech.synthesize(provider, text, { ...options, signal });
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, streamId: id, provider, voice: voice.voice }, 'speech failed');
      throw error;
    }
  }

  /** Ends sessions whose rows are closed, and closes rows whose sessions are gone. */
  async function reconcile(before: ReadonlySet<string>): Promise<void> {
    const rows = await listOpenOfHost(kernel.db, hostId);
    const open = new Set(rows.map(({ id }) => id));
    for (const id of before) {
      const entry = entries.get(id);
      if (entry !== undefined && !open.has(id)) endInBackground(entry, 'host_lost');
    }
    for (const { id, state, createdAt } of rows) {
      if (entries.has(id) || unrecorded.has(id)) continue;
      if (state !== 'opening') await endStream(kernel, id, { reason: 'failed' });
      else if (clock.now() - createdAt.getTime() > OPENING_WITHIN_MS) await deleteOpening(kernel.db, id);
    }
  }

  /** A stream that a client token opened ends with the token. */
  async function endByTokens(): Promise<void> {
    for (const { id, reason } of await listTokenEnds(kernel.db, hostId, new Date(clock.now()))) {
      const entry = entries.get(id);
      if (entry === undefined || entry.ending !== undefined) continue;
      if (reason === 'token_minutes') endAfterSpeech(entry, reason);
      else endInBackground(entry, reason);
    }
  }

  async function endExhausted(): Promise<void> {
    const connected = [...entries.values()].filter(
      ({ session, leaving }) => session.state === 'connected' && leaving === undefined,
    );
    for (const workspaceId of new Set(connected.map((entry) => entry.workspaceId))) {
      if ((await remainingMs(kernel, workspaceId)) > 0) continue;
      for (const entry of connected) if (entry.workspaceId === workspaceId) endAfterSpeech(entry, 'out_of_minutes');
    }
  }

  return {
    async open(request) {
      if (draining) throw new HostRefusal('full', 'this stream host is stopping');
      const { id, workspaceId, width, height, background, iceServers } = request;
      const pack = await findPack(workspaceId, request.avatarCode);
      const picture = { width, height, fps: 25, background } as const;
      const session = await refuseLiveErrors(() => live.open({ id, pack, picture, iceServers }));
      const entry: SessionEntry = {
        session,
        workspaceId,
        queue: [],
        characters: 0,
        expiresAt: clock.now() + idleMs,
        outlastedIdleTime: false,
        leaving: undefined,
        ending: undefined,
        ended: session.closed.then((why) => onSessionClosed(entry, why)),
      };
      entries.set(id, entry);
      if (draining) endInBackground(entry, 'host_stopped');
      return { offer: session.offer };
    },
    answer: (id, sdp) => refuseLiveErrors(() => entryOf(id).session.answer(sdp)),
    acceptOffer: (id, sdp) => refuseLiveErrors(() => entryOf(id).session.acceptOffer(sdp)),
    addCandidate: (id, candidate) => refuseLiveErrors(() => entryOf(id).session.addCandidate(candidate)),
    speak(id, request) {
      const entry = entryOf(id);
      if (entry.leaving === 'out_of_minutes') throw new HostRefusal('out_of_minutes', END_MESSAGES.out_of_minutes);
      if (entry.leaving === 'token_minutes') throw new HostRefusal('token_minutes', END_MESSAGES.token_minutes);
      const characters = entry.characters + request.text.length;
      if (entry.queue.length >= MAX_STREAM_QUEUE || characters > MAX_STREAM_QUEUE_TEXT) {
        throw new HostRefusal('queue_full', `${entry.queue.length} utterances wait on this stream`);
      }
      entry.characters = characters;
      const utterance = entry.session.speak(kernel.ids.next(), (signal) => synthesize(id, request, signal));
      entry.queue.push(utterance);
      entry.expiresAt = clock.now() + idleMs;
      entry.outlastedIdleTime = false;
      measures.onUtterance(utterance);
      void utterance.ended.then(() => {
        entry.queue.splice(entry.queue.indexOf(utterance), 1);
        entry.characters -= request.text.length;
        if (entry.outlastedIdleTime && entry.queue.length === 0) entry.expiresAt = clock.now() + idleMs;
      });
      return { id: utterance.id, position: utterance.position, expiresAt: new Date(entry.expiresAt).toISOString() };
    },
    interrupt: (id, scope) => entryOf(id).session.interrupt(scope),
    stats: (id) => statsOf(entryOf(id).session),
    async end(id, reason) {
      const entry = entries.get(id);
      if (entry === undefined) throw new HostRefusal('gone', 'unknown session');
      await endSession(entry, reason);
    },
    expire() {
      const now = clock.now();
      for (const entry of entries.values()) {
        if (now < entry.expiresAt || entry.ending !== undefined) continue;
        const isSpeaking = entry.session.state === 'connected' && entry.queue.length > 0;
        if (!isSpeaking) endInBackground(entry, 'idle');
        entry.outlastedIdleTime = isSpeaking;
        entry.expiresAt = now + idleMs;
      }
    },
    async report() {
      const before = new Set(entries.keys());
      const reports = [...entries.values()].map(({ session, leaving, expiresAt }) =>
        reportOf(session, { leaving: leaving !== undefined, expiresAt }),
      );
      await kernel.transaction(async (tx) => {
        const connections = await writeReports(tx, hostId, reports);
        await settleStreams(kernel, tx, connections);
      });
      for (const end of [...unrecorded.values()]) await record(end);
      await reconcile(before);
      await endExhausted();
      await endByTokens();
    },
    async drain(graceMs) {
      draining = true;
      const all = [...entries.values()];
      for (const entry of all) endAfterSpeech(entry, 'host_stopped');
      const timer = setTimeout(() => {
        for (const entry of all) endInBackground(entry, 'host_stopped');
      }, graceMs);
      await Promise.all(all.map(({ ended }) => ended));
      clearTimeout(timer);
    },
  };
}
