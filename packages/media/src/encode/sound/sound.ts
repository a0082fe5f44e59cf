import { setImmediate as breathe } from 'node:timers/promises';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';
import { type AVSampleFormat, allocateSound, av, avc, Encoder } from '../av.js';
import type { EncodedPacket, SoundStream } from '../contract.js';

/** Packets that are encoded before yielding to the event loop: about 1.4 s of sound, some 8 ms of work. */
export const PACKETS_PER_BATCH = 64;

/** Options of {@link openSoundStream}. */
export interface SoundSettings {
  /** Aborting ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A sound codec and its FFmpeg parameters. */
export interface SoundCodec {
  readonly codec: SoundStream['codec'];
  readonly encoder: string;
  readonly sampleFormat: AVSampleFormat;
  readonly frameSamples: number;
  readonly bitRate: number;
  readonly options: Readonly<Record<string, string>>;
}

/**
 * Encodes a soundtrack in one pass: joining finished streams would click at every seam. `audio` may come in pieces of
 * any length, so that an hour of sound need not be in memory.
 */
export function openSoundStream(
  codec: SoundCodec,
  audio: Pcm | AsyncIterable<Pcm>,
  settings: SoundSettings,
): SoundStream {
  const encoder = Encoder.open({
    codec: codec.encoder,
    prepare(context) {
      context.sampleRate = SAMPLE_RATE;
      context.sampleFormat = codec.sampleFormat;
      context.channelLayout = avc.AV_CHANNEL_LAYOUT_MONO;
      context.bitRate = BigInt(codec.bitRate);
      context.timeBase = new av.Rational(1, SAMPLE_RATE);
      context.threadCount = 1;
      context.setFlags(avc.AV_CODEC_FLAG_GLOBAL_HEADER, avc.AV_CODEC_FLAG_BITEXACT);
    },
    options: codec.options,
  });
  return {
    codec: codec.codec,
    extradata: encoder.extradata,
    channels: 1,
    frameSamples: codec.frameSamples,
    packets: encodeAll(encoder, audio, { codec, signal: settings.signal }),
    close: () => encoder.close(),
  };
}

async function* encodeAll(
  encoder: Encoder,
  audio: Pcm | AsyncIterable<Pcm>,
  { codec, signal }: { codec: SoundCodec; signal: AbortSignal | undefined },
): AsyncGenerator<EncodedPacket[]> {
  const { frameSamples } = codec;
  const { frame, samples: plane } = allocateSound(codec.sampleFormat, frameSamples);
  let ready: EncodedPacket[] = [];
  let used = 0;
  let frames = 0;
  const send = (): void => {
    frame.pts = BigInt(frames++ * frameSamples);
    ready.push(...encoder.sendSync(frame));
    used = 0;
  };
  try {
    for await (const part of audio instanceof Float32Array ? [audio] : audio) {
      for (let at = 0; at < part.length; ) {
        const take = Math.min(part.length - at, frameSamples - used);
        plane.set(part.subarray(at, at + take), used);
        at += take;
        used += take;
        if (used === frameSamples) send();
        if (ready.length < PACKETS_PER_BATCH) continue;
        yield ready;
        ready = [];
        await breathe();
        signal?.throwIfAborted();
      }
    }
    if (used > 0) {
      plane.fill(0, used);
      send();
    }
    yield [...ready, ...encoder.sendSync(null)];
  } finally {
    frame.free();
    encoder.close();
  }
}
