import type { Pcm } from '../../audio.js';
import { concatPcm } from '../../audio.js';
import { SAMPLE_RATE, secondsToSamples } from '../../time.js';
import { AvError, av, avc, checkAv, isEnd, needsInput } from '../av.js';
import { openInput, streamSeconds } from './input.js';
import { MediaError } from './media-error.js';

/** Result of {@link probe}. */
export interface MediaInfo {
  /** Longest track, seconds; 0 when unknown. */
  readonly durationSeconds: number;
  readonly video?: {
    readonly codec: string;
    /** As displayed: with sample aspect ratio and rotation applied, px. */
    readonly width: number;
    readonly height: number;
    /** Average frames per second. */
    readonly fps: number;
    /** Frame count from the container; 0 when unknown. */
    readonly frames: number;
    readonly durationSeconds: number;
  };
  readonly audio?: {
    readonly codec: string;
    readonly channels: number;
    readonly sampleRate: number;
  };
}

/** Reads a media file's properties without decoding it. Throws {@link MediaError} when it is not a media file. */
export async function probe(file: string): Promise<MediaInfo> {
  const input = await open(file);
  try {
    const find = (type: av.Stream['codecpar']['codecType']): av.Stream | undefined =>
      input.streams.find((stream) => stream.codecpar.codecType === type);
    const video = find(avc.AVMEDIA_TYPE_VIDEO);
    const audio = find(avc.AVMEDIA_TYPE_AUDIO);
    if (!video && !audio) throw new MediaError('expected a file with pictures or sound');
    const whole = input.duration > 0n ? Number(input.duration) / 1e6 : 0;
    return {
      durationSeconds: whole,
      ...(video && { video: videoInfo(video, whole) }),
      ...(audio && {
        audio: {
          codec: codecName(audio),
          channels: audio.codecpar.channels,
          sampleRate: audio.codecpar.sampleRate,
        },
      }),
    };
  } finally {
    await input.closeInput();
  }
}

/**
 * The sound of a media file from its start, mixed down to mono and resampled, at most `maxSeconds` of it. A damaged end
 * is cut off. Throws {@link MediaError} when the file has no sound that can be decoded; on abort the signal's reason.
 */
export async function decodeAudio(
  file: string,
  options: { readonly maxSeconds: number; readonly signal?: AbortSignal },
): Promise<Pcm> {
  const input = await open(file);
  const decoder = new av.CodecContext();
  const packet = new av.Packet();
  const frame = new av.Frame();
  packet.alloc();
  frame.alloc();
  const mixer = new Mixer();
  try {
    const stream = await openDecoder(input, decoder, avc.AVMEDIA_TYPE_AUDIO);
    const wanted = secondsToSamples(options.maxSeconds);
    const drain = async (): Promise<void> => {
      for (;;) {
        const code = await decoder.receiveFrame(frame);
        if (needsInput(code) || isEnd(code)) return;
        checkAv(code, 'decoding the sound');
        mixer.add(frame);
        frame.unref();
      }
    };
    while (mixer.samples < wanted) {
      options.signal?.throwIfAborted();
      const code = await input.readFrame(packet);
      if (code < 0) break;
      if (packet.streamIndex === stream.index && (await decoder.sendPacket(packet)) >= 0) await drain();
      packet.unref();
    }
    await decoder.sendPacket(null);
    await drain();
    const pcm = mixer.finish();
    if (pcm.length === 0) throw new MediaError('expected a file with sound that can be decoded');
    return pcm.length > wanted ? pcm.slice(0, wanted) : pcm;
  } finally {
    mixer.close();
    frame.free();
    packet.free();
    decoder.freeContext();
    await input.closeInput();
  }
}

/** Opens a file for reading, with an error message for users. The caller closes it. */
export async function open(file: string): Promise<av.FormatContext> {
  try {
    return await openInput(file);
  } catch (error) {
    if (!(error instanceof AvError)) throw error;
    throw new MediaError(`cannot be read as video or sound: ${error.message}`, { cause: error });
  }
}

/** Opens the decoder for the file's first track of a kind. The caller frees the context. */
export async function openDecoder(
  input: av.FormatContext,
  decoder: av.CodecContext,
  type: av.Stream['codecpar']['codecType'],
  options: { readonly alpha?: boolean } = {},
): Promise<av.Stream> {
  const stream = input.streams.find((candidate) => candidate.codecpar.codecType === type);
  // FFmpeg's own VP9 decoder ignores transparency.
  const isWithAlpha = options.alpha === true && stream?.codecpar.codecId === avc.AV_CODEC_ID_VP9;
  const codec =
    stream &&
    (isWithAlpha
      ? av.Codec.findDecoderByName(avc.FF_DECODER_LIBVPX_VP9)
      : av.Codec.findDecoder(stream.codecpar.codecId));
  if (!stream || !codec) {
    const wanted = type === avc.AVMEDIA_TYPE_AUDIO ? 'sound' : 'pictures';
    throw new MediaError(`expected a file with ${wanted} that can be decoded`);
  }
  decoder.allocContext3(codec);
  checkAv(decoder.parametersToContext(stream.codecpar), 'preparing the decoder');
  decoder.pktTimebase = stream.timeBase;
  decoder.threadCount = 1;
  checkAv(await decoder.open2(codec, null), 'opening the decoder');
  return stream;
}

/** Mixes decoded frames of any layout down to mono at the engine's rate. */
class Mixer {
  samples = 0;
  readonly #parts: Float32Array[] = [];
  readonly #out: av.Frame;
  #resampler: av.SoftwareResampleContext | undefined;
  #source = '';

  constructor() {
    this.#out = new av.Frame();
    this.#out.alloc();
  }

  add(frame: av.Frame): void {
    // WAV files may leave channels unnamed (mask 0): the resampler would name them and then report a changed input.
    if (frame.channelLayout.mask === 0n && frame.channels <= 2) {
      frame.channelLayout = frame.channels === 1 ? avc.AV_CHANNEL_LAYOUT_MONO : avc.AV_CHANNEL_LAYOUT_STEREO;
    }
    const source = `${frame.format}/${frame.sampleRate}/${frame.channels}/${frame.channelLayout.mask}`;
    if (source !== this.#source) {
      this.#flush();
      this.#resampler = openResampler(frame);
      this.#source = source;
    }
    this.#convert(frame);
  }

  finish(): Pcm {
    this.#flush();
    return concatPcm(this.#parts);
  }

  close(): void {
    this.#resampler?.free();
    this.#resampler = undefined;
    this.#out.free();
  }

  #flush(): void {
    if (!this.#resampler) return;
    this.#convert(null);
    this.#resampler.free();
    this.#resampler = undefined;
  }

  #convert(frame: av.Frame | null): void {
    const resampler = this.#resampler!;
    const out = this.#out;
    out.unref();
    out.format = avc.AV_SAMPLE_FMT_FLT;
    out.sampleRate = SAMPLE_RATE;
    out.channelLayout = avc.AV_CHANNEL_LAYOUT_MONO;
    out.nbSamples = Math.max(1, resampler.getOutSamples(frame?.nbSamples ?? 0));
    checkAv(out.getBuffer(), 'allocating resampled sound');
    checkAv(resampler.convertFrame(out, frame), 'resampling');
    const plane = out.data?.[0];
    if (!plane || out.nbSamples === 0) return;
    this.#parts.push(new Float32Array(plane.buffer, plane.byteOffset, out.nbSamples).slice());
    this.samples += out.nbSamples;
  }
}

function openResampler(frame: av.Frame): av.SoftwareResampleContext {
  const resampler = new av.SoftwareResampleContext();
  checkAv(
    resampler.allocSetOpts2(
      avc.AV_CHANNEL_LAYOUT_MONO,
      avc.AV_SAMPLE_FMT_FLT,
      SAMPLE_RATE,
      frame.channelLayout,
      frame.format as Parameters<typeof resampler.allocSetOpts2>[4],
      frame.sampleRate,
    ),
    'preparing the resampler',
  );
  checkAv(resampler.init(), 'preparing the resampler');
  return resampler;
}

function videoInfo(stream: av.Stream, whole: number): NonNullable<MediaInfo['video']> {
  const { width, height } = stream.codecpar;
  const aspect = stream.codecpar.sampleAspectRatio;
  const stretch = aspect.num > 0 && aspect.den > 0 ? aspect.num / aspect.den : 1;
  const rate = stream.avgFrameRate;
  const shown = { width: Math.round(width * stretch), height };
  return {
    codec: codecName(stream),
    ...(turnOf(stream) % 180 === 0 ? shown : { width: shown.height, height: shown.width }),
    fps: rate.den > 0 ? rate.num / rate.den : 0,
    frames: Number(stream.nbFrames),
    durationSeconds: streamSeconds(stream) ?? whole,
  };
}

/**
 * Clockwise rotation in degrees for display: phones store pictures in the sensor's orientation (ISO/IEC 14496-12 clause
 * 8.3.2.3).
 */
export function turnOf(stream: av.Stream): 0 | 90 | 180 | 270 {
  const matrix = stream.codecpar.getCodedSideData(avc.AV_PKT_DATA_DISPLAYMATRIX);
  if (matrix === null || matrix.length < 36) return 0;
  const degrees = (Math.atan2(matrix.readInt32LE(4), matrix.readInt32LE(0)) * 180) / Math.PI;
  const turns = ((Math.round(degrees / 90) % 4) + 4) % 4;
  return ([0, 90, 180, 270] as const)[turns] ?? 0;
}

function codecName(stream: av.Stream): string {
  return av.Codec.findDecoder(stream.codecpar.codecId)?.name ?? 'unknown';
}
