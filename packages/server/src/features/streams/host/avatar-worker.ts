import type { LiveEvent } from '@figurehead/media';
import type { LiveKitRoom, RoomEvent, RoomListener } from '@figurehead/media/live';
import type { Kernel } from '../../../kernel/contract.js';
import { HostRefusal } from './host-protocol.js';
import type { HostedStream } from './hosted-stream.js';
import { OpenSound } from './utterance.js';

/*
 * The protocol of avatars for LiveKit agents (module `voice.avatar` of livekit-agents 1.8). A segment is one turn of the agent:
 *
 *   header ──chunks, faster than they are played──▶ trailer, the next header, 10 s of silence ──played──▶ lk.playback_finished
 *      └─────────────────────────lk.clear_buffer───────────────────────────────────────────────────────────▲ interrupted
 *
 * A segment is an utterance of sound on the stream, so it is counted and limited like any other.
 */

const AUDIO_TOPIC = 'lk.audio_stream';
const METHODS = {
  clear: 'lk.clear_buffer',
  started: 'lk.playback_started',
  finished: 'lk.playback_finished',
} as const;
/** Sample rates of an agent's sound, Hz. */
const RATES = { min: 8000, max: 48_000 } as const;
/** Sound that may wait to be played on one stream, s: agents send whole turns at once. */
const MAX_AHEAD_SECONDS = 300;
/** An agent that is away for longer has left: its connection may break and come back. */
const AWAY_MS = 10_000;

/** What a worker works with. */
export interface AvatarWorkerParts {
  readonly room: LiveKitRoom;
  readonly stream: HostedStream;
  readonly clock: Pick<Kernel['clock'], 'monotonic'>;
  readonly onWarning: (doing: string, error: unknown) => void;
}

/** The segment that arrives now. */
interface Arriving {
  readonly streamId: string;
  readonly sound: OpenSound;
  pieces: number;
  /** Half a sample. */
  rest: Buffer;
}

/** Speaks the sound that the agent of a room sends, and tells it what was played. Others in the room have no say. */
export class AvatarWorker implements RoomListener {
  #arriving: Arriving | undefined;
  /** Sound of segments that were not played to their end, by utterance. */
  readonly #segments = new Map<string, OpenSound>();
  /** ms; `undefined` while the agent is in the room. */
  #awaySinceMs: number | undefined;

  constructor(private readonly parts: AvatarWorkerParts) {
    this.#awaySinceMs = parts.clock.monotonic();
    parts.room.listen(this);
    parts.stream.session.onEvent((event) => this.#onPlayed(event));
  }

  /** True when the agent has left. */
  isAlone(): boolean {
    return this.#awaySinceMs !== undefined && this.parts.clock.monotonic() - this.#awaySinceMs > AWAY_MS;
  }

  onEvent(event: RoomEvent): void {
    if (event.sender !== this.parts.room.agent) return;
    switch (event.type) {
      case 'stream.opened':
        if (event.topic === AUDIO_TOPIC) this.#open(event.id, event.attributes);
        break;
      case 'stream.chunk':
        if (event.id === this.#arriving?.streamId) this.#append(this.#arriving, event.content);
        break;
      case 'stream.closed':
        if (event.id === this.#arriving?.streamId) this.#end('its end has come');
        break;
      case 'participant.came':
        this.#awaySinceMs = undefined;
        break;
      case 'participant.left':
        this.#awaySinceMs ??= event.isFinal ? Number.NEGATIVE_INFINITY : this.parts.clock.monotonic();
        break;
    }
  }

  onCall({ sender, method }: { readonly sender: string; readonly method: string }): string | undefined {
    if (method !== METHODS.clear) return undefined;
    if (sender !== this.parts.room.agent) return 'reject';
    this.#end('it was interrupted');
    this.parts.stream.session.interrupt('all');
    return 'ok';
  }

  #open(streamId: string, attributes: Readonly<Record<string, string>>): void {
    // The end of the segment before was lost.
    this.#end('the next one has come');
    try {
      const { stream, clock } = this.parts;
      const sound = new OpenSound({ sampleRate: readRate(attributes) }, clock.monotonic, MAX_AHEAD_SECONDS);
      const utterance = stream.say(sound);
      this.#segments.set(utterance.id, sound);
      this.#arriving = { streamId, sound, pieces: 0, rest: Buffer.alloc(0) };
      void utterance.started.then((ms) => {
        if (ms !== undefined) this.#call(METHODS.started, '');
      });
    } catch (error) {
      this.#refuse(error);
      this.#tellFinished(0, true);
    }
  }

  #append(arriving: Arriving, content: Uint8Array): void {
    const bytes = Buffer.concat([arriving.rest, content]);
    const pcm = bytes.subarray(0, bytes.length & ~1);
    arriving.rest = bytes.subarray(pcm.length);
    try {
      const waiting = [...this.#segments.values()].reduce((sum, { waitingSeconds }) => sum + waitingSeconds, 0);
      if (waiting > MAX_AHEAD_SECONDS)
        throw new HostRefusal('sound_too_fast', `${Math.round(waiting)} s of sound wait`);
      arriving.sound.append({ index: arriving.pieces, content: pcm });
      arriving.pieces += 1;
    } catch (error) {
      // What has come is spoken, unless it was interrupted.
      this.#refuse(error);
      this.#end('its sound was refused');
    }
  }

  #end(reason: string): void {
    this.#arriving?.sound.end(reason);
    this.#arriving = undefined;
  }

  #onPlayed(event: LiveEvent): void {
    if (event.type !== 'speech.ended' && event.type !== 'speech.interrupted') return;
    if (this.#segments.delete(event.id)) this.#tellFinished(event.position / 1000, event.type === 'speech.interrupted');
  }

  #tellFinished(seconds: number, interrupted: boolean): void {
    const finished = { playback_position: seconds, interrupted, synchronized_transcript: null };
    this.#call(METHODS.finished, JSON.stringify(finished));
  }

  #call(method: string, payload: string): void {
    const { room } = this.parts;
    if (room.agent !== undefined) room.call(room.agent, method, payload);
  }

  #refuse(error: unknown): void {
    if (!(error instanceof HostRefusal)) throw error;
    if (error.code !== 'utterance_ended') this.parts.onWarning("speaking an agent's sound", error);
  }
}

/** Throws `HostRefusal('bad_sound')`. */
function readRate({ sample_rate: rate, num_channels: channels = '1' }: Readonly<Record<string, string>>): number {
  const sampleRate = Number(rate);
  if (channels !== '1') throw new HostRefusal('bad_sound', `expected one channel, got ${channels}`);
  if (Number.isInteger(sampleRate) && sampleRate >= RATES.min && sampleRate <= RATES.max) return sampleRate;
  throw new HostRefusal('bad_sound', `expected a sample rate of ${RATES.min} to ${RATES.max} Hz, got ${rate}`);
}
