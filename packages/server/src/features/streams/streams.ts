import type { Stream, StreamInput, StreamStats } from '@figurehead/contract';
import type { IceCandidate } from '@figurehead/media';
import type { Static } from '@sinclair/typebox';
import type { Kernel } from '../../kernel/contract.js';
import type { Caller } from '../../kernel/http/contract.js';
import { ApiError, invalidFields } from '../../kernel/http/error.js';
import type { Avatars } from '../avatars/index.js';
import { remainingMs } from '../billing/index.js';
import { allocateHost, type ChosenHost } from '../hosts/index.js';
import type { Voices } from '../voices/index.js';
import { claimStream, narrow } from './client-tokens/index.js';
import { endStream } from './ending.js';
import { type HostClient, HostUnreachable } from './host-client.js';
import { type Cut, HostRefusal, type SessionStats } from './host-protocol.js';
import { iceServersFor } from './ice-servers.js';
import { requireReadable, speakableText } from './speech.js';
import * as store from './store.js';
import { endHost } from './sweeper.js';

/** When a caller who found no room may ask again: bounds, and what holds while nothing is known (no host has joined yet). */
const RETRY_SECONDS = { least: 1, most: 60, unknown: 10 } as const;
/** When a caller whose speech found the queue full may ask again: about the time of one utterance. */
const SPEECH_RETRY_SECONDS = 5;
/** Ends of streams are counted over this time. */
const TURNOVER_MS = 600_000;

/** How a stream looks when the caller does not say; sides in px. */
const PICTURE: { width: number; height: number; background: string } = {
  width: 512,
  height: 512,
  background: '#ffffff',
};

/** What `POST /streams` was asked for, with everything found. */
interface StreamSettings {
  readonly avatarCode: string;
  readonly voiceId: string;
  readonly voiceProvider: string;
  readonly voice: store.StreamVoice;
  readonly picture: typeof PICTURE;
}

/** A stream that is open and the caller's own. */
export type OwnStream = store.LocatedStream;

/** Live streams as callers of the API see them. */
export interface Streams {
  /** Throws a 400 for unknown voices and avatars, a 429 without minutes or without a host that has room. */
  create(caller: Caller, input: Static<typeof StreamInput>): Promise<Stream>;
  /** Throws what `create` would throw for avatar and voice. */
  check(caller: Caller, input: Static<typeof StreamInput>): Promise<void>;
  /** Throws `notFound`, `foreign`, or `otherToken` for a client token's caller. */
  load(caller: Caller, id: string): Promise<OwnStream>;
  list(workspaceId: string, page: { page: number; limit: number }): Promise<{ streams: Stream[]; total: number }>;
  present(row: store.StreamRow): Stream;
  answer(stream: OwnStream, sdp: string): Promise<void>;
  /** Opens a stream for a viewer who makes the offer (WHEP). Throws as `create`, and a 400 for an offer that cannot be answered; nothing is left open then. */
  watch(caller: Caller, input: Static<typeof StreamInput>, offer: string): Promise<{ stream: Stream; answer: string }>;
  addCandidate(stream: OwnStream, candidate: IceCandidate | null): Promise<void>;
  speak(stream: OwnStream, text: string): Promise<{ id: string; position: number }>;
  interrupt(stream: OwnStream, scope: 'all' | 'current'): Promise<Cut>;
  /** Where the stream's time goes, asked of its host now. */
  stats(stream: OwnStream): Promise<StreamStats>;
  close(stream: OwnStream): Promise<void>;
}

/** @param options.hosts reaches the processes that hold the sessions; its creator ends it. */
export function createStreams(
  kernel: Kernel,
  options: { voices: Voices; avatars: Avatars; hosts: HostClient },
): Streams {
  const { voices, avatars, hosts } = options;
  const { config, db, transaction, log, clock } = kernel;

  async function resolveSettings(workspaceId: string, input: Static<typeof StreamInput>): Promise<StreamSettings> {
    const { width = PICTURE.width, height = PICTURE.height, background = PICTURE.background } = input;
    const listed = await avatars.list(workspaceId, { realtime: true });
    const avatarCode = input.avatarCode ?? listed[0]?.code;
    if (avatarCode === undefined) throw new ApiError('invalid', { reason: 'There is no avatar on this server.' });
    await avatars.resolve(workspaceId, avatarCode);
    const own = config.aliases.avatars[avatarCode] ?? avatarCode;
    const { voiceId, voiceProvider, language } = input;
    // Who names nothing of the voice gets the one that suits the presenter.
    const suited = [voiceId, voiceProvider, language].every((part) => part === undefined)
      ? listed.find(({ code }) => code === own)?.defaultVoice
      : undefined;
    const wanted = { voice: voiceId ?? suited?.voice, provider: voiceProvider ?? suited?.voiceProvider, language };
    const found = await voices.resolve(workspaceId, wanted);
    return {
      picture: { width, height, background },
      avatarCode,
      voiceId: voiceId ?? found.voice,
      voiceProvider: voiceProvider ?? found.provider,
      voice: { provider: found.provider, voice: found.voice, language: found.locale },
    };
  }

  /** When a place is likely to be free: by the first stream to idle out, or sooner if streams have been ending more often than that. */
  async function secondsUntilRoom(): Promise<number> {
    const now = clock.now();
    const { nextEnd, ended } = await store.readTurnover(db, new Date(now - TURNOVER_MS));
    const byIdling = nextEnd === null ? undefined : (nextEnd.getTime() - now) / 1000;
    const byTurnover = ended === 0 ? undefined : TURNOVER_MS / 1000 / ended;
    const known = [byIdling, byTurnover].filter((seconds) => seconds !== undefined);
    const seconds = known.length === 0 ? RETRY_SECONDS.unknown : Math.ceil(Math.min(...known));
    return Math.max(RETRY_SECONDS.least, Math.min(RETRY_SECONDS.most, seconds));
  }

  /** Takes a place on a host: from its commit on the stream counts there. @returns undefined when none has room. */
  async function reserve(
    caller: Caller,
    settings: StreamSettings,
    except: ReadonlySet<string>,
  ): Promise<{ id: string; createdAt: Date; host: ChosenHost } | undefined> {
    const { picture: _picture, ...named } = settings;
    const clientTokenId = caller.client?.id ?? null;
    return transaction(async (tx) => {
      if (clientTokenId !== null) await claimStream(tx, clientTokenId);
      const host = await allocateHost(tx, except);
      if (host === undefined) return undefined;
      const createdAt = new Date(clock.now());
      const expiresAt = new Date(createdAt.getTime() + config.streamIdleSeconds * 1000);
      const owner = { workspaceId: caller.workspace.id, userId: caller.userId, clientTokenId };
      const id = kernel.ids.next();
      await store.insertStream(tx, { id, ...owner, hostId: host.id, ...named, createdAt, expiresAt });
      return { id, createdAt, host };
    });
  }

  /** @returns undefined when this host could not take it: another one may. */
  async function openOn(
    host: ChosenHost,
    stream: { id: string; createdAt: Date },
    caller: Caller,
    settings: StreamSettings,
  ): Promise<store.StreamRow | undefined> {
    try {
      const { offer } = await hosts.open(host.url, {
        id: stream.id,
        workspaceId: caller.workspace.id,
        avatarCode: settings.avatarCode,
        ...settings.picture,
        iceServers: iceServersFor(config, stream),
      });
      return await store.markOpened(db, stream.id, offer);
    } catch (error) {
      await store.deleteOpening(db, stream.id);
      if (error instanceof HostUnreachable || (error instanceof HostRefusal && error.code === 'full')) {
        log.warn({ err: error, hostId: host.id }, 'a stream host did not take a stream');
        return undefined;
      }
      throw error;
    }
  }

  /** Asks the host of a stream; a host or session that is gone ends the stream. */
  async function ask<T>(stream: OwnStream, question: (hostUrl: string) => Promise<T>): Promise<T> {
    try {
      if (stream.hostUrl === null) throw new HostRefusal('gone', 'the host of the stream is gone');
      return await question(stream.hostUrl);
    } catch (error) {
      throw await judge(stream, error);
    }
  }

  async function judge(stream: OwnStream, error: unknown): Promise<unknown> {
    if (error instanceof HostUnreachable && error.how === 'gone') {
      // Its process has ended without leaving the list; nobody needs to wait until it is missed.
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
      case 'bad_offer':
        return invalidFields([{ field: 'offer', message: error.message }]);
      case 'bad_answer':
        return invalidFields([{ field: 'answer.sdp', message: error.message }]);
      case 'bad_candidate':
        return invalidFields([{ field: 'candidate.candidate', message: error.message }]);
      default:
        return error;
    }
  }

  function present(row: store.StreamRow): Stream {
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
      createdAt: row.createdAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
    };
  }

  async function create(caller: Caller, input: Static<typeof StreamInput>): Promise<Stream> {
    const { client } = caller;
    const asked = client === undefined ? input : await narrow(kernel, client.id, input);
    const settings = await resolveSettings(caller.workspace.id, asked);
    if ((await remainingMs(kernel, caller.workspace.id)) <= 0) throw new ApiError('outOfMinutes');
    const except = new Set<string>();
    for (;;) {
      const place = await reserve(caller, settings, except);
      if (place === undefined) {
        const seconds = await secondsUntilRoom();
        throw new ApiError('noStreamHost', { seconds }, { retryAfterSeconds: seconds });
      }
      const { host, ...stream } = place;
      const row = await openOn(host, stream, caller, settings);
      if (row !== undefined) return present(row);
      except.add(host.id);
    }
  }

  async function load(caller: Caller, id: string): Promise<OwnStream> {
    const stream = await store.findStream(db, id);
    if (stream === undefined) throw new ApiError('notFound', { what: 'stream' });
    if (stream.workspaceId !== caller.workspace.id) throw new ApiError('foreign', { what: 'stream' });
    if (caller.client !== undefined && caller.client.id !== stream.clientTokenId) throw new ApiError('otherToken');
    return stream;
  }

  async function close(stream: OwnStream): Promise<void> {
    try {
      if (stream.hostUrl !== null) await hosts.close(stream.hostUrl, stream.id);
    } catch (error) {
      if (!(error instanceof HostUnreachable) && !(error instanceof HostRefusal)) throw error;
      // The host finds the closed row with its next report and closes the session, if there still is one.
      log.warn({ err: error, streamId: stream.id }, 'a stream was closed without its host');
    }
    await endStream(kernel, stream.id, { reason: 'requested' });
  }

  return {
    present,
    async check(caller, input) {
      await resolveSettings(caller.workspace.id, input);
    },
    create,
    load,
    async list(workspaceId, { page, limit }) {
      const { rows, total } = await store.listStreams(db, workspaceId, { offset: (page - 1) * limit, limit });
      return { streams: rows.map(present), total };
    },
    async answer(stream, sdp) {
      await ask(stream, (hostUrl) => hosts.answer(hostUrl, stream.id, sdp));
      await store.markAnswered(db, stream.id);
    },
    async watch(caller, input, offer) {
      const stream = await create(caller, input);
      const own = await load(caller, stream.id);
      try {
        const answer = await ask(own, (hostUrl) => hosts.acceptOffer(hostUrl, own.id, offer));
        await store.markAnswered(db, own.id);
        return { stream, answer };
      } catch (error) {
        await close(own);
        throw error;
      }
    },
    addCandidate: (stream, candidate) =>
      ask(stream, (hostUrl) => hosts.addCandidate(hostUrl, stream.id, { candidate })),
    async speak(stream, text) {
      requireReadable(text);
      const speakable = speakableText(text);
      if (speakable === undefined) throw invalidFields([{ field: 'text', message: 'has nothing that can be spoken' }]);
      const voice = await voices.resolve(stream.workspaceId, { ...stream.voice, text: speakable });
      const { id, position, expiresAt } = await ask(stream, (hostUrl) =>
        hosts.speak(hostUrl, stream.id, { text: speakable, voice }),
      );
      await store.setExpiry(db, stream.id, new Date(expiresAt));
      return { id, position };
    },
    interrupt: (stream, scope) => ask(stream, (hostUrl) => hosts.interrupt(hostUrl, stream.id, scope)),
    async stats(stream) {
      const measured = await ask(stream, (hostUrl) => hosts.stats(hostUrl, stream.id));
      return presentStats(stream, measured);
    },
    close,
  };
}

/** Zeros that only mean that nothing was drawn or encoded in the last second (the presenter rests in his loop) are shown as null. */
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
    // The contract counts from the picture, the session from the sound.
    avOffset: codec === null ? null : tenths(-avOffsetMs),
    queued,
    speaking,
  };
}

function statusOf(state: store.StreamState): Stream['status'] {
  if (state === 'opening' || state === 'closed') throw new Error(`a stream in the state ${state} cannot be shown`);
  return state;
}
