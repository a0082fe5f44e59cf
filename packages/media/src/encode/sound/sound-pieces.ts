import { createHash } from 'node:crypto';
import type { Pcm } from '../../audio.js';
import type { EncodedPacket, SoundStream } from '../contract.js';
import { openSoundStream, type SoundCodec, type SoundSettings } from './sound.js';
import { formatSound, openStoredSound } from './sound-format.js';

/** Packets per encoder: 21.8 s of AAC. */
const PIECE_PACKETS = 1024;

/**
 * Packets before a piece that its encoder also encodes and that are discarded: after them it chooses the same windows
 * as the previous encoder, and its rate has settled. With four, the first packets of a piece had twelve times the
 * error; with none, the windows did not match.
 */
const WARM_UP = 16;

/** Frames after a piece that its encoder receives, because the window type depends on what follows. */
const FOLLOWING = 2;

/** Format version: increase it when the same samples give different packets. */
const REVISION = 1;

/** Cache of encoded pieces of soundtracks, keyed by a hash of all inputs. Every lookup may miss. */
export interface SoundStore {
  get(key: string): Promise<Buffer | undefined>;
  put(key: string, bytes: Buffer): Promise<void>;
}

/**
 * Encodes a soundtrack in pieces, each with a separate encoder that starts a little before the piece and ends a little
 * after it. Packets stay on one grid and overlaps across a seam match, so that an unchanged piece need not be encoded
 * again. Only for codecs whose packets refer to their neighbours by overlapping windows alone (AAC-LC; not Opus, which
 * predicts). Piece boundaries depend only on the position, so the cache changes no byte.
 */
export function openSoundInPieces(
  codec: SoundCodec,
  audio: Pcm | AsyncIterable<Pcm>,
  settings: SoundSettings & { readonly kept?: SoundStore | undefined },
): SoundStream {
  const { packets: _, close, ...facts } = openSoundStream(codec, new Float32Array(0), settings);
  close();
  const encoder = new PieceEncoder(codec, facts, settings);
  return { ...facts, packets: encoder.packets(audio), close: () => encoder.close() };
}

type Facts = Omit<SoundStream, 'packets' | 'close'>;

/** The frames that a piece's encoder receives, and which of its packets form the piece. */
interface Piece {
  readonly samples: Pcm;
  /** Frames of the soundtrack before `samples`. */
  readonly startFrame: number;
  /** Packets that come before the piece's own. */
  readonly skip: number;
  /** The last piece includes everything that its encoder returns. */
  readonly isLast: boolean;
}

class PieceEncoder {
  #open: SoundStream | undefined;

  constructor(
    private readonly codec: SoundCodec,
    private readonly facts: Facts,
    private readonly settings: SoundSettings & { readonly kept?: SoundStore | undefined },
  ) {}

  async *packets(audio: Pcm | AsyncIterable<Pcm>): AsyncGenerator<EncodedPacket[]> {
    const { frameSamples } = this.codec;
    const held = new Float32Array((WARM_UP + PIECE_PACKETS + FOLLOWING) * frameSamples);
    let filled = 0;
    let startFrame = 0;
    let skip = 0;
    for await (const part of audio instanceof Float32Array ? [audio] : audio) {
      for (let at = 0; at < part.length; ) {
        const wanted = (skip + PIECE_PACKETS + FOLLOWING) * frameSamples;
        const take = Math.min(part.length - at, wanted - filled);
        held.set(part.subarray(at, at + take), filled);
        at += take;
        filled += take;
        if (filled < wanted) continue;
        yield* this.#piece({ samples: held.subarray(0, filled), startFrame, skip, isLast: false });
        const done = skip + PIECE_PACKETS - WARM_UP;
        held.copyWithin(0, done * frameSamples, filled);
        filled -= done * frameSamples;
        startFrame += done;
        skip = WARM_UP;
      }
    }
    yield* this.#piece({ samples: held.subarray(0, filled), startFrame, skip, isLast: true });
  }

  close(): void {
    this.#open?.close();
  }

  async *#piece(piece: Piece): AsyncGenerator<EncodedPacket[]> {
    const { kept } = this.settings;
    const key = kept && this.#keyOf(piece);
    const found = key === undefined ? undefined : await packetsIn(await kept?.get(key));
    if (found !== undefined) {
      this.settings.signal?.throwIfAborted();
      yield found.map((packet) => this.#placed(packet, piece));
      return;
    }
    const made: EncodedPacket[] = [];
    for await (const run of this.#encoded(piece)) {
      made.push(...run);
      yield run.map((packet) => this.#placed(packet, piece));
    }
    if (key !== undefined) await kept?.put(key, formatSound(this.facts, made));
  }

  /** The piece's own packets; times count from the first frame that its encoder receives. */
  async *#encoded({ samples, skip, isLast }: Piece): AsyncGenerator<EncodedPacket[]> {
    const sound = openSoundStream(this.codec, samples, this.settings);
    this.#open = sound;
    const end = isLast ? Number.POSITIVE_INFINITY : skip + PIECE_PACKETS;
    let index = 0;
    try {
      for await (const run of sound.packets) {
        const own = run.slice(Math.max(0, skip - index), Math.max(0, end - index));
        index += run.length;
        if (own.length > 0) yield own;
        if (index >= end) return;
      }
    } finally {
      sound.close();
    }
  }

  #placed(packet: EncodedPacket, { startFrame }: Piece): EncodedPacket {
    const shift = startFrame * this.codec.frameSamples;
    return { ...packet, pts: packet.pts + shift, dts: packet.dts + shift };
  }

  #keyOf({ samples, skip, isLast }: Piece): string {
    const { encoder, options, bitRate } = this.codec;
    const facts = [REVISION, encoder, options, bitRate, this.facts.channels, skip, isLast];
    return createHash('sha256')
      .update(JSON.stringify(facts))
      .update(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
      .digest('hex');
  }
}

/** `undefined` when there are no packets or they are damaged: the piece is then encoded again. */
async function packetsIn(bytes: Buffer | undefined): Promise<EncodedPacket[] | undefined> {
  if (bytes === undefined) return undefined;
  try {
    const packets: EncodedPacket[] = [];
    for await (const run of openStoredSound(bytes).packets) packets.push(...run);
    return packets;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
