import { setImmediate as breathe } from 'node:timers/promises';
import type { Pcm } from '../../audio.js';
import { SAMPLE_RATE } from '../../time.js';
import { type AVSampleFormat, av, avc, checkAv, Encoder } from '../av.js';
import type { EncodedPacket, SoundStream } from '../contract.js';

/** Packets that are encoded before yielding to the event loop: about 1.4 s of sound, some 8 ms of work. */
export const PACKETS_PER_BATCH = 64;

/** Options of {@link openSoundStream}. */
export interface SoundSettings {
  /** 1 (speech; the default) or 2 (the same sound on both sides, for players that require stereo). */
  readonly channels?: 1 | 2;
  /** Bits per second; the codec's default when absent. */
  readonly bitRate?: number;
  /** Aborting ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A sound codec and its FFmpeg parameters. */
export interface SoundCodec {
  readonly codec: SoundStream['codec'];
  readonly encoder: string;
  readonly sampleFormat: AVSampleFormat;
  /** One plane per channel, or interleaved channels. */
  readonly planar: boolean;
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
  const channels = settings.channels ?? 1;
  const encoder = Encoder.open({
    codec: codec.encoder,
    prepare(context) {
      context.sampleRate = SAMPLE_RATE;
      context.sampleFormat = codec.sampleFormat;
      context.channelLayout = layoutOf(channels);
      context.bitRate = BigInt(settings.bitRate ?? codec.bitRate);
      context.timeBase = new av.Rational(1, SAMPLE_RATE);
      context.threadCount = 1;
      context.setFlags(avc.AV_CODEC_FLAG_GLOBAL_HEADER, avc.AV_CODEC_FLAG_BITEXACT);
    },
    options: codec.options,
  });
  return {
    codec: codec.codec,
    extradata: encoder.extradata,
    channels,
    frameSamples: codec.frameSamples,
    packets: encodeAll(encoder, audio, { codec, channels, signal: settings.signal }),
    close: () => encoder.close(),
  };
}

async function* encodeAll(
  encoder: Encoder,
  audio: Pcm | AsyncIterable<Pcm>,
  { codec, channels, signal }: { codec: SoundCodec; channels: 1 | 2; signal: AbortSignal | undefined },
): AsyncGenerator<EncodedPacket[]> {
  const { frameSamples } = codec;
  const frame = allocateAudio(codec, channels);
  const planes = (frame.data ?? []).map(
    (plane) => new Float32Array(plane.buffer, plane.byteOffset, frameSamples * (codec.planar ? 1 : channels)),
  );
  const put = (samples: Pcm, at: number): void => {
    for (const plane of planes) {
      if (codec.planar || channels === 1) plane.set(samples, at);
      else for (let n = 0; n < samples.length; n++) plane.fill(samples[n]!, (at + n) * 2, (at + n) * 2 + 2);
    }
  };
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
        put(part.subarray(at, at + take), used);
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
      for (const plane of planes) plane.fill(0, codec.planar ? used : used * channels);
      send();
    }
    yield [...ready, ...encoder.sendSync(null)];
  } finally {
    frame.free();
    encoder.close();
  }
}

function layoutOf(channels: 1 | 2) {
  return channels === 1 ? avc.AV_CHANNEL_LAYOUT_MONO : avc.AV_CHANNEL_LAYOUT_STEREO;
}

function allocateAudio(codec: SoundCodec, channels: 1 | 2): av.Frame {
  const frame = new av.Frame();
  frame.alloc();
  frame.format = codec.sampleFormat;
  frame.nbSamples = codec.frameSamples;
  frame.sampleRate = SAMPLE_RATE;
  frame.channelLayout = layoutOf(channels);
  try {
    checkAv(frame.getBuffer(), 'allocating an audio frame');
  } catch (error) {
    frame.free();
    throw error;
  }
  return frame;
}
