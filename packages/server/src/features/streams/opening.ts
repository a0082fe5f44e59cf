import { type Stream, type StreamInput, type TurnTaking, turnTaking } from '@figurehead/contract';
import type { Static } from '@sinclair/typebox';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError, invalidFields } from '../../kernel/errors.js';
import type { Caller } from '../../kernel/http/contract.js';
import { resolveAgent } from '../agents/index.js';
import { type Avatars, HALF_PACK_PX, presenterOf } from '../avatars/index.js';
import { remainingMs } from '../billing/index.js';
import { reserveRecording } from '../library/index.js';
import type { Voices, WorkspaceVoice } from '../voices/index.js';
import { claimStream, narrow } from './client-tokens/client-tokens.js';
import { abandonOpening } from './ending.js';
import { type HostClient, HostUnreachable } from './host/host-client.js';
import { HostRefusal } from './host/host-protocol.js';
import { allocateHost, type ChosenHost, isHostPresent } from './hosts.js';
import { iceServersFor } from './ice-servers.js';
import * as store from './store.js';

/** Bounds of `retryAfter` when all hosts are full, and its value while it cannot be estimated, or no host is there. */
const RETRY_SECONDS = { least: 1, most: 60, unknown: 10 } as const;
/** Ended streams are counted over this time. */
const TURNOVER_MS = 600_000;

/** Default size and background of a stream; sides in px. */
const PICTURE: { width: number; height: number; background: string } = {
  width: 512,
  height: 512,
  background: '#ffffff',
};

/** The resolved settings of `POST /streams`. */
interface StreamSettings {
  readonly avatarCode: string;
  readonly voiceId: string;
  readonly voiceProvider: string;
  readonly voice: store.StreamVoice;
  readonly agentId: string | null;
  /** The viewer writes to the agent and does not speak. */
  readonly inWriting: boolean;
  readonly turns: TurnTaking;
  /** The voice with all that its agent needs to speak. */
  readonly resolved: WorkspaceVoice;
  readonly picture: typeof PICTURE;
  readonly isRecorded: boolean;
  /** How the viewer draws the presenter, if it may. */
  readonly drawing: { readonly by: 'viewer' | 'auto'; readonly files: NonNullable<Stream['drawing']> } | undefined;
}

/** A stream as it was opened, and with what its viewer draws the presenter. */
interface OpenedStream {
  readonly row: store.StreamRow;
  readonly drawing: Stream['drawing'];
}

/** A slot on a host, reserved for a stream. */
interface Reservation {
  readonly id: string;
  readonly createdAt: Date;
  /** Id of the media file for the recording. */
  readonly recordingId: string | null;
}

/** What streams depend on; `hosts` calls the processes with the sessions. */
export interface StreamParts {
  readonly voices: Voices;
  readonly avatars: Avatars;
  readonly hosts: HostClient;
}

/** Opens streams on hosts with a free slot. */
export class StreamOpener {
  constructor(
    private readonly kernel: Kernel,
    private readonly parts: StreamParts,
  ) {}

  /** Throws the errors of {@link open} for avatar and voice. */
  async check(caller: Caller, input: Static<typeof StreamInput>): Promise<void> {
    await this.#resolveSettings(caller.workspace.id, input);
  }

  /**
   * Throws a 400 for unknown voices and avatars, a 429 without minutes or when all hosts are full, a 409 when another
   * stream was opened in place of `replaces`.
   */
  async open(caller: Caller, input: Static<typeof StreamInput>, replaces: string | null = null): Promise<OpenedStream> {
    const { client } = caller;
    const asked = client === undefined ? input : await narrow(this.kernel, client.id, input);
    const settings = await this.#resolveSettings(caller.workspace.id, asked);
    if ((await remainingMs(this.kernel, caller.workspace.id)) <= 0) throw new ApiError('outOfMinutes');
    const full = new Set<string>();
    const unreachable = new Set<string>();
    for (;;) {
      const place = await this.#reserve(caller, { ...settings, replaces }, new Set([...full, ...unreachable]));
      if (place === undefined) throw await this.#noHost(unreachable);
      const { host, ...stream } = place;
      const row = await this.#openOn(host, stream, caller, settings).catch(async (error: unknown) => {
        // Says what was deleted while the host opened the stream.
        await this.#resolveSettings(caller.workspace.id, asked);
        throw error;
      });
      if (typeof row !== 'string') return { row, drawing: settings.drawing?.files };
      (row === 'full' ? full : unreachable).add(host.id);
    }
  }

  async #noHost(unreachable: ReadonlySet<string>): Promise<ApiError> {
    const isPresent = await isHostPresent(this.kernel, unreachable);
    const seconds = isPresent ? await this.#secondsUntilSlot() : RETRY_SECONDS.unknown;
    const code = isPresent ? 'streamHostsFull' : 'streamHostsAway';
    return new ApiError(code, { seconds }, { retryAfterSeconds: seconds });
  }

  async #resolveSettings(workspaceId: string, asked: Static<typeof StreamInput>): Promise<StreamSettings> {
    const input = await withAgent(this.kernel, workspaceId, asked);
    const { width = PICTURE.width, height = PICTURE.height, background = PICTURE.background } = input;
    const listed = await this.parts.avatars.list(workspaceId);
    const avatarCode = input.avatarCode ?? listed[0]?.code;
    if (avatarCode === undefined) throw new ApiError('invalid', { reason: 'There is no avatar on this server.' });
    await this.parts.avatars.resolve(workspaceId, avatarCode);
    const { voiceId, voiceProvider, language } = input;
    const presenter = await presenterOf(this.parts.avatars, this.kernel.config, { workspaceId, code: avatarCode });
    const wanted = { voice: voiceId, provider: voiceProvider, language, presenter, isLive: true };
    const found = await this.parts.voices.resolve(workspaceId, wanted);
    return {
      drawing: await this.#drawingOf(workspaceId, avatarCode, input),
      agentId: input.agentId ?? null,
      inWriting: input.inWriting === true,
      turns: turnTaking(input.turns),
      resolved: found,
      picture: { width, height, background },
      isRecorded: input.record === true,
      avatarCode,
      voiceId: voiceId ?? found.voice,
      voiceProvider: voiceProvider ?? found.provider,
      voice: { provider: found.provider, voice: found.voice, language: found.locale },
    };
  }

  /** Throws a 400 where `viewer` was asked for and is not possible; `auto` is video then. */
  async #drawingOf(
    workspaceId: string,
    avatarCode: string,
    { drawing, record, width = PICTURE.width, height = PICTURE.height }: Static<typeof StreamInput>,
  ): Promise<StreamSettings['drawing']> {
    if (drawing === undefined || drawing === 'server') return undefined;
    const kind = Math.max(width, height) <= HALF_PACK_PX ? 'half' : 'whole';
    const pack = await this.parts.avatars.viewerPackLink(workspaceId, avatarCode, kind);
    const refuse = (message: string) => {
      if (drawing === 'viewer') throw invalidFields([{ field: 'drawing', message }]);
      return undefined;
    };
    if (record === true)
      return refuse(
        'must be server or auto for a stream that is recorded: the recording is made of the video that is sent',
      );
    if (pack === undefined) return refuse(`must be server: viewers may not draw the presenter ${avatarCode}`);
    const { url } = this.kernel.config;
    return { by: drawing, files: { module: `${url}/embed/presenter.js`, kernel: `${url}/embed/kernel.wasm`, pack } };
  }

  /** Estimates the time to a free slot: the next idle timeout of a stream, or sooner when streams have been ending more often. */
  async #secondsUntilSlot(): Promise<number> {
    const now = this.kernel.clock.now();
    const { nextEnd, ended } = await store.readTurnover(this.kernel.db, new Date(now - TURNOVER_MS));
    const byIdling = nextEnd === null ? undefined : (nextEnd.getTime() - now) / 1000;
    const byTurnover = ended === 0 ? undefined : TURNOVER_MS / 1000 / ended;
    const known = [byIdling, byTurnover].filter((seconds) => seconds !== undefined);
    const seconds = known.length === 0 ? RETRY_SECONDS.unknown : Math.ceil(Math.min(...known));
    return Math.max(RETRY_SECONDS.least, Math.min(RETRY_SECONDS.most, seconds));
  }

  /** Reserves a slot on a host; from the commit on it counts there. @returns undefined when all are full. */
  async #reserve(
    caller: Caller,
    settings: StreamSettings & Pick<store.StreamRow, 'replaces'>,
    except: ReadonlySet<string>,
  ): Promise<(Reservation & { host: ChosenHost }) | undefined> {
    const {
      picture: _picture,
      resolved: _resolved,
      inWriting: _inWriting,
      turns: _turns,
      drawing: _drawing,
      isRecorded,
      ...named
    } = settings;
    const clientTokenId = caller.client?.id ?? null;
    return this.kernel.transaction(async (tx) => {
      if (clientTokenId !== null) await claimStream(tx, clientTokenId);
      const host = await allocateHost(tx, except);
      if (host === undefined) return undefined;
      const createdAt = new Date(this.kernel.clock.now());
      const expiresAt = new Date(createdAt.getTime() + this.kernel.config.streamIdleSeconds * 1000);
      const owner = { workspaceId: caller.workspace.id, userId: caller.userId, clientTokenId };
      const id = this.kernel.ids.next();
      const recordingId = isRecorded ? await reserveRecording(this.kernel, tx, caller.workspace.id) : null;
      const row = { id, ...owner, hostId: host.id, recordingId, ...named, createdAt, expiresAt };
      if (!(await store.insertStream(tx, row))) throw new ApiError('streamReplaced');
      return { id, createdAt, recordingId, host };
    });
  }

  /** @returns why this host did not open the stream, so that another one can be tried. */
  async #openOn(
    host: ChosenHost,
    stream: Reservation,
    caller: Caller,
    settings: StreamSettings,
  ): Promise<store.StreamRow | 'full' | 'unreachable'> {
    try {
      const { offer } = await this.parts.hosts.call(
        'open',
        { hostUrl: host.url, id: stream.id },
        {
          id: stream.id,
          workspaceId: caller.workspace.id,
          avatarCode: settings.avatarCode,
          ...settings.picture,
          ...(settings.drawing && { drawing: settings.drawing.by }),
          iceServers: iceServersFor(this.kernel.config, stream),
          ...(stream.recordingId === null ? {} : { recordingId: stream.recordingId }),
          ...(settings.agentId !== null && { conversation: conversationOf(settings, settings.agentId) }),
        },
      );
      // Without its row, its host was declared dead meanwhile.
      return (await store.markOpened(this.kernel.db, stream.id, offer)) ?? 'unreachable';
    } catch (error) {
      await abandonOpening(this.kernel, stream.id);
      if (error instanceof HostUnreachable || (error instanceof HostRefusal && error.code === 'full')) {
        this.kernel.log.warn({ err: error, hostId: host.id }, 'a stream host did not open a stream');
        return error instanceof HostUnreachable ? 'unreachable' : 'full';
      }
      throw error;
    }
  }
}

function conversationOf({ resolved: voice, inWriting, turns }: StreamSettings, agentId: string) {
  return { agentId, voice, inWriting, turns };
}

/** The call with presenter, voice, language and turn taking of its agent where it names no others. */
async function withAgent(
  kernel: Kernel,
  workspaceId: string,
  input: Static<typeof StreamInput>,
): Promise<Static<typeof StreamInput>> {
  if (input.agentId === undefined) return input;
  const agent = await resolveAgent(kernel, workspaceId, { id: input.agentId, inWriting: input.inWriting === true });
  const names = ['avatarCode', 'voiceId', 'voiceProvider', 'language'] as const;
  const own = names.flatMap((name) => (agent[name] === null ? [] : [[name, agent[name]]]));
  return { ...Object.fromEntries(own), ...input, turns: { ...agent.turns, ...input.turns } };
}
