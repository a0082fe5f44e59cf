import { MAX_SOUND_AHEAD_SECONDS } from '@figurehead/contract';
import { SAMPLE_BYTES } from '@figurehead/media';
import type { OwnStream, Streams } from '../streams.js';

/** Bytes of one call to a host. */
const MOST_BYTES = 384 * 1024;

/** The sound of one utterance on its way to the stream's host, piece by piece. */
export class SoundFeed {
  #pieces = 0;
  #bytes = 0;
  #limitSeconds = MAX_SOUND_AHEAD_SECONDS;

  private constructor(
    private readonly streams: Streams,
    private readonly stream: OwnStream,
    private readonly utterance: { readonly id: string; readonly position: number },
    private readonly sampleRate: number,
  ) {}

  /** Queues the utterance. Throws as {@link Streams.ask}. */
  static async open(streams: Streams, stream: OwnStream, sampleRate: number): Promise<SoundFeed> {
    return new SoundFeed(streams, stream, await streams.ask(stream, 'openSound', { sampleRate }), sampleRate);
  }

  get id(): string {
    return this.utterance.id;
  }

  get position(): number {
    return this.utterance.position;
  }

  /** Seconds that the host has taken. */
  get takenSeconds(): number {
    return this.secondsOf(this.#bytes);
  }

  /** Seconds of the sound that may have been sent by now. */
  get limitSeconds(): number {
    return this.#limitSeconds;
  }

  secondsOf(bytes: number): number {
    return bytes / SAMPLE_BYTES / this.sampleRate;
  }

  /** Sends what comes next, perhaps nothing, which asks for the limit and keeps the utterance open. Throws as {@link Streams.ask}. */
  async send(pcm: Buffer, isLast: boolean): Promise<void> {
    let at = 0;
    do {
      const part = pcm.subarray(at, at + MOST_BYTES);
      at += part.length;
      const piece = { utteranceId: this.id, index: this.#pieces, pcm: part.toString('base64') };
      const isEnd = isLast && at === pcm.length;
      const { seconds } = await this.streams.ask(this.stream, 'appendSound', { ...piece, isLast: isEnd });
      this.#pieces += 1;
      this.#bytes += part.length;
      this.#limitSeconds = this.takenSeconds + seconds;
    } while (at < pcm.length);
  }
}
