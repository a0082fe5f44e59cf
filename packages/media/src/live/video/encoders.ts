import type { Rect, YuvFrame } from '@figurehead/presenter/frame';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';
import { AvPicture, allocateSound, av, avc, Encoder } from '../../encode/av.js';
import { AUDIO_FRAME } from '../playout/media-clock.js';
import { Bt601Converter } from './bt601.js';

/** Codecs that a session can send. */
export type VideoCodec = 'H264' | 'VP8';

/**
 * Two rate control modes of x264. On a wide connection all pictures have a constant quantiser (`QP`): x264 then skips
 * the lookahead on a half-size copy, a quarter of its work. On a narrow connection the bit rate is a
 * ceiling over a constant quality (`CRF`). Measured on a 512×512 speaking face: 0.9 ms and 223 kbit/s against 1.2 ms and 313 kbit/s.
 */
const QP = 24;
const CRF = 25;
/** Bits per pixel of a speaking face, assumed until encoded pictures have been measured. */
const EXPECTED_BITS_PER_PIXEL = 0.05;
/** A connection is narrow below `NARROW` times the needed bit rate, and wide again above `WIDE` times. */
const NARROW = 1.2;
const WIDE = 1.8;
/** Pictures over which the need is averaged. */
const NEED_PICTURES = 50;
/**
 * Measured on a 512×512 picture: superfast 1.2 ms and 310 kbit/s, veryfast 1.6 ms and 215 kbit/s; ultrafast would save 0.3 ms and
 * need 2.5 times the bits.
 */
const PRESETS = { live: 'superfast', once: 'veryfast' } as const;
/** Negative values are fixed. Positive ones adapt to the encoding time, so that a busy machine produces other bytes. */
const VP8_SPEEDS = { live: '-8', once: '-4' } as const;
/** Encoder buffer in seconds of the ceiling: a keyframe that takes longer would be seen as a freeze. */
const BUFFER_SECONDS = 0.3;
/** libvpx must be reopened to change the rate, which costs a keyframe; smaller changes are ignored. */
const VP8_REOPEN_RATIO = 1.25;

/** How live video is encoded. */
export interface VideoEncoderSettings {
  readonly codec: VideoCodec;
  readonly width: number;
  readonly height: number;
  /** Nominal rate; the actual one is decided by timestamps. */
  readonly framesPerSecond: number;
  /** Ceiling in bits per second. */
  readonly bitRate: number;
  /** `once` for pictures that are encoded once and sent many times: smaller, at a third more work. `live` when absent. */
  readonly effort?: 'live' | 'once';
}

/** One compressed picture. */
export interface EncodedFrame {
  readonly data: Uint8Array;
  readonly keyframe: boolean;
}

/**
 * A real-time encoder that runs on another thread: one picture in, one compressed picture out, no frame delay. x264 (baseline, annex B, headers
 * before every keyframe) or libvpx; throws `AvError` when it refuses. The creator closes it.
 */
export class LiveVideoEncoder {
  private encoder: Encoder;
  private readonly picture: AvPicture;
  private readonly converter: Bt601Converter | undefined;
  private busy = false;
  private open = true;
  /** The frame's type is set to request a keyframe. */
  private isForced = false;
  private frames = 0;
  private wanted: number;
  private current: number;
  /** Recent bits per second of encoded pictures. */
  private need: number;
  private isNarrow: boolean;

  constructor(private readonly settings: VideoEncoderSettings) {
    this.wanted = settings.bitRate;
    this.current = settings.bitRate;
    const { width, height, framesPerSecond } = settings;
    this.need = width * height * framesPerSecond * EXPECTED_BITS_PER_PIXEL;
    this.isNarrow = this.current < this.need * NARROW;
    this.encoder = openEncoder(settings, this.current, this.isNarrow);
    this.picture = new AvPicture(settings.width, settings.height);
    this.converter = settings.codec === 'VP8' ? new Bt601Converter(settings.width, settings.height) : undefined;
  }

  /** True while a picture is being encoded; the next one must then be skipped. */
  get isBusy(): boolean {
    return this.busy;
  }

  /**
   * Copies the frame's planes before it returns; with `part` (even-aligned) only that area, and the rest is unchanged since the last
   * picture. Must not be called while busy. `undefined` when the encoder dropped the picture.
   */
  async encode(
    frame: YuvFrame,
    options: { keyframe: boolean; part?: Rect | undefined },
  ): Promise<EncodedFrame | undefined> {
    if (this.busy || !this.open) return undefined;
    this.busy = true;
    try {
      this.applyBitRate();
      const { part } = options;
      this.picture.fill(this.converter?.convert(frame, part) ?? frame, part);
      if (this.settings.codec === 'H264') this.picture.markChanged(part);
      const native = this.picture.frame;
      native.pts = BigInt(this.frames++);
      if (options.keyframe !== this.isForced) {
        this.isForced = options.keyframe;
        native.pictType = options.keyframe ? avc.AV_PICTURE_TYPE_I : avc.AV_PICTURE_TYPE_NONE;
      }
      const coded = await this.encoder.sendOne(native);
      if (coded && !coded.keyframe) this.learn(coded.data.length);
      return coded;
    } finally {
      this.busy = false;
      if (!this.open) this.free();
    }
  }

  /** Sets the ceiling from the next picture on. */
  setBitRate(bitsPerSecond: number): void {
    this.wanted = bitsPerSecond;
  }

  /** Frees it after the running picture. Idempotent. */
  close(): void {
    if (!this.open) return;
    this.open = false;
    // The encoder thread may be reading the picture; `encode` then frees it.
    if (!this.busy) this.free();
  }

  private learn(bytes: number): void {
    const bits = 8 * bytes * this.settings.framesPerSecond;
    this.need += (bits - this.need) / NEED_PICTURES;
  }

  private applyBitRate(): void {
    if (this.settings.codec === 'H264') {
      const isNarrow = this.wanted < this.need * (this.isNarrow ? WIDE : NARROW);
      if (isNarrow !== this.isNarrow) this.reopen(isNarrow);
      else if (this.isNarrow && this.wanted !== this.current) {
        this.current = this.wanted;
        this.encoder.context.rcMaxRate = BigInt(this.current);
        this.encoder.context.rcBufferSize = Math.round(this.current * BUFFER_SECONDS);
      }
      return;
    }
    if (this.wanted === this.current) return;
    const ratio = this.wanted / this.current;
    if (ratio < VP8_REOPEN_RATIO && ratio > 1 / VP8_REOPEN_RATIO) return;
    this.reopen(false);
  }

  /** Replaces the encoder; the next picture is a keyframe. */
  private reopen(isNarrow: boolean): void {
    this.isNarrow = isNarrow;
    this.current = this.wanted;
    this.encoder.close();
    this.encoder = openEncoder(this.settings, this.current, isNarrow);
  }

  private free(): void {
    this.encoder.close();
    this.picture.close();
  }
}

function openEncoder(settings: VideoEncoderSettings, bitRate: number, isNarrow: boolean): Encoder {
  const { codec, width, height, framesPerSecond, effort = 'live' } = settings;
  const isH264 = codec === 'H264';
  // A loop is encoded once, so the better quality per bit of rate control is worth its cost.
  const isSteered = !isH264 || isNarrow || effort === 'once';
  return Encoder.open({
    codec: isH264 ? 'libx264' : 'libvpx',
    prepare(context) {
      context.width = width;
      context.height = height;
      context.pixelFormat = avc.AV_PIX_FMT_YUV420P;
      context.timeBase = new av.Rational(1, framesPerSecond);
      context.framerate = new av.Rational(framesPerSecond, 1);
      // Keyframes are made on request; periodic ones would cause bursts.
      context.gopSize = 100_000;
      context.maxBFrames = 0;
      context.threadCount = 1;
      if (isSteered) {
        context.rcMaxRate = BigInt(bitRate);
        context.rcBufferSize = Math.round(bitRate * BUFFER_SECONDS);
      }
      if (!isH264) context.bitRate = BigInt(bitRate);
      context.colorRange = avc.AVCOL_RANGE_MPEG;
      if (!isH264) return;
      context.colorPrimaries = avc.AVCOL_PRI_BT709;
      context.colorTrc = avc.AVCOL_TRC_BT709;
      context.colorSpace = avc.AVCOL_SPC_BT709;
    },
    options: isH264
      ? {
          preset: PRESETS[effort],
          tune: 'zerolatency',
          profile: 'baseline',
          ...(isSteered ? { crf: String(CRF) } : { qp: String(QP) }),
          'forced-idr': '1',
          // Skips macroblocks that the picture marks as unchanged.
          mb_info: '1',
          'x264-params': 'annexb=1:repeat-headers=1:scenecut=0',
        }
      : {
          deadline: 'realtime',
          'cpu-used': VP8_SPEEDS[effort],
          'lag-in-frames': '0',
          'auto-alt-ref': '0',
          'error-resilient': '0',
          // Bounds of the quantiser: below the first, more bits improve nothing visible.
          qmin: '6',
          qmax: '52',
        },
  });
}

/** Samples by which Opus delays sound: the look-ahead of the mode in use (RFC 6716 section 2; 6.5 ms). */
export const OPUS_DELAY = 312;

/**
 * How sound is encoded. `repairable` has forward error correction: each packet contains a coarse copy of the last one (RFC 6716
 * section 2.1.7), for connections that lose packets. `clear` takes a fifth of the time.
 */
export type AudioMode = 'clear' | 'repairable';

/** Settings of the encoder of sound. */
export interface SoundCoding {
  readonly mode: AudioMode;
  /** Bits per second. */
  readonly bits: number;
}

/** Below this rate the speech model of Opus sounds better than its transform. */
const SPEECH_MODEL_BITS = 32_000;
/** Packet loss that forward error correction is tuned for, percent. */
const OPUS_LOSS = '10';

/** libopus: 20 ms mono packets. The creator closes it. */
export class LiveAudioEncoder {
  private readonly sound = allocateSound(avc.AV_SAMPLE_FMT_FLT, AUDIO_FRAME);
  private readonly encoder: Encoder;
  private count = 0;
  private open = true;

  constructor(readonly coding: SoundCoding) {
    const { mode, bits } = coding;
    const isSpeech = mode === 'repairable' || bits < SPEECH_MODEL_BITS;
    this.encoder = Encoder.open({
      codec: 'libopus',
      prepare(context) {
        context.sampleRate = SAMPLE_RATE;
        context.sampleFormat = avc.AV_SAMPLE_FMT_FLT;
        context.channelLayout = avc.AV_CHANNEL_LAYOUT_MONO;
        context.bitRate = BigInt(bits);
        context.timeBase = new av.Rational(1, SAMPLE_RATE);
      },
      options: {
        frame_duration: '20',
        ...(isSpeech
          ? { application: 'voip', compression_level: '3' }
          : { application: 'audio', vbr: 'constrained', compression_level: '1' }),
        ...(mode === 'repairable' && { fec: '1', packet_loss: OPUS_LOSS }),
      },
    });
  }

  /** Encodes {@link AUDIO_FRAME} samples on the calling thread (0.04 ms, repairable 0.2 ms). */
  encode(samples: Pcm): Uint8Array {
    if (!this.open) throw new Error('the audio encoder is closed');
    const { frame, samples: input } = this.sound;
    input.set(samples);
    frame.pts = BigInt(this.count++ * AUDIO_FRAME);
    const packet = this.encoder.sendOneSync(frame);
    if (!packet) throw new Error('libopus gave no packet for a frame of sound');
    return packet.data;
  }

  /** Idempotent. */
  close(): void {
    if (!this.open) return;
    this.open = false;
    this.sound.frame.free();
    this.encoder.close();
  }
}
