import { SAMPLE_RATE, secondsToSamples } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';
import { concatPcm, silence } from '../../audio.js';
import { AvError, av, avc, checkAv, isEnd, needsInput } from '../av.js';
import { openInput, streamSeconds, wholeSeconds } from './input.js';
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
    /** Pictures with transparency. */
    readonly alpha: boolean;
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
    const video = trackOf(input, avc.AVMEDIA_TYPE_VIDEO);
    const audio = trackOf(input, avc.AVMEDIA_TYPE_AUDIO);
    if (!video && !audio) throw new MediaError('expected a file with pictures or sound');
    const whole = wholeSeconds(input);
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
 * The sound of a media file from the start of its first track, mixed down to mono and resampled, at most `maxSeconds` of it. Gaps in it are
 * silent, and a damaged end is cut off. Throws {@link MediaError} when the file has no sound that can be decoded; on abort the signal's reason.
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
    const late = secondsToSamples(Math.min(options.maxSeconds, secondsLate(input, stream)));
    const { num, den } = stream.timeBase;
    let startPts: bigint | undefined;
    /** How much later a frame is than the sound so far, samples. */
    const gapBefore = (): number => {
      const pts = frame.bestEffortTimestamp;
      if (pts === avc.AV_NOPTS_VALUE) return 0;
      startPts ??= pts;
      const gap = secondsToSamples((Number(pts - startPts) * num) / den) - mixer.samples;
      // A clock that jumps is not a pause.
      if (gap > LONGEST_GAP_SECONDS * SAMPLE_RATE)
        startPts = pts - BigInt(Math.round((mixer.samples / SAMPLE_RATE / num) * den));
      if (gap < GAP_SECONDS * SAMPLE_RATE || gap > LONGEST_GAP_SECONDS * SAMPLE_RATE) return 0;
      return Math.min(gap, wanted - late - mixer.samples);
    };
    const drain = async (): Promise<void> => {
      for (;;) {
        const code = await decoder.receiveFrame(frame);
        if (needsInput(code) || isEnd(code)) return;
        checkAv(code, 'decoding the sound');
        const gap = gapBefore();
        if (gap > 0) mixer.pause(gap);
        mixer.add(frame);
        frame.unref();
      }
    };
    while (late + mixer.samples < wanted) {
      options.signal?.throwIfAborted();
      const code = await input.readFrame(packet);
      if (code < 0) break;
      if (packet.streamIndex === stream.index && (await decoder.sendPacket(packet)) >= 0) await drain();
      packet.unref();
    }
    await decoder.sendPacket(null);
    await drain();
    const heard = mixer.finish();
    if (heard.length === 0) throw new MediaError('expected a file with sound that can be decoded');
    const pcm = late === 0 ? heard : concatPcm([silence(late), heard]);
    return pcm.length > wanted ? pcm.slice(0, wanted) : pcm;
  } catch (error) {
    if (error instanceof AvError)
      throw new MediaError(`its sound cannot be decoded: ${error.message}`, { cause: error });
    throw error;
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

/** A pause of a recorder. Shorter ones come from rounded times. */
const GAP_SECONDS = 0.25;
const LONGEST_GAP_SECONDS = 300;

/** The track of a kind that players choose; the picture on the cover of a song is not one. */
export function trackOf(input: av.FormatContext, type: av.Stream['codecpar']['codecType']): av.Stream | undefined {
  const stream = input.streams[input.findBestStream(type)];
  return stream === undefined || isCover(stream) ? undefined : stream;
}

function isCover({ disposition }: av.Stream): boolean {
  return (disposition & avc.AV_DISPOSITION_ATTACHED_PIC) !== 0;
}

/** FFmpeg's own decoders of these ignore transparency. */
const ALPHA_DECODERS = new Map<number | undefined, string>([
  [avc.AV_CODEC_ID_VP8, avc.FF_DECODER_LIBVPX_VP8],
  [avc.AV_CODEC_ID_VP9, avc.FF_DECODER_LIBVPX_VP9],
]);

/** Whether a track's pictures have transparency: as WebM says it, or by their pixel format. */
export function hasAlpha(stream: av.Stream): boolean {
  // WebM stores transparency beside the pictures, so their format does not tell.
  if (ALPHA_DECODERS.has(stream.codecpar.codecId)) return stream.metadata?.get('alpha_mode') === '1';
  return /^(?:yuva|rgba|bgra|argb|abgr|gbrap|ya\d|pal8|ayuv|vuya|uyva)/.test(
    av.avGetPixFmtName(stream.codecpar.format as avc.AVPixelFormat) ?? '',
  );
}

/** Shorter differences come from encoders that prime, and are corrected by players. */
const PRIMING_SECONDS = 0.03;

/** How much later than the file's first track a track starts, seconds. */
export function secondsLate(input: av.FormatContext, stream: av.Stream): number {
  const starts = input.streams.flatMap((each) => {
    const { codecType } = each.codecpar;
    const isShown = (codecType === avc.AVMEDIA_TYPE_VIDEO || codecType === avc.AVMEDIA_TYPE_AUDIO) && !isCover(each);
    const { num, den } = each.timeBase;
    return isShown && each.startTime !== avc.AV_NOPTS_VALUE ? [{ each, at: (Number(each.startTime) * num) / den }] : [];
  });
  const own = starts.find(({ each }) => each.index === stream.index)?.at ?? 0;
  const late = own - Math.min(own, ...starts.map(({ at }) => at));
  return late < PRIMING_SECONDS ? 0 : late;
}

/** Opens the decoder for the file's track of a kind. The caller frees the context. */
export async function openDecoder(
  input: av.FormatContext,
  decoder: av.CodecContext,
  type: av.Stream['codecpar']['codecType'],
  options: { readonly alpha?: boolean } = {},
): Promise<av.Stream> {
  const stream = trackOf(input, type);
  const withAlpha = options.alpha === true ? ALPHA_DECODERS.get(stream?.codecpar.codecId) : undefined;
  const codec =
    stream &&
    (withAlpha
      ? av.Codec.findDecoderByName(withAlpha as avc.FFVideoDecoder)
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
  #parts: Float32Array[] = [];
  readonly #phase = new PhaseCheck();
  readonly #out: av.Frame;
  #resampler: av.SoftwareResampleContext | undefined;
  #source = '';
  #isMono = true;

  constructor() {
    this.#out = new av.Frame();
    this.#out.alloc();
  }

  add(frame: av.Frame): void {
    // WAV files may leave channels unnamed (mask 0): the resampler would name them and then report a changed input.
    if (frame.channelLayout.mask === 0n) frame.channelLayout = av.avChannelLayoutDefault(frame.channels);
    const source = `${frame.format}/${frame.sampleRate}/${frame.channels}/${frame.channelLayout.mask}`;
    if (source !== this.#source) {
      this.#flush();
      this.#resampler = openResampler(frame);
      this.#isMono = frame.channels === 1;
      this.#source = source;
    }
    this.#convert(frame);
  }

  /** Adds silence before the next frame. @param samples at the engine's rate. */
  pause(samples: number): void {
    this.#flush();
    this.#source = '';
    const none = new Float32Array(samples);
    this.#parts.push(none);
    this.#phase.pause(none);
    this.samples += samples;
  }

  finish(): Pcm {
    this.#flush();
    this.#parts = this.#phase.decide() ?? this.#parts;
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
    out.format = avc.AV_SAMPLE_FMT_FLTP;
    out.sampleRate = SAMPLE_RATE;
    out.channelLayout = this.#isMono ? avc.AV_CHANNEL_LAYOUT_MONO : avc.AV_CHANNEL_LAYOUT_STEREO;
    out.nbSamples = Math.max(1, resampler.getOutSamples(frame?.nbSamples ?? 0));
    checkAv(out.getBuffer(), 'allocating resampled sound');
    checkAv(resampler.convertFrame(out, frame), 'resampling');
    const [left, right] = (out.data ?? []).map(
      (plane) => new Float32Array(plane.buffer, plane.byteOffset, out.nbSamples),
    );
    if (left === undefined || out.nbSamples === 0) return;
    this.#parts.push(this.#isMono || right === undefined ? left.slice() : this.#phase.mix(left, right));
    if (this.#phase.isLoud) this.#parts = this.#phase.decide() ?? this.#parts;
    this.samples += out.nbSamples;
  }
}

/**
 * Mixes two channels to one. Recorders with one wire of a balanced cable crossed store a voice in opposite phase in the two channels: their sum
 * is silent, but people with two loudspeakers hear it. The first half second of sound decides for the whole file.
 */
class PhaseCheck {
  #sign = 1;
  /** The mix with the other sign, until the decision. */
  #others: Float32Array[] | undefined = [];
  #energy = 0;
  #otherEnergy = 0;
  #loudSamples = 0;

  /** Enough sound for a decision that is still open. */
  get isLoud(): boolean {
    return this.#others !== undefined && this.#loudSamples > SAMPLE_RATE / 2;
  }

  /** Silence is the same with both signs. */
  pause(none: Float32Array): void {
    this.#others?.push(none);
  }

  /** At constant power, as FFmpeg mixes. */
  mix(left: Float32Array, right: Float32Array): Float32Array {
    const sign = this.#sign;
    const mixed = left.map((sample, at) => (sample + sign * right[at]!) * Math.SQRT1_2);
    if (this.#others === undefined) return mixed;
    const other = left.map((sample, at) => (sample - sign * right[at]!) * Math.SQRT1_2);
    for (let at = 0; at < mixed.length; at++) {
      this.#energy += mixed[at]! ** 2;
      this.#otherEnergy += other[at]! ** 2;
      if (Math.abs(mixed[at]!) + Math.abs(other[at]!) > 0.003) this.#loudSamples++;
    }
    this.#others.push(other);
    return mixed;
  }

  /** Ends the check. @returns what was mixed so far, where the phases are opposite. */
  decide(): Float32Array[] | undefined {
    const others = this.#others;
    this.#others = undefined;
    if (others === undefined || this.#energy >= 0.1 * this.#otherEnergy) return undefined;
    this.#sign = -1;
    return others;
  }
}

function openResampler(frame: av.Frame): av.SoftwareResampleContext {
  const resampler = new av.SoftwareResampleContext();
  checkAv(
    resampler.allocSetOpts2(
      frame.channels === 1 ? avc.AV_CHANNEL_LAYOUT_MONO : avc.AV_CHANNEL_LAYOUT_STEREO,
      avc.AV_SAMPLE_FMT_FLTP,
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
    ...(uprightOf(stream).turn % 180 === 0 ? shown : { width: shown.height, height: shown.width }),
    fps: rate.den > 0 ? rate.num / rate.den : 0,
    frames: Number(stream.nbFrames),
    durationSeconds: streamSeconds(stream) ?? whole,
    alpha: hasAlpha(stream),
  };
}

/** How stored pictures become upright: mirrored from top to bottom, then turned clockwise, degrees. */
export interface Upright {
  readonly isMirrored: boolean;
  readonly turn: 0 | 90 | 180 | 270;
}

/** Phones store pictures in the sensor's orientation, and those of the front camera mirrored (ISO/IEC 14496-12 clause 8.3.2.3). */
export function uprightOf(stream: av.Stream): Upright {
  const matrix = stream.codecpar.getCodedSideData(avc.AV_PKT_DATA_DISPLAYMATRIX);
  if (matrix === null || matrix.length < 36) return { isMirrored: false, turn: 0 };
  const [a = 0, b = 0, c = 0, d = 0] = [0, 4, 12, 16].map((at) => matrix.readInt32LE(at));
  const turns = ((Math.round((Math.atan2(b, a) * 2) / Math.PI) % 4) + 4) % 4;
  return { isMirrored: a * d - b * c < 0, turn: ([0, 90, 180, 270] as const)[turns] ?? 0 };
}

function codecName(stream: av.Stream): string {
  return av.Codec.findDecoder(stream.codecpar.codecId)?.name ?? 'unknown';
}
