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
  type SpeechRequest,
} from './host-protocol.js';
import { refusing } from './refusals.js';
import { reportOf, statsOf } from './reports.js';
import { readAhead } from './speech.js';
import { deleteOpening, type EndReason, listOpenOfHost, type StreamStats, writeReports } from './store.js';

// A session on the stage
//
//   open ──last minute used up──▶ leaving ──what it says is said──▶ ending ──peer connection closed──▶ ended ──▶ recorded
//     └──── DELETE, idle, host stops, row closed elsewhere ────────────▲                                (row closed, charged)
//     └──── the peer is gone, the connection failed ─────────────────────────────────────────────────────▲
//
// `ended` sessions whose record could not be written (no database) are written with the next report.

/** Chunks of speech that are made ahead: with the built-in English voices a chunk is a sentence. */
const CHUNKS_AHEAD = 2;
/** A place that was taken for a stream this long ago without a session was left by an API process that died. */
const OPENING_WITHIN_MS = 60_000;

/** What viewers are told when their stream closes. */
const SENTENCES: Readonly<Record<EndReason, string>> = {
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

/** What a stage is made of. */
export interface StageOptions {
  readonly hostId: string;
  readonly live: LiveHost;
  readonly speech: Speech;
  /** The presenter of an avatar code. */
  readonly findPack: (workspaceId: string, code: string) => Promise<PresenterPack>;
  /** A stream without a render call for this long ends. */
  readonly idleMs: number;
}

/** The sessions of a stream host. Calls on sessions that are not there throw `HostRefusal('gone')`. */
export interface Stage {
  open(request: OpenRequest): Promise<Opened>;
  answer(id: string, sdp: string): Promise<void>;
  addCandidate(id: string, candidate: IceCandidate | null): Promise<void>;
  speak(id: string, request: SpeechRequest): Queued;
  interrupt(id: string, scope: 'all' | 'current'): Cut;
  /** What the session measured of itself lately. */
  stats(id: string): StreamStats;
  /** Closes a session, and resolves when its stream is recorded as ended. */
  end(id: string, reason: EndReason): Promise<void>;
  /** Ends what has idled for too long. Cheap; call it often. */
  expire(): void;
  /** Writes how the sessions stand, settles their minutes, and brings stage and database together. Throws what the database throws. */
  report(): Promise<void>;
  /** Takes no more sessions; those there end when they have said what they are saying, or after `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

interface Actor {
  readonly session: LiveSession;
  readonly workspaceId: string;
  /** Utterances that play or wait, in order. */
  readonly queue: UtteranceHandle[];
  /** Characters of these utterances. */
  characters: number;
  /** When it ends unless more is said; ms since the epoch. */
  expiresAt: number;
  /** It spoke longer than the idle time: that starts anew with its silence. */
  outlasted: boolean;
  /** Why it ends as soon as it has said what it is saying. */
  leaving: EndReason | undefined;
  ending: EndReason | undefined;
  /** The stream is recorded as ended, or will be with a later report. */
  readonly ended: Promise<void>;
}

interface Unrecorded {
  readonly id: string;
  readonly reason: EndReason;
  readonly connectedMs: number;
}

/** Makes an empty stage. Who makes it drains it before the {@link LiveHost} closes. */
export function createStage(kernel: Kernel, options: StageOptions): Stage {
  const { hostId, live, speech, findPack, idleMs } = options;
  const { log, clock } = kernel;
  const actors = new Map<string, Actor>();
  const unrecorded = new Map<string, Unrecorded>();
  let draining = false;
  const measures = measureHost(kernel.metrics, () => [...actors.values()].map(({ session }) => session));

  function actorOf(id: string): Actor {
    const actor = actors.get(id);
    if (actor === undefined || actor.ending !== undefined) throw new HostRefusal('gone', 'there is no such session');
    return actor;
  }

  async function record(end: Unrecorded): Promise<void> {
    await endStream(kernel, end.id, end);
    unrecorded.delete(end.id);
  }

  /** The last thing that happens to a session, however it ended. */
  async function leaveStage(actor: Actor, why: CloseReason): Promise<void> {
    const { id } = actor.session;
    const end = { id, reason: actor.ending ?? END_OF[why], connectedMs: actor.session.stats().connectedMs };
    actors.delete(id);
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

  async function endActor(actor: Actor, reason: EndReason): Promise<void> {
    actor.ending ??= reason;
    await actor.session.close(SENTENCES[actor.ending]);
    await actor.ended;
  }

  /** For ends that nobody waits for. */
  function dismiss(actor: Actor, reason: EndReason): void {
    endActor(actor, reason).catch((error: unknown) =>
      log.error({ err: error, streamId: actor.session.id }, 'a stream did not close'),
    );
  }

  /** Lets a session say what it is saying, and ends it. */
  function letGo(actor: Actor, reason: EndReason): void {
    if (actor.leaving !== undefined) return;
    actor.leaving = reason;
    const speaking = actor.session.state === 'connected' ? actor.queue[0] : undefined;
    if (speaking === undefined) dismiss(actor, reason);
    else void speaking.ended.then(() => dismiss(actor, reason));
  }

  async function* say(id: string, { text, voice }: SpeechRequest, signal: AbortSignal) {
    const { provider, ...manner } = voice;
    try {
      yield* readAhead(speech.synthesize(provider, text, { ...manner, signal }), CHUNKS_AHEAD);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, streamId: id, provider, voice: voice.voice }, 'speech failed');
      throw error;
    }
  }

  /** Sessions whose rows are closed end here; rows whose sessions are gone end there. */
  async function reconcile(before: ReadonlySet<string>): Promise<void> {
    const rows = await listOpenOfHost(kernel.db, hostId);
    const open = new Set(rows.map(({ id }) => id));
    for (const id of before) {
      const actor = actors.get(id);
      if (actor !== undefined && !open.has(id)) dismiss(actor, 'host_lost');
    }
    for (const { id, state, createdAt } of rows) {
      if (actors.has(id) || unrecorded.has(id)) continue;
      if (state !== 'opening') await endStream(kernel, id, { reason: 'failed' });
      else if (clock.now() - createdAt.getTime() > OPENING_WITHIN_MS) await deleteOpening(kernel.db, id);
    }
  }

  async function dismissExhausted(): Promise<void> {
    const connected = [...actors.values()].filter(
      ({ session, leaving }) => session.state === 'connected' && leaving === undefined,
    );
    for (const workspaceId of new Set(connected.map((actor) => actor.workspaceId))) {
      if ((await remainingMs(kernel, workspaceId)) > 0) continue;
      for (const actor of connected) if (actor.workspaceId === workspaceId) letGo(actor, 'out_of_minutes');
    }
  }

  /** A stream that a client token opened does not outlive it. */
  async function dismissByTokens(): Promise<void> {
    for (const { id, reason } of await listTokenEnds(kernel.db, hostId, new Date(clock.now()))) {
      const actor = actors.get(id);
      if (actor === undefined || actor.ending !== undefined) continue;
      if (reason === 'token_minutes') letGo(actor, reason);
      else dismiss(actor, reason);
    }
  }

  return {
    async open(request) {
      if (draining) throw new HostRefusal('full', 'this stream host is stopping');
      const { id, workspaceId, width, height, background, iceServers } = request;
      const pack = await findPack(workspaceId, request.avatarCode);
      const picture = { width, height, fps: 25, background } as const;
      const session = await refusing(() => live.open({ id, pack, picture, iceServers }));
      const actor: Actor = {
        session,
        workspaceId,
        queue: [],
        characters: 0,
        expiresAt: clock.now() + idleMs,
        outlasted: false,
        leaving: undefined,
        ending: undefined,
        ended: session.closed.then((why) => leaveStage(actor, why)),
      };
      actors.set(id, actor);
      if (draining) dismiss(actor, 'host_stopped');
      return { offer: session.offer };
    },
    answer: (id, sdp) => refusing(() => actorOf(id).session.answer(sdp)),
    addCandidate: (id, candidate) => refusing(() => actorOf(id).session.addCandidate(candidate)),
    speak(id, request) {
      const actor = actorOf(id);
      if (actor.leaving === 'out_of_minutes') throw new HostRefusal('out_of_minutes', SENTENCES.out_of_minutes);
      if (actor.leaving === 'token_minutes') throw new HostRefusal('token_minutes', SENTENCES.token_minutes);
      const characters = actor.characters + request.text.length;
      if (actor.queue.length >= MAX_STREAM_QUEUE || characters > MAX_STREAM_QUEUE_TEXT) {
        throw new HostRefusal('queue_full', `${actor.queue.length} utterances wait on this stream`);
      }
      actor.characters = characters;
      const utterance = actor.session.speak(kernel.ids.next(), (signal) => say(id, request, signal));
      actor.queue.push(utterance);
      actor.expiresAt = clock.now() + idleMs;
      actor.outlasted = false;
      measures.onUtterance(utterance);
      void utterance.ended.then(() => {
        actor.queue.splice(actor.queue.indexOf(utterance), 1);
        actor.characters -= request.text.length;
        if (actor.outlasted && actor.queue.length === 0) actor.expiresAt = clock.now() + idleMs;
      });
      return { id: utterance.id, position: utterance.position, expiresAt: new Date(actor.expiresAt).toISOString() };
    },
    interrupt: (id, scope) => actorOf(id).session.interrupt(scope),
    stats: (id) => statsOf(actorOf(id).session),
    async end(id, reason) {
      const actor = actors.get(id);
      if (actor === undefined) throw new HostRefusal('gone', 'there is no such session');
      await endActor(actor, reason);
    },
    expire() {
      const now = clock.now();
      for (const actor of actors.values()) {
        if (now < actor.expiresAt || actor.ending !== undefined) continue;
        const isSpeaking = actor.session.state === 'connected' && actor.queue.length > 0;
        if (!isSpeaking) dismiss(actor, 'idle');
        actor.outlasted = isSpeaking;
        actor.expiresAt = now + idleMs;
      }
    },
    async report() {
      const before = new Set(actors.keys());
      const reports = [...actors.values()].map(({ session, leaving, expiresAt }) =>
        reportOf(session, { leaving: leaving !== undefined, expiresAt }),
      );
      await kernel.transaction(async (tx) => {
        const connections = await writeReports(tx, hostId, reports);
        await settleStreams(kernel, tx, connections);
      });
      for (const end of [...unrecorded.values()]) await record(end);
      await reconcile(before);
      await dismissExhausted();
      await dismissByTokens();
    },
    async drain(graceMs) {
      draining = true;
      const all = [...actors.values()];
      for (const actor of all) letGo(actor, 'host_stopped');
      const timer = setTimeout(() => {
        for (const actor of all) dismiss(actor, 'host_stopped');
      }, graceMs);
      await Promise.all(all.map(({ ended }) => ended));
      clearTimeout(timer);
    },
  };
}
