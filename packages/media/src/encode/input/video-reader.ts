import { allocateYuv, type YuvaFrame, type YuvFrame } from '@figurehead/presenter/frame';
import { allocatePicture, av, avc, checkAv, isEnd, needsInput, planesOf } from '../av.js';
import { hasAlpha, open, openDecoder, secondsLate, trackOf, type Upright, uprightOf } from './decode.js';
import { Deinterlacer } from './deinterlacer.js';
import { streamSeconds, wholeSeconds } from './input.js';
import { MediaError } from './media-error.js';

/** Largest picture that is decoded, in px: 8K. */
const MAX_PIXELS = 7680 * 4320;

/** Up to this distance reading ahead is faster than seeking, seconds: about one GOP. */
const READ_AHEAD_SECONDS = 3;

/** Size of decoded frames, with even sides. Default: the file's own size, made even. */
export interface ReaderOptions {
  readonly width?: number;
  readonly height?: number;
  /**
   * Frames include transparency, as a `YuvaFrame`; opaque where the file has none, or not included there with `where present`.
   */
  readonly alpha?: boolean | 'where present';
}

/** Opens a video file. Throws {@link MediaError} when it has no decodable pictures. */
export async function openVideo(file: string, options: ReaderOptions = {}): Promise<VideoReader> {
  const input = await open(file);
  const decoder = new av.CodecContext();
  try {
    const found = trackOf(input, avc.AVMEDIA_TYPE_VIDEO);
    const isPresent = found !== undefined && hasAlpha(found);
    const alpha = options.alpha === 'where present' ? isPresent : (options.alpha ?? false);
    const stream = await openDecoder(input, decoder, avc.AVMEDIA_TYPE_VIDEO, { alpha });
    const { width, height } = stream.codecpar;
    if (width <= 0 || height <= 0 || width * height > MAX_PIXELS) {
      throw new MediaError(`expected pictures of at most 7680×4320, got ${width}×${height}`);
    }
    const isTurned = uprightOf(stream).turn % 180 !== 0;
    const [wide, high] = isTurned ? [height, width] : [width, height];
    return new VideoReader(input, decoder, stream, {
      width: options.width ?? wide + (wide % 2),
      height: options.height ?? high + (high % 2),
      alpha,
    });
  } catch (error) {
    decoder.freeContext();
    await input.closeInput();
    throw error;
  }
}

/** All pictures of a video in order. Each frame is valid until the next one is requested. */
export async function* decodeFrames(file: string, options: ReaderOptions = {}): AsyncGenerator<YuvFrame> {
  const reader = await openVideo(file, options);
  try {
    for (let next = await reader.next(); next; next = await reader.next()) yield next.frame;
  } finally {
    await reader.close();
  }
}

/** A video that is being decoded. Frames are BT.709 limited regardless of the file. The caller closes it. */
export class VideoReader {
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  readonly #packet = new av.Packet();
  /** The frame decoded ahead, and the current one. */
  #ahead = new av.Frame();
  #shown = new av.Frame();
  #hasAhead = false;
  #hasShown = false;
  /** Their times as in `frameAt`. */
  #aheadSeconds = 0;
  #shownSeconds = 0;
  /** Whether `#picture` shows the current frame. */
  #isConverted = false;
  #ended = false;
  readonly #scaled: av.Frame;
  /** The frame as stored in the file. */
  readonly #stored: YuvFrame;
  readonly #upright: Upright;
  readonly #picture: YuvFrame;
  #scaler: av.SoftwareScaleContext | undefined;
  #deinterlacer: Deinterlacer | undefined;
  #scalerSource = '';
  #closed = false;
  readonly #startSeconds: number;

  constructor(
    private readonly input: av.FormatContext,
    private readonly decoder: av.CodecContext,
    private readonly stream: av.Stream,
    size: { readonly width: number; readonly height: number; readonly alpha: boolean },
  ) {
    this.width = size.width;
    this.height = size.height;
    const whole = wholeSeconds(input);
    const late = secondsLate(input, stream);
    const own = streamSeconds(stream);
    this.durationSeconds = own === undefined ? whole : late + own;
    this.#startSeconds = stream.startTime === avc.AV_NOPTS_VALUE ? 0 : this.#seconds(stream.startTime) - late;
    this.#packet.alloc();
    this.#ahead.alloc();
    this.#shown.alloc();
    this.#upright = uprightOf(stream);
    const { turn, isMirrored } = this.#upright;
    const [width, height] = turn % 180 === 0 ? [size.width, size.height] : [size.height, size.width];
    this.#scaled = allocatePicture(width, height, size.alpha ? avc.AV_PIX_FMT_YUVA420P : avc.AV_PIX_FMT_YUV420P);
    tagBt709(this.#scaled);
    this.#stored = planesOf(this.#scaled, { width, height });
    const upright = {
      ...allocateYuv(size.width, size.height),
      ...(size.alpha && { a: new Uint8Array(size.width * size.height) }),
    };
    this.#picture = turn === 0 && !isMirrored ? this.#stored : upright;
  }

  /**
   * The picture at `seconds` after the start of the file's first track: before the first picture that one, after the end the last one. With increasing times each frame is
   * decoded once; a step back seeks. Valid until the next call.
   */
  async frameAt(seconds: number): Promise<YuvFrame | YuvaFrame> {
    const behind = this.#hasShown && seconds < this.#shownSeconds - 1e-6;
    const far = this.#hasAhead && seconds > this.#aheadSeconds + READ_AHEAD_SECONDS;
    if (behind || far) await this.#seek(seconds);
    while ((await this.#fill()) && (!this.#hasShown || this.#aheadSeconds <= seconds + 1e-6)) this.#advance();
    if (!this.#hasShown) throw new MediaError('expected at least one picture that can be decoded');
    return this.#converted();
  }

  /**
   * The next picture and its time as in `frameAt`, or nothing at the end. Valid until the next call; scaled when `frame` is first read, so
   * that a picture that is passed over costs nothing but decoding.
   */
  async next(): Promise<{ readonly frame: YuvFrame; readonly seconds: number } | undefined> {
    if (!(await this.#fill())) return undefined;
    this.#advance();
    const converted = (): YuvFrame => this.#converted();
    return {
      get frame() {
        return converted();
      },
      seconds: this.#shownSeconds,
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#scaler?.freeContext();
    this.#deinterlacer?.close();
    this.#scaled.free();
    this.#ahead.free();
    this.#shown.free();
    this.#packet.free();
    this.decoder.freeContext();
    await this.input.closeInput();
  }

  /** Decodes one picture ahead if necessary; false at the end. Damaged packets are skipped. */
  async #fill(): Promise<boolean> {
    while (!this.#hasAhead) {
      const code = await this.decoder.receiveFrame(this.#ahead);
      if (code >= 0) {
        this.#hasAhead = true;
        this.#aheadSeconds = this.#timeOf(this.#ahead);
      } else if (isEnd(code)) {
        return false;
      } else if (!needsInput(code)) {
        checkAv(code, 'decoding a picture');
      } else if (this.#ended) {
        return false;
      } else {
        await this.#feed();
      }
    }
    return true;
  }

  async #feed(): Promise<void> {
    const code = await this.input.readFrame(this.#packet);
    if (code < 0) {
      this.#ended = true;
      await this.decoder.sendPacket(null);
      return;
    }
    if (this.#packet.streamIndex === this.stream.index) await this.decoder.sendPacket(this.#packet);
    this.#packet.unref();
  }

  #advance(): void {
    this.#shown.unref();
    [this.#shown, this.#ahead] = [this.#ahead, this.#shown];
    this.#shownSeconds = this.#aheadSeconds;
    this.#hasShown = true;
    this.#hasAhead = false;
    this.#isConverted = false;
  }

  async #seek(seconds: number): Promise<void> {
    const base = this.stream.timeBase;
    const target = Math.max(0, Math.floor(((seconds + this.#startSeconds) * base.den) / base.num));
    const code = await this.input.seekFrame(this.stream.index, BigInt(target), avc.AVSEEK_FLAG_BACKWARD);
    checkAv(code, 'seeking');
    this.decoder.flushBuffers();
    if (this.#hasAhead) this.#ahead.unref();
    this.#hasAhead = false;
    this.#hasShown = false;
    this.#ended = false;
  }

  /** The current frame as it is given away. */
  #converted(): YuvFrame {
    if (this.#isConverted) return this.#picture;
    const source = this.#shown.hasFlags(avc.AV_FRAME_FLAG_INTERLACED) ? this.#wholeOf(this.#shown) : this.#shown;
    const kind = `${source.format}/${source.width}x${source.height}`;
    if (kind !== this.#scalerSource) {
      this.#scaler?.freeContext();
      this.#scaler = new av.SoftwareScaleContext();
      this.#scaler.allocContext();
      this.#scaler.setOption('sws_flags', 'bilinear+accurate_rnd');
      this.#scalerSource = kind;
    }
    // Untagged pictures are interpreted like in swscale: large ones as BT.709, others as BT.601.
    if (source.colorSpace === avc.AVCOL_SPC_UNSPECIFIED) {
      source.colorSpace = source.height >= 720 ? avc.AVCOL_SPC_BT709 : avc.AVCOL_SPC_SMPTE170M;
    }
    // The scaler would refuse pictures that are marked as two fields.
    source.clearFlags(avc.AV_FRAME_FLAG_INTERLACED);
    checkAv(this.#scaler!.scaleFrameSync(this.#scaled, source), 'scaling a picture');
    if (this.#picture !== this.#stored) turnFrame(this.#stored, this.#picture, this.#upright);
    this.#isConverted = true;
    return this.#picture;
  }

  #wholeOf(frame: av.Frame): av.Frame {
    this.#deinterlacer ??= new Deinterlacer();
    return this.#deinterlacer.whole(frame);
  }

  /** Elementary streams have no times; there each picture follows the one before. */
  #timeOf(frame: av.Frame): number {
    const pts = frame.bestEffortTimestamp;
    if (pts !== avc.AV_NOPTS_VALUE) return this.#seconds(pts) - this.#startSeconds;
    const { num, den } = this.stream.avgFrameRate;
    return this.#hasShown ? this.#shownSeconds + (num > 0 ? den / num : 1 / 25) : 0;
  }

  #seconds(pts: bigint): number {
    const base = this.stream.timeBase;
    return (Number(pts) * base.num) / base.den;
  }
}

/** Writes `from`, upright, into `to`. */
function turnFrame(from: YuvFrame | YuvaFrame, to: YuvFrame | YuvaFrame, { turn, isMirrored }: Upright): void {
  const plane = (source: Uint8Array, stride: number, target: Uint8Array, step: 1 | 2): void => {
    const [wide, high] = [to.width / step, to.height / step];
    const [lastColumn, lastRow] = [wide - 1, high - 1];
    const lastStored = turn % 180 === 0 ? lastRow : lastColumn;
    for (let row = 0; row < high; row++) {
      for (let column = 0; column < wide; column++) {
        const x = turn === 0 ? column : turn === 90 ? row : turn === 180 ? lastColumn - column : lastRow - row;
        const y = turn === 0 ? row : turn === 90 ? lastColumn - column : turn === 180 ? lastRow - row : column;
        target[row * wide + column] = source[(isMirrored ? lastStored - y : y) * stride + x]!;
      }
    }
  };
  plane(from.y, from.yStride, to.y, 1);
  plane(from.u, from.uvStride, to.u, 2);
  plane(from.v, from.uvStride, to.v, 2);
  if ('a' in from && 'a' in to) plane(from.a, from.yStride, to.a, 1);
}

function tagBt709(frame: av.Frame): void {
  frame.colorSpace = avc.AVCOL_SPC_BT709;
  frame.colorPrimaries = avc.AVCOL_PRI_BT709;
  frame.colorTrc = avc.AVCOL_TRC_BT709;
  frame.colorRange = avc.AVCOL_RANGE_MPEG;
}
