import type { Codec, EncodePreset } from '@figurehead/contract/document';
import type { VideoFormat, YuvaFrame, YuvFrame } from '@figurehead/presenter/frame';

/** Settings of a segment encoder. Two encoders with equal settings emit identical extradata. */
export interface VideoSettings extends VideoFormat {
  /** `h264` when absent. */
  readonly codec?: Codec;
  /** Frames carry transparency, VP9 only. */
  readonly alpha?: boolean;
  /** Encode H.264 on the graphics card; only if `findNvenc` has found one. */
  readonly nvenc?: boolean;
  readonly preset: EncodePreset;
  /** Constant rate factor of x264, 0…51; lower is better. Other codecs use the value with the same visual quality. */
  readonly crf: number;
  /** Little of the picture changes from frame to frame, as with a static background: x264 then does not look ahead. */
  readonly calm?: boolean;
  /** Frames per closed GOP; segments start on a keyframe and are a whole number of GOPs except the last. */
  readonly gopFrames: number;
}

/** One compressed access unit. `pts`, `dts` and `duration` count in the stream's own time base: frames for video, samples for audio. */
export interface EncodedPacket {
  readonly data: Uint8Array;
  readonly pts: number;
  readonly dts: number;
  readonly duration: number;
  readonly keyframe: boolean;
}

/**
 * A run of frames that was encoded separately. Packets are in decoding order, their times relative to the segment's
 * first frame.
 */
export interface EncodedSegment {
  readonly frames: number;
  readonly extradata: Uint8Array;
  readonly packets: readonly EncodedPacket[];
}

/** A soundtrack that is being encoded or was read from the cache. */
export interface SoundStream {
  readonly codec: 'aac' | 'opus';
  /** AudioSpecificConfig (ISO/IEC 14496-3) or the Opus identification header (RFC 7845 clause 5.1). */
  readonly extradata: Uint8Array;
  readonly channels: 1 | 2;
  /** Samples per packet. */
  readonly frameSamples: number;
  /** Runs of packets in order, times in samples; priming packets have negative times. Can be iterated once. */
  readonly packets: AsyncGenerator<EncodedPacket[]>;
  /** Frees the encoder. Idempotent; the end of the iteration also frees it. */
  close(): void;
}

/** A line of subtitles; times in seconds from the start of the video. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: readonly { readonly text: string; readonly start: number; readonly end: number }[];
}

/** A chapter of the finished file. */
export interface ChapterMark {
  readonly start: number;
  readonly end: number;
  readonly title: string;
}

/** Encodes frames one at a time. The caller closes it; after an error it can only be closed. */
export interface SegmentEncoder {
  readonly extradata: Uint8Array;
  /** Copies the frame's planes, including alpha where the settings have it; returns finished packets. */
  encode(frame: YuvFrame | YuvaFrame): EncodedPacket[];
  /** Ends the segment and returns the remaining packets. */
  finish(): EncodedPacket[];
  close(): void;
}
