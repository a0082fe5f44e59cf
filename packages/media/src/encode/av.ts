import { copyYuv, type Rect, wholeOf, type YuvaFrame, type YuvFrame } from '@figurehead/presenter/frame';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import {
  AV_CHANNEL_LAYOUT_MONO,
  AV_FRAME_DATA_VIDEO_HINT,
  AV_LOG_FATAL,
  AV_PIX_FMT_YUV420P,
  AV_VIDEO_HINT_TYPE_CHANGED,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  type AVPixelFormat,
  type AVSampleFormat,
} from 'node-av/constants';
import { Codec, CodecContext, FFmpegError, Frame, Log, Packet } from 'node-av/lib';
import type { EncodedPacket } from './contract.js';

export type { AVSampleFormat } from 'node-av/constants';
export * as avc from 'node-av/constants';
// The only module that imports node-av; its traps (see docs/architecture.md) are handled here once.
export * as av from 'node-av/lib';

/** An FFmpeg error: the operation and FFmpeg's message. */
export class AvError extends Error {
  override readonly name = 'AvError';

  constructor(
    doing: string,
    /** FFmpeg's negative error code. */
    readonly code: number,
  ) {
    super(`${doing}: ${FFmpegError.strerror(code)}`);
  }
}

/** Returns a result of FFmpeg, or throws {@link AvError} when it is negative. */
export function checkAv(code: number, doing: string): number {
  if (code < 0) throw new AvError(doing, code);
  return code;
}

/** True when FFmpeg needs more input before it returns anything. */
export function needsInput(code: number): boolean {
  return code === AVERROR_EAGAIN;
}

/** True at the end of FFmpeg's output. */
export function isEnd(code: number): boolean {
  return code === AVERROR_EOF;
}

/** Keeps FFmpeg's log off standard error; errors are returned as codes anyway. */
export function quietFfmpeg(): void {
  Log.setLevel(AV_LOG_FATAL);
}

/** Options of {@link Encoder.open}. */
export interface EncoderSetup {
  /** FFmpeg's name, e.g. `libx264`. */
  readonly codec: string;
  /** Sets size, rate, time base and flags on the context before it opens. */
  prepare(context: CodecContext): void;
  /** The codec's private options. Never a Dictionary: a `*Sync` call would free it twice. */
  readonly options: Readonly<Record<string, string>>;
}

/** The parts of a packet that a sender of live media needs. */
type CodedPicture = Pick<EncodedPacket, 'data' | 'keyframe'>;

/** An open encoder. The caller closes it; after an error it can only be closed. */
export class Encoder {
  readonly #packet: Packet;
  #open = true;

  private constructor(
    /** The context, for settings that may change while it is open (bit rate). */
    readonly context: CodecContext,
    private readonly codec: string,
  ) {
    this.#packet = new Packet();
    this.#packet.alloc();
  }

  /** Throws {@link AvError} when the encoder is missing or refuses its settings. */
  static open(setup: EncoderSetup): Encoder {
    quietFfmpeg();
    const codec = Codec.findEncoderByName(setup.codec as Parameters<typeof Codec.findEncoderByName>[0]);
    if (!codec) throw new Error(`this build of FFmpeg has no encoder ${setup.codec}`);
    const context = new CodecContext();
    context.allocContext3(codec);
    try {
      setup.prepare(context);
      for (const [name, value] of Object.entries(setup.options)) {
        checkAv(context.setOption(name, value), `setting ${name}=${value} of ${setup.codec}`);
      }
      checkAv(context.open2Sync(codec, null), `opening ${setup.codec}`);
    } catch (error) {
      context.freeContext();
      throw error;
    }
    return new Encoder(context, setup.codec);
  }

  /** The stream's global header, or nothing. A copy. */
  get extradata(): Uint8Array {
    return Uint8Array.from(this.context.extraData ?? []);
  }

  /** Encodes on the calling thread; `null` ends the stream. Returns finished packets. */
  sendSync(frame: Frame | null): EncodedPacket[] {
    checkAv(this.context.sendFrameSync(frame), `encoding with ${this.codec}`);
    const out: EncodedPacket[] = [];
    for (;;) {
      const code = this.context.receivePacketSync(this.#packet);
      if (this.#drained(code, frame === null)) return out;
      out.push(this.#take());
    }
  }

  /**
   * Encodes off the calling thread, one call at a time, for an encoder without delay: the packet of this frame,
   * undefined when the encoder dropped it. Times and further packets are not queried, because each query is a native
   * call.
   */
  async sendOne(frame: Frame): Promise<CodedPicture | undefined> {
    checkAv(await this.context.sendFrame(frame), `encoding with ${this.codec}`);
    // Receiving after a send only fetches finished output: a hop to another thread would cost more.
    return this.#takeOne();
  }

  /** As {@link sendOne}, on the calling thread. */
  sendOneSync(frame: Frame): CodedPicture | undefined {
    checkAv(this.context.sendFrameSync(frame), `encoding with ${this.codec}`);
    return this.#takeOne();
  }

  /** Idempotent. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#packet.free();
    this.context.freeContext();
  }

  #drained(code: number, ending: boolean): boolean {
    if (isEnd(code)) {
      // A broken frame ends a stream silently, so an unexpected end is an error.
      if (!ending) throw new Error(`${this.codec} ended the stream by itself`);
      return true;
    }
    if (needsInput(code)) return true;
    checkAv(code, `encoding with ${this.codec}`);
    return false;
  }

  #takeOne(): CodedPicture | undefined {
    if (this.#drained(this.context.receivePacketSync(this.#packet), false)) return undefined;
    const packet = this.#packet;
    // A copy in the pool of small buffers: a separate allocation for each packet would burden the garbage collector.
    const taken = { data: Buffer.from(packet.data ?? []), keyframe: packet.isKeyframe };
    packet.unref();
    return taken;
  }

  #take(): EncodedPacket {
    const packet = this.#packet;
    const taken: EncodedPacket = {
      data: new Uint8Array(packet.data ?? []),
      pts: Number(packet.pts),
      dts: Number(packet.dts),
      duration: Number(packet.duration),
      keyframe: packet.isKeyframe,
    };
    packet.unref();
    return taken;
  }
}

/** Bytes of `AVVideoHint` (libavutil/video_hint.h) on 64-bit machines, and of the one `AVVideoRect` behind it. */
const HINT = { head: 32, rect: 16 } as const;

/** One allocated FFmpeg picture whose planes stay valid until `close`. The caller closes it. */
export class AvPicture {
  readonly frame: Frame;
  readonly #whole: Rect;
  #planes: YuvFrame | undefined;
  #hint: DataView | undefined;

  /** Sides must be even. */
  constructor(width: number, height: number) {
    this.frame = allocatePicture(width, height, AV_PIX_FMT_YUV420P);
    this.#planes = planesOf(this.frame, { width, height });
    this.#whole = wholeOf({ width, height });
  }

  /** Copies the planes of `source` (same size), or only an even-aligned `part` of them. */
  fill(source: YuvFrame, part = this.#whole): void {
    const { width, height } = this.#whole;
    if (!this.#planes) throw new Error('the picture is closed');
    if (source.width !== width || source.height !== height) {
      throw new RangeError(`expected a frame of ${width}×${height}, got ${source.width}×${source.height}`);
    }
    copyYuv(source, part, this.#planes);
  }

  /**
   * Passes to an encoder that was opened with `mb_info` where the picture differs from the previous one: everywhere
   * when `part` is absent, nowhere when it is empty. The encoder examines no other area. Modified in place: do not call
   * it while the encoder uses the picture.
   */
  markChanged(part = this.#whole): void {
    if (!this.#planes) throw new Error('the picture is closed');
    this.#hint ??= this.#addHint();
    const hint = this.#hint;
    hint.setUint32(HINT.head, part.x, true);
    hint.setUint32(HINT.head + 4, part.y, true);
    hint.setUint32(HINT.head + 8, part.width, true);
    hint.setUint32(HINT.head + 12, part.height, true);
  }

  /** Idempotent. */
  close(): void {
    if (!this.#planes) return;
    this.#hint = undefined;
    this.#planes = undefined;
    this.frame.free();
  }

  #addHint(): DataView {
    const { buffer, byteOffset, length } = this.frame.newSideData(AV_FRAME_DATA_VIDEO_HINT, HINT.head + HINT.rect);
    const hint = new DataView(buffer, byteOffset, length);
    hint.setBigUint64(0, 1n, true);
    hint.setBigUint64(8, BigInt(HINT.head), true);
    hint.setBigUint64(16, BigInt(HINT.rect), true);
    hint.setInt32(24, AV_VIDEO_HINT_TYPE_CHANGED, true);
    return hint;
  }
}

/**
 * An FFmpeg frame with allocated memory; an encoder silently ends its stream when it gets a frame without memory. The
 * caller frees it.
 */
export function allocatePicture(width: number, height: number, format: AVPixelFormat): Frame {
  const frame = new Frame();
  frame.alloc();
  frame.format = format;
  frame.width = width;
  frame.height = height;
  allocateBuffer(frame, `allocating a picture of ${width}×${height}`);
  return frame;
}

/** As {@link allocatePicture}, a frame of mono sound in 32-bit floats at the engine's rate, with its samples. */
export function allocateSound(
  format: AVSampleFormat,
  length: number,
): { readonly frame: Frame; readonly samples: Float32Array } {
  const frame = new Frame();
  frame.alloc();
  frame.format = format;
  frame.nbSamples = length;
  frame.sampleRate = SAMPLE_RATE;
  frame.channelLayout = AV_CHANNEL_LAYOUT_MONO;
  allocateBuffer(frame, 'allocating an audio frame');
  const [plane] = frame.data ?? [];
  if (!plane) throw new Error('an allocated audio frame has no memory');
  return { frame, samples: new Float32Array(plane.buffer, plane.byteOffset, length) };
}

function allocateBuffer(frame: Frame, doing: string): void {
  const code = frame.getBuffer();
  if (code >= 0) return;
  frame.free();
  throw new AvError(doing, code);
}

/** The planes of an allocated picture of `size` px, with alpha if its format has it. Valid until the frame is freed. */
export function planesOf(
  frame: Frame,
  size: { readonly width: number; readonly height: number },
): YuvFrame | YuvaFrame {
  const [y, u, v, a] = frame.data ?? [];
  const [yStride, uvStride] = frame.linesize;
  if (!y || !u || !v || !yStride || !uvStride) throw new Error('expected an allocated picture');
  return { ...size, y, u, v, ...(a ? { a } : {}), yStride, uvStride };
}
