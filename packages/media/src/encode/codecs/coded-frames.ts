import type { YuvaFrame, YuvFrame } from '@figurehead/presenter/frame';
import { AvPicture, av, avc, type Encoder } from '../av.js';
import type { EncodedPacket, EncodedSegment, SegmentEncoder, VideoSettings } from '../contract.js';

/** An encoder of pictures with the conversion of its packets to samples of a container. */
export interface CodedStream {
  readonly encoder: Encoder;
  /** The container's form of the codec's headers. */
  readonly extradata: Uint8Array;
  /** Frames by which decoding runs ahead of presentation, the same in every segment. */
  readonly reorderFrames: number;
  /** Converts a packet to the container's format. */
  readonly sample: (data: Uint8Array) => Uint8Array;
}

/** Builds a segment encoder from a codec's stream. Frames must have the settings' size. */
export function segmentEncoder(stream: CodedStream, settings: VideoSettings): SegmentEncoder {
  const { encoder, extradata } = stream;
  const picture = new AvPicture(settings.width, settings.height);
  let shown = 0;
  let coded = 0;
  const finished = (packets: EncodedPacket[]): EncodedPacket[] =>
    packets.map(({ data, pts, keyframe }) => ({
      data: stream.sample(data),
      pts,
      // Decoding times are numbered, not taken from the encoder, so that segments of any length join without a gap.
      dts: coded++ - stream.reorderFrames,
      duration: 1,
      keyframe,
    }));
  return {
    extradata,
    encode(frame: YuvFrame | YuvaFrame): EncodedPacket[] {
      picture.fill(frame);
      picture.frame.pts = BigInt(shown++);
      return finished(encoder.sendSync(picture.frame));
    },
    finish: () => finished(encoder.sendSync(null)),
    close(): void {
      encoder.close();
      picture.close();
    },
  };
}

/**
 * A still for codecs whose repeated frames cannot be written by hand: one GOP is encoded and reused for all others, so
 * that a still of any length costs two seconds of static pictures at most.
 */
export function repeatGop(
  frame: YuvFrame | YuvaFrame,
  frames: number,
  settings: VideoSettings,
  openEncoder: (settings: VideoSettings) => SegmentEncoder,
): EncodedSegment {
  const { gopFrames } = settings;
  const open = (): SegmentEncoder => openEncoder(settings);
  const whole = Math.floor(frames / gopFrames);
  const rest = frames % gopFrames;
  const gop = whole > 0 ? encodeRun(frame, gopFrames, open) : undefined;
  const last = rest > 0 ? encodeRun(frame, rest, open) : undefined;
  const shifted = (run: EncodedSegment, by: number): EncodedPacket[] =>
    run.packets.map((packet) => ({ ...packet, pts: packet.pts + by, dts: packet.dts + by }));
  const packets = gop ? Array.from({ length: whole }, (_, index) => shifted(gop, index * gopFrames)).flat() : [];
  if (last) packets.push(...shifted(last, whole * gopFrames));
  const extradata = (gop ?? last)?.extradata;
  if (!extradata) throw new RangeError(`expected at least one frame, got ${frames}`);
  return { frames, extradata, packets };
}

function encodeRun(frame: YuvFrame | YuvaFrame, frames: number, open: () => SegmentEncoder): EncodedSegment {
  const encoder = open();
  try {
    const packets: EncodedPacket[] = [];
    for (let index = 0; index < frames; index++) packets.push(...encoder.encode(frame));
    packets.push(...encoder.finish());
    return { frames, extradata: encoder.extradata, packets };
  } finally {
    encoder.close();
  }
}

/** Settings common to all codecs of the engine: size, rate, one thread, closed GOPs, BT.709 limited. */
export function prepareVideo(context: av.CodecContext, settings: VideoSettings): void {
  context.width = settings.width;
  context.height = settings.height;
  context.pixelFormat = avc.AV_PIX_FMT_YUV420P;
  context.timeBase = new av.Rational(1, settings.fps);
  context.framerate = new av.Rational(settings.fps, 1);
  context.gopSize = settings.gopFrames;
  context.threadCount = 1;
  context.colorRange = avc.AVCOL_RANGE_MPEG;
  context.colorPrimaries = avc.AVCOL_PRI_BT709;
  context.colorTrc = avc.AVCOL_TRC_BT709;
  context.colorSpace = avc.AVCOL_SPC_BT709;
  context.chromaLocation = avc.AVCHROMA_LOC_LEFT;
  context.setFlags(avc.AV_CODEC_FLAG_GLOBAL_HEADER, avc.AV_CODEC_FLAG_CLOSED_GOP);
}
