import { rm } from 'node:fs/promises';
import type { TurnTaking } from '@figurehead/contract';
import type { CloseReason, LiveHost, MicrophoneSettings, PresenterPack, Speech } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import type { OpenConversation } from '../../agents/index.js';
import { remainingMs, settleStreams } from '../../billing/index.js';
import { listTokenEnds } from '../client-tokens/store.js';
import { abandonOpening, endStream } from '../ending.js';
import { type EndReason, listOpenOfHost, writeReports } from '../store.js';
import { measureHost } from './host-metrics.js';
import { HostRefusal, type HostRequest, type HostResponse } from './host-protocol.js';
import { HostedStream } from './hosted-stream.js';
import { appendText, converse, type HostParts, sayArriving } from './operations.js';
import { serveRtvi } from './rtvi.js';

/** A row that is in `opening` for longer than this, without a session, was left by an API process that died. */
const OPENING_WITHIN_MS = 60_000;

/** Without minutes a stream finishes what it is speaking, for this long at most: an utterance may last an hour. */
const LAST_WORDS_MS = 30_000;

/** Marks the file of a recording as made by a machine. */
export type SignRecording = (
  path: string,
  stream: {
    readonly workspaceId: string;
    readonly title: string;
    /** Code of its presenter. */
    readonly presenter: string;
    /** Whether it has sound that was sent to it, not only speech of texts. */
    readonly hasForeignSound: boolean;
  },
) => Promise<void>;

export interface SessionRegistryOptions {
  readonly hostId: string;
  readonly live: LiveHost;
  readonly speech: Speech;
  readonly openConversation: OpenConversation;
  /** Loads the presenter of an avatar code. */
  readonly findPack: (workspaceId: string, code: string) => Promise<PresenterPack>;
  /** Marks recordings as made by a machine; tests omit it. */
  readonly signRecording?: SignRecording | undefined;
  /** A stream without a render call for this long ends. */
  readonly idleMs: number;
}

interface Unrecorded {
  readonly id: string;
  readonly reason: EndReason;
  readonly connectedMs: number;
}

/** The streams of a host, from opening to their recorded end. The creator drains it before the {@link LiveHost} closes. */
export class SessionRegistry {
  /** What operations work with. */
  readonly parts: HostParts;
  readonly #streams = new Map<string, HostedStream>();
  /** Ended streams whose record could not be written (no database): the next report writes it. */
  readonly #unrecorded = new Map<string, Unrecorded>();
  readonly #measures: ReturnType<typeof measureHost>;
  /** Rows in `opening` without a session, and when the first report found them: the clock of their API process may differ. */
  #opening = new Map<string, number>();
  #draining = false;

  constructor(
    private readonly kernel: Kernel,
    private readonly options: SessionRegistryOptions,
  ) {
    this.parts = { kernel, speech: options.speech };
    this.#measures = measureHost(kernel.metrics, () => [...this.#streams.values()].map(({ session }) => session));
  }

  /** A stream that is open. Throws `HostRefusal('gone')`. */
  find(id: string): HostedStream {
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.ending !== undefined) throw new HostRefusal('gone', 'unknown session');
    return stream;
  }

  async open(request: HostRequest<'open'>): Promise<HostResponse<'open'>> {
    if (this.#draining) throw new HostRefusal('full', 'this stream host is stopping');
    const { id, workspaceId, width, height, background, iceServers, drawing, conversation } = request;
    const { recordingId: mediaId } = request;
    const pack = await this.options.findPack(workspaceId, request.avatarCode);
    const presenter = request.avatarCode;
    const recording =
      mediaId === undefined
        ? undefined
        : {
            mediaId,
            folder: await this.kernel.temporary.open('recording-'),
            sign: async (path: string, title: string, hasForeignSound: boolean) =>
              this.options.signRecording?.(path, { workspaceId, title, presenter, hasForeignSound }),
          };
    const session = await this.options.live
      .open({
        id,
        pack,
        picture: { width, height, fps: 25, background },
        iceServers,
        ...(conversation && { microphone: microphoneFor(conversation.turns) }),
        ...(recording && { record: { folder: recording.folder } }),
        ...(drawing && { drawing }),
      })
      .catch(async (error: unknown) => {
        if (recording) await rm(recording.folder, { recursive: true, force: true });
        throw error;
      });
    const { idleMs } = this.options;
    const { onUtterance } = this.#measures;
    const stream = new HostedStream(session, this.kernel, { workspaceId, recording, idleMs, onUtterance });
    stream.ended = session.closed.then((why) => this.#onClosed(stream, why));
    this.#streams.set(id, stream);
    serveRtvi(session, {
      converse: (input) => converse(this.find(id), { input }),
      close: () => stream.endInBackground('requested'),
    });
    if (conversation !== undefined) await this.#beginConversation(stream, conversation);
    if (this.#draining) stream.endInBackground('host_stopped');
    return { offer: session.offer };
  }

  /** Resolves when the stream is recorded as ended. */
  async close(id: string): Promise<void> {
    const stream = this.#streams.get(id);
    if (stream === undefined) throw new HostRefusal('gone', 'unknown session');
    await stream.end('requested');
  }

  /** Ends streams that are not used. Cheap; call it often. */
  expire(): void {
    for (const stream of this.#streams.values()) stream.expire();
  }

  /** Writes the state of the streams, settles their minutes and reconciles the registry with the database. Rejects with database errors. */
  async report(): Promise<void> {
    const before = [...this.#streams.values()];
    const reports = before.map((stream) => stream.report());
    await this.kernel.transaction(async (tx) => {
      const connections = await writeReports(tx, this.options.hostId, reports);
      await settleStreams(this.kernel, tx, connections);
    });
    for (const end of [...this.#unrecorded.values()]) await this.#record(end);
    await this.#reconcile(before);
    await this.#endExhausted();
    await this.#endByTokens();
  }

  /** Refuses new streams; open ones end after their current speech, or after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    const all = [...this.#streams.values()];
    for (const stream of all) stream.endAfterSpeech('host_stopped');
    const timer = setTimeout(() => {
      for (const stream of all) stream.endInBackground('host_stopped');
    }, graceMs);
    await Promise.all(all.map(({ ended }) => ended));
    clearTimeout(timer);
  }

  /** When that fails, the stream ends. */
  async #beginConversation(
    stream: HostedStream,
    { agentId, voice, inWriting = false, turns }: NonNullable<HostRequest<'open'>['conversation']>,
  ): Promise<void> {
    try {
      stream.conversation = await this.options.openConversation({
        agentId,
        inWriting,
        turns,
        streamId: stream.id,
        language: new Intl.Locale(voice.locale).language,
        session: stream.session,
        voice: {
          open: (text) => sayArriving(stream, { text, voice }, this.parts),
          append: (piece) => appendText(stream, piece),
        },
        onActivity: () => stream.keepAlive(),
        onLimit: () => stream.endAfterSpeech('conversation_limit'),
      });
    } catch (error) {
      await stream.end('failed');
      throw error;
    }
  }

  async #record(end: Unrecorded): Promise<void> {
    await endStream(this.kernel, end.id, end);
    this.#unrecorded.delete(end.id);
  }

  /** Removes a stream whose session has closed and records its end. */
  async #onClosed(stream: HostedStream, why: CloseReason): Promise<void> {
    const { id, ending: reason = why } = stream;
    const { connectedMs } = stream.session.stats();
    const end = { id, reason, connectedMs };
    const { log } = this.kernel;
    this.#streams.delete(id);
    this.#unrecorded.set(id, end);
    this.#measures.onStreamEnded(reason);
    log.info({ streamId: id, reason, connectedSeconds: Math.round(connectedMs / 1000) }, 'stream ended');
    const recorded = this.#record(end).catch((error: unknown) =>
      log.warn({ err: error, streamId: id }, 'the end of a stream is not recorded yet'),
    );
    await Promise.all([recorded, stream.publish(), stream.conversation?.close()]);
  }

  /** Ends streams whose rows are closed, and closes rows whose streams are gone. */
  async #reconcile(before: readonly HostedStream[]): Promise<void> {
    const rows = await listOpenOfHost(this.kernel.db, this.options.hostId);
    const open = new Set(rows.map(({ id }) => id));
    for (const stream of before)
      if (this.#streams.has(stream.id) && !open.has(stream.id)) stream.endInBackground('host_lost');
    const now = this.kernel.clock.monotonic();
    const opening = new Map<string, number>();
    for (const { id, state } of rows) {
      if (this.#streams.has(id) || this.#unrecorded.has(id)) continue;
      const since = this.#opening.get(id) ?? now;
      if (state !== 'opening') await endStream(this.kernel, id, { reason: 'failed' });
      else if (now - since > OPENING_WITHIN_MS) await abandonOpening(this.kernel, id);
      else opening.set(id, since);
    }
    this.#opening = opening;
  }

  /** Ends streams whose client token was revoked, has expired or has used its minutes. */
  async #endByTokens(): Promise<void> {
    const now = new Date(this.kernel.clock.now());
    for (const { id, reason } of await listTokenEnds(this.kernel.db, this.options.hostId, now)) {
      const stream = this.#streams.get(id);
      if (stream === undefined || stream.ending !== undefined) continue;
      if (reason === 'token_minutes') stream.endAfterSpeech(reason, LAST_WORDS_MS);
      else stream.endInBackground(reason);
    }
  }

  async #endExhausted(): Promise<void> {
    const connected = [...this.#streams.values()].filter(
      ({ session, leaving }) => session.state === 'connected' && leaving === undefined,
    );
    for (const workspaceId of new Set(connected.map((stream) => stream.workspaceId))) {
      if ((await remainingMs(this.kernel, workspaceId)) > 0) continue;
      for (const stream of connected)
        if (stream.workspaceId === workspaceId) stream.endAfterSpeech('out_of_minutes', LAST_WORDS_MS);
    }
  }
}

function microphoneFor({ shortestPause, isPushToTalk, partialTranscripts }: TurnTaking): MicrophoneSettings {
  return { pauseSeconds: shortestPause, isPushToTalk, partials: partialTranscripts };
}
