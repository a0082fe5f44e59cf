import { setImmediate as breathe } from 'node:timers/promises';
import type { Pcm } from '../audio.js';
import { SAMPLE_RATE } from '../time.js';
import { av, avc, checkAv, Encoder } from './av.js';
import type { EncodedPacket } from './contract.js';

/** Samples an AAC-LC packet lasts. */
export const AAC_FRAME = 1024;

/** Packets that are encoded before the event loop gets its turn: about 1.4 s of sound, some 8 ms of work. */
const PACKETS_A_TURN = 64;

/** A whole soundtrack's encoder settings. */
export interface AacSettings {
  /** 1 (speech; the default) or 2 (the same sound on both sides, for players that want stereo). */
  readonly channels?: 1 | 2;
  /** Bits a second, 128 000 by default. */
  readonly bitRate?: number;
  /** Aborting ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** An AAC-LC stream that is being encoded. */
export interface AacStream {
  /** AudioSpecificConfig (ISO/IEC 14496-3). */
  readonly extradata: Uint8Array;
  readonly channels: 1 | 2;
  /** Runs of packets in order, their times in samples; the first packet is priming and has a negative time. Can be iterated once. */
  readonly packets: AsyncGenerator<EncodedPacket[]>;
  /** Frees the encoder. Idempotent; the end of the iteration does it too. */
  close(): void;
}

/**
 * Encodes a soundtrack once, from front to back: joining finished AAC streams would click at every seam. `audio` may
 * come in pieces of any length, so that an hour of sound need not lie in memory.
 */
export function openAac(audio: Pcm | AsyncIterable<Pcm>, settings: AacSettings = {}): AacStream {
  const channels = settings.channels ?? 1;
  const encoder = Encoder.open({
    codec: 'aac',
    prepare(context) {
      context.sampleRate = SAMPLE_RATE;
      context.sampleFormat = avc.AV_SAMPLE_FMT_FLTP;
      context.channelLayout = channels === 1 ? avc.AV_CHANNEL_LAYOUT_MONO : avc.AV_CHANNEL_LAYOUT_STEREO;
      context.bitRate = BigInt(settings.bitRate ?? 128_000);
      context.timeBase = new av.Rational(1, SAMPLE_RATE);
      context.threadCount = 1;
      context.setFlags(avc.AV_CODEC_FLAG_GLOBAL_HEADER, avc.AV_CODEC_FLAG_BITEXACT);
    },
    options: { aac_coder: 'fast' },
  });
  return {
    extradata: encoder.extradata,
    channels,
    packets: encodeAll(encoder, audio, channels, settings.signal),
    close: () => encoder.close(),
  };
}

async function* encodeAll(
  encoder: Encoder,
  audio: Pcm | AsyncIterable<Pcm>,
  channels: 1 | 2,
  signal: AbortSignal | undefined,
): AsyncGenerator<EncodedPacket[]> {
  const frame = allocateAudio(channels);
  const planes = (frame.data ?? []).map((plane) => new Float32Array(plane.buffer, plane.byteOffset, AAC_FRAME));
  let ready: EncodedPacket[] = [];
  let used = 0;
  let frames = 0;
  const send = (): void => {
    frame.pts = BigInt(frames++ * AAC_FRAME);
    ready.push(...encoder.sendSync(frame));
    used = 0;
  };
  try {
    for await (const part of audio instanceof Float32Array ? [audio] : audio) {
      for (let at = 0; at < part.length; ) {
        const take = Math.min(part.length - at, AAC_FRAME - used);
        for (const plane of planes) plane.set(part.subarray(at, at + take), used);
        at += take;
        used += take;
        if (used === AAC_FRAME) send();
        if (ready.length < PACKETS_A_TURN) continue;
        yield ready;
        ready = [];
        await breathe();
        signal?.throwIfAborted();
      }
    }
    if (used > 0) {
      for (const plane of planes) plane.fill(0, used);
      send();
    }
    yield [...ready, ...encoder.sendSync(null)];
  } finally {
    frame.free();
    encoder.close();
  }
}

function allocateAudio(channels: 1 | 2): av.Frame {
  const frame = new av.Frame();
  frame.alloc();
  frame.format = avc.AV_SAMPLE_FMT_FLTP;
  frame.nbSamples = AAC_FRAME;
  frame.sampleRate = SAMPLE_RATE;
  frame.channelLayout = channels === 1 ? avc.AV_CHANNEL_LAYOUT_MONO : avc.AV_CHANNEL_LAYOUT_STEREO;
  try {
    checkAv(frame.getBuffer(), 'allocating an audio frame');
  } catch (error) {
    frame.free();
    throw error;
  }
  return frame;
}
