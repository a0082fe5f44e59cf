import { rm } from 'node:fs/promises';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { av, avc, checkAv } from '../av.js';
import { splitAnnexB } from '../codecs/nal.js';
import { SOURCE_TAG } from './webm-head.js';

/** Ticks per second of pictures. */
const VIDEO_CLOCK = 90_000;
/** Maximum length of a file: some hours of a live stream. */
const MAX_BYTES = 1_000_000_000;

/** Content of a live file: pictures of one codec and mono Opus. */
export interface LiveFileOptions {
  readonly path: string;
  /** H.264 makes an MP4, VP8 a WebM. */
  readonly codec: 'H264' | 'VP8';
  readonly width: number;
  readonly height: number;
}

/**
 * A file to which packets are written as they arrive; times are in samples. It is created with its first picture. Exactly one of `finish` and
 * `discard` ends it. Uses FFmpeg's writers, because the pictures come from encoders with different settings and at irregular times, which the
 * engine's own writers do not support.
 */
export class LiveFile {
  private context: av.FormatContext | undefined;
  private readonly packet = new av.Packet();
  private bytes = 0;
  private end = 0;
  private isOver = false;
  /** The last picture, written when its duration is known. */
  private pending: { data: Uint8Array; keyframe: boolean; sample: number } | undefined;

  constructor(private readonly options: LiveFileOptions) {
    this.packet.alloc();
  }

  /** Writes a compressed picture; H.264 as annex B, the first one a keyframe with its parameter sets. Throws `AvError` when the disk refuses. */
  writePicture({ data, keyframe }: { data: Uint8Array; keyframe: boolean }, sample: number): void {
    if (this.isOver || (this.context === undefined && !keyframe)) return;
    this.context ??= this.open(data);
    this.flushPicture(sample);
    // Copied: packets of encoders are only valid until the next one.
    this.pending = { data: data.slice(), keyframe, sample };
  }

  /** Writes an Opus packet of `samples` samples. Throws `AvError` when the disk refuses. */
  writeSound(packet: Uint8Array, sample: number, samples: number): void {
    // Sound before the first picture would start the file with a black one.
    if (this.isOver || this.context === undefined) return;
    this.write({ stream: 1, data: packet, keyframe: true, at: sample, duration: samples, base: SAMPLE_RATE });
    this.end = Math.max(this.end, sample + samples);
    if (this.bytes > MAX_BYTES) this.isOver = true;
  }

  /** Completes the file. @returns its length; zero without any picture, in which case there is no file. */
  async finish(): Promise<{ seconds: number; bytes: number }> {
    this.isOver = true;
    const { context } = this;
    if (!context) {
      this.free();
      return { seconds: 0, bytes: 0 };
    }
    try {
      this.flushPicture(this.end);
      checkAv(await context.writeTrailer(), 'completing a recording');
      return { seconds: this.end / SAMPLE_RATE, bytes: this.bytes };
    } finally {
      this.free();
    }
  }

  /** Removes it. Idempotent. */
  async discard(): Promise<void> {
    this.isOver = true;
    this.free();
    await rm(this.options.path, { force: true });
  }

  private open(first: Uint8Array): av.FormatContext {
    const { path, codec, width, height } = this.options;
    const isH264 = codec === 'H264';
    const context = new av.FormatContext();
    checkAv(context.allocOutputContext2(null, isH264 ? 'mp4' : 'webm', path), 'starting a recording');
    const video = context.newStream();
    Object.assign(video.codecpar, {
      codecType: avc.AVMEDIA_TYPE_VIDEO,
      codecId: isH264 ? avc.AV_CODEC_ID_H264 : avc.AV_CODEC_ID_VP8,
      width,
      height,
      ...(isH264 ? { extradata: parameterSets(first) } : {}),
    });
    video.timeBase = new av.Rational(1, VIDEO_CLOCK);
    const sound = context.newStream();
    Object.assign(sound.codecpar, {
      codecType: avc.AVMEDIA_TYPE_AUDIO,
      codecId: avc.AV_CODEC_ID_OPUS,
      sampleRate: SAMPLE_RATE,
      channelLayout: avc.AV_CHANNEL_LAYOUT_MONO,
      extradata: opusHead(),
    });
    sound.timeBase = new av.Rational(1, SAMPLE_RATE);
    // An MP4 takes a manifest instead.
    if (!isH264) context.metadata = av.Dictionary.fromObject({ [SOURCE_TAG.name]: SOURCE_TAG.value });
    checkAv(context.openOutputSync(), 'opening a recording');
    checkAv(context.writeHeaderSync(), 'starting a recording');
    return context;
  }

  private flushPicture(until: number): void {
    const { pending } = this;
    if (!pending) return;
    this.pending = undefined;
    const ticks = (sample: number) => Math.round((sample * VIDEO_CLOCK) / SAMPLE_RATE);
    const at = ticks(pending.sample);
    const duration = Math.max(1, ticks(until) - at);
    this.write({ stream: 0, data: pending.data, keyframe: pending.keyframe, at, duration, base: VIDEO_CLOCK });
    this.end = Math.max(this.end, until);
  }

  private write(one: {
    stream: number;
    data: Uint8Array;
    keyframe: boolean;
    at: number;
    duration: number;
    base: number;
  }): void {
    const { packet, context } = this;
    const stream = context?.streams[one.stream];
    if (!context || !stream) return;
    packet.data = Buffer.from(one.data);
    packet.streamIndex = one.stream;
    packet.pts = BigInt(Math.round(one.at));
    packet.dts = packet.pts;
    packet.duration = BigInt(one.duration);
    packet.isKeyframe = one.keyframe;
    packet.timeBase = new av.Rational(1, one.base);
    packet.rescaleTs(new av.Rational(1, one.base), stream.timeBase);
    this.bytes += one.data.length;
    checkAv(context.interleavedWriteFrameSync(packet), 'writing a recording');
  }

  private free(): void {
    this.context?.closeOutputSync();
    this.context?.freeContext();
    this.context = undefined;
    this.packet.free();
  }
}

/** The NAL units of SPS and PPS (types 7 and 8) of an annex B picture, with their start codes. */
function parameterSets(picture: Uint8Array): Buffer {
  const sets = splitAnnexB(picture).filter((unit) => [7, 8].includes(unit[0]! & 31));
  return Buffer.concat(sets.flatMap((unit) => [Buffer.of(0, 0, 0, 1), unit]));
}

/** Identification header of mono Opus (RFC 7845 section 5.1). */
function opusHead(): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 'latin1');
  head[8] = 1;
  head[9] = 1;
  head.writeUInt32LE(SAMPLE_RATE, 12);
  return head;
}
